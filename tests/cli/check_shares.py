#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--prior, --coverage, --novelty, --weights and --folds against what follows from predict. usage: PROGRAM [TEST...]"""
import csv
import math
import pathlib

from cli_check import blobs, check, main, near

QUICK = ["--epochs", "15", "--stop", "fixed", "--inducing", "10", "--warm-up", "20", "--threads", "1"]
OLD = pathlib.Path(__file__).parents[1] / "golden" / "version-1" / "classes"


def probabilities(row):
    return [float(row["p_" + c]) for c in "abc"]


def setting(nimgp):
    nimgp.write_rows("train.csv", *blobs(150))
    nimgp("fit", "train.csv", "-o", "m", *QUICK)
    nimgp.write_rows("test.csv", *blobs(200, seed=2))


def shares(nimgp):
    setting(nimgp)
    plain = [probabilities(row) for row in nimgp("predict", "m", "test.csv").rows()]
    told = nimgp("predict", "m", "test.csv", "--prior", "a=2,b=1,c=0").rows()
    labels = [row.split(",")[-1] for row in nimgp.read("train.csv").decode().split()[1:]]
    ratio = [prior / (labels.count(c) / len(labels)) for c, prior in zip("abc", (2 / 3, 1 / 3, 0))]
    for p, row in zip(plain, told):
        whole = sum(q * r for q, r in zip(p, ratio))
        check(all(near(f, q * r / whole) for f, q, r in zip(probabilities(row), p, ratio)), row)
    # Estimated shares are a fixed point: the mean of the probabilities they lead to.
    auto = nimgp("predict", "m", "test.csv", "--prior", "auto")
    found = [probabilities(row) for row in auto.rows()]
    mean = [sum(p[c] for p in found) / len(found) for c in range(3)]
    text = ",".join(f"{c}={m!r}" for c, m in zip("abc", mean))
    again = [probabilities(row) for row in nimgp("predict", "m", "test.csv", "--prior", text).rows()]
    check(all(near(p, q, 1e-6) for one, two in zip(found, again) for p, q in zip(one, two)), mean)
    check("shares of classes here (and in training): a" in auto.err, auto.err)
    for words, says in {("--prior", "a=1"): "no share for class b",
                        ("--prior", "a=1,b=1,d=1"): "no class 'd'; its classes are a, b, c",
                        ("--prior", "a=-1,b=1,c=1"): "a share that is not negative",
                        ("--prior", "a=1,a=1,c=1"): "given twice",
                        ("--prior", "a=0,b=0,c=0"): "sum to 0",
                        ("--coverage", "1"): "between 0 and 1"}.items():
        nimgp.refuses("predict", "m", "test.csv", *words, says=[says], code=1)
    nimgp.refuses("predict", "m", "-", "--prior", "auto", says=["twice"], code=1, 
                  stdin=nimgp.read("test.csv"))
    old, table = OLD / "model.nimgp", OLD / "test.csv"
    nimgp.refuses("predict", old, table, "--coverage", "0.9", says=["--coverage cannot be used", "model.nimgp", "train it again"], code=1)
    nimgp.refuses("predict", old, table, "--novelty", says=["--novelty cannot be used", "model.nimgp", "--novelty always"], code=1)


def sets_and_strangers(nimgp):
    setting(nimgp)
    head, rows = blobs(3, seed=3)
    rows[0][0] = "50"
    nimgp.write_rows("far.csv", head, rows)
    found = nimgp("predict", "m", "test.csv", "--coverage", "0.8", "--novelty", "--keep-only", "class").rows()
    narrow = nimgp("predict", "m", "test.csv", "--coverage", "0.5").rows()
    held = [row["class"] in row["set"].split("|") for row in found]
    check(sum(held) / len(held) > 0.65, sum(held))
    for row, less in zip(found, narrow):  # sets are nested
        check(set(less["set"].split("|")) - {""} <= set(row["set"].split("|")), row, less)
    nimgp("fit", "train.csv", "-o", "n", "--novelty", "always", *QUICK)
    far = nimgp("predict", "n", "far.csv", "--novelty").rows()
    check(float(far[0]["novelty"]) > 5 > float(far[1]["novelty"]), far)


def weights(nimgp):
    """A weight of 2 moves the mean as two rows do; a weight of 0 is no row at all."""
    setting(nimgp)
    head, rows = blobs(60, seed=4)
    weight = [i % 3 for i in range(60)]
    nimgp.write_rows("w.csv", [*head, "w"], [[*row, w] for row, w in zip(rows, weight)])
    nimgp.write_rows("twice.csv", head, [row for row, w in zip(rows, weight) for _ in range(w)])
    nimgp.write_rows("some.csv", head, [row for row, w in zip(rows, weight) if w])
    one = nimgp("evaluate", "m", "w.csv", "--weights", "w", "--json").json()
    two = nimgp("evaluate", "m", "twice.csv", "--json").json()
    for name in ("error", "nll", "brier", "ece"):
        check(near(one[name]["value"], two[name]["value"]), name, one[name], two[name])
    check(one["rows"] == 40 and two["rows"] == 60 and one["confusion"]["counts"] == two["confusion"]["counts"])
    terms = [(-math.log(probabilities(p)["abc".index(row[-1])]), w) for p, row, w in
             zip(nimgp("predict", "m", "w.csv").rows(), rows, weight) if w]
    total = sum(w for _, w in terms)
    middle = sum(x * w for x, w in terms) / total
    error = math.sqrt(sum((w * (x - middle)) ** 2 for x, w in terms) * 40 / 39) / total
    check(near(one["nll"]["value"], middle) and near(one["nll"]["standard_error"], error), one["nll"], error)
    nimgp.write_rows("bad.csv", [*head, "w"], [[*row, -1] for row in rows])
    nimgp.refuses("evaluate", "m", "bad.csv", "--weights", "w", says=["bad.csv:2", "column w", "-1"])
    nimgp.write_rows("bad.csv", [*head, "w"], [[*row, 0] for row in rows])
    nimgp.refuses("evaluate", "m", "bad.csv", "--weights", "w", says=["no weight is above 0"])


