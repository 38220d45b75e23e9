#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""predict: columns, blocks, pipes, memory. usage: PROGRAM [TEST...]"""
import csv
import gzip
import io
import math
import os
import signal
import subprocess

from cli_check import blobs, check, main, near

FEWER = "NIMGP_FEWER_ROWS" in os.environ
QUICK = ["--calibrate", "none", "--epochs", "30", "--stop", "fixed", "--inducing", "10", "--warm-up", "20", "--points",
         "32", "--threads", "1"]


def model(nimgp, *more, rows=120, name="m"):
    nimgp.write_rows("train.csv", *blobs(rows))
    nimgp("fit", "train.csv", "-o", name, *QUICK, *more)
    return name


def probabilities(row):
    return [float(cell) for name, cell in row.items() if name.startswith("p_")]


def laws(nimgp):
    """Probabilities add up to one, the most probable class is the prediction, the entropy is theirs
    and the sum of its parts."""
    model(nimgp)
    head, rows = blobs(300, seed=2)
    nimgp.write_rows("test.csv", head, rows)
    result = nimgp("predict", "m", "test.csv", "--parts", "--latent").rows()
    check(len(result) == 300)
    check(list(result[0]) == ["p_a", "p_b", "p_c", "predicted", "entropy", "entropy_measurement",
                              "entropy_rest", "mean_a", "mean_b", "mean_c",
                              "deviation_a", "deviation_b", "deviation_c"], list(result[0]))
    right = 0
    for row, true in zip(result, rows):
        p = probabilities(row)
        check(near(sum(p), 1.0) and min(p) >= 0, p)
        check(row["predicted"] == "abc"[p.index(max(p))], row)
        entropy = -sum(q * math.log(q) for q in p)
        parts = [float(row["entropy_" + part]) for part in ("measurement", "rest")]
        check(near(entropy, float(row["entropy"])) and near(sum(parts), entropy), row)
        check(min(parts) > -1e-6, parts)
        check(all(float(row["deviation_" + c]) > 0 for c in "abc"))
        right += row["predicted"] == true[4]
    check(right > 240, right, "of 300 right on three blobs")
    plain = nimgp("predict", "m", "test.csv").rows()
    check([{k: row[k] for k in plain[0]} for row in result] == plain, "more columns, other numbers")


def tolerance(nimgp):
    """Rows that choose their points are as near to very many points as they were told to be."""
    model(nimgp)
    head, rows = blobs(20 if FEWER else 60, seed=4)
    nimgp.write_rows("test.csv", head, rows)
    limit = [probabilities(row) for row in nimgp("predict", "m", "test.csv", "--points", "16384").rows()]
    for allowed in (0.02, 0.001):
        result = nimgp("predict", "m", "test.csv", "--points", "0", "--tolerance", str(allowed)).rows()
        furthest = max(abs(p - q) for row, true in zip(result, limit) for p, q in zip(probabilities(row), true))
        check(furthest < 2 * allowed, furthest, "at a tolerance of", allowed)
    nimgp.refuses("predict", "m", "test.csv", "--tolerance", "0", code=1, says=["tolerance", "0.0001 .. 0.1"])


def by_name(nimgp):
    """Order, other columns and case of names do not matter; only the rows do."""
    model(nimgp)
    head, rows = blobs(50, seed=3)
    nimgp.write_rows("a.csv", head, rows)
    order = [3, 1, 4, 0, 2]
    nimgp.write_rows("b.csv", ["who"] + [head[i].upper() for i in order],
                     [["me"] + [row[i] for i in order] for row in rows])
    check(nimgp("predict", "m", "a.csv").out == nimgp("predict", "m", "b.csv").out)
    nimgp.write_rows("c.csv", ["x1", "x1_err"], [row[0:3:2] for row in rows])
    nimgp.refuses("predict", "m", "c.csv", says=["c.csv", "x2"])
    nimgp.write_rows("d.csv", ["x1", "x2", "x2", "class"], [[1, 2, 3, "a"]])
    nimgp.refuses("predict", "m", "d.csv", says=["d.csv", "two", "x2"])


def errors(nimgp):
    """The training's error columns are looked for; one that is lost is said; they can be named."""
    model(nimgp)
    head, rows = blobs(40, seed=4)
    nimgp.write_rows("with.csv", head, rows)
    reference = nimgp("predict", "m", "with.csv").out
    nimgp.write_rows("named.csv", ["x1", "x2", "u", "v"], [row[:4] for row in rows])
    result = nimgp("predict", "m", "named.csv", "--errors", "x1=u,x2=v")
    check(result.out == reference and result.err == "", result.err)
    result = nimgp("predict", "m", "named.csv")
    check(result.out != reference and result.err.count("\n") == 2, result.err)
    check("x1_err" in result.err and "x2_err" in result.err, result.err)
    check("--errors x1=NAME" in result.err and "median" in result.err, result.err)
    nimgp.write_rows("unknown.csv", head[:4], [[*row[:2], "", ""] for row in rows])
    check(result.out == nimgp("predict", "m", "unknown.csv").out, "a lost error is an unknown one")
    nimgp.write_rows("zero.csv", head[:4], [[*row[:2], 0, 0] for row in rows])
    exact = nimgp("predict", "m", "zero.csv").out
    check(exact != result.out, "a lost error is no exact value")
    check(exact == nimgp("predict", "m", "with.csv", "--errors", "none").out)
    check(exact == nimgp("predict", "m", "named.csv", "--errors", "x1=,x2=").out)
    # A model that was told to ignore the errors ignores them here too.
    model(nimgp, "--errors", "none", name="n")
    check(nimgp("predict", "n", "with.csv").out == nimgp("predict", "n", "zero.csv").out)


