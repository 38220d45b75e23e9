#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nimgp simulate: the files, their statistics, and whether the optimal probabilities are optimal.

usage: check_simulate.py NIMGP
"""
import json
import math
import os
import re

from program import main, number, rows_of

FEWER = "NIMGP_FEWER_ROWS" in os.environ


def simulate(nimgp, place, *words, train=200, test=2000):
    if FEWER:
        test = max(100, test // 4)
    done = nimgp.good("simulate", *words, "--rows", train, "--test-rows", test, "--out", place)
    tables = {name: rows_of(place / f"{name}.csv") for name in ("train", "test", "bayes")}
    assert len(tables["train"]) == train
    assert len(tables["test"]) == len(tables["bayes"]) == test
    return tables, done.stderr


def shares(rows, label="class"):
    count = {}
    for row in rows:
        count[row[label]] = count.get(row[label], 0) + 1
    return {name: n / len(rows) for name, n in count.items()}


def scores(tables, label="class"):
    """NLL and error of bayes.csv, and the NLL of always answering with the classes' shares."""
    nll = wrong = constant = 0.0
    share = shares(tables["test"], label)
    for row, answer in zip(tables["test"], tables["bayes"]):
        p = {name[2:]: float(text) for name, text in answer.items()}
        assert abs(sum(p.values()) - 1.0) < 1e-9
        nll -= math.log(max(p[row[label]], 1e-300))
        wrong += max(p, key=p.get) != row[label]
        constant -= math.log(share[row[label]])
    n = len(tables["test"])
    return nll / n, wrong / n, constant / n


def assert_calibrated(tables, attributes, label="class"):
    """If p is the truth, 1[y = c] - p_c is unrelated to anything seen of the row: the sum of
    products with any such number is zero within its standard error."""
    looks = [lambda row, p: 1.0, lambda row, p: p, lambda row, p: p * p]
    for name in attributes:
        looks.append(lambda row, p, name=name: number(row[name]) if row[name] else 0.0)
        looks.append(lambda row, p, name=name: float(not row[name]))
    for column in tables["bayes"][0]:
        for k, look in enumerate(looks):
            total = variance = 0.0
            for row, answer in zip(tables["test"], tables["bayes"]):
                p = float(answer[column])
                seen = look(row, p)
                total += ((row[label] == column[2:]) - p) * seen
                variance += p * (1.0 - p) * seen * seen
            assert abs(total) <= 4.0 * math.sqrt(variance) + 1e-9, (column, k, total, variance)


def variance_beyond(values, half_width):
    """Noise variance from the spread of uniform-plus-noise: Var = h^2 / 3 + V."""
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values) / (len(values) - 1) - half_width ** 2 / 3


def check_toy(nimgp, place):
    tables, talk = simulate(nimgp, place, "toy", "--seed", "2", test=4000)
    assert list(tables["train"][0]) == ["x1", "x1_err", "class"]
    assert list(tables["bayes"][0]) == ["p_c1", "p_c2", "p_c3"]
    assert {row["x1_err"] for row in tables["train"] + tables["test"]} == {repr(math.sqrt(0.1))}
    nll, wrong, constant = scores(tables)
    assert nll < 0.6 * constant, (nll, constant)
    assert f"NLL {nll:.4f}" in talk and f"{100 * wrong:.1f} % wrong" in talk
    assert_calibrated(tables, ["x1"])
    assert abs(variance_beyond([float(row["x1"]) for row in tables["test"]], 3.0) - 0.1) < 0.2


def check_synthetic(nimgp, place):
    tables, talk = simulate(nimgp, place, "synthetic", test=4000)
    assert list(tables["train"][0]) == ["x1", "x2", "x1_err", "x2_err", "class"]
    assert {row["x1_err"] for row in tables["train"]} == {"0.5"}
    nll, _, constant = scores(tables)
    assert nll < 0.6 * constant, (nll, constant)
    assert "draws" not in talk
    assert_calibrated(tables, ["x1", "x2"])


