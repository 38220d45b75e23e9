#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""evaluate, suggest and inspect against what follows from predict. usage: PROGRAM [TEST...]"""
import csv
import math
import statistics

from cli_check import blobs, check, main, near

QUICK = ["--calibrate", "none", "--epochs", "30", "--stop", "fixed", "--inducing", "10", "--warm-up", "20",
         "--threads", "1"]
BINS = 15


def setting(nimgp, rows=250):
    """A model, and test rows with a few cells and errors missing."""
    nimgp.write_rows("train.csv", *blobs(120))
    nimgp("fit", "train.csv", "-o", "m", *QUICK)
    head, table = blobs(rows, seed=2)
    for i in range(0, rows, 17):
        table[i][i % 4] = ""
    nimgp.write_rows("test.csv", head, table)
    return table


def predicted(nimgp, *more):
    rows = nimgp("predict", "m", "test.csv", *more).rows()
    return [[float(row["p_" + c]) for c in "abc"] for row in rows], rows


def mean(terms):
    return statistics.fmean(terms), statistics.stdev(terms) / math.sqrt(len(terms))


def calibration(p, right):
    """Bins of confidence, the plain way, and the standard error with every bin's sign held fast."""
    total, terms = 0.0, []
    for b in range(BINS):
        inside = [i for i, row in enumerate(p) if b < max(row) * BINS <= b + 1]
        if inside:
            confidence = statistics.fmean(max(p[i]) for i in inside)
            excess = confidence - statistics.fmean(right[i] for i in inside)
            total += len(inside) / len(p) * abs(excess)
            terms += [math.copysign(1, excess) * (max(p[i]) - right[i]) for i in inside]
    return total, mean(terms)[1]


def scores(p, labels):
    best = [row.index(max(row)) for row in p]
    wrong = [float(b != y) for b, y in zip(best, labels)]
    nll = [-math.log(row[y]) for row, y in zip(p, labels)]
    brier = [sum((q - (c == y)) ** 2 for c, q in enumerate(row)) for row, y in zip(p, labels)]
    right = [1.0 - w for w in wrong]
    return {"error": mean(wrong), "nll": mean(nll), "brier": mean(brier),
            "ece": calibration(p, right)}


def same_scores(found, expected):
    for name, (value, error) in expected.items():
        check(near(found[name]["value"], value), name, found[name], value)
        check(near(found[name]["standard_error"], error), name, found[name], error)


def evaluate_scores(nimgp):
    table = setting(nimgp)
    p, _ = predicted(nimgp)
    labels = ["abc".index(row[4]) for row in table]
    found = nimgp("evaluate", "m", "test.csv", "--json").json()
    check(found["rows"] == 250 and found["ece_bins"] == BINS and found["classes"] == list("abc"))
    same_scores(found, scores(p, labels))
    counts = [[0] * 3 for _ in range(3)]
    for row, y in zip(p, labels):
        counts[y][row.index(max(row))] += 1
    check(found["confusion"]["counts"] == counts, found["confusion"])
    for c in range(3):
        n = sum(counts[c])
        for k in range(3):
            share = counts[c][k] / n
            check(near(found["confusion"]["shares"][c][k], share))
            check(near(found["confusion"]["standard_errors"][c][k],
                       math.sqrt(share * (1 - share) / (n - 1))))
    text = nimgp("evaluate", "m", "test.csv").out
    check(f"{found['nll']['value']:.4g}" in text and "true \\ predicted" in text, text)


