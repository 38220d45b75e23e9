#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers, counts, levels and sets of labels through files: fit, predict, evaluate, suggest, inspect.
usage: PROGRAM [TEST...]"""
import decimal
import math
import os
import random
import signal
import statistics
import struct
from pathlib import Path

from cli_check import check, main, near

# Sanitizers look at memory, not at how good a model is.
EPOCHS = "12" if "NIMGP_FEWER_ROWS" in os.environ else "40"
QUICK = ["--calibrate", "none", "--epochs", EPOCHS, "--stop", "fixed", "--inducing", "10", "--warm-up", "20",
         "--points", "32", "--threads", "1"]
HEAD = ["x", "x_err", "y", "y_err", "seconds", "photons", "grade", "rain", "wind"]


def poisson(source, rate):
    count, product = 0, source.random()
    while product > math.exp(-rate):
        count, product = count + 1, product * source.random()
    return count


def waves(rows, seed=1):
    """A row has a target of every kind."""
    source, made = random.Random(seed), []
    for _ in range(rows):
        x, error = source.uniform(-3, 3), source.uniform(0.05, 0.4)
        f, seconds = math.sin(2 * x), source.uniform(0.5, 4)
        level = sum(f + source.gauss(0, 0.2) > t for t in (-0.5, 0.5))
        made.append([x + source.gauss(0, error), error, 10 + 3 * f + source.gauss(0, 0.3), 0.3, seconds,
                     poisson(source, seconds * math.exp(1 + f)), ("low", "mid", "high")[level],
                     int(f > 0), ("no", "yes")[x + source.gauss(0, 0.3) > 0]])
    return made


def tables(nimgp, rows=120):
    train, test = waves(rows), waves(rows, seed=2)
    nimgp.write_rows("train.csv", HEAD, train)
    nimgp.write_rows("test.csv", HEAD, test)
    return train, test


def fit(nimgp, *words, model="m", features=("--features", "x")):
    return nimgp("fit", "train.csv", "-o", model, *QUICK, *features, *words)


def inspect(nimgp, model="m"):
    return nimgp("inspect", model, "--json").json()


def mean(terms):
    terms = list(terms)
    return statistics.fmean(terms), statistics.stdev(terms) / math.sqrt(len(terms))


def same_scores(found, expected):
    for name, (value, error) in expected.items():
        check(near(found[name]["value"], value, 1e-7), name, found[name], value)
        check(near(found[name]["standard_error"], error, 1e-6), name, found[name], error)


def column(name, table):
    return [row[HEAD.index(name)] for row in table]


INTERVALS = {"coverage_50": ("q25", "q75"), "coverage_90": ("q05", "q95"),
             "coverage_95": ("q02.5", "q97.5")}
LEVELS = "0.025,0.05,0.25,0.5,0.75,0.95,0.975"


def number_scores(rows, targets, nll):
    miss = [float(row["mean"]) - y for row, y in zip(rows, targets)]
    square, error = mean(m * m for m in miss)
    scores = {"rmse": (math.sqrt(square), error / (2 * math.sqrt(square))),
              "mae": mean(abs(m) for m in miss), "nll": mean(nll)}
    for key, (low, high) in INTERVALS.items():
        scores[key] = mean(float(float(row[low]) <= y <= float(row[high]))
                           for row, y in zip(rows, targets))
    return scores


def same_places(found, rows, targets):
    """Scores of normal distributions by their formulas; the PIT is looked at in bins of 0.001."""
    normals = [statistics.NormalDist(float(row["mean"]), float(row["sd"])) for row in rows]
    standard = statistics.NormalDist()
    crps = []
    for normal, y in zip(normals, targets, strict=True):
        z = (y - normal.mean) / normal.stdev
        crps.append(normal.stdev * (z * (2 * standard.cdf(z) - 1) + 2 * standard.pdf(z) - 1 / math.sqrt(math.pi)))
    check(near(found["crps"]["value"], mean(crps)[0], 1e-4), found["crps"], mean(crps))
    miss = [normal.mean - y for normal, y in zip(normals, targets, strict=True)]
    off = [abs(m - statistics.median(miss)) for m in miss]
    scatter = 1.4826 * statistics.median(off)
    check(near(found["scatter"]["value"], scatter, 1e-9), found["scatter"], scatter)
    check(near(found["outliers"]["value"], mean(float(m > 5 * scatter) for m in off)[0], 1e-9), found["outliers"])
    places = sorted(normal.cdf(y) for normal, y in zip(normals, targets, strict=True))
    n = len(places)
    distance = max(max((k + 1) / n - p, p - k / n) for k, p in enumerate(places))
    check(abs(found["pit_distance"]["value"] - distance) <= 0.001, found["pit_distance"], distance)


# ---- numbers -------------------------------------------------------------------------------------


def numbers(nimgp):
    """With exact inputs the prediction is N(mean, sd^2): density and quantiles follow."""
    _, test = tables(nimgp)
    said = fit(nimgp, "--task", "regress", "--input", "exact", "--epochs", "300", "--errors", "y=").err
    check("the target is column 'y'" in said and "y from" in said, said)
    rows = nimgp("predict", "m", "test.csv", "--quantiles", LEVELS).rows()
    y = column("y", test)
    check(list(rows[0]) == ["mean", "sd", "q02.5", "q05", "q25", "q50", "q75", "q95", "q97.5"])
    nll = []
    for row, target in zip(rows, y, strict=True):
        normal = statistics.NormalDist(float(row["mean"]), float(row["sd"]))
        nll.append(-math.log(normal.pdf(target)))
        for name, cell in row.items():
            if name.startswith("q"):
                check(near(float(cell), normal.inv_cdf(float(name[1:]) / 100), 1e-6), name, row)
    found = nimgp("evaluate", "m", "test.csv", "--json").json()
    check(found["task"] == "regress" and found["rows"] == len(test), found)
    same_scores(found, number_scores(rows, y, nll))
    same_places(found, rows, y)
    check(found["rmse"]["value"] < 0.6 * statistics.stdev(y), found["rmse"])
    text = nimgp("evaluate", "m", "test.csv").out
    check(f"{found['rmse']['value']:.4g}" in text and "95 % interval" in text, text)
    densities(nimgp)


def densities(nimgp):
    """--grid: a column for each value, or a vector."""
    rows = nimgp("predict", "m", "test.csv", "--grid=-1:1:5").rows()
    names = [name for name in rows[0] if name.startswith("density")]
    check(names == ["density_-1", "density_-0.5", "density_0", "density_0.5", "density_1"], names)
    for row in rows:
        normal = statistics.NormalDist(float(row["mean"]), float(row["sd"]))
        for name in names:
            check(near(float(row[name]), normal.pdf(float(name[8:])), 1e-6), name, row)
    nimgp("predict", "m", "test.csv", "--grid=-1:1:5", "-o", "p.vot", "--quiet")
    page = Path(nimgp.directory, "p.vot").read_text()
    check('name="density" datatype="double" arraysize="5"' in page and "density at -1:1:5" in page, page)
    cell = " ".join(row[name] for name in names for row in rows[:1])
    check(f"<TD>{cell}</TD></TR>" in page, cell)
    nimgp("predict", "m", "test.csv", "--grid=-1:1:5", "-o", "p.fits", "--quiet")
    file = Path(nimgp.directory, "p.fits").read_bytes()
    check(b"TFORM6  = '5D" in file and b"TCOMM6  = 'density at -1:1:5" in file, file[2880:5760])
    start = -(-(file.index(b"END", 2880 + file[2880:].index(b"CHECKSUM")) + 3) // 2880) * 2880
    check(struct.unpack(">10d", file[start : start + 80]) == tuple(float(cell) for cell in rows[0].values()), rows[0])
    for wish in ("1:0:5", "0:1", "0:1:1", "0:1:2.5", "0:inf:3", "a:1:3", "0:1:20000"):
        nimgp.refuses("predict", "m", "test.csv", f"--grid={wish}", code=1, says=["--grid", wish, "FIRST:LAST:COUNT"])


def bounded(nimgp):
    """log(y) as label learns the logarithm; all that is predicted is above zero, in units of y."""
    made = [[k / 50, math.exp(math.sin(k / 10) * 2)] for k in range(200)]
    nimgp.write_rows("positive.csv", ["x", "y"], made)
    nimgp("fit", "positive.csv", "-o", "b", *QUICK, "--task", "regress", "--label", "log(y)", "--input", "exact",
          "--views", "one")
    check(inspect(nimgp, "b")["options"]["lowest"] == "0")
    for row in nimgp("predict", "b", "positive.csv", "--quantiles", "0.05,0.5,0.95").rows():
        low, middle, high = (math.log(float(row[q])) for q in ("q05", "q50", "q95"))
        check(near(high - middle, middle - low, 1e-6), row)  # a normal distribution of log y
        variance = ((high - low) / (2 * 1.6448536269514722)) ** 2
        check(near(float(row["mean"]), math.exp(middle + variance / 2), 1e-5), row)
    nimgp.write_rows("zero.csv", ["x", "y"], [*made, [1, 0]])
    nimgp.refuses("fit", "zero.csv", "-o", "c", *QUICK, "--task", "regress", "--label", "log(y)",
                  says=["zero.csv", "202", "above 0"])
    nimgp.refuses("fit", "positive.csv", "-o", "c", *QUICK, "--task", "regress", "--label", "log(y)", "--lowest",
                  "2", code=1, talks=True, says=["--lowest 0", "omit --lowest 2"])


def by_noise(nimgp):
    """Sharp rows are predicted better than noisy ones, and the groups are all of the rows."""
    tables(nimgp, rows=240)
    fit(nimgp, "--likelihood", "student-t")
    groups = nimgp("evaluate", "m", "test.csv", "--json").json()["by_noise"]
    check(len(groups) == 3 and sum(group["rows"] for group in groups) == 240, groups)
    check(groups[0]["rmse"]["value"] < groups[2]["rmse"]["value"], groups)
    known = inspect(nimgp)
    check(known["task"] == "regress" and known["scale"] > 0 and known["freedom"] > 0, known)


def columns_apart(nimgp):
    """Neither the target, nor the exposure, nor the errors of either are features."""
    head = ["x", "x_err", "n", "n_err", "t", "e_t", "z"]
    source = random.Random(3)
    nimgp.write_rows("t.csv", head, [[source.gauss(0, 1), 0.1, source.randrange(9), 1,
                                      source.uniform(1, 2), 0.1, source.gauss(0, 1)]
                                     for _ in range(40)])

    def features(*words):
        said = nimgp("fit", "t.csv", "-o", "m", *QUICK, "--epochs", "1", "--label", "n", *words).err
        return [f["name"] for f in inspect(nimgp)["features"]], said

    names, said = features("--task", "count", "--exposure", "t")
    check(names == ["x", "z"], names)
    check("the errors of the target (" in said and "n_err, e_t" in said, said)
    names, said = features("--task", "regress")
    check(names == ["x", "t", "z"] and "errors of the target: n_err; --errors n= " in said, names, said)
    names, said = features("--task", "regress", "--errors", "none")
    check(names == ["x", "t", "z"] and "(n_err) are not used" in said, names, said)
    names, said = features("--task", "regress", "--features", "x")
    check(said.count("n_err") == 1, said)
    check(features("--task", "regress", "--features", "x,n_err")[0] == ["x", "n_err"])
    for words, what in ((["--features", "x,n"], "'n' is the target"),
                        (["--exposure", "t", "--features", "x,t"], "'t' is the exposure"),
                        (["--exposure", "n"], "target and exposure")):
        nimgp.refuses("fit", "t.csv", "-o", "o", "--task", "count", "--label", "n", *words, code=1,
                      says=[what])


def errors_of_targets(nimgp):
    """They add to the learned noise, row by row. In evaluate the density is that of a measurement with the
    row's error, and so are coverage and PIT; with exact inputs it is normal. Any column may hold them."""
    source = random.Random(4)
    made = []
    for i in range(240):
        x, error = source.uniform(-3, 3), (0.02, 3.0)[i % 2]
        made.append([x, math.sin(2 * x) + source.gauss(0, math.hypot(0.1, error)), error])
    nimgp.write_rows("train.csv", ["x", "y", "e_y"], made[:120])
    nimgp.write_rows("test.csv", ["x", "y", "e_y"], made[120:])
    words = ["--task", "regress", "--input", "exact", "--views", "one", "--epochs", "300"]
    said = fit(nimgp, *words).err
    check("errors of the target: e_y; --errors y= learns without them" in said, said)
    rows = nimgp("predict", "m", "test.csv", "--quantiles", LEVELS).rows()
    targets, nll, places = [row[1] for row in made[120:]], [], []
    for row, (_, y, error) in zip(rows, made[120:], strict=True):
        normal = statistics.NormalDist(float(row["mean"]), math.hypot(float(row["sd"]), error))
        nll.append(-math.log(normal.pdf(y)))
        places.append(normal.cdf(y))
    found = nimgp("evaluate", "m", "test.csv", "--json").json()
    check(near(found["nll"]["value"], mean(nll)[0], 1e-6), found["nll"], mean(nll))
    for share in (50, 90, 95):
        inside = mean(float(abs(p - 0.5) <= share / 200) for p in places)[0]
        check(near(found[f"coverage_{share}"]["value"], inside, 1e-9), found, share, inside)
    check(number_scores(rows, targets, nll)["coverage_90"][0] < 0.8, "the predicted intervals are of y itself")

    nimgp("fit", "train.csv", "-o", "blind", *QUICK, *words, "--errors", "y=")
    check(inspect(nimgp)["noise_deviation"] < 0.5 * inspect(nimgp, "blind")["noise_deviation"], inspect(nimgp))
    blind = nimgp("evaluate", "blind", "test.csv", "--json").json()["nll"]["value"]
    check(found["nll"]["value"] < blind - 0.3, found["nll"], blind)

    whole = nimgp("predict", "m", "test.csv").out
    half = [[x, y, -e / 7 * 5, e / 7 * math.sqrt(73)] for x, y, e in made[:120]]  # the same mean square
    for head, table, more in ((["x", "y", "wide"], made[:120], ["--errors", "y=wide"]),
                              (["x", "y", "y_err2", "y_err1"], half, []),
                              (["x", "y", "y_lo", "y_hi"], [[x, y, y - e, y + e] for x, y, e in made[:120]], [])):
        nimgp.write_rows("train.csv", head, table)
        fit(nimgp, *words, *more, model="n")
        for row, other in zip(nimgp("predict", "n", "test.csv").rows(), nimgp("predict", "m", "test.csv").rows()):
            check(near(float(row["mean"]), float(other["mean"]), 1e-3), head, row, other)
    check(nimgp("predict", "m", "test.csv").out == whole)

    nimgp.write_rows("bare.csv", ["x", "y"], [row[:2] for row in made[120:]])
    lost = nimgp("evaluate", "m", "bare.csv", "--json")
    check("no column 'e_y': the targets count as exact" in lost.err, lost.err)
    check(lost.json()["nll"]["value"] > found["nll"]["value"], lost.out)
    check("e_y" not in nimgp("predict", "m", "bare.csv").err)
    holed = [[x, y, "" if i % 10 == 0 else -99 if i % 10 == 1 else e] for i, (x, y, e) in enumerate(made[:120])]
    nimgp.write_rows("train.csv", ["x", "y", "e_y"], holed)
    said = fit(nimgp, *words, model="h").err
    check("errors of the target: e_y, missing or zero in 24 rows" in said, said)
    nimgp.write_rows("train.csv", ["x", "y", "e_y"], [*made[:3], [0, 0, -1]])
    nimgp.refuses("fit", "train.csv", "-o", "h", *QUICK, *words, "--missing-value", "none",
                  says=["train.csv:5: column e_y: -1; expected a 1-sigma error"])
    folds = nimgp("evaluate", "--folds", "2", "test.csv", *QUICK, *words, "--json").json()
    blind = nimgp("evaluate", "--folds", "2", "test.csv", *QUICK, *words, "--errors", "none", "--json").json()
    check(folds["nll"]["value"] < blind["nll"]["value"] - 0.2, folds["nll"], blind["nll"])


