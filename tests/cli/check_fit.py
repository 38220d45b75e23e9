#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fit: columns, errors, classes and options. usage: PROGRAM [TEST...]"""
import math
import random
import re
import statistics

from cli_check import blobs, check, main, near
from short_fit import fit, inspect, train


def says_what_it_understood(nimgp):
    result = fit(nimgp, train(nimgp), "m")
    check("label is column 'class'" in result.err, result.err)
    check(result.out == "", "standard output is for data")
    pairs = [line.split() for line in result.err.splitlines() if line.startswith("  ")]
    check(pairs == [["feature", "error", "missing", "unit"], ["x1", "x1_err", "0"],
                    ["x2", "x2_err", "0"]], pairs)
    known = inspect(nimgp, "m")
    check([f["error"] for f in known["features"]] == ["x1_err", "x2_err"], known)
    check(known["rows"] == 120 and sum(c["rows"] for c in known["classes"]) == 120, known)
    check(fit(nimgp, "train.csv", "m", "--quiet").err == "", "--quiet talks")


def pairs_errors_by_rule(nimgp):
    """Every spelling of an error column finds its feature, whatever the case."""
    source = random.Random(2)
    spellings = ["{}_err", "{}_error", "e_{}", "Unc_{}", "sigma_{}", "{}_unc", "err_{}", "{}_sigma",
                 "d{}", "{}_ERR", "UNC_{}"]
    for spelling in spellings:
        for feature in ("Flux", "mag"):
            error = spelling.format(feature)
            head = ["id", "kind", feature, error, "alone"]
            rows = [[i, "ab"[i % 2], source.gauss(i % 2, 1), source.uniform(0.1, 1),
                     source.gauss(0, 1)] for i in range(40)]
            nimgp.write_rows("t.csv", head, rows)
            result = fit(nimgp, "t.csv", "m", "--label", "kind", "--epochs", "1")
            known = {f["name"]: f["error"] for f in inspect(nimgp, "m")["features"]}
            check(known == {feature: error, "alone": None}, spelling, known)
            check("identifiers: id;" in result.err, "an id was taken for a feature")


def errors_by_hand(nimgp):
    source = random.Random(3)
    head = ["flux", "flux_err", "noise", "mag", "class"]
    rows = [[source.gauss(i % 2, 1), 0.1, source.uniform(0.1, 1), source.gauss(0, 1), "ab"[i % 2]]
            for i in range(40)]
    nimgp.write_rows("t.csv", head, rows)

    def pairs(*words):
        fit(nimgp, "t.csv", "m", "--epochs", "1", *words)
        return {f["name"]: f["error"] for f in inspect(nimgp, "m")["features"]}

    check(pairs() == {"flux": "flux_err", "noise": None, "mag": None})
    check(pairs("--errors", "mag=noise") == {"flux": "flux_err", "mag": "noise"})
    check(pairs("--errors", "flux=noise,mag=") == {"flux": "noise", "mag": None})
    check(pairs("--errors", "none") == {"flux": None, "noise": None, "mag": None})
    check(pairs("--features", "flux_err,flux") == {"flux_err": None, "flux": None},
          "a feature is no error")
    nimgp.refuses("fit", "t.csv", "-o", "n", "--errors", "mag=nois", says=["t.csv", "nois", "noise"])
    nimgp.refuses("fit", "t.csv", "-o", "n", "--errors", "mog=noise", says=["mog=noise"])
    nimgp.refuses("fit", "t.csv", "-o", "n", "--errors", "mag", code=1, says=["mag"])
    nimgp.refuses("fit", "t.csv", "-o", "n", "--features", "flux,class", code=1, says=["class"])
    nimgp.refuses("fit", "t.csv", "-o", "n", "--features", "flux,flux", code=1, says=["twice"])
    nimgp.refuses("fit", "t.csv", "-o", "n", "--features", "flux,magg", says=["magg", "'mag'"])