def evaluate_by_noise(nimgp):
    """Thirds by mean error / deviation; the groups are the rows they claim to be."""
    table = setting(nimgp)
    p, _ = predicted(nimgp)
    number = [[float(cell) if cell != "" else None for cell in row[:4]] for row in table]
    level = [0.0] * len(table)
    for j in range(2):
        x = [row[j] for row in number]
        deviation = statistics.pstdev(v for v in x if v is not None)
        usual = statistics.median(row[j + 2] for row in number if row[j + 2] is not None)
        for i, row in enumerate(number):
            sigma = usual if row[j + 2] is None else row[j + 2]
            level[i] += (1.0 if x[i] is None else sigma / deviation) / 2
    found = nimgp("evaluate", "m", "test.csv", "--json").json()["by_noise"]
    check(len(found) == 3 and sum(group["rows"] for group in found) == len(table), found)
    for group in found:
        inside = [i for i in range(len(table))
                  if group["least"] - 1e-9 <= level[i] <= group["most"] + 1e-9]
        check(len(inside) == group["rows"] and abs(len(inside) - len(table) / 3) < 2, group)
        same_scores(group, scores([p[i] for i in inside],
                                  ["abc".index(table[i][4]) for i in inside]))
    # All alike: one group, and no table of groups.
    head, rows = blobs(60, seed=3)
    nimgp.write_rows("test.csv", head, [[*row[:2], 0.1, 0.1, row[4]] for row in rows])
    check(len(nimgp("evaluate", "m", "test.csv", "--json").json()["by_noise"]) == 1)
    check("noise level" not in nimgp("evaluate", "m", "test.csv").out)


def evaluate_labels(nimgp):
    """Rows without a known class are left out and counted; no such row is a complaint."""
    table = setting(nimgp)
    head = ["x1", "x2", "x1_err", "x2_err", "class"]
    nimgp.write_rows("some.csv", head, [[*row[:4], ["", "d", row[4]][i % 3]]
                                        for i, row in enumerate(table)])
    nimgp.write_rows("third.csv", head, table[2::3])
    some = nimgp("evaluate", "m", "some.csv", "--json")
    third = nimgp("evaluate", "m", "third.csv", "--json").json()
    check(some.json()["nll"] == third["nll"], some.out, third)
    check("84 without a label, 83 of other classes (d)" in some.err, some.err)
    check(some.json()["left_out"] == {"no_label": 84, "other_classes": 83}, some.out)
    nimgp.refuses("evaluate", "m", "some.csv", "--where", "x1 > 1e9", says=["no row satisfies --where"])
    # On what it learned from, and only there.
    check("looks like the training table" in nimgp("evaluate", "m", "train.csv").err)
    check("looks like" in nimgp("evaluate", "m", "train.csv", "--where", "x1 > 0").err)
    check("looks like" not in nimgp("evaluate", "m", "test.csv").err)
    nimgp("fit", "train.csv", "-o", "n", *QUICK, "--validation", "0.2")
    check("looks like the training table" in nimgp("evaluate", "n", "train.csv").err)
    # Of a table that was divided, the part that was learned from, in evaluate as on the page.
    nimgp("fit", "train.csv", "-o", "half", *QUICK, "--where", "x1 > 0")
    for where, own in (("x1 > 0", True), ("x1 <= 0", False)):
        check(("looks like" in nimgp("evaluate", "half", "train.csv", "--where", where).err) == own, where)
        page = nimgp("report", "half", "train.csv", "--json", "--where", where).json()
        check(("own_lesson" in page["facts"]) == own, where, page["facts"])
    nimgp.write_rows("none.csv", head, [[*row[:4], "d"] for row in table])
    nimgp.refuses("evaluate", "m", "none.csv", says=["none.csv", "class"])
    nimgp.write_rows("upper.csv", head, [[*row[:4], row[4].upper()] for row in table])
    upper = nimgp("evaluate", "m", "upper.csv", "--json", "--ignore-case").json()
    check(upper["rows"] == len(table))
    nimgp.write_rows("renamed.csv", head[:4] + ["truth"], table)
    nimgp.refuses("evaluate", "m", "renamed.csv",
                  says=["no column 'class', the label in training; --label names the column"])
    check(nimgp("evaluate", "m", "renamed.csv", "--label", "truth", "--json").json()["nll"]
          == nimgp("evaluate", "m", "test.csv", "--json").json()["nll"])