def missing_targets(nimgp):
    """Rows without a target are left out and counted, and change nothing for the others."""
    train, _ = tables(nimgp)
    holed = []
    for i, row in enumerate(train):
        holed.append(row)
        if i % 4 == 0:
            holed.append([9, 0.1, ["", "nan"][i % 8 == 0], 0.3, 1, "", "", "", ""])
    nimgp.write_rows("holes.csv", HEAD, holed)
    for words in (["--task", "regress"], ["--task", "count", "--label", "photons"],
                  ["--task", "ordinal", "--label", "grade", "--classes", "low,mid,high"],
                  ["--task", "multilabel", "--label", "rain,wind"]):
        words += ["--features", "x", *QUICK]
        nimgp("fit", "train.csv", "-o", "whole", *words)
        said = nimgp("fit", "holes.csv", "-o", "holes", *words).err
        check("rows left out: 30 without a " in said, said)
        check(nimgp("predict", "whole", "test.csv").out == nimgp("predict", "holes", "test.csv").out)
        found = nimgp("evaluate", "whole", "holes.csv", "--json")
        check(found.json()["left_out"]["no_label"] == 30 and "30 without a" in found.err, found.err)
        check(found.json()["nll"] == nimgp("evaluate", "whole", "train.csv", "--json").json()["nll"])