def errors_by_pattern(nimgp):
    """--errors '*=noise of *' names the errors of all columns that have such a one, which is then no feature."""
    nimgp.write_rows("t.csv", ["mag", "noise of mag", "flux", "noise of flux", "z", "class"],
                     [[i % 7, 0.3, i % 5, 0.2, i % 3, "ab"[i % 2]] for i in range(40)])
    for given, known in (("*=noise of *", {"mag": "noise of mag", "flux": "noise of flux", "z": None}),
                         ("F*=noise of f*", {"mag": None, "noise of mag": None, "flux": "noise of flux", "z": None}),
                         ("*=noise of *,flux=", {"mag": "noise of mag", "flux": None, "z": None})):
        fit(nimgp, "t.csv", "m", "--errors", given, "--epochs", "1")
        check({f["name"]: f["error"] for f in inspect(nimgp, "m")["features"]} == known, given)
    nimgp.refuses("fit", "t.csv", "-o", "n", "--errors", "*=* err", says=["no columns", "*=* err"])


def merged_classes(nimgp):
    """Labels that are made one class are as if they had its name, here and where the model is applied."""
    source = random.Random(4)
    rows = [[source.gauss(i % 4, 1), ["KP", "CP", "FP", "x"][i % 4]] for i in range(120)]
    plain = [[x, {"KP": "planet", "CP": "planet", "FP": "false"}.get(label, label)] for x, label in rows]
    nimgp.write_rows("t.csv", ["x", "class"], rows)
    nimgp.write_rows("plain.csv", ["x", "class"], plain)
    said = fit(nimgp, "t.csv", "m", "--classes", "planet=KP|CP,false=FP").err
    check("planet: 60, false: 30" in said and "30 of other classes" in said, said)
    fit(nimgp, "plain.csv", "p", "--classes", "planet,false")
    for table in ("t.csv", "plain.csv"):
        check(nimgp("evaluate", "m", table, "--json").json()["nll"] ==
              nimgp("evaluate", "p", "plain.csv", "--json").json()["nll"], table)
    check(nimgp("predict", "m", "t.csv").out == nimgp("predict", "p", "plain.csv").out)
    for wrong in ("planet=KP|CP,false=KP", "a=KP,b=a", "a=KP|,b=CP", "a=,b"):
        nimgp.refuses("fit", "t.csv", "-o", "n", "--classes", wrong, code=1, says=["--classes"])


def label_nobody_named(nimgp):
    """The last column when it can hold classes; otherwise what could is listed."""
    def table(name, last):
        return nimgp.write_rows(name, ["kind", "x", "last"],
                                [["ab"[i % 2], (7 * i) % 11, last(i)] for i in range(90)])

    for last in (lambda i: i % 30, lambda i: f"c{i % 40}"):
        nimgp.refuses("fit", table("several.csv", last), "-o", "n",
                      says=["several.csv", "several may be the label: kind, last", "--label"])
    nimgp.write_rows("one.csv", ["name", "x", "last"], [[f"n{i}", (7 * i) % 11, i % 30] for i in range(90)])
    result = fit(nimgp, "one.csv", "m", "--epochs", "1")
    check("column 'last', the last one" in result.err, result.err)
    nimgp.refuses("fit", table("many.csv", lambda i: i % 31), "-o", "n",
                  says=["many.csv", "last", "31 different values", "--label", "text: kind"])


def missing_labels(nimgp):
    """NA and the like are no class, nor a category; Na is."""
    head, rows = blobs(60)
    spellings = ["NA", "n/a", "null", "NaN", "--", ""]
    for row, word in zip(rows, spellings):
        row[4] = word
    rows[10][4] = "Na"
    nimgp.write_rows("t.csv", head, rows)
    said = fit(nimgp, "t.csv", "m").err
    check("6 without a label" in said and "Na: 1" in said and "NA:" not in said, said)
    nimgp.write_rows("t.csv", ["kind", *head], [[["red", "NA", "blue"][i % 3], *row] for i, row in enumerate(rows)])
    said = fit(nimgp, "t.csv", "m", "--features", "kind").err
    check(re.search(r"kind=red +- +18\n", said) and "kind=NA" not in said, said)


def orphaned_errors(nimgp):
    nimgp.write_rows("t.csv", ["x", "Unc_Flux_Band_1_1", "y_err", "class"],
                     [[i % 7, 1, 2, "ab"[i % 2]] for i in range(40)])
    result = fit(nimgp, "t.csv", "m", "--epochs", "1")
    check("Unc_Flux_Band_1_1, y_err; --features" in result.err, result.err)
    check([f["name"] for f in inspect(nimgp, "m")["features"]] == ["x"])