def evaluate_given(nimgp):
    """Predictions from a file are rated like the model they come from."""
    setting(nimgp)
    nimgp("predict", "m", "test.csv", "-o", "p.csv")
    model = nimgp("evaluate", "m", "test.csv", "--json").json()
    given = nimgp("evaluate", "--probabilities", "p.csv", "test.csv", "--json").json()
    for name in ("rows", "classes", "error", "nll", "brier", "ece", "confusion"):
        check(model[name] == given[name], name, model[name], given[name])
    # Names of rows that stand in both must be the same, row by row.
    head, rows = blobs(60, seed=4)
    named = [[f"S{i}", *row] for i, row in enumerate(rows)]
    nimgp.write_rows("named.csv", ["id", *head], named)
    nimgp("predict", "m", "named.csv", "--keep-only", "id", "-o", "p.csv")
    nimgp("evaluate", "--probabilities", "p.csv", "named.csv")
    nimgp("evaluate", "--probabilities", "p.csv", "named.csv", "--where", "x1 > 0")
    nimgp.write_rows("other.csv", ["id", *head], [*named[:9], named[10], named[9], *named[11:]])
    nimgp.refuses("evaluate", "--probabilities", "p.csv", "other.csv",
                  says=["other.csv:11: column id: 'S10', but 'S9' in row 10 of p.csv"])
    nimgp.write_rows("numbers.csv", ["id", *head], [[i, *row] for i, row in enumerate(rows)])
    nimgp("predict", "m", "numbers.csv", "--keep-only", "id", "-o", "p.csv")
    nimgp.write_rows("numbers.csv", ["id", *head], [[f"{i}.0", *row] for i, row in enumerate(rows)])
    nimgp("evaluate", "--probabilities", "p.csv", "numbers.csv")
    nimgp.write("short.csv", "p_a,p_b\n0.5,0.5\n")
    nimgp.refuses("evaluate", "--probabilities", "short.csv", "test.csv", says=["test.csv", "1"])
    # What cross-validation wrote of some rows, in which rows without a label are left out.
    some = [[*row[:4], "" if i == 5 else row[4]] for i, row in enumerate(rows)]
    nimgp.write_rows("some.csv", head, some)
    where = ["--where", "x1 > 0"]
    folds = nimgp("evaluate", "--folds", "2", "some.csv", "-o", "f.csv", "--json", *where, *QUICK).json()
    again = nimgp("evaluate", "--probabilities", "f.csv", "some.csv", "--json", *where).json()
    for name in ("rows", "error", "nll", "brier", "confusion"):
        check(folds[name] == again[name], name, folds[name], again[name])
    numbers = [int(row["row"]) for row in csv.DictReader(nimgp.read("f.csv").decode().splitlines())]
    expected = [i + 1 for i, row in enumerate(some) if float(row[0]) > 0 and row[4]]
    check(numbers == expected, numbers, expected)
    nimgp.refuses("evaluate", "--probabilities", "f.csv", "some.csv", says=["has no probabilities", "--where"])
    # The settings of a model need not be repeated; what is given counts.
    settings = [*where, "--features", "x2,x1", "--log", "none", *QUICK]
    nimgp("fit", "some.csv", "-o", "some.m", *settings)
    given = nimgp("evaluate", "--folds", "2", "some.csv", "--json", *settings).json()
    like = nimgp("evaluate", "--folds", "2", "some.csv", "--json", "--like", "some.m").json()
    check(like == given, like, given)
    other = nimgp("evaluate", "--folds", "2", "some.csv", "--json", "--like", "some.m", "--where", "x1 > -9").json()
    check(other["rows"] == 59 and other["nll"] != given["nll"], other)
    nimgp.refuses("evaluate", "some.m", "some.csv", "--like", "some.m", code=1, says=["--like needs --folds"])
    nimgp.write("odd.csv", "p_a,p_b\n0.5,0.6\n")
    nimgp.refuses("evaluate", "--probabilities", "odd.csv", "test.csv", says=["odd.csv:2"])
    nimgp.refuses("evaluate", "--probabilities", "test.csv", "test.csv", says=["p_CLASS"])
    nimgp.refuses("evaluate", "test.csv", code=1)