# ---- counts --------------------------------------------------------------------------------------


def mixture(rate, centre, deviation, count):
    """P(N <= count), P(N = count) and E N of a Poisson variable whose log-rate is normal, by
    midpoints."""
    points, total, below, exactly, average = 400, 0.0, 0.0, 0.0, 0.0
    for i in range(points):
        z = 16 * (i + 0.5) / points - 8
        weight = math.exp(-z * z / 2)
        mu = rate * math.exp(centre + deviation * z)
        terms = [math.exp(k * math.log(mu) - mu - math.lgamma(k + 1)) for k in range(count + 1)]
        total += weight
        below += weight * sum(terms)
        exactly += weight * terms[-1]
        average += weight * mu
    return below / total, exactly / total, average / total


def counts(nimgp):
    """With exact inputs a count is Poisson of a rate whose logarithm is normal."""
    _, test = tables(nimgp)
    fit(nimgp, "--task", "count", "--label", "photons", "--exposure", "seconds", "--input", "exact")
    rows = nimgp("predict", "m", "test.csv", "--quantiles", LEVELS, "--latent").rows()
    known, y, t = inspect(nimgp), column("photons", test), column("seconds", test)
    check(known["exposure"] == "seconds" and known["target"] == "count", known)
    nll = []
    for i, row in enumerate(rows):
        at = known["base_rate"] * t[i], float(row["mean_f"]), float(row["deviation_f"])
        below, exactly, average = mixture(*at, y[i])
        nll.append(-math.log(exactly))
        check(near(float(row["mean"]), average, 1e-6), row, average)
        if i % 8 == 0:
            for name, level in (("q05", 0.05), ("q50", 0.5), ("q95", 0.95)):
                least = int(row[name])
                check(mixture(*at, least)[0] >= level - 1e-9, name, row)
                check(least == 0 or mixture(*at, least - 1)[0] < level + 1e-9, name, row)
    found = nimgp("evaluate", "m", "test.csv", "--json").json()
    expected = number_scores(rows, y, nll)
    check(near(found["nll"]["value"], expected["nll"][0], 1e-6), found["nll"], expected["nll"])
    del expected["nll"]
    same_scores(found, expected)