def asymmetric_errors(nimgp):
    """Upper and lower errors are pairs, by their names or as told; one without the other is no
    feature, and one line says so."""
    source = random.Random(9)
    head = ["x", "per", "mag", "teff", "x_err1", "x_err2", "pererr1", "E_mag", "e_mag", "teff_lo",
            "teff_hi", "merr1", "class"]

    def row(i):
        x = [abs(source.gauss(i % 2, 1)) for _ in range(9)]
        x[5] = -x[5]  # Kepler's lower errors are negative
        return x + [x[3] - 0.5, x[3] + 2.0, 1.5 + i, "ab"[i % 2]]

    rows = [row(i) for i in range(40)]
    nimgp.write_rows("t.csv", head, rows)
    said = fit(nimgp, "t.csv", "m", "--epochs", "1").err

    def errors():
        return {f["name"]: f["error"] for f in inspect(nimgp, "m")["features"]}

    check(errors() == {"x": "x_err2:x_err1", "per": None, "mag": "e_mag:E_mag",
                       "teff": "[teff_lo:teff_hi]"}, said)
    line = [line for line in said.splitlines() if "without their counterpart" in line]
    check(len(line) == 1 and "without their counterpart: pererr1;" in line[0], said)
    nimgp("predict", "m", "t.csv")
    told = "x=x_err1:x_err1,per=pererr1,mag=[teff_lo:teff_hi],teff=none"
    nimgp.refuses("fit", "t.csv", "-o", "n", "--errors", told, says=["column teff_lo", "the value"])
    fit(nimgp, "t.csv", "m", "--epochs", "1", "--errors", "x=x_err1,per=pererr1:E_mag,teff=none")
    check(errors() == {"x": "x_err1", "per": "pererr1:E_mag", "mag": "e_mag:E_mag", "teff": None},
          said)
    nimgp.refuses("fit", "t.csv", "-o", "n", "--errors", "x=x_err1:nothing", says=["x_err1:nothing"])
    rows[7][9] = rows[7][3] + 1.0
    nimgp.write_rows("bad.csv", head, rows)
    nimgp.refuses("predict", "m", "bad.csv", "--errors", "teff=[teff_lo:teff_hi]",
                  says=["bad.csv:9: column teff_lo", "a lower end, not above the value"])


def limits(nimgp):
    """Text beside a value says that it is a limit; a speed limit is a feature like any other."""
    source = random.Random(10)
    head = ["x", "x_err", "x_limit", "v", "v_limit", "m", "mlim", "class"]
    rows = [[source.gauss(i % 2, 1), 0.1, ["", "<", ">"][i % 3], i + 0.5, 50 + i % 3, i % 5,
             [0, 1, -1, ""][i % 4], "ab"[i % 2]] for i in range(60)]
    nimgp.write_rows("t.csv", head, rows)
    said = fit(nimgp, "t.csv", "m", "--epochs", "1").err
    check([f["name"] for f in inspect(nimgp, "m")["features"]] == ["x", "v", "v_limit", "m"], said)
    check("70 values are limits" in said, said)
    with_limits = nimgp("predict", "m", "t.csv").out
    nimgp.write_rows("u.csv", head, [[*row[:2], "", *row[3:6], 0, row[7]] for row in rows])
    check(with_limits != nimgp("predict", "m", "u.csv").out)
    rows[4][2] = "below"
    nimgp.write_rows("bad.csv", head, rows)
    nimgp.refuses("predict", "m", "bad.csv", says=["bad.csv:6: column x_limit: 'below'"])