def suggest_ranks(nimgp):
    """The first of predict's rows, sorted; the earlier one of equals."""
    setting(nimgp, rows=400)
    _, rows = predicted(nimgp, "--parts")
    keys = {"entropy": "entropy", "measurement": "entropy_measurement",
            "rest": "entropy_rest"}
    for measure, column in keys.items():
        order = sorted(range(len(rows)), key=lambda i: (-float(rows[i][column]), i))
        for n in (1, 10, 1000):
            found = nimgp("suggest", "m", "test.csv", "-n", n, "--by", measure).rows()
            check([int(row["row"]) for row in found] == [i + 1 for i in order[:n]], measure, n)
            for row, i in zip(found, order):
                check(row["predicted"] == rows[i]["predicted"])
                for k, c in {**keys, "probability": "p_" + row["predicted"]}.items():
                    check(row[k] == repr(float(f"{float(rows[i][c]):.6g}")) or near(
                        float(row[k]), float(rows[i][c]), 1e-6), k, row[k], rows[i][c])
                    check(len(row[k].lstrip("-0.").split("e")[0].replace(".", "")) <= 6, row[k])
    default = nimgp("suggest", "m", "test.csv").rows()
    check(len(default) == 10)
    # Rows that have a class need none; for measurements they count.
    head, table = blobs(400, seed=2)
    nimgp.write_rows("some.csv", head, [[*row[:4], "" if i % 7 == 6 else row[4]] for i, row in enumerate(table)])
    some = nimgp("suggest", "m", "some.csv", "-n", "400")
    check({int(row["row"]) % 7 for row in some.rows()} == {0} and len(some.rows()) == 57, some.out)
    check("343 rows that have a label already" in some.err, some.err)
    check(len(nimgp("suggest", "m", "some.csv", "-n", "400", "--by", "measurement").rows()) == 400)


def suggest_columns(nimgp):
    table = setting(nimgp)
    found = nimgp("suggest", "m", "test.csv", "--keep-only", "class,x1", "--where", "x1 > 0").rows()
    check(list(found[0])[:4] == ["row", "class", "x1", "predicted"], list(found[0]))
    for row in found:
        own = table[int(row["row"]) - 1]
        check(row["class"] == own[4] and float(row["x1"]) == own[0] and own[0] > 0, row, own)
    text = nimgp("suggest", "m", "test.csv", "--keep-only", "class", "--remeasure").rows()
    objects = nimgp("suggest", "m", "test.csv", "--keep-only", "class", "--remeasure",
                    "--json").json()
    for row, thing in zip(text, objects, strict=True):
        for name, cell in row.items():
            value = thing[name]
            check(value == cell if isinstance(value, str) else cell == "" if value is None
                  else near(float(cell), value, 1e-5), name, cell, value)


def suggest_json(nimgp):
    """Numbers are numbers, ids beyond a double are text, what is missing is null; -o is honoured, and
    the file is whole or not there."""
    setting(nimgp)
    nimgp.write_rows("t.csv", ["id", "x1", "x2", "note", "x1_err", "x2_err"],
                     [[4611686018427387905, "0.5", "", "", 0.1, 0.1], ["7", "", "1e-3", "me", 1, 1]])
    words = ["suggest", "m", "t.csv", "--keep", "--json", "-n", "2"]
    result = nimgp(*words)
    found = {thing["row"]: thing for thing in result.json()}
    check([found[1][k] for k in ("id", "x1", "x2", "note")] == ["4611686018427387905", 0.5, None, None],
          found[1])
    check([found[2][k] for k in ("id", "x1", "x2", "note")] == ["7", None, 0.001, "me"], found[2])
    written = nimgp(*words, "-o", "s.json")
    check(written.out == "" and nimgp.read("s.json").decode() == result.out, written.out)
    nimgp.refuses(*words, "-o", "t.csv", code=1, says=["t.csv"])
    nimgp.refuses(*words, "-o", "no/s.json", says=["no/s.json"])


def suggest_remeasure(nimgp):
    """A noisy attribute is worth measuring, an exact one is not; no single one beats all."""
    setting(nimgp)
    nimgp.write_rows("t.csv", ["x1", "x2", "x1_err", "x2_err"],
                     [[0, 0, 2, 0], [0, 0, 0, 2], [0, 0, 1, 1], [0, 0, 0, 0]])
    found = {int(row["row"]): row for row in
             nimgp("suggest", "m", "t.csv", "-n", "4", "--remeasure").rows()}
    check(found[1]["remeasure"] == "x1" and found[1]["second"] == "", found[1])
    check(found[2]["remeasure"] == "x2" and found[2]["second_gain"] == "", found[2])
    check({found[3]["remeasure"], found[3]["second"]} == {"x1", "x2"}, found[3])
    check(found[4]["remeasure"] == "" and near(float(found[4]["measurement"]), 0, 1e-6), found[4])
    for row in found.values():
        first, second = (float(row[k] or 0) for k in ("gain", "second_gain"))
        check(first >= second and first <= float(row["measurement"]) + 0.05, row)