def check_noise(nimgp, place):
    """The errors in the table are those of the data: here they dominate the spread."""
    for name, half_width in (("toy", 3.0), ("synthetic", 2.5)):
        tables, _ = simulate(nimgp, place / name, name, "--noise-var", "100", test=4000)
        assert {row["x1_err"] for row in tables["test"]} == {"10"}
        got = variance_beyond([float(row["x1"]) for row in tables["test"]], half_width)
        assert abs(got - 100.0) < 5 * 100.0 * math.sqrt(2 / len(tables["test"])), got
        assert_calibrated(tables, ["x1"])
    tables, _ = simulate(nimgp, place / "none", "synthetic", "--noise-var", "0", test=100)
    nll, wrong, _ = scores(tables)
    assert nll == 0.0 and wrong == 0.0
    tables, talk = simulate(nimgp, place / "tiny", "synthetic", "--noise-var", "1e-5", test=100)
    assert "draws" in talk and scores(tables)[1] < 0.05


def check_lengthscale(nimgp, place):
    """The default is the square root of 2; smoother functions make an easier problem."""
    same = (("default",), ("root", "--lengthscale", "1.4142135623730951"))
    texts = []
    for name, *words in same:
        simulate(nimgp, place / name, "synthetic", *words, test=100)
        texts.append((place / name / "test.csv").read_text())
    assert texts[0] == texts[1]
    errors = []
    for scale in ("0.7", "1.4", "4"):
        best = []
        for seed in range(10):
            tables, _ = simulate(nimgp, place / f"{scale}-{seed}", "synthetic", "--lengthscale",
                                 scale, "--seed", str(seed), test=500)  # fmt: skip
            best.append(scores(tables)[1])
        errors.append(sum(best) / len(best))
    assert errors[0] > 1.3 * errors[1] > 1.3**2 * errors[2], errors


def check_dimensions_and_classes(nimgp, place):
    tables, talk = simulate(nimgp, place, "synthetic", "--dims", "3", "--classes", "5", test=600)
    assert list(tables["train"][0]) == ["x1", "x2", "x3", "x1_err", "x2_err", "x3_err", "class"]
    assert list(tables["bayes"][0]) == [f"p_c{c}" for c in range(1, 6)]
    assert "draws" in talk
    nll, _, constant = scores(tables)
    assert nll < 0.9 * constant
    assert_calibrated(tables, ["x1", "x2", "x3"])
    tables, _ = simulate(nimgp, place, "toy", "--classes", "2", test=100)
    assert list(tables["bayes"][0]) == ["p_c1", "p_c2"]


def check_catalogue(nimgp, place):
    tables, _ = simulate(nimgp, place, "catalogue", train=1000, test=4000)
    attributes = ["flux", "spectral_index", "curvature", "variability", "latitude"]
    errors = [f"{name}_err" for name in attributes[:4]]
    assert list(tables["train"][0]) == ["id", *attributes, *errors, "class"]
    unlabelled = rows_of(place / "unlabelled.csv")
    assert len(unlabelled) == len(tables["test"])
    assert list(unlabelled[0]) == ["id", *attributes, *errors]
    rows = tables["train"] + tables["test"]
    ids = [row["id"] for row in rows + unlabelled]
    assert len(set(ids)) == len(ids)
    share = shares(rows)
    assert set(share) == {"agn", "pulsar", "starburst"}
    assert max(share.values()) > 2 * min(share.values()) > 0.1
    for name in attributes[1:4]:  # missing cells and missing errors, neither many
        cells = sum(row[name] == "" for row in rows) / len(rows)
        lone = sum(row[name] != "" and row[f"{name}_err"] == "" for row in rows) / len(rows)
        assert 0.02 < cells < 0.1 and 0.02 < lone < 0.1, (name, cells, lone)
    assert all(number(row["flux"]) > 0 for row in rows)
    # Errors follow the flux: correlation of the logarithms.
    for name, sign in (("flux", 1), ("curvature", -1)):
        pairs = [(math.log(number(row["flux"])), math.log(number(row[f"{name}_err"])))
                 for row in rows if row[f"{name}_err"]]
        a, b = (sum(pair[i] for pair in pairs) / len(pairs) for i in (0, 1))
        covariance = sum((x - a) * (y - b) for x, y in pairs)
        spread = math.sqrt(sum((x - a) ** 2 for x, _ in pairs) * sum((y - b) ** 2
                                                                     for _, y in pairs))
        assert sign * covariance / spread > 0.5, (name, covariance / spread)
    nll, _, constant = scores(tables)
    assert nll < 0.5 * constant, (nll, constant)
    assert_calibrated(tables, attributes + errors)