def exposures(nimgp):
    """The column is remembered by name; where it is not there, one is the exposure, and that is
    said once. A tenth of the time gives a tenth of the counts."""
    _, test = tables(nimgp)
    said = fit(nimgp, "--task", "count", "--label", "photons", "--exposure", "Seconds").err
    times = column("seconds", waves(120))
    check(f"exposure is column 'seconds', from {min(times):.4g} to {max(times):.4g}" in said, said)
    ones = [row[:4] + [1] + row[5:] for row in test]
    tenths = [row[:4] + [0.1] + row[5:] for row in test]
    nimgp.write_rows("ones.csv", HEAD, ones)
    nimgp.write_rows("tenths.csv", HEAD, tenths)
    nimgp.write_rows("none.csv", HEAD[:4], [row[:4] for row in test])
    one = nimgp("predict", "m", "ones.csv")
    none = nimgp("predict", "m", "none.csv")
    check(one.out == none.out and one.err == "", one.err)
    check(none.err.count("no column 'Seconds', the exposure in training") == 1, none.err)
    for a, b in zip(one.rows(), nimgp("predict", "m", "tenths.csv").rows(), strict=True):
        check(near(0.1 * float(a["mean"]), float(b["mean"]), 1e-9), a, b)
    for bad in (0, -1, "inf", ""):
        nimgp.write_rows("bad.csv", HEAD, [*ones[:3], [*ones[3][:4], bad, *ones[3][5:]]])
        for command in ("predict", "evaluate"):
            found = f"bad.csv:5: column seconds: {bad if bad != '' else 'missing'};"
            nimgp.refuses(command, "m", "bad.csv", says=[found, "above 0"])
    head = [name.replace("seconds", "exposure") for name in HEAD]
    nimgp.write_rows("train.csv", head, waves(40))
    said = nimgp("fit", "train.csv", "-o", "n", *QUICK, "--task", "count", "--label", "photons").err
    check("--exposure exposure makes it the exposure" in said, said)


