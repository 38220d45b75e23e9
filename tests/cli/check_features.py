#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which columns are learned from, what is computed from them, and in which units they are.
usage: PROGRAM [TEST...]"""
import math
import random

from cli_check import check, main

QUICK = ["--calibrate", "none", "--epochs", "2", "--stop", "fixed", "--inducing", "4", "--seed", "1"]


def stars(nimgp, name="t.csv", rows=60, change=lambda row: row):
    """Two magnitudes with errors, a number of the row under another name, and a class."""
    make = random.Random(1)
    head = ["star", "Gmag", "e_Gmag", "W1mag", "e_W1mag", "flux", "w", "class"]
    lines = []
    for i in range(rows):
        g, w = make.gauss(15, 2), make.gauss(12, 2)
        row = dict(zip(head, [1000 + 7 * i, g, 0.1 + make.random(), w, 0.2 + make.random(),
                              math.exp(make.gauss(0, 1.5)), 1 + i % 3, "ab"[g - w > 3]]))
        lines.append(change(row))
    nimgp.write_rows(name, head, [[row[key] for key in head] for row in lines])
    return lines


def features(nimgp, model="m"):
    return [one["name"] for one in nimgp("inspect", model, "--json").json()["features"]]


def predictions(nimgp, table, *more):
    return [float(row["p_a"]) for row in nimgp("predict", "m", table, "-q", *more).rows()]


def differences(nimgp):
    """A model of a - b says the same as one of a column that holds the difference and its error."""
    rows = stars(nimgp)
    nimgp.write_rows("made.csv", ["Gmag-W1mag", "Gmag-W1mag_err", "class"],
                     [[row["Gmag"] - row["W1mag"], math.hypot(row["e_Gmag"], row["e_W1mag"]), row["class"]]
                      for row in rows])
    nimgp("fit", "made.csv", "-o", "m", *QUICK, "-q")
    wanted = predictions(nimgp, "made.csv")
    said = nimgp("fit", "t.csv", "--features", "Gmag-W1mag", "-o", "m", *QUICK).err
    check("Gmag-W1mag  e_Gmag, e_W1mag" in said, said)
    seen = nimgp("inspect", "m", "--json").json()["features"]
    check(seen[0]["error"] == "e_Gmag, e_W1mag", seen)
    check("e_Gmag, e_W1mag" in nimgp("inspect", "m").out)
    found = predictions(nimgp, "t.csv")
    check(max(abs(a - b) for a, b in zip(found, wanted, strict=True)) < 1e-9, (found[:3], wanted[:3]))
    halves = predictions(nimgp, "t.csv", "--errors", "Gmag=e_Gmag:w,W1mag=e_W1mag:w")
    made = [[row["Gmag"] - row["W1mag"], math.hypot(row["e_Gmag"], row["w"]), math.hypot(row["w"], row["e_W1mag"])]
            for row in rows]
    nimgp.write_rows("halves.csv", ["Gmag-W1mag", "lower", "upper"], made)
    same = predictions(nimgp, "halves.csv", "--errors", "Gmag-W1mag=lower:upper")
    check(max(abs(a - b) for a, b in zip(halves, same, strict=True)) < 1e-9, (halves[:3], same[:3]))
    exact = predictions(nimgp, "t.csv", "--errors", "Gmag=,W1mag=")
    check(max(abs(a - b) for a, b in zip(found, exact, strict=True)) > 1e-3, "errors make no difference")
    nimgp.refuses("fit", "t.csv", "--features", "Gmag-none", "-o", "m", code=2, says=["no column 'none'"])
    nimgp.refuses("fit", "t.csv", "--features", "Gmag,W1mag", "--errors", "none=w", "-o", "m", code=2,
                  says=["'none=w': t.csv has no such feature; the features are Gmag, W1mag"])
    nimgp.refuses("fit", "t.csv", "--features", "Gmag-Gmag", "-o", "m", code=1, says=["is always zero"])


def logarithms(nimgp):
    """log10 is log in other units, which the model does not feel."""
    stars(nimgp)
    nimgp("fit", "t.csv", "--features", "log(flux),Gmag", "-o", "m", *QUICK, "-q")
    wanted = predictions(nimgp, "t.csv")
    nimgp("fit", "t.csv", "--features", "log10(flux),Gmag", "-o", "m", *QUICK, "-q")
    found = predictions(nimgp, "t.csv")
    check(features(nimgp) == ["log10(flux)", "Gmag"], features(nimgp))
    check(max(abs(a - b) for a, b in zip(found, wanted, strict=True)) < 1e-6, (found[:3], wanted[:3]))

    def zero_first(row):
        return row | {"flux": 0 if row["star"] == 1000 else row["flux"]}

    stars(nimgp, change=zero_first)
    said = nimgp("fit", "t.csv", "--log", "auto", "-o", "m", *QUICK).err
    check("flux: 1 value is not positive" in said, said)
    check("log(flux)" in features(nimgp), features(nimgp))

    # check says what auto takes, and what it would take.
    for every, part in ((10**6, "--log auto takes the logarithm"), (10, "takes no logarithm: 10 % are not positive")):
        nimgp.write_rows("z.csv", ["flux", "class"], [[math.exp(i % 11 / 2) * (i % every > 0 or every > 60), "ab"[i % 2]]
                                                      for i in range(200)])
        told = {c["name"]: c["remarks"] for c in nimgp("check", "z.csv", "--json").json()["columns"]}
        check(part in told["flux"], every, told)


def choice(nimgp):
    stars(nimgp)
    said = nimgp("fit", "t.csv", "-o", "m", *QUICK).err
    check("all different" in said and "star" in said, said)
    check(features(nimgp) == ["Gmag", "W1mag", "flux", "w"], features(nimgp))
    nimgp("fit", "t.csv", "-o", "m", "--features", "star,*mag", *QUICK, "-q")
    check(features(nimgp) == ["star", "Gmag", "W1mag"], features(nimgp))
    nimgp("fit", "t.csv", "-o", "m", "--exclude", "e_*,w", *QUICK, "-q")
    kept = nimgp("inspect", "m", "--json").json()["features"]
    check([one["name"] for one in kept] == ["Gmag", "W1mag", "flux"], kept)
    check(not any(one.get("error") for one in kept), kept)
    check(predictions(nimgp, "t.csv") == predictions(nimgp, "t.csv", "--errors", "none"), "errors came back")
    nimgp("convert", "t.csv", "fewer.csv", "--columns", "Gmag,W1mag,flux", "-q")
    check(predictions(nimgp, "fewer.csv") == predictions(nimgp, "t.csv"), "what was excluded is needed")
    nimgp.refuses("fit", "t.csv", "-o", "m", "--exclude", "nothing*", code=2, says=["no column matches 'nothing*'"])
    nimgp.refuses("fit", "t.csv", "-o", "m", "--features", "w", "--exclude", "w", code=1, says=["--exclude"])
    nimgp("convert", "t.csv", "c.csv", "--columns", "class,*mag", "-q")
    head = (nimgp.directory / "c.csv").read_text().splitlines()[0]
    check(head == "class,Gmag,e_Gmag,W1mag,e_W1mag", head)


def sentinels(nimgp):
    """-99 for what is missing is the same as nothing there, in training and wherever it is applied."""
    def empty(row):
        return row | {"Gmag": "" if row["star"] % 5 == 0 else row["Gmag"],
                      "e_W1mag": "" if row["star"] % 4 == 0 else row["e_W1mag"]}

    def marked(row):
        return {key: -99 if value == "" else value for key, value in empty(row).items()}

    stars(nimgp, change=empty)
    said = nimgp("fit", "t.csv", "-o", "m", *QUICK).err
    check("zero errors  unknown errors" in said, said)
    wanted = predictions(nimgp, "t.csv")
    stars(nimgp, "marked.csv", change=marked)
    for given in (["--missing-value", "-99"], [], ["--missing-value", "Gmag=-99,e_W1mag=-99"]):
        said = nimgp("fit", "marked.csv", "-o", "m", *given, *QUICK).err
        check(("cells are -99" in said) == (not given), said)
        check(predictions(nimgp, "marked.csv") == wanted, "the model remembers what -99 means")
    nimgp("fit", "marked.csv", "-o", "kept", "--missing-value", "none", "--features", "Gmag", "--errors", "none",
          *QUICK, "-q")
    check(nimgp("predict", "kept", "marked.csv").out != nimgp("predict", "kept", "t.csv").out, "-99 is a magnitude")
    check(predictions(nimgp, "t.csv", "--missing-value", "-1") == wanted, "nothing is missing twice")
    nimgp.refuses("fit", "marked.csv", "-o", "m", "--missing-value", "nothing", code=1, says=["not a number"])


def categories(nimgp):
    """A text column that is named, and a column of true and false, are as if their indicators had been written by hand;
    a level that was never seen is none of those known, an empty cell is missing."""
    make = random.Random(6)
    rows = []
    for i in range(200):
        kind, seen = make.choice(["red", "blue", "", "pale green"]), make.choice(["True", "false", "TRUE", ""])
        rows.append([make.gauss(0, 1), 0.3, kind, seen, "ab"[(kind == "red") ^ (make.random() < 0.1)]])

    def by_hand(row):
        x, error, kind, seen, label = row
        return [x, error, *("" if not kind else int(kind == one) for one in ("blue", "pale green", "red")),
                {"true": 1, "false": 0, "": ""}[seen.lower()], label]

    nimgp.write_rows("t.csv", ["x", "x_err", "kind", "seen", "class"], rows)
    nimgp.write_rows("hand.csv", ["x", "x_err", "blue", "pale green", "red", "seen", "class"], map(by_hand, rows))
    for model, table, given in (("m", "t.csv", ["--features", "x,kind,seen"]), ("h", "hand.csv", [])):
        nimgp("fit", table, "-o", model, "--label", "class", *given, *QUICK, "-q")
    check(features(nimgp) == ["x", "kind=blue", "kind=pale green", "kind=red", "seen=true"], features(nimgp))
    check(nimgp("predict", "m", "t.csv").out == nimgp("predict", "h", "hand.csv").out)
    new = [[0.1, 0.3, "violet", "yes", "a"], [0.1, 0.3, "", "", "a"], [0.1, 0.3, "red", "no", "b"]]
    nimgp.write_rows("new.csv", ["x", "x_err", "kind", "seen", "class"], new)
    nimgp.write_rows("new_hand.csv", ["x", "x_err", "blue", "pale green", "red", "seen", "class"],
                     [[0.1, 0.3, 0, 0, 0, 1, "a"], [0.1, 0.3, "", "", "", "", "a"], [0.1, 0.3, 0, 0, 1, 0, "b"]])
    check(nimgp("predict", "m", "new.csv").out == nimgp("predict", "h", "new_hand.csv").out)
    said = nimgp("fit", "t.csv", "-o", "m", "--label", "class", *QUICK).err
    check("text are not used: kind; --features '*,kind' learns" in said and features(nimgp) == ["x", "seen=true"], said)
    nimgp("fit", "t.csv", "-o", "m", "--label", "class", "--features", "*,kind", *QUICK, "-q")
    check(features(nimgp) == ["x", "seen=true", "kind=blue", "kind=pale green", "kind=red"], features(nimgp))
    two = [[i % 7, "uv"[i % 2], f"n{i}", "ab"[i % 3 == 0]] for i in range(60)]
    nimgp.write_rows("two.csv", ["x", "side", "name", "class"], two)
    nimgp("fit", "two.csv", "-o", "m", "--label", "class", "--features", "*,side", *QUICK, "-q")
    check(features(nimgp) == ["x", "side=v"], features(nimgp))
    nimgp.refuses("fit", "two.csv", "-o", "n", "--label", "class", "--features", "name", says=["two.csv", "name", "32"])


def errors_without_values(nimgp):
    stars(nimgp, change=lambda row: row | {"e_Gmag": ""})
    said = nimgp("fit", "t.csv", "-o", "m", *QUICK).err
    check("errors count as unknown: Gmag" in said, said)
    nimgp("fit", "t.csv", "-o", "m", "--errors", "Gmag=", *QUICK, "-q")


def errors_given_twice(nimgp):
    stars(nimgp)
    for pairs in ("Gmag=e_Gmag,Gmag=w", "Gmag=w,W1mag=w,gmag=", "Gmag=,Gmag=none"):
        nimgp.refuses("fit", "t.csv", "-o", "m", "--errors", pairs, code=1, says=["--errors", "mag' is given twice"])
    nimgp("fit", "t.csv", "-o", "m", "--errors", "Gmag=w,W1mag=w", *QUICK, "-q")


def cut_short(nimgp):
    """A VOTable whose service left rows out is read, and every command says so on standard error."""
    stars(nimgp)
    nimgp("convert", "t.csv", "whole.vot", "-q")
    whole = nimgp.read("whole.vot").decode()
    note = '<INFO name="QUERY_STATUS" value="OVERFLOW"/>'
    nimgp.write("after.vot", whole.replace("</TABLE>", "</TABLE>" + note))
    nimgp.write("before.vot", whole.replace("<TABLE>", note + "<TABLE>"))
    nimgp.write("fine.vot", whole.replace("<TABLE>", note.replace("OVERFLOW", "OK") + "<TABLE>"))
    check("cut it short" not in nimgp("fit", "fine.vot", "-o", "m", *QUICK).err)
    for name in ("after.vot", "before.vot"):
        for words in (["fit", name, "-o", "n", *QUICK], ["predict", "m", name], ["evaluate", "m", name],
                      ["suggest", "m", name], ["convert", name, "-"], ["report", "m", name, "--json"],
                      ["fit", "t.csv", "-o", "n", "--population-from", name, *QUICK]):
            said = nimgp(*words).err
            check(said.count(f"{name}: the service that wrote this table cut it short") == 1, words, said)
    check(nimgp("predict", "m", "after.vot", "-q").err == "")
    check(nimgp("predict", "m", "after.vot").out == nimgp("predict", "m", "whole.vot").out)


def weights(nimgp):
    """Balanced classes, the same as numbers for classes, and as a column for rows."""
    def heavy(row):
        return row | {"w": share[row["class"]]}

    share = {"a": 1, "b": 1}
    names = [row["class"] for row in stars(nimgp)]
    share = {name: len(names) / (2 * names.count(name)) for name in "ab"}
    stars(nimgp, change=heavy)
    common = ["fit", "t.csv", "-o", "m", "--exclude", "star", *QUICK, "-q"]
    nimgp(*common, "--class-weight", "balanced", "--exclude", "star,w")
    wanted = predictions(nimgp, "t.csv")
    nimgp(*common, "--class-weight", ",".join(f"{name}={share[name]!r}" for name in "ab"), "--exclude", "star,w")
    check(predictions(nimgp, "t.csv") == wanted, "balanced is not the numbers it stands for")
    nimgp(*common, "--weights", "w")
    check(features(nimgp) == ["Gmag", "W1mag", "flux"], features(nimgp))
    check(predictions(nimgp, "t.csv") == wanted, "weights of rows are not those of their classes")
    nimgp(*common, "--weights", "w", "--class-weight", "b=0.01")
    tilted = predictions(nimgp, "t.csv")
    check(sum(tilted) > sum(wanted) + 1, (sum(tilted), sum(wanted)))
    nimgp.refuses(*common, "--class-weight", "c=1", code=2, says=["has no such class", "the classes are "])
    nimgp.refuses(*common, "--class-weight", "a=-1", code=1, says=["not negative"])
    stars(nimgp, change=lambda row: row | {"w": -1})
    nimgp.refuses(*common, "--weights", "w", code=2, says=["t.csv:2", "column w", "-1"])
    nimgp.refuses(*common, "--weights", "v", code=2, says=["no column 'v'"])


def units(nimgp):
    def ecsv(name, unit):
        rows = "".join(f"{i + 0.5 * (i % 3)},{'ab'[i % 2]}\n" for i in range(20))
        (nimgp.directory / name).write_text(
            f"# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n# - {{name: x, unit: {unit}, datatype: float64}}\n"
            f"# - {{name: class, datatype: string}}\nx,class\n{rows}")

    ecsv("t.ecsv", "erg cm-2 s-1")
    ecsv("same.ecsv", "erg.cm**-2.s^-1")
    ecsv("other.ecsv", "erg cm-2")
    nimgp("fit", "t.ecsv", "-o", "m", "--errors", "none", *QUICK, "-q")
    check("erg cm-2 s-1" in nimgp("inspect", "m").out, "inspect has no unit")
    wanted = predictions(nimgp, "t.ecsv")
    check(predictions(nimgp, "same.ecsv") == wanted, "the same unit, spelled otherwise")
    nimgp.refuses("predict", "m", "other.ecsv", code=2, says=["column x", "erg cm-2,", "erg cm-2 s-1"])
    check(predictions(nimgp, "other.ecsv", "--ignore-units") == wanted, "--ignore-units")
    nimgp("convert", "t.ecsv", "t.csv", "-q")
    check(predictions(nimgp, "t.csv") == wanted, "a table without units is not compared")


def units_within(nimgp):
    """A column and its errors, and two columns of a difference, are in one unit."""
    def ecsv(of_x, of_error, of_y):
        rows = "".join(f"{i},{0.1 + i % 2},{i % 3},{'ab'[i % 2]}\n" for i in range(20))
        columns = "".join(f"# - {{name: {name}, unit: {unit}, datatype: float64}}\n"
                          for name, unit in (("x", of_x), ("x_err", of_error), ("y", of_y)))
        (nimgp.directory / "t.ecsv").write_text(
            f"# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n{columns}"
            f"# - {{name: class, datatype: string}}\nx,x_err,y,class\n{rows}")

    words = ["fit", "t.ecsv", "-o", "m", *QUICK, "-q"]
    ecsv("deg", "mas", "s")
    nimgp.refuses(*words, code=2, says=["column x is in deg", "x_err in mas", "--ignore-units"])
    nimgp(*words, "--ignore-units")
    nimgp(*words, "--errors", "none")
    nimgp.refuses("predict", "m", "t.ecsv", "--errors", "x=x_err", code=2, says=["deg", "mas"])
    ecsv("deg", "deg", "s")
    nimgp(*words)
    nimgp.refuses(*words, "--features", "x-y", code=2, says=["column x is in deg", "y in s"])
    ecsv("m s-1", "m.s**-1", "m * s^-1")
    nimgp(*words, "--features", "x-y")


if __name__ == "__main__":
    main([differences, logarithms, choice, sentinels, categories, errors_without_values, errors_given_twice, cut_short, weights, units,
          units_within])