def check_worse(nimgp, place):
    """Rows to learn from stay; sources to try are the same, with larger errors and less to tell."""
    attributes = ["flux", "spectral_index", "curvature", "variability", "latitude"]
    errors = [f"{name}_err" for name in attributes[:4]]
    good, _ = simulate(nimgp, place / "1", "catalogue", "--seed", "5")
    bad, talk = simulate(nimgp, place / "4", "catalogue", "--seed", "5", "--worse", "4")
    assert good["train"] == bad["train"]
    for one, other in zip(good["test"], bad["test"]):
        assert (one["id"], one["class"], one["latitude"]) == (
            other["id"], other["class"], other["latitude"])
        for name in errors:
            assert (one[name] == "") == (other[name] == "")
            if one[name]:
                assert math.isclose(number(other[name]), 4 * number(one[name]), rel_tol=1e-14)
    assert_calibrated(bad, attributes + errors)
    nll = scores(bad)[0]
    assert nll > scores(good)[0] + 0.05 and f"NLL {nll:.4f}" in talk, (nll, talk)
    plain = rows_of(place / "1" / "unlabelled.csv")
    for one, other in zip(plain, rows_of(place / "4" / "unlabelled.csv")):
        assert math.isclose(number(other["flux_err"]), 4 * number(one["flux_err"]), rel_tol=1e-14)


def check_missing(nimgp, place):
    attributes = ["flux", "spectral_index", "curvature", "variability", "latitude"]
    few, _ = simulate(nimgp, place / "few", "catalogue", "--missing", "few", test=100)
    default, _ = simulate(nimgp, place / "default", "catalogue", test=100)
    assert few == default
    for kind in ("random", "faint"):
        tables, _ = simulate(nimgp, place / kind, "catalogue", "--missing", kind, "--worse", "2",
                             train=2000)
        for table in (tables["train"], tables["test"]):
            cells = [row[name] == "" for row in table for name in attributes[1:4]]
            assert abs(sum(cells) / len(cells) - 0.3) < 0.06, (kind, sum(cells) / len(cells))
        assert_calibrated(tables, attributes)


def check_measured(nimgp, place):
    """What such tables say of measurements is found by names alone, as archives have them."""
    for kind, column in (("lopsided", "curvature_err1"), ("correlated", "curvature_variability_corr"),
                         ("limits", "curvature_limit")):
        folder = place / kind
        tables, _ = simulate(nimgp, folder, "catalogue", "--measured", kind, "--noise-var", "4", test=500)
        assert column in tables["train"][0], tables["train"][0]
        nimgp.good("fit", folder / "train.csv", "-o", folder / "m", "--log", "flux", "--epochs", "1",
                   "--threads", "1")
        known = json.loads(nimgp.good("inspect", folder / "m", "--json").stdout)["features"]
        names = ["log(flux)", "spectral_index", "curvature", "variability", "latitude"]
        assert [feature["name"] for feature in known] == names, known
        error = {"lopsided": "curvature_err2:curvature_err1"}.get(kind, "curvature_err")
        assert known[2]["error"] == error, known
        nimgp.good("predict", folder / "m", folder / "test.csv", "-o", folder / "p.csv")
        assert len(rows_of(folder / "p.csv")) == 500
        told = nimgp.good("evaluate", "--folds", "2", folder / "train.csv", "--log", "auto", "--epochs", "1",
                          "--calibrate", "none", "--threads", "1", "--json").stdout
        assert json.loads(told)["rows"] == 200
        nimgp.good("report", folder / "m", folder / "test.csv", "-o", folder / "r.html")


def assert_waves(rows):
    """Uniform in [-3, 3] plus errors that are log-uniform in [0.05, 0.5]."""
    errors = [float(row["x_err"]) for row in rows]
    assert 0.05 <= min(errors) < 0.06 and 0.45 < max(errors) <= 0.5, (min(errors), max(errors))
    logs = [math.log(e) for e in errors]
    assert abs(sum(logs) / len(logs) - math.log(math.sqrt(0.05 * 0.5))) < 0.06
    noise = sum(e * e for e in errors) / len(errors)
    assert abs(variance_beyond([float(row["x"]) for row in rows], 3.0) - noise) < 0.2
    assert max(abs(float(row["x"])) for row in rows) > 3.0