def exposure_renamed(nimgp):
    """--exposure says where it stands in another table; a wrong name is no silent one."""
    _, test = tables(nimgp, rows=60)
    fit(nimgp, "--task", "count", "--label", "photons", "--exposure", "seconds")
    nimgp.write_rows("other.csv", [name.replace("seconds", "hours") for name in HEAD], test)
    for words in (["predict"], ["suggest", "-n", "60"], ["evaluate", "--json"]):
        here = nimgp(words[0], "m", "test.csv", *words[1:])
        there = nimgp(words[0], "m", "other.csv", *words[1:], "--exposure", "hours")
        check(here.out.replace("test.csv", "other.csv") == there.out, words)
        check("exposure" not in there.err, there.err)
        nimgp.refuses(words[0], "m", "other.csv", *words[1:], "--exposure", "huors",
                      says=["did you mean 'hours'?"])
    check(nimgp("predict", "m", "other.csv").out != nimgp("predict", "m", "test.csv").out)
    nimgp.refuses("evaluate", "m", "other.csv", says=["no column 'seconds'", "--exposure"])
    nimgp.refuses("evaluate", "m", "other.csv", "--exposure", "photons", code=1,
                  says=["target and exposure"])
    nimgp.refuses("fit", "train.csv", "-o", "n", "--task", "count", "--label", "photons", "--exposure",
                  "secnods", says=["did you mean 'seconds'?"])
    nimgp.refuses("evaluate", "test.csv", "--probabilities", "test.csv", "--exposure", "seconds", code=1,
                  says=["--exposure", "--probabilities"])
    fit(nimgp, "--task", "regress", model="r")
    nimgp.refuses("predict", "r", "test.csv", "--exposure", "seconds", code=1,
                  says=["--exposure", "numbers"])


def level_names(nimgp):
    """A quantile's column is called by its level in per cent, which reads back exactly."""
    tables(nimgp, rows=40)
    fit(nimgp, "--task", "regress")
    levels = ["1e-12", "0.999999999999", "0.07", "0.29", "0.1", "0.001", "0.12345678901234567", "1e-40",
              "2.5e-22", "0.995", "0.9999999999999999", "1.2345678901234567e-20"]
    names = list(nimgp("predict", "m", "test.csv", "--quantiles", ",".join(levels)).rows()[0])[2:]
    for name, level in zip(names, levels, strict=True):
        check(name[0] == "q" and float(decimal.Decimal(name[1:]) / 100) == float(level), name, level)
    check(names[:6] == ["q00.0000000001", "q99.9999999999", "q07", "q29", "q10", "q00.1"], names)


# ---- levels and labels ---------------------------------------------------------------------------


def levels(nimgp):
    """Text has the order that is given, numbers their own; both are the same model."""
    train, test = tables(nimgp)
    order = ["low", "mid", "high"]
    nimgp.refuses("fit", "train.csv", "-o", "n", "--task", "ordinal", "--label", "grade",
                  says=["train.csv: column grade", "--classes"])
    fit(nimgp, "--task", "ordinal", "--label", "grade", "--classes", ",".join(order))
    for name, table in (("train", train), ("test", test)):
        nimgp.write_rows(f"{name}.csv", HEAD[:2] + ["level"],
                         [[*row[:2], (-1, 2.5, 10)[order.index(row[6])]] for row in table])
    fit(nimgp, "--task", "ordinal", model="numbers")
    known = inspect(nimgp, "numbers")
    check([c["name"] for c in known["classes"]] == ["-1", "2.5", "10"], known["classes"])
    check(known["thresholds"] == inspect(nimgp)["thresholds"], known["thresholds"])
    check(known["thresholds"] == sorted(known["thresholds"]) and known["target"] == "level")
    rows = nimgp("predict", "numbers", "test.csv").rows()
    p = [[float(row["p_" + c]) for c in ("-1", "2.5", "10")] for row in rows]
    y = [order.index(row[6]) for row in test]
    best = [q.index(max(q)) for q in p]
    check(all(row["predicted"] == ("-1", "2.5", "10")[b] for row, b in zip(rows, best)))
    found = nimgp("evaluate", "numbers", "test.csv", "--json").json()
    same_scores(found, {"nll": mean(-math.log(q[k]) for q, k in zip(p, y)),
                        "error": mean(float(b != k) for b, k in zip(best, y)),
                        "mae": mean(float(abs(b - k)) for b, k in zip(best, y))})
    check(found["confusion"]["counts"][0][0] > 0 and "ece" in found, found)
    top = nimgp("suggest", "numbers", "test.csv", "-n", "3", "--remeasure").rows()
    check(all(row["remeasure"] == "x" for row in top), top)