def inspect_tells(nimgp):
    setting(nimgp)
    nimgp("fit", "train.csv", "-o", "n", *QUICK, "--input", "first-order", "--noise", "both", "--epsilon",
          "0.01", "--validation", "0.1")
    found = nimgp("inspect", "n", "--json").json()
    check(found["options"]["input"] == "first_order" and found["options"]["epsilon"] == "0.01")
    check(near(found["epsilon"], 0.01) and found["table"] == "train.csv", found)
    check(not found["under_way"] and found["epochs"] == 30)
    check(max(f["relevance"] for f in found["features"]) == 1)
    check(all(len(c["lengthscales"]) == 2 and c["variance"] > 0 for c in found["classes"]))
    check(all(f["learned_noise"] > 0 for f in found["features"]))
    text = nimgp("inspect", "n").out
    words = " ".join(text.split())
    check("jitter" not in words, "nobody gave it", text)
    for part in ("train.csv", "first_order", "epsilon 0.01 given", "x1_err", "held out", "noise both"):
        check(part in words, part, "is not in\n" + text)
    check(found["population"] == {"kind": "flat", "components": []} and found["missing"] == [], found)
    check(found["temperature"] == 1 and "not calibrated" in text)
    # Lengthscales and noise are in the table's units: a thousand times the values, a thousand times
    # the figures.
    head, rows = blobs(120)
    nimgp.write_rows("large.csv", head,
                     [[*[repr(1024 * cell) for cell in row[:4]], row[4]]
                      for row in rows])
    nimgp("fit", "large.csv", "-o", "l", *QUICK, "--input", "first-order", "--noise", "both", "--epsilon",
          "0.01", "--validation", "0.1")
    large = nimgp("inspect", "l", "--json").json()
    for a, b in zip(found["features"], large["features"]):
        check(near(1024 * a["learned_noise"], b["learned_noise"], 1e-4), a, b)
    for a, b in zip(found["classes"], large["classes"]):
        check(near(1024 * a["lengthscales"][0], b["lengthscales"][0], 1e-4), a, b)


def inspect_tells_of_inputs(nimgp):
    head, rows = blobs(160)
    for i in range(0, 160, 5):
        rows[i][0] = ""
    nimgp.write_rows("gaps.csv", head, rows)
    nimgp("fit", "gaps.csv", "-o", "g", "--epochs", "5", "--stop", "fixed", "--inducing", "10",
          "--kernel", "linear+se", "--population", "gaussian")
    found, text = nimgp("inspect", "g", "--json").json(), nimgp("inspect", "g").out
    check(found["temperature"] > 0 and found["temperature"] != 1, found)
    check([m["feature"] for m in found["missing"]] == ["x1"], found["missing"])
    check(0 < found["missing"][0]["relevance"] <= 1)
    (only,) = found["population"]["components"]
    check(found["population"]["kind"] == "gaussian" and only["share"] == 1, found)
    second = [float(row[1]) for row in rows]
    check(abs(only["mean"][1] - sum(second) / 160) < 0.2, only)
    for function in found["functions"]:
        check([term["name"] for term in function["terms"]] == ["linear", "se"], function)
        check(all(len(term["lengthscales"]) == 2 and term["variance"] > 0 for term in function["terms"]))
    for part in ("population", "gaussian", "gaps seen in", "temperature", "variance linear",
                 "variance se", "linear+se kernel"):
        check(part in text, part, "is not in\n" + text)


if __name__ == "__main__":
    main([evaluate_scores, evaluate_by_noise, evaluate_labels, evaluate_given, suggest_ranks,
          suggest_columns, suggest_json, suggest_remeasure, inspect_tells,
          inspect_tells_of_inputs])