def wave_average(row, function):
    """The mean of a function of f = sin 2x over where x may be."""
    seen, error, points = float(row["x"]), float(row["x_err"]), 3000
    total = sum_up = 0.0
    for i in range(points):
        x = -3.0 + 6.0 * (i + 0.5) / points
        weight = math.exp(-0.5 * ((x - seen) / error) ** 2)
        total += weight
        sum_up += weight * function(math.sin(2.0 * x))
    return sum_up / total


def assert_best_numbers(tables, talk, density):
    """bayes.csv against plain sums for some rows; residuals are unrelated to what is seen, as large
    as sd says, and the figures said are those of the whole."""
    target = list(tables["test"][0])[-1]
    both = list(zip(tables["test"], tables["bayes"]))
    for row, answer in both[:60]:
        t = float(row.get("exposure", 1.0))
        mean = wave_average(row, lambda f: density(f, t)[0])
        second = wave_average(row, lambda f: density(f, t)[1])
        assert abs(float(answer["mean"]) - mean) < 1e-4 * (1 + abs(mean)), (row, answer, mean)
        assert abs(float(answer["sd"]) - math.sqrt(second - mean * mean)) < 1e-3 * (1 + abs(mean))
    miss = [float(row[target]) - float(answer["mean"]) for row, answer in both]
    sd = [float(answer["sd"]) for _, answer in both]
    for look in (lambda x: 1.0, lambda x: x, lambda x: math.sin(2 * x), lambda x: math.cos(2 * x)):
        seen = [look(float(row["x"])) for row, _ in both]
        total = sum(m * g for m, g in zip(miss, seen))
        assert abs(total) < 4 * math.sqrt(sum((s * g) ** 2 for s, g in zip(sd, seen))), total
    ratios = [(m / s) ** 2 for m, s in zip(miss, sd)]
    mean = sum(ratios) / len(ratios)
    spread = math.sqrt(sum((r - mean) ** 2 for r in ratios)) / len(ratios)
    assert abs(mean - 1.0) < 4 * spread, (mean, spread)
    square = sum(m * m for m in miss) / len(miss)
    assert f"RMSE {math.sqrt(square):.4g}" in talk, (talk, square)


def check_sine(nimgp, place):
    tables, talk = simulate(nimgp, place, "sine", test=2000)
    assert list(tables["train"][0]) == ["x", "x_err", "y"]
    assert list(tables["bayes"][0]) == ["mean", "sd"]
    assert_waves(tables["train"] + tables["test"])
    assert_best_numbers(tables, talk, lambda f, _: (f, f * f + 0.01))
    # Exactly measured, all that is left is the target's own noise.
    tables, talk = simulate(nimgp, place / "sharp", "sine", "--noise-var", "1e-6", test=2000)
    residual = [float(row["y"]) - math.sin(2 * float(row["x"])) for row in tables["test"]]
    variance = sum(r * r for r in residual) / len(residual)
    assert abs(variance - 0.01) < 5 * 0.01 * math.sqrt(2 / 2000), variance
    nll = float(re.search(r"NLL (-?[0-9.]+)", talk)[1])
    assert abs(nll - (0.5 * math.log(2 * math.pi * math.e * 0.01))) < 0.08, nll


def check_counts(nimgp, place):
    tables, talk = simulate(nimgp, place, "counts", test=2000)
    assert list(tables["train"][0]) == ["x", "x_err", "exposure", "count"]
    assert_waves(tables["test"])
    for row in tables["train"]:
        assert row["count"].isdigit() and 0.5 <= float(row["exposure"]) <= 5.0, row

    def moments(f, t):
        rate = t * math.exp(1 + f)
        return rate, rate + rate * rate
    assert_best_numbers(tables, talk, moments)


def check_ordinal(nimgp, place):
    tables, talk = simulate(nimgp, place, "ordinal", test=3000)
    assert list(tables["train"][0]) == ["x", "x_err", "level"]
    assert list(tables["bayes"][0]) == ["p_1", "p_2", "p_3", "p_4"]
    assert_calibrated(tables, ["x", "x_err"], label="level")
    nll, wrong, constant = scores(tables, label="level")
    assert nll < 0.6 * constant and f"NLL {nll:.4f}, {100 * wrong:.1f} % wrong" in talk, (nll, talk)
    for row, answer in list(zip(tables["test"], tables["bayes"]))[:40]:
        low = wave_average(row, lambda f: 0.5 * math.erfc((f + 0.5) / (0.2 * math.sqrt(2))))
        assert abs(low - float(answer["p_1"])) < 1e-4, (row, answer, low)