def correlations(nimgp):
    """Found by the names of both, used where a model can, and then they matter."""
    source = random.Random(11)
    head = ["ra", "dec", "ra_err", "dec_error", "ra_dec_corr", "pm", "ra_pm_corr", "class"]
    rows = [[source.gauss(i % 2, 1), source.gauss(0, 1), 0.5, 0.7, 0.9 * (-1) ** (i // 2),
             source.gauss(0, 1), 0.3, "ab"[i % 2]] for i in range(60)]
    nimgp.write_rows("t.csv", head, rows)
    said = fit(nimgp, "t.csv", "m", "--epochs", "1").err
    check([f["name"] for f in inspect(nimgp, "m")["features"]] == ["ra", "dec", "pm"], said)
    check("errors are correlated: 1 column, such as ra_dec_corr" in said, said)
    answer = nimgp("predict", "m", "t.csv").out
    plain = [[*row[:4], 0.0, *row[5:]] for row in rows]
    nimgp.write_rows("u.csv", head, plain)
    check(answer != nimgp("predict", "m", "u.csv").out)
    nimgp.write_rows("v.csv", head[:4] + head[5:], [row[:4] + row[5:] for row in rows])
    zero, none = (nimgp("predict", "m", name).rows() for name in ("u.csv", "v.csv"))
    check(all(near(float(a["p_a"]), float(b["p_a"]), 1e-9) for a, b in zip(zero, none)))
    check("correlations of errors are not used" in
          fit(nimgp, "t.csv", "n", "--epochs", "1", "--noise", "both").err)
    rows[3][4] = 1.2
    nimgp.write_rows("bad.csv", head, rows)
    nimgp.refuses("predict", "m", "bad.csv",
                  says=["bad.csv:5: column ra_dec_corr: 1.2", "between -1 and 1"])


def whole_seeds(nimgp):
    """A seed is taken as it stands or not at all."""
    train(nimgp)
    for seed in ("9007199254740991", "9007199254740992", "1e6", "0"):
        fit(nimgp, "train.csv", "m", "--epochs", "1", "--seed", seed)
        kept = inspect(nimgp, "m")["options"]["seed"]
        check(int(kept) == int(float(seed)), seed, kept)
    for seed in ("9007199254740993", "9007199254740992.5", "18446744073709551615", "1e17", "-1", "0.5"):
        nimgp.refuses("fit", "train.csv", "-o", "n", "--seed", seed, code=1, says=["seed", seed])
        nimgp.refuses("simulate", "toy", "-o", "n", "--seed", seed, code=1, says=["seed", seed])


def classes_in_order(nimgp):
    """Numbers by size, else bytes; --classes chooses rows and order; case folds when asked."""
    source = random.Random(4)

    def names(labels, *words, head="class"):
        rows = [[source.gauss(i % 3, 1), labels[i % len(labels)]] for i in range(30 * len(labels))]
        nimgp.write_rows("t.csv", ["x", head], rows)
        result = fit(nimgp, "t.csv", "m", "--epochs", "1", *words)
        known = inspect(nimgp, "m")["classes"]
        return [c["name"] for c in known], [c["rows"] for c in known], result.err

    check(names(["10", "9", "-1.0"])[0] == ["-1", "9", "10"])
    check(names(["10", "9", "x"])[0] == ["10", "9", "x"])
    check(names(["1", "1.0", "2"])[:2] == (["1", "2"], [60, 30]), "1 and 1.0 are one number")
    mixed = names(["b", "B", "a"])
    check(mixed[0] == ["B", "a", "b"])
    check("differ only in case (B/b); --ignore-case" in mixed[2], mixed[2])
    check("90 rows; B: 30, a: 30, b: 30" in mixed[2], mixed[2])
    check("case" not in names(["b", "a"])[2])
    check(names(["b", "B", "a"], "--ignore-case")[:2] == (["a", "b"], [30, 60]))
    found = names(["bll", "BLL", "psr", "agn", "", " "], "--classes", "PSR,bll", "--ignore-case")
    check(found[:2] == (["PSR", "bll"], [30, 60]), found)
    check("60 without a label, 30 of other classes" in found[2], found[2])
    check(names(["u", "v"], head="kind")[0] == ["u", "v"], "the last column is the label")
    nimgp.refuses("fit", "t.csv", "-o", "n", "--classes", "u,w", says=["t.csv", "kind", "'w'"])
    names(["fsrq", "bll", "agn"])
    nimgp.refuses("fit", "t.csv", "-o", "n", "--classes", "bll,fsqr",
                  says=["no rows of class 'fsqr'; did you mean 'fsrq'?"])
    check("(agn)" in names(["fsrq", "bll", "agn"], "--classes", "bll,fsrq")[2])
    nimgp.refuses("fit", "t.csv", "-o", "n", "--classes", "u,u", code=1, says=["twice"])


def small_classes(nimgp):
    labels = ["many"] * 60 + ["five"] * 5 + ["four"] * 4 + ["one"]
    nimgp.write_rows("t.csv", ["x", "class"], [[i % 9, label] for i, label in enumerate(labels)])
    result = fit(nimgp, "t.csv", "m", "--epochs", "1")
    check("fewer than 5 rows: four, one; --classes names the classes to use" in result.err, result.err)


def long_tables(nimgp):
    """First and last features only, where nobody would read them all."""
    for count in (200, 201):
        head = [f"f{j}" for j in range(count)] + ["class"]
        nimgp.write_rows("t.csv", head, [[(i * j) % 7 for j in range(count)] + ["ab"[i % 2]]
                                         for i in range(30)])
        said = fit(nimgp, "t.csv", "m", "--epochs", "1").err
        shown = [f"f{j}" for j in range(count)]
        if count > 200:
            shown[10:-3] = ["..."]
        for text in (said, nimgp("inspect", "m").out):
            lines = [line.split()[0] for line in text.splitlines() if line.startswith("  ")]
            found = lines[lines.index("feature") + 1:]
            check(found == shown, count, found)
            check(count == 200 or f"... {count - 13} more" in text, text)
        check(len(inspect(nimgp, "m")["features"]) == count)


def epochs_said(nimgp):
    """With calibration, as nobody said that there was to be none: it trains several copies."""
    train(nimgp, rows=40)
    words = ["--inducing", "5", "--warm-up", "5"]
    said = nimgp("fit", "train.csv", "-o", "m", "--epochs", "1", *words).err
    check("nimgp: 1 epoch in" in said, said)
    check("stopped after 1 epoch, while the bound was still improving" in said, said)
    said = nimgp("fit", "train.csv", "-o", "n", "--from", "m", "--epochs", "3", *words).err
    check("nimgp: 3 more epochs, 4 in total, in" in said, said)
    check("settled" not in fit(nimgp, "train.csv", "m").err, "a fixed number is what was wanted")


def where_filters(nimgp):
    train(nimgp)
    result = fit(nimgp, "train.csv", "m", "--where", "x1 > 0", "--where", "class != c")
    head, rows = blobs(120)
    left = [row for row in rows if row[0] > 0 and row[4] != "c"]
    known = inspect(nimgp, "m")
    check(known["rows"] == len(left) and len(known["classes"]) == 2, known)
    check(f"{120 - len(left)} by --where" in result.err, result.err)


def logarithms(nimgp):
    """log(x) is the same model as a column of logarithms whose errors reach to those of x - sigma
    and x + sigma; of what lies below zero nothing counts."""
    source = random.Random(5)
    plain, logs = [], []
    for i in range(100):
        flux, error = math.exp(source.gauss(i % 2, 1)), source.uniform(0.01, 0.1)
        other = source.gauss(0, 1)
        plain.append([repr(flux), repr(error), repr(other), "ab"[i % 2]])
        within = math.erf(math.sqrt(0.5)) * math.erf(flux / error * math.sqrt(0.5))
        lower = error * statistics.NormalDist().inv_cdf(0.5 + 0.5 * within)
        logs.append([repr(math.log(flux)), repr(-math.log(1 - lower / flux)),
                     repr(math.log(1 + error / flux)), repr(other), "ab"[i % 2]])
    nimgp.write_rows("plain.csv", ["flux", "flux_err", "y", "class"], plain)
    nimgp.write_rows("logs.csv", ["flux", "flux_err2", "flux_err1", "y", "class"], logs)
    hint = fit(nimgp, "plain.csv", "m").err
    check("positive and skewed: flux;" in hint, hint)
    check("positive" not in fit(nimgp, "logs.csv", "reference").err)
    tables = []
    for words in (["--log", "auto"], ["--log", "flux"], ["--features", "log(flux),y"]):
        fit(nimgp, "plain.csv", "m", *words)
        check([f["name"] for f in inspect(nimgp, "m")["features"]] == ["log(flux)", "y"])
        tables.append(nimgp("predict", "m", "plain.csv").rows())
    reference = nimgp("predict", "reference", "logs.csv").rows()
    for table in tables:
        for a, b in zip(table, reference, strict=True):
            check(near(float(a["p_a"]), float(b["p_a"]), 1e-6), a, b)
    # Not positive: missing, and said once.
    nimgp.write_rows("odd.csv", ["flux", "flux_err", "y"], [[-1, 0.1, 0], [0, 0.1, 0], ["", "", 0]])
    result = nimgp("predict", "m", "odd.csv")
    check("flux: 2 values are not positive, so they have no logarithm" in result.err, result.err)
    check(len({row["p_a"] for row in result.rows()}) == 1, "all three are missing")
    nimgp.write_rows("odd.csv", ["flux", "flux_err", "y"], [[-1, 0.1, 0], [1, 0.1, 0]])
    result = nimgp("predict", "m", "odd.csv")
    check("flux: 1 value is not positive, so it has no logarithm and counts" in result.err, result.err)
    # Names that say a logarithm was taken.
    for name, taken in (("log_f", True), ("logF", True), ("ln_f", True), ("LOG(f)", True),
                        ("login", False), ("lnum", False)):
        nimgp.write_rows("named.csv", [name, "class"], [[row[0], row[3]] for row in plain])
        result = fit(nimgp, "named.csv", "n", "--log", "auto", "--epochs", "1")
        found = inspect(nimgp, "n")["features"][0]["name"]
        check(found == (name if taken else f"log({name})"), name, found)
    # An empty column before the one whose cells have no logarithm.
    nimgp.write_rows("void.csv", ["void", "flux", "class"],
                     [["", i % 5 - 1, "ab"[i % 2]] for i in range(40)])
    result = fit(nimgp, "void.csv", "n", "--log", "flux", "--epochs", "1")
    check("flux: 16 values are not positive" in result.err, result.err)
    # A column of the very name comes first.
    nimgp.write_rows("named.csv", ["log(flux)", "y"], [[0.5, 1], [0.1, 2]])
    result = nimgp("predict", "m", "named.csv")
    check("no column 'flux_err'" in result.err and len(result.rows()) == 2, result.err)


def empty_columns(nimgp):
    nimgp.write_rows("t.csv", ["x", "void", "class"],
                     [[i, "", "ab"[i % 2]] for i in range(20)])
    check("not used: void" in fit(nimgp, "t.csv", "m").err)
    check([f["name"] for f in inspect(nimgp, "m")["features"]] == ["x"])
    nimgp.refuses("fit", "t.csv", "-o", "n", "--features", "x,void", says=["t.csv", "void"])


def columns_left_empty(nimgp):
    """One that has values in other rows only goes; what is known of the others' measurements stays with them."""
    source = random.Random(12)
    head = ["a", "a_err1", "a_err2", "void", "void_err", "b", "b_err", "b_limit", "a_b_corr", "class"]
    rows = [[source.gauss(i % 2, 1), source.uniform(0.1, 1), -source.uniform(0.1, 1), "" if i else 1, "" if i else 1,
             source.gauss(0, 1), 0.4, "<" if i % 7 == 1 else "", source.uniform(-0.8, 0.8),
             "ab"[i % 2] if i else "other"] for i in range(60)]
    nimgp.write_rows("t.csv", head, rows)
    nimgp.write_rows("u.csv", head[:3] + head[5:], [row[:3] + row[5:] for row in rows])
    for name in "tu":
        said = fit(nimgp, f"{name}.csv", name, "--where", "class != other", "--log", "none").err
        check(("not used: void" in said) == (name == "t"), said)
    check(nimgp("predict", "t", "t.csv").out == nimgp("predict", "u", "t.csv").out)


def without_errors(nimgp):
    nimgp.write_rows("t.csv", ["x", "class"], [[i % 7, "ab"[i % 2]] for i in range(40)])
    check("--noise learned" in fit(nimgp, "t.csv", "m").err)
    check("--noise learned" not in fit(nimgp, "t.csv", "m", "--noise", "learned").err)
    known = inspect(nimgp, "m")
    check(known["features"][0]["learned_noise"] > 0, known)
    check("x1_err (not used)" in fit(nimgp, train(nimgp), "m", "--noise", "learned").err)
    check("x1_err (not used)" in nimgp("inspect", "m").out)
    check("(not used)" not in fit(nimgp, "train.csv", "m", "--noise", "both").err)
    check("(not used)" not in nimgp("inspect", "m").out)


def wide_population(nimgp):
    # Where all rows are equally noisy, the population is the learned mixture, widened.
    draw = random.Random(5)
    rows = [[f"{draw.gauss(14 * k, 1):.6f}", "0.4", f"{draw.gauss(k, 1):.6f}", "0.3", "ab"[k]] for k in (0, 1) * 60]
    draw.shuffle(rows)
    nimgp.write_rows("equal.csv", ["x", "x_err", "y", "y_err", "class"], rows)
    found = {}
    for population in ("auto", "mixture", "flat"):
        fit(nimgp, "equal.csv", "m", "--population", population)
        found[population] = inspect(nimgp, "m")["population"]
        line = next(each for each in nimgp("inspect", "m").out.splitlines() if "population  " in each)
        check(("wide" in line) == (population == "auto"), population, line)
    check([found[each]["kind"] for each in ("auto", "mixture", "flat")] == ["wide", "mixture", "flat"], found)
    check(found["auto"]["components"] == found["mixture"]["components"], found)
    check(found["flat"]["components"] == [], found)


def population_from_others(nimgp):
    # Where all rows are equally noisy, the most likely mean of true inputs is the mean of all rows.
    draw = random.Random(4)
    rows = [[f"{draw.gauss(k, 1):.6f}", f"{draw.gauss(-k, 1):.6f}", "ab"[k]] for k in (0, 1) * 40]
    others = [[f"{draw.gauss(9, 1):.6f}", f"{draw.gauss(5, 1):.6f}"] for _ in range(200)]
    nimgp.write_rows("train.csv", ["x", "y", "class"], rows)
    nimgp.write_rows("others.csv", ["y", "x"], [row[::-1] for row in others])
    gaussian = ["--input", "latent", "--population", "gaussian"]
    said = fit(nimgp, "train.csv", "m", *gaussian, "--population-from", "others.csv").err
    check("population: also learned from 200 rows of others.csv" in said, said)
    found = inspect(nimgp, "m")["population"]
    check(found["kind"] == "gaussian" and len(found["components"]) == 1, found)
    for j in range(2):
        wanted = sum(float(row[j]) for row in rows + others) / 280
        check(near(found["components"][0]["mean"][j], wanted, 1e-9), found, wanted)
    fit(nimgp, "train.csv", "n", *gaussian, "--input", "latent")
    alone = inspect(nimgp, "n")["population"]["components"][0]["mean"][0]
    check(abs(alone - found["components"][0]["mean"][0]) > 3, "the other rows were not looked at")
    nimgp.write_rows("narrow.csv", ["x"], [["1"]])
    refused = [(["narrow.csv"], 2, "no column 'y'"), (["no.csv"], 2, "no.csv"),
               (["others.csv", "--population", "flat"], 1, "flat"),
               (["others.csv", "--noise", "learned"], 1, "noise=given"),
               (["others.csv", "--from", "m"], 1, "--population-from")]
    for words, code, word in refused:
        nimgp.refuses("fit", "train.csv", "-o", "never", "--population-from", *words, code=code, talks=True,
                      says=[word])


def correlated_errors_of_many_columns(nimgp):
    """As many correlated columns as the library takes, also with flags of missing cells; with more, errors
    are independent."""
    source = random.Random(1)
    for count in (60, 65):
        head = [f"x{j}" for j in range(count)] + [f"x{j}_err" for j in range(count)] + ["x0_x1_corr", "class"]
        rows = []
        for i in range(60):
            cells = [source.gauss(i % 2, 1) for _ in range(count)]
            for j in range(5):
                cells[10 + j] = "" if source.random() < 0.3 else cells[10 + j]
            rows.append([*cells, *[0.3] * count, 0.8, "ab"[i % 2]])
        nimgp.write_rows("t.csv", head, rows)
        nimgp.write_rows("u.csv", head, [[*row[:-2], 0, row[-1]] for row in rows])
        fit(nimgp, "t.csv", "m", "--epochs", "1", "--input", "marginal", "--population", "flat", "--inducing", "5",
            "--calibrate", "none", "--points", "8")
        told = [nimgp("predict", "m", name).out for name in ("t.csv", "u.csv")]
        check((told[0] != told[1]) == (count <= 64), count)


if __name__ == "__main__":
    main([says_what_it_understood, pairs_errors_by_rule, errors_by_hand, errors_by_pattern, merged_classes, label_nobody_named, missing_labels, orphaned_errors, asymmetric_errors, limits, correlations, correlated_errors_of_many_columns, whole_seeds, classes_in_order,
          small_classes, long_tables, epochs_said, where_filters, logarithms, empty_columns,
          columns_left_empty, without_errors, wide_population, population_from_others])
