#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Input that cannot be used: one line that names file, place and what was expected, exit 2, and no
file. usage: PROGRAM [TEST...]"""
import gzip
import os
import pathlib
import random
import subprocess
import zlib

from cli_check import blobs, check, main

QUICK = ["--calibrate", "none", "--epochs", "5", "--stop", "fixed", "--inducing", "5", "--points", "32",
         "--threads", "1"]

FEWER = "NIMGP_FEWER_ROWS" in os.environ  # sanitizers are slow


def table(nimgp, name="t.csv", rows=60, change=None):
    head, made = blobs(rows)
    if change:
        change(head, made)
    return nimgp.write_rows(name, head, made)


def everywhere(nimgp, name, says):
    """fit, predict, evaluate and suggest all refuse the table, in the same words' spirit. They read
    it by the same code, so that sanitizers need to see fit and, in turn, one of the others."""
    nimgp.refuses("fit", name, "-o", "new", says=says)
    others = [["predict", "m", name, "-o", "new.csv"], ["evaluate", "m", name],
              ["suggest", "m", name, "-o", "new.csv"]]
    everywhere.calls += 1
    for words in [others[everywhere.calls % 3]] if FEWER else others:
        nimgp.refuses(*words, says=says)


everywhere.calls = 0


def good_model(nimgp):
    nimgp("fit", table(nimgp, "good.csv"), "-o", "m", *QUICK)


def broken_csv(nimgp):
    good_model(nimgp)
    text = nimgp.read("good.csv").decode().splitlines(keepends=True)

    def with_line(number, line):
        return nimgp.write("t.csv", "".join(text[:number - 1] + [line + "\n"] + text[number:]))

    everywhere(nimgp, with_line(7, "1,2,3"), ["t.csv:7", "3"])
    everywhere(nimgp, with_line(8, "1,2,3,4,a,5"), ["t.csv:8", "6"])
    everywhere(nimgp, with_line(9, '1,"2,0.1,0.1,a'), ["t.csv:9"])
    everywhere(nimgp, with_line(10, '1,"2"x,0.1,0.1,a'), ["t.csv:10"])
    everywhere(nimgp, with_line(11, "1,abc,0.1,0.1,a"), ["t.csv:11", "x2", "number", "abc"])
    everywhere(nimgp, with_line(12, "1,2,0.1,?,a"), ["t.csv:12", "x2_err", "number"])
    everywhere(nimgp, with_line(13, "1,2,-0.1,0.1,a"), ["t.csv:13", "x1_err", "-0.1"])
    everywhere(nimgp, with_line(14, "1,2,inf,0.1,a"), ["t.csv:14", "x1_err"])
    everywhere(nimgp, with_line(15, "1,-inf,0.1,0.1,a"), ["t.csv:15", "x2"])


def text_among_numbers(nimgp):
    """Also in a table without errors, where only the other cells tell that numbers were meant."""
    nimgp.write_rows("t.csv", ["u", "v", "class"],
                     [[i, "oops" if i == 30 else 2 * i % 7, "ab"[i % 2]] for i in range(40)])
    nimgp.refuses("fit", "t.csv", "-o", "new", says=["t.csv:32", "v", "oops"])
    rows = [[i, 2 * i % 7, "ab"[i % 2]] for i in range(9000)]
    rows[8000][0] = "late"
    nimgp.write_rows("t.csv", ["u", "v", "class"], rows)
    nimgp.refuses("fit", "t.csv", "-o", "new", says=["t.csv:8002", "u", "late"])


def nothing_there(nimgp):
    good_model(nimgp)
    everywhere(nimgp, nimgp.write("empty.csv", ""), ["empty.csv", "empty"])
    everywhere(nimgp, nimgp.write("blank.csv", "\n\n"), ["blank.csv"])
    everywhere(nimgp, nimgp.write("head.csv", "x1,x2,x1_err,x2_err,class\n"),
               ["head.csv", "no rows"])
    everywhere(nimgp, "absent.csv", ["absent.csv", "No such file"])
    (nimgp.directory / "folder").mkdir()
    everywhere(nimgp, "folder", ["folder", "directory"])


def unusable_labels(nimgp):
    nimgp.write_rows("one.csv", ["x", "class"], [[i, "a"] for i in range(9)])
    nimgp.refuses("fit", "one.csv", "-o", "new", says=["one.csv", "class", "'a'", "two"])
    nimgp.write_rows("blank.csv", ["x", "class"], [[i, ""] for i in range(9)])
    nimgp.refuses("fit", "blank.csv", "-o", "new", says=["blank.csv", "class", "label"])
    source = random.Random(1)
    nimgp.write_rows("reals.csv", ["x", "y"], [[i, source.random()] for i in range(50)])
    nimgp.refuses("fit", "reals.csv", "-o", "new", says=["reals.csv", "y", "50", "--label"])
    nimgp.write_rows("last.csv", ["kind", "flux", "flux_err", "note"][:3],
                     [["ab"[i % 2], i % 7, 0.1 + i % 2] for i in range(40)])
    nimgp.refuses("fit", "last.csv", "-o", "new", says=["last.csv", "flux_err", "errors", "text: kind"])
    nimgp.write_rows("many.csv", ["x", "y"], [[i, f"c{i}"] for i in range(10001)])
    nimgp.refuses("fit", "many.csv", "-o", "new", says=["many.csv:10002", "y", "10000"])
    nimgp.write_rows("text.csv", ["name", "class"], [["me", "a"], ["you", "b"]])
    nimgp.refuses("fit", "text.csv", "-o", "new", says=["text.csv", "numbers"])
    nimgp.refuses("fit", "one.csv", "-o", "new", "--label", "klass", says=["one.csv", "klass", "class"])


def broken_gzip(nimgp):
    good_model(nimgp)
    whole = gzip.compress(nimgp.read(table(nimgp, rows=3000)))
    everywhere(nimgp, nimgp.write("cut.csv.gz", whole[:len(whole) // 2]), ["cut.csv.gz"])
    everywhere(nimgp, nimgp.write("end.csv.gz", whole[:-3]), ["end.csv.gz"])
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0x10
    everywhere(nimgp, nimgp.write("flip.csv.gz", bytes(flipped)), ["flip.csv.gz"])


def broken_fits(nimgp):
    good_model(nimgp)
    table(nimgp, rows=500)
    nimgp("convert", "t.csv", "t.fits")
    whole = nimgp.read("t.fits")
    check(nimgp("predict", "m", "t.fits").rows() == nimgp("predict", "m", "t.csv").rows())
    for length in (100, 2000, 2880, 5000, len(whole) // 2, len(whole) - 2880):
        everywhere(nimgp, nimgp.write("cut.fits", whole[:length]), ["cut.fits"])
    # A flipped bit in the header is refused, or the table is what it was.
    source = random.Random(3)
    for _ in range(30):
        flipped = bytearray(whole)
        flipped[source.randrange(0, 5760)] ^= 1 << source.randrange(8)
        nimgp.write("flip.fits", bytes(flipped))
        process = nimgp.start("predict", "m", "flip.fits")
        process.communicate(timeout=60)
        check(process.returncode in (0, 2), "exit", process.returncode)


def broken_models(nimgp):
    good_model(nimgp)
    whole = nimgp.read("m")

    def refused(name, *says):
        for command in (["predict"], ["evaluate"], ["suggest"]):
            nimgp.refuses(*command, name, "good.csv", says=[name, *says])
        nimgp.refuses("inspect", name, says=[name, *says])
        nimgp.refuses("fit", "good.csv", "-o", "new", "--from", name, says=[name, *says])
        nimgp.refuses("fit", "good.csv", "-o", "new", "--resume", name, says=[name, *says])

    for length in (0, 7, 8, 100, len(whole) // 2, len(whole) - 1):
        refused(nimgp.write("cut", whole[:length]))
    refused(nimgp.write("longer", whole + b"x"))
    nimgp.refuses("inspect", "good.csv", says=["good.csv"])
    source = random.Random(4)
    for _ in range(60):
        flipped = bytearray(whole)
        flipped[source.randrange(len(whole))] ^= 1 << source.randrange(8)
        nimgp.write("flip", bytes(flipped))
        nimgp.refuses("inspect", "flip", says=["flip"])
    nimgp.refuses("inspect", "absent", says=["absent"])
    (nimgp.directory / "folder").mkdir()
    nimgp.refuses("inspect", "folder", says=["folder"])
    # Another version of the format is named as such: the file itself is whole.
    other = bytearray(whole)
    at = other.index(b'"format_version":"') + 18
    other[at:at + 1] = b"9"
    at = other.index(b'"crc32":"') + 9
    other[at:at + 8] = b"00000000"
    other[at:at + 8] = b"%08x" % zlib.crc32(other)
    refused(nimgp.write("future", bytes(other)), "version 9")


def full_disk(nimgp):
    if not os.path.exists("/dev/full"):
        print("        SKIPPED: no /dev/full here")
        return
    good_model(nimgp)
    for words in (["predict", "m", "good.csv"], ["evaluate", "m", "good.csv"],
                  ["suggest", "m", "good.csv"], ["inspect", "m"], ["inspect", "m", "--json"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([nimgp.path, *words], cwd=nimgp.directory, stdout=full,
                                  stderr=subprocess.PIPE)
        check(done.returncode == 2 and b"No space left" in done.stderr, words, done)
    nimgp.refuses("predict", "m", "good.csv", "-o", "/dev/full", says=["/dev/full", "No space"])
    nimgp.refuses("fit", "good.csv", "-o", "/dev/full", *QUICK, says=["/dev/full", "No space"],
                  talks=True)
    check(pathlib.Path("/dev/full").is_char_device(), "/dev/full was replaced")


def no_permission(nimgp):
    if os.geteuid() == 0:
        print("        SKIPPED: root may do anything")
        return
    good_model(nimgp)
    (nimgp.directory / "good.csv").chmod(0)
    everywhere(nimgp, "good.csv", ["good.csv", "Permission denied"])
    (nimgp.directory / "good.csv").chmod(0o600)
    (nimgp.directory / "shut").mkdir(mode=0o500)
    nimgp.refuses("fit", "good.csv", "-o", "shut/m", says=["shut/m", "Permission denied"])
    nimgp.refuses("predict", "m", "good.csv", "-o", "shut/p", says=["shut/p", "Permission denied"])


def strange_names(nimgp):
    """Names with anything in them go through fit, model, predict and JSON."""
    names = ["a,b", 'say "x"', "log(", "=", "x=y", "Größe", "tab\tname"]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    source = random.Random(5)
    nimgp.write("t.csv", ",".join([*quoted, "class"]) + "\n" + "".join(
        ",".join([str(abs(source.gauss(i % 2, 1))) for _ in names] + ['"c,1"' if i % 2 else "ü"]) + "\n"
        for i in range(40)))
    nimgp("fit", "t.csv", "-o", "m", *QUICK)
    found = nimgp("inspect", "m", "--json").json()
    check([f["name"] for f in found["features"]] == names, found["features"])
    check([c["name"] for c in found["classes"]] == ["c,1", "ü"], found["classes"])
    check(len(nimgp("predict", "m", "t.csv", "--keep").rows()) == 40)
    nimgp("inspect", "m")
    nimgp("fit", "t.csv", "-o", "n", *QUICK, "--features", '"a,b","x=y"', "--errors",
          "x=y==,\"a,b=say \"\"x\"\"\"")
    found = nimgp("inspect", "n", "--json").json()
    check([f["error"] for f in found["features"]] == ['say "x"', "="], found["features"])
    nimgp.write("bytes.csv", b"x,\xff\xfe,class\n1,2,a\n2,3,b\n3,4,a\n4,5,b\n")
    nimgp.refuses("fit", "bytes.csv", "-o", "new", "--inducing", "2", says=["bytes.csv", "UTF-8"],
                  talks=True)


def no_header(nimgp):
    """A first line of values is no header; numbers may be names all the same."""
    good_model(nimgp)
    bodies = {"iris": "5.1,3.5,setosa\n4.9,3.0,setosa\n7.0,3.2,virginica\n6.1,3.3,virginica\n",
              "whole": "5,3,0\n4,3,0\n7,3,1\n6,3,1\n", "mixed": "5,0.2,a\n6,0.3,b\n7,0.1,a\n8,1,b\n",
              "fractions": "0.5,1.5,0\n1,2,0\n2,1,1\n2,2,1\n"}
    for name, body in bodies.items():
        nimgp.write(f"{name}.csv", "# a comment\n" + body)
        everywhere(nimgp, f"{name}.csv", [f"{name}.csv:2", "header"])
    for head in ("0,1,2", "350.5,360.5,class", "1,2,label"):
        nimgp.write("t.csv", head + "\n4.9,3.0,0\n7.0,3.2,1\n6.1,3.3,1\n5.1,3.5,0\n")
        nimgp("fit", "t.csv", "-o", "n", *QUICK, "--inducing", "2")


def other_encodings(nimgp):
    """Latin-1 is named with its line, and never reaches a terminal as it is; nor do control characters."""
    rows = b"".join(b"%d,%s\n" % (i, b"caf\xe9" if i == 3 else b"ab"[i % 2:][:1]) for i in range(9))
    nimgp.write("l.csv", b"x,class\n" + rows)
    nimgp.refuses("fit", "l.csv", "-o", "n", *QUICK, says=["l.csv:5", "class", "caf?", "UTF-8"])
    nimgp.write("n.csv", b"caf\xe9,class\n1,a\n2,b\n3,a\n4,b\n")
    nimgp.refuses("fit", "n.csv", "-o", "n", *QUICK, says=["n.csv", "column 1", "UTF-8"])
    nimgp("fit", "l.csv", "-o", "some", *QUICK, "--inducing", "2", "--classes", "a,b")
    nimgp.write("e.csv", "x\x1b[31m\u009b5m,class\n1,a\x1b]0;b\n2,b\n3,b\n4,a\x1b]0;b\n")
    for words in (["fit", "e.csv", "-o", "e", *QUICK, "--inducing", "2"], ["inspect", "e"],
                  ["evaluate", "e", "e.csv"]):
        done = subprocess.run([nimgp.path, *words], cwd=nimgp.directory, capture_output=True)
        check(done.returncode == 0 and not set(done.stdout + done.stderr) & {0x1b, 0x9b}, words, done)


def mutations(nimgp):
    """Bytes changed anywhere: refused in one line or read, and never anything else."""
    good_model(nimgp)
    whole = nimgp.read("good.csv")
    source = random.Random(6)
    pieces = [b",", b'"', b"\n", b"\r", b"\0", b"nan", b"-", b"1e999", b"1e308", b"-1e308", b"1e-320",
              b"\xff", b"a", b",,,", b"\t", b" "]
    ends = {0: 0, 2: 0}
    odd = [b"", b"nan", b"0", b"1e30", b"1e308", b"-1e308", b"1e-320", b"-0"]
    for turn in range(20 if FEWER else 60):
        mutant = bytearray(whole)
        for _ in range(source.randrange(1, 4)):
            at = source.randrange(len(mutant))
            mutant[at:at + source.randrange(3)] = source.choice(pieces)
        if turn % 2:  # cells that are numbers, if strange ones
            lines = [line.split(b",") for line in whole.splitlines()]
            for _ in range(5):
                line = source.choice(lines[1:])
                line[source.randrange(2)] = source.choice(odd)
            mutant = b"\n".join(b",".join(line) for line in lines) + b"\n"
        nimgp.write("t.csv", bytes(mutant))
        for words in (["fit", "t.csv", "-o", "new", *QUICK], ["predict", "m", "t.csv"],
                      ["evaluate", "m", "t.csv"], ["suggest", "m", "t.csv", "--remeasure"]):
            process = nimgp.start(*words)
            out, said = process.communicate(timeout=60)
            code = process.returncode
            check(code in ends, "nimgp", *words, "ended with", code, said)
            check(b"nan" not in out.lower(), "NaN in the output", out)
            check(code == 0 or (said.count(b"nimgp: ") >= 1 and b"t.csv" in said), said)
            ends[code] += 1
    check(min(ends.values()) > (3 if FEWER else 10), "too tame or too wild:", ends)


if __name__ == "__main__":
    main([broken_csv, text_among_numbers, nothing_there, unusable_labels, broken_gzip, broken_fits,
          broken_models, full_disk, no_permission, strange_names, no_header, other_encodings,
          mutations])