def folds(nimgp):
    """Each row is predicted by a model of the other folds: the same as a fit on these alone."""
    head, rows = blobs(90)
    nimgp.write_rows("t.csv", [*head, "object"], [[*row, f"o{i // 4}"] for i, row in enumerate(rows)])
    settings = [*QUICK, "--calibrate", "none", "--seed", "5"]
    done = nimgp("evaluate", "--folds", "3", "--groups", "object", "t.csv", "-o", "o.csv", "--keep", "--json",
                 *settings)
    out = list(csv.DictReader(nimgp.read("o.csv").decode().splitlines()))
    check(len(out) == 90 and "object" not in done.err.split("rows;")[0].replace("'object'", ""), done.err)
    fold = {}
    for row in out:
        check(fold.setdefault(row["object"], row["fold"]) == row["fold"], row)
    check(sorted(set(fold.values())) == ["1", "2", "3"], fold)
    nll = sum(-math.log(probabilities(row)["abc".index(row["class"])]) for row in out) / 90
    check(near(done.json()["nll"]["value"], nll), done.json()["nll"], nll)
    for part, name in (([r for r in out if r["fold"] != "2"], "learn"), ([r for r in out if r["fold"] == "2"], "judge")):
        nimgp.write_rows(name + ".csv", head, [[r[c] for c in head] for r in part])
    nimgp("fit", "learn.csv", "-o", "two", *settings)
    alone = [probabilities(row) for row in nimgp("predict", "two", "judge.csv").rows()]
    check(alone == [probabilities(r) for r in out if r["fold"] == "2"])
    nimgp.write_rows("more.csv", [*head, "object", "more"],
                     [[*row, f"o{i // 4}", i * i % 7] for i, row in enumerate(rows)])
    again = nimgp("evaluate", "--folds", "3", "--groups", "object", "more.csv", "--exclude", "mor?",
                  "--class-weight", "a=1", "--json", *settings)
    check(again.json()["nll"] == done.json()["nll"], again.json()["nll"])
    # One gap: models that see it learn a population and know what is unusual, the one that does not, does not.
    gap = [["" if i == 0 and j == 0 else cell for j, cell in enumerate(row)] for i, row in enumerate(rows)]
    nimgp.write_rows("gap.csv", head, gap)
    told = nimgp("evaluate", "--folds", "3", "gap.csv", "--errors", "none", "--input", "marginal", "--json", *settings)
    check(told.json()["rows"] == 90, told.err)
    nimgp.refuses("evaluate", "m", "t.csv", "--exclude", "x", says=["--exclude needs --folds"], code=1)
    nimgp.refuses("evaluate", "--folds", "40", "--groups", "object", "t.csv", says=["23 groups"], talks=True)
    # Weights are for learning and rating: a fold of rows that weigh nothing is predicted all the same.
    rows = [f"{i % 7 + i % 3},{i % 3},{'ab'[i % 2]}" for i in range(30)]
    nimgp.write("w.csv", "\n".join(["x,w,class", *rows]) + "\n")
    done = nimgp("evaluate", "--folds", "3", "--groups", "w", "--weights", "w", "w.csv", "-o", "weighed.csv", "-q", *QUICK)
    with open(nimgp.directory / "weighed.csv") as file:
        check(len(list(csv.DictReader(file))) == 30 and "weighted by w" in done.out, done.out)
    # An output that cannot be written is refused before anything is learned from.
    for code, output, words, says in ((1, "t.csv", [], "overwritten"), (2, "o.nope", [], "unknown extension"),
                                      (2, "no/o.csv", [], "no/o.csv"), (2, "p.csv", ["--keep-only", "no"], "'no'")):
        refused = nimgp("evaluate", "--folds", "3", "t.csv", "-o", output, *words, code=code)
        check(says in refused.err and "fold 1" not in refused.err, refused.err)
    nimgp.refuses("evaluate", "--folds", "3", "t.csv", "-o", "-", says=["--output -", "the scores"], code=1)
    nimgp.refuses("evaluate", "--folds", "1", "t.csv", says=["from 2 to 1000"], code=1)
    nimgp.refuses("evaluate", "m", "t.csv", "--kernel", "se", says=["--kernel needs --folds"], code=1)
    nimgp.refuses("evaluate", "--folds", "3", "t.csv", "--prior", "auto", says=["cannot be used with --folds"], code=1)


main([shares, sets_and_strangers, weights, folds])