def labels(nimgp):
    """Each label has a probability of its own; those above 1/2 are the prediction."""
    _, test = tables(nimgp)
    fit(nimgp, "--task", "multilabel", "--label", "rain,wind", "--functions", "1")
    known = inspect(nimgp)
    check(known["target"] == "labels" and len(known["functions"]) == 1, known)
    check(len(known["map"]) == 2 and len(known["offsets"]) == 2, known)
    shown = [line.split() for line in nimgp("inspect", "m").out.split("\n  map ")[1].splitlines()[1:3]]
    check(shown == [[name, f"{row[0]:.3g}"] for name, row in zip(("rain", "wind"), known["map"])], shown)
    check([c["name"] for c in known["classes"]] == ["rain", "wind"], known["classes"])
    rows = nimgp("predict", "m", "test.csv").rows()
    p = [[float(row["p_rain"]), float(row["p_wind"])] for row in rows]
    y = [[row[7], int(row[8] == "yes")] for row in test]
    names = set()
    for row, q in zip(rows, p, strict=True):
        check(row["predicted"] == "|".join(n for n, k in zip(("rain", "wind"), q) if k > 0.5), row)
        entropy = -sum(k * math.log(k) + (1 - k) * math.log1p(-k) for k in q)
        check(near(float(row["entropy"]), entropy, 1e-9), row)
        names.add(row["predicted"])
    check(len(names) >= 3, "hardly any sets", names)
    wrong = [[(k > 0.5) != bool(t) for k, t in zip(q, own)] for q, own in zip(p, y)]
    found = nimgp("evaluate", "m", "test.csv", "--json").json()
    same_scores(found, {
        "nll": mean(-sum(math.log(k if t else 1 - k) for k, t in zip(q, own)) for q, own in zip(p, y)),
        "error": mean(sum(w) / 2 for w in wrong), "exact": mean(float(not any(w)) for w in wrong)})
    for c, label in enumerate(found["labels"]):
        check(label["name"] == ("rain", "wind")[c] and label["rows"] == sum(own[c] for own in y))
        same_scores(label, {"error": mean(float(w[c]) for w in wrong)})
    check("Hamming" in nimgp("evaluate", "m", "test.csv").out)
    top = nimgp("suggest", "m", "test.csv", "-n", "2").rows()
    check(list(top[0]) == ["row", "predicted", "entropy", "measurement", "rest"], top)
    check(float(top[0]["entropy"]) >= max(float(row["entropy"]) for row in rows) - 1e-5)
    # 1.0, TRUE and Yes are the same; columns of other names can be told.
    spelled = [[*row[:2], ("FALSE", "True")[own[0]], (0.0, 1.0)[own[1]]] for row, own in zip(test, y)]
    nimgp.write_rows("spelled.csv", ["x", "x_err", "a", "b"], spelled)
    other = nimgp("evaluate", "m", "spelled.csv", "--label", "a,b", "--json").json()
    check(other["nll"] == found["nll"] and other["classes"] == ["rain", "wind"], other)
    nimgp.refuses("evaluate", "m", "spelled.csv", "--label", "a", code=1,
                  says=["1 column;", "2 labels"])
    # "a|b" would be one label or two.
    nimgp.write_rows("bars.csv", ["x", "a|b", "a", "b"], [[i % 7, i % 2, i % 3 > 0, 1] for i in range(9)])
    nimgp.refuses("fit", "bars.csv", "-o", "n", "--task", "multilabel", "--label", "a,b,a|b",
                  says=["bars.csv: column a|b", "rename"])


def classes(nimgp):
    """The other likelihoods of classes go through the same files."""
    tables(nimgp)
    for likelihood, label, functions in (("softmax", "grade", 3), ("probit", "wind", 1)):
        fit(nimgp, "--likelihood", likelihood, "--label", label)
        known = inspect(nimgp)
        check(known["task"] == "classify" and len(known["functions"]) == functions, known)
        row = nimgp("predict", "m", "test.csv", "--latent").rows()[0]
        check(sum(name.startswith("mean_") for name in row) == functions, row)
        check(near(sum(float(c) for n, c in row.items() if n.startswith("p_")), 1.0), row)
    nimgp.refuses("fit", "train.csv", "-o", "n", "--likelihood", "probit", "--label", "grade",
                  says=["train.csv: column grade: 3 classes", "probit", "2 classes"])


# ---- what is wrong -------------------------------------------------------------------------------