def missing(nimgp):
    """All spellings of a missing value are the same; a missing error is not an exact value."""
    model(nimgp)
    head = ["x1", "x2", "x1_err", "x2_err"]
    cells = ["", "NaN", "nan", "NA", "null", "--"]
    nimgp.write_rows("t.csv", head, [[cell, 0.5, 0.1, 0.1] for cell in cells])
    rows = nimgp("predict", "m", "t.csv").rows()
    check(len({tuple(row.values()) for row in rows}) == 1, rows)
    nimgp.write_rows("t.csv", head, [[0.5, 0.5, cell, 0.1] for cell in ["", 0]])
    rows = nimgp("predict", "m", "t.csv").rows()
    check(rows[0] != rows[1], "an unknown error counted as none")


def kept_columns(nimgp):
    model(nimgp)
    nimgp.write_rows("t.csv", ["source_id", "x1", "x2", "name", "entropy"],
                     [[4611686018427387905, 0.50, -1, '"a, b"', 7], [12, 1, 1, '"say ""x"""', 8]])
    result = nimgp("predict", "m", "t.csv", "--keep")
    rows = result.rows()
    check(list(rows[0]) == ["source_id", "x1", "x2", "name", "p_a", "p_b", "p_c", "predicted",
                            "entropy"], list(rows[0]))
    check("'entropy' is not copied" in result.err, result.err)
    check(rows[0]["source_id"] == "4611686018427387905", "19 digits", rows[0])
    check([row["name"] for row in rows] == ["a, b", 'say "x"'], rows)
    some = nimgp("predict", "m", "t.csv", "--keep-only", "name,x2").rows()
    check(list(some[0])[:3] == ["name", "x2", "p_a"], list(some[0]))
    nimgp.refuses("predict", "m", "t.csv", "--errors", "none", "--keep-only", "name,nane",
                  says=["t.csv", "nane", "'name'"])


def any_split(nimgp):
    """File, pipe, slow pipe, gzip, threads: the same bytes; halves of a table are halves of the
    result."""
    model(nimgp)
    head, rows = blobs(5000 if FEWER else 9000, seed=5)
    nimgp.write_rows("t.csv", head, rows)
    table = nimgp.read("t.csv")
    whole = nimgp("predict", "m", "t.csv").out
    check(whole == nimgp("predict", "m", "-", stdin=table).out, "a pipe is another table")
    check(whole == nimgp("predict", "m", "t.csv", "--threads", "1").out)
    nimgp.write("t.csv.gz", gzip.compress(table))
    check(whole == nimgp("predict", "m", "t.csv.gz").out)
    nimgp("predict", "m", "t.csv", "-o", "out.csv", "--threads", "3")
    check(whole.encode() == nimgp.read("out.csv"))
    halves = []
    for part in (rows[:1234], rows[1234:]):
        nimgp.write_rows("part.csv", head, part)
        halves += nimgp("predict", "m", "part.csv").rows()
    check(halves == list(csv.DictReader(io.StringIO(whole))))
    process = nimgp.start("predict", "m", "-", "-o", "slow.csv", stdin=subprocess.PIPE)
    for start in range(0, 40000, 4001):  # cut anywhere, in the middle of numbers too
        process.stdin.write(table[start:start + 4001])
        process.stdin.flush()
    process.stdin.write(table[start + 4001:])
    process.communicate()
    check(nimgp.read("slow.csv").decode() == whole, "it matters how a pipe is filled")


def where(nimgp):
    model(nimgp)
    head, rows = blobs(200, seed=6)
    for i, row in enumerate(rows):
        row[4] = "" if i % 3 else row[4]
    nimgp.write_rows("t.csv", head, rows)
    kept = nimgp("predict", "m", "t.csv", "--where", "class = ''", "--keep").rows()
    check(len(kept) == sum(row[4] == "" for row in rows))
    check([float(row["x1"]) for row in kept] == [row[0] for row in rows if row[4] == ""])
    none = nimgp("predict", "m", "t.csv", "--where", "x1 > 1e9")
    check(none.out == "p_a,p_b,p_c,predicted,entropy\n", "a head and no rows", none.out)
    check("no row satisfies --where" in none.err, none.err)
    check("no row satisfies --where" in nimgp("suggest", "m", "t.csv", "--where", "x1 > 1e9").err)
    said = nimgp("predict", "m", "t.csv", "--where", "class = ''", "-o", "p.csv").err
    check(f"{len(kept)} rows in p.csv" in said, said)
    check(nimgp("predict", "m", "t.csv", "-q", "-o", "p.csv").err == "")
    for command in ("predict", "evaluate", "suggest"):
        nimgp.refuses(command, "t.csv", "m", code=1,
                      says=[f"the model must come first: nimgp {command} MODEL TABLE"])
    nimgp.refuses("predict", "m", "m", says=["m: is a nimgp model, not a table"])
    nimgp.refuses("predict", "m", "t.csv", "--where", "x9 > 1", says=["x9"])