def check_seeds(nimgp, place):
    for name in ("toy", "synthetic", "catalogue", "sine", "counts", "ordinal"):
        texts = []
        for i, seed in enumerate(("1", "1", "2")):
            out = place / name / str(i)
            nimgp.good("simulate", name, "--seed", seed, "--rows", "300", "--test-rows", "300",
                       "--out", out, "--quiet")
            texts.append({path.name: path.read_bytes() for path in out.iterdir()})
        assert texts[0] == texts[1]
        assert texts[0].keys() == texts[2].keys()
        for file in texts[0]:
            assert texts[0][file] != texts[2][file], (name, file)


def check_places(nimgp, place):
    """An existing directory is fine, files in it are replaced; what cannot be is said."""
    few = ["--rows", "3", "--test-rows", "3"]
    deep = place / "a" / "b c"
    nimgp.good("simulate", "toy", "--out", deep, *few)
    before = sorted(path.name for path in deep.iterdir())
    assert before == ["bayes.csv", "test.csv", "train.csv"], before
    nimgp.good("simulate", "toy", "--out", f"{deep}/", *few, "--seed", "9")
    assert sorted(path.name for path in deep.iterdir()) == before
    (place / "file").write_text("x")
    nimgp.bad(2, "simulate", "toy", "--out", place / "file", *few, says="file")
    nimgp.bad(2, "simulate", "toy", "--out", place / "file" / "below", *few, says="file")
    nimgp.bad(2, "simulate", "toy", "--out", "/proc/nowhere", *few, says="/proc/nowhere")
    nimgp.bad(1, "simulate", "toy", "--out", "", *few, says="--out")
    nimgp.bad(1, "simulate", "tony", "--out", deep, says=["'tony'", "did you mean toy?"])
    nimgp.bad(1, "simulate", "catalogue", "--dims", "3", "--out", deep, says="--dims")
    nimgp.bad(1, "simulate", "toy", "--dims", "3", "--out", deep, says="--dims")
    nimgp.bad(1, "simulate", "sine", "--classes", "3", "--out", deep, says="--classes")
    nimgp.bad(1, "simulate", "sine", "--lengthscale", "3", "--out", deep, says="--lengthscale")
    for scale in ("0", "nan", "-1", "1e9", "long"):
        nimgp.bad(1, "simulate", "toy", "--lengthscale", scale, "--out", deep, says="--lengthscale")
    nimgp.bad(1, "simulate", "count", "--out", deep, says="did you mean counts?")
    nimgp.bad(1, "simulate", "catalogue", "--noise-var", "0", "--out", deep, says="--noise-var")
    for worse in ("0.5", "1e9", "nan", "much"):
        nimgp.bad(1, "simulate", "catalogue", "--worse", worse, "--out", deep, says="--worse")
    nimgp.bad(1, "simulate", "catalogue", "--missing", "fain", "--out", deep,
              says=["--missing", "few, random, faint", "did you mean faint?"])
    nimgp.bad(1, "simulate", "toy", "--worse", "2", "--out", deep, says="toy has no --worse")
    nimgp.bad(1, "simulate", "sine", "--missing", "faint", "--out", deep, says="--missing")
    nimgp.bad(1, "simulate", "synthetic", "--classes", "1", "--out", deep, says="--classes")


def check_missing_class_is_said(nimgp, place):
    done = nimgp.good("simulate", "synthetic", "--classes", "9", "--rows", "3", "--test-rows", "3",
                      "--out", place)
    present = {row["class"] for row in rows_of(place / "train.csv")}
    for c in range(1, 10):
        assert (f"no training row is of class c{c};" in done.stderr) == (f"c{c}" not in present)


if __name__ == "__main__":
    # Sanitizers look at memory: these look at numbers, which check_seeds makes by the same code.
    numbers = [] if FEWER else [check_toy, check_synthetic, check_noise, check_lengthscale, check_dimensions_and_classes,
                                check_catalogue, check_measured, check_worse, check_sine, check_counts, check_ordinal]
    main([*numbers, check_missing, check_seeds, check_places, check_missing_class_is_said])