def contradictions(nimgp):
    tables(nimgp, rows=40)
    for words, says in (
            (["--task", "count", "--likelihood", "softmax"], ["count", "softmax", "poisson"]),
            (["--task", "regress", "--likelihood", "robust-max"], ["gaussian, student-t"]),
            (["--task", "sort"], ["--task", "sort"]),
            (["--task", "regress", "--exposure", "seconds"], ["--exposure", "count"]),
            (["--task", "regress", "--classes", "a,b"], ["--classes"]),
            (["--task", "multilabel"], ["--label"]),
            (["--task", "multilabel", "--label", "rain,rain"], ["twice"])):
        nimgp.refuses("fit", "train.csv", "-o", "n", *words, code=1, says=says)
    fit(nimgp, "--task", "regress")
    fit(nimgp, "--task", "classify", "--label", "wind", model="c")
    nimgp.refuses("fit", "train.csv", "-o", "n", "--from", "m", "--task", "count", code=1,
                  says=["count", "regress"])
    nimgp.refuses("predict", "m", "test.csv", "--parts", code=1, says=["--parts", "numbers"])
    nimgp.refuses("predict", "c", "test.csv", "--quantiles", "0.5", code=1, says=["--quantiles"])
    for levels in ("0,0.5", "1", "x", "0.5,", "0.5,0.5", "nan"):
        nimgp.refuses("predict", "m", "test.csv", "--quantiles", levels, code=1, says=["--quantiles"])
    nimgp.refuses("suggest", "m", "test.csv", "--remeasure", code=1, says=["--remeasure", "numbers"])
    nimgp.refuses("suggest", "m", "test.csv", "--by", "entropy", code=1, says=["--by"])
    nimgp.write_rows("bare.csv", ["x", "x_err"], [[1, 2]])
    nimgp.refuses("fit", "bare.csv", "-o", "n", "--task", "regress", says=["no column 'y'", "--label"])


def bad_cells(nimgp):
    """One line with file, line and column, and nothing written."""
    def table(name, cells):
        return nimgp.write_rows("bad.csv", ["x", name], [[i % 5, cell] for i, cell in enumerate(cells)])

    good = [1, 2, 3, 4, 5, 6]
    for cell, task, says in ((-1, "count", "-1; expected a count"), (1.5, "count", "1.5"),
                             ("inf", "count", "inf"), (1e17, "count", "1e+17"),
                             ("inf", "regress", "inf; expected a finite number"),
                             ("-inf", "regress", "-inf")):
        table("t", [*good, cell, *good])
        nimgp.refuses("fit", "bad.csv", "-o", "n", "--task", task, "--label", "t",
                      says=["bad.csv:8: column t:", says])
    table("t", [*good, "many", *good])
    nimgp.refuses("fit", "bad.csv", "-o", "n", "--task", "regress", "--label", "t",
                  says=["bad.csv:8", "t", "many"])
    table("t", [0, 1, 2, 0])
    nimgp.refuses("fit", "bad.csv", "-o", "n", "--task", "multilabel", "--label", "t",
                  says=["bad.csv:4: column t: 2", "0 or 1"])
    table("t", ["yes", "no", "maybe"])
    nimgp.refuses("fit", "bad.csv", "-o", "n", "--task", "multilabel", "--label", "t",
                  says=["bad.csv:4: column t: maybe", "yes or no"])
    table("t", [7, 7, 7])
    nimgp.refuses("fit", "bad.csv", "-o", "n", "--task", "regress", "--label", "t", says=["7", "differ"])
    table("t", ["", "", ""])
    nimgp.refuses("fit", "bad.csv", "-o", "n", "--task", "regress", "--label", "t", says=["no rows"])
    table("t", [1, 1, 1, 2, 2, 2])
    nimgp.refuses("fit", "bad.csv", "-o", "n", "--task", "ordinal", "--label", "t", "--classes",
                  "1,2,3", says=["no rows of level '3'"])
    tables(nimgp, rows=40)
    fit(nimgp, "--task", "count", "--label", "photons")
    nimgp.write_rows("bad.csv", ["x", "x_err", "photons"], [[1, 0.1, 2], [1, 0.1, -2]])
    nimgp.refuses("evaluate", "m", "bad.csv", says=["bad.csv:3: column photons: -2"])
    check(len(nimgp("predict", "m", "bad.csv").rows()) == 2, "predict does not look at targets")


def hints(nimgp):
    """A refusal says what would help."""
    tables(nimgp, rows=60)
    nimgp.write_rows("y.csv", HEAD[:3], [row[:3] for row in waves(60)])
    nimgp.refuses("fit", "y.csv", "-o", "n", says=["60 different values", "--label", "--task regress"])
    nimgp.refuses("fit", "train.csv", "-o", "n", "--label", "rain,wind",
                  says=["no column 'rain,wind'", "--task multilabel"])
    nimgp.refuses("fit", "train.csv", "-o", "n", "--label", "rain,win", says=["no column 'rain,win'"])
    nimgp.write_rows("one.csv", HEAD, waves(1))
    for words in (["--label", "grade"], ["--task", "regress"]):
        nimgp.refuses("fit", "one.csv", "-o", "n", *words, says=["the only row has"])
    fit(nimgp, "--task", "regress")
    check("one.csv: 1 row\n" in nimgp("evaluate", "m", "one.csv").out)
    for words in (["inspect", "-"], ["predict", "-", "one.csv"]):
        nimgp.refuses(*words, says=["a model cannot be read from a pipe"])