def written_whole(nimgp):
    """No file after a failure, nor half a file; the old one stays."""
    model(nimgp)
    head, rows = blobs(9000, seed=7)
    rows[8765][2] = -0.5
    nimgp.write_rows("t.csv", head, rows)
    says = ["t.csv:8767", "x1_err", "-0.5"]
    nimgp.refuses("predict", "m", "t.csv", "-o", "new.csv", says=says)
    nimgp.write("old.csv", "precious\n")
    nimgp.refuses("predict", "m", "t.csv", "-o", "old.csv", says=says)
    check(nimgp.read("old.csv") == b"precious\n")
    nimgp.refuses("predict", "m", "t.csv", "-o", "t.csv", code=1, says=["t.csv"])
    for name in ("out.xlsx", "o.parquet", "a.idx", "a.libsvm", "a.svm.gz"):
        nimgp.refuses("predict", "m", "train.csv", "-o", name, says=[name, ".csv", ".fits"])
        nimgp.refuses("suggest", "m", "train.csv", "-o", name, says=[name, ".csv", ".fits"])
    (nimgp.directory / "a.b").mkdir()
    for name in ("a.csv", "a.TSV", "a.txt.gz", "a.dat", "a.fts", "a", ".a", "a.b/c", "a.gz"):
        nimgp("predict", "m", "train.csv", "-o", name)


def outputs_apart(nimgp):
    """Neither the model nor the table is overwritten by what is made of them, by whatever name."""
    model(nimgp)
    nimgp("convert", "train.csv", "t.fits")
    os.symlink("m", nimgp.directory / "link.csv")
    os.link(nimgp.directory / "m", nimgp.directory / "hard.csv")
    kept = {name: nimgp.read(name) for name in ("m", "train.csv", "t.fits")}
    for words in (["predict"], ["suggest"], ["suggest", "--json"]):
        for output in ("m", "./m", "link.csv", "hard.csv", "train.csv"):
            says = "train.csv" if output == "train.csv" else "m: is an input and would be overwritten"
            nimgp.refuses(*words, "m", "train.csv", "-o", output, code=1, says=[says])
    nimgp.refuses("predict", "m", "t.fits[1]", "-o", "t.fits", code=1, says=["t.fits"])
    nimgp.refuses("convert", "t.fits[1]", "t.fits", code=1, says=["t.fits"])
    for name, content in kept.items():
        check(nimgp.read(name) == content, name, "was changed")


def interrupted(nimgp):
    """Ctrl-C in the middle of a pipe: exit 130, one line, and no file."""
    model(nimgp)
    head, rows = blobs(9000, seed=9)
    process = nimgp.start("predict", "m", "-", "-o", "new.csv", stdin=subprocess.PIPE)
    process.stdin.write(nimgp.read(nimgp.write_rows("t.csv", head, rows)))
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    check(process.returncode == 130, process.returncode, said)
    check(said == b"nimgp: interrupted\n", said)
    check(not (nimgp.directory / "new.csv").exists(), "half a file")
    left = [path.name for path in nimgp.directory.iterdir() if path.name not in
            {"m", "train.csv", "t.csv"}]
    check(not left, "left", left)


def constant_memory(nimgp):
    """Many times the rows, the same memory."""
    model(nimgp)
    head, rows = blobs(1000, seed=8)
    table = nimgp.read(nimgp.write_rows("t.csv", head, rows))
    start, block = table.index(b"\n") + 1, table[table.index(b"\n") + 1:]

    def peak(blocks):
        process = nimgp.start("predict", "m", "-", "--points", "4", "-o", "/dev/null",
                              stdin=subprocess.PIPE)
        process.stdin.write(table[:start])
        for _ in range(blocks):
            process.stdin.write(block)
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        check(process.returncode == 0, process.stderr.read().decode())
        process.stdout.close()
        process.stderr.close()
        return usage.ru_maxrss / 1024

    few, many = (5, 20) if FEWER else (20, 200)
    small, large = peak(few), peak(many)
    print(f"        {few},000 rows: {small:.1f} MB, {many},000 rows: {large:.1f} MB")
    check(large < small + 4, "memory grows with the rows")


if __name__ == "__main__":
    main([laws, tolerance, by_name, errors, missing, kept_columns, any_split, where, written_whole,
          outputs_apart, interrupted, constant_memory])