# ---- the same bits -------------------------------------------------------------------------------


def going_on(nimgp):
    """Ctrl-C leaves a checkpoint; resuming it ends in the same bytes as if nothing had happened."""
    tables(nimgp)
    long = ["--task", "regress", "--features", "x", "--epochs", "400", "--stop", "fixed", "--inducing",
            "10", "--warm-up", "20", "--validation", "0.2"]
    nimgp("fit", "train.csv", "-o", "whole", *long)
    process = nimgp.start("fit", "train.csv", "-o", "m", *long, "--progress", "json")
    for line in process.stderr:
        if b'"epoch": 20,' in line:
            process.send_signal(signal.SIGINT)
            break
    process.communicate()
    check(process.returncode == 130, process.returncode)
    nimgp.refuses("fit", "train.csv", "-o", "n", "--resume", "m.checkpoint", "--task", "count", code=1,
                  says=["count"])
    nimgp("fit", "train.csv", "-o", "m", "--resume", "m.checkpoint", "--task", "regress")
    check(nimgp.read("m") == nimgp.read("whole"), "going on changed the model")


def holding_out(nimgp):
    """A share of the rows, whatever their targets; the figures are those of evaluate on them."""
    train, _ = tables(nimgp, rows=200)
    said = fit(nimgp, "--task", "regress", "--validation", "0.25").err
    known = inspect(nimgp)
    check(known["held_out"] == 50 and known["rows"] == 150, known)
    check("held out: 50 rows, NLL" in said and ", RMSE " in said, said)
    check("under_way" in known and known["validation"] in said, known)
    # More rows at the end hold out the same of the old ones, and so do other targets.
    changed = [row[:2] + [-row[2]] + row[3:] for row in train]
    nimgp.write_rows("train.csv", HEAD, changed)
    fit(nimgp, "--task", "regress", "--validation", "0.25", model="n")
    check(inspect(nimgp, "n")["held_out"] == 50)


def pipes(nimgp):
    """Predicting a stream is predicting the file, also in several blocks."""
    tables(nimgp)
    fit(nimgp, "--task", "count", "--label", "photons", "--exposure", "seconds", "--input", "exact")
    nimgp.write_rows("long.csv", HEAD, waves(9000, seed=5))
    words = ["--quantiles", "0.5", "--keep-only", "photons,y"]
    whole = nimgp("predict", "m", "long.csv", *words)
    piped = nimgp("predict", "m", "-", *words, stdin=nimgp.read("long.csv"))
    check(whole.out == piped.out and len(whole.rows()) == 9000)
    check(list(whole.rows()[0]) == ["photons", "y", "mean", "sd", "q50"])
    process = nimgp.start("predict", "m", "long.csv")
    process.stdout.readline()
    process.stdout.close()
    check(process.stderr.read() == b"", "a reader who has enough is no error")
    process.wait()


def lost_errors(nimgp):
    """Going on without an error column: the median so far stands in, and the column is remembered."""
    train, _ = tables(nimgp)
    fit(nimgp, "--task", "regress")
    nimgp.write_rows("lost.csv", ["x", "y"], [[row[0], row[2]] for row in train])
    said = nimgp("fit", "lost.csv", "-o", "n", "--from", "m", *QUICK).err
    check("no column 'x_err', which held the errors of x before: their median is used" in said, said)
    check(inspect(nimgp, "n")["features"][0]["error"] == "x_err")
    middle = statistics.median(column("x_err", train))
    nimgp.write_rows("same.csv", ["x", "x_err", "y"], [[row[0], middle, row[2]] for row in train])
    nimgp("fit", "same.csv", "-o", "o", "--from", "m", *QUICK)
    check(nimgp("predict", "n", "test.csv").out == nimgp("predict", "o", "test.csv").out)
    said = nimgp("fit", "lost.csv", "-o", "n", "--from", "m", *QUICK, "--errors", "x=").err
    check("x_err" not in said, said)


def suggest_numbers(nimgp):
    """By the deviation of the latent function, the largest first."""
    tables(nimgp)
    fit(nimgp, "--task", "regress")
    rows = nimgp("predict", "m", "test.csv", "--latent").rows()
    order = sorted(range(len(rows)), key=lambda i: (-float(rows[i]["deviation_f"]), i))[:7]
    found = nimgp("suggest", "m", "test.csv", "-n", "7").rows()
    check([int(row["row"]) - 1 for row in found] == order, found, order)
    for row, i in zip(found, order):
        for name, other in (("mean", "mean"), ("sd", "sd"), ("latent_sd", "deviation_f")):
            check(near(float(row[name]), float(rows[i][other]), 1e-5), row, rows[i])
    first = nimgp("suggest", "m", "test.csv", "-n", "1", "--json").json()[0]
    check(list(first) == ["row", "mean", "sd", "latent_sd"], first)


if __name__ == "__main__":
    main([numbers, bounded, by_noise, columns_apart, errors_of_targets, missing_targets, counts, exposures, exposure_renamed,
          level_names, levels, labels, classes, contradictions, bad_cells, hints,
          going_on, holding_out, pipes, lost_errors, suggest_numbers])
