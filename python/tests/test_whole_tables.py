# SPDX-License-Identifier: Apache-2.0
"""Tables as they are: the package chooses the columns, errors, logarithms and missing values that the program chooses, and
predicts the same bits."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from nimgp import NoisyGPClassifier, NoisyGPRegressor, check_table, fit_table, from_table, load
from nimgp.tables._columns import opened
from nimgp.tables._read import read_alike
from problems import ROOT

sys.path.insert(0, str(ROOT / "tests" / "support"))
import catalogues

PROGRAM = ROOT / "build" / "release" / "cli" / "nimgp"
QUICK = {"epochs": 3, "inducing": 5, "random_state": 1, "stop": "fixed"}
LIKE = ["--epochs", "3", "--inducing", "5", "--seed", "1", "--stop", "fixed", "--calibrate", "none"]


def run(path, *words):
    done = subprocess.run([PROGRAM, *words], cwd=path, check=True, capture_output=True, text=True)
    return done.stdout


def stars(rows=120, seed=3):
    """Magnitudes with sentinels, a flux that is skewed, a category, true and false, an empty column, a row number."""
    make = np.random.default_rng(seed)
    kind = make.choice(["red", "blue", "green"], rows)
    mag = make.normal(15, 1, rows)
    table = pandas.DataFrame(
        {
            "star": 1000 + 7 * np.arange(rows),
            "mag": np.where(make.random(rows) < 0.1, 99.0, mag),
            "e_mag": np.where(make.random(rows) < 0.1, -9.0, make.uniform(0.1, 0.5, rows)),
            "flux": np.exp(make.normal(0, 1.5, rows)),
            "flux_err": make.uniform(0.01, 0.1, rows),
            "kind": kind,
            "variable": make.random(rows) < 0.5,
            "void": np.full(rows, np.nan),
            "class": np.where(mag + (kind == "red") + make.normal(0, 0.5, rows) > 15.3, "far", "near"),
        }
    )
    return table


def told(call, *arguments, **more):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = call(*arguments, **more)
    return result, [str(warning.message) for warning in found]


@pytest.mark.parametrize("title", catalogues.read())
def test_columns_of_catalogues(title, tmp_path):
    measured, others = catalogues.read()[title]
    head, rows = catalogues.table(measured, others)
    text = "\n".join(",".join(row) for row in [head, *rows]) + "\n"
    (tmp_path / "t.csv").write_text(text)
    table = pandas.read_csv(tmp_path / "t.csv")
    found = from_table(table, label="class")
    assert {name: found._recipe.errors.get(name) for name in found.names} == measured
    program = json.loads(run(tmp_path, "check", "t.csv", "--json"))["columns"]
    mine = check_table(table, label="class")
    assert [(c.name, c.role, c.errors, c.remarks) for c in mine] == [
        (c["name"], c["role"], c.get("errors"), c["remarks"]) for c in program
    ]


@pytest.mark.parametrize("features", [None, ["spin"]])
def test_ends_that_are_lengths(tmp_path, features):
    make = np.random.default_rng(1)
    table = pandas.DataFrame(
        {
            "spin": make.uniform(-1, 1, 60),
            "spin_lower": -make.uniform(0, 0.2, 60),
            "spin_upper": make.uniform(0, 0.2, 60),
            "class": np.tile(["a", "b"], 30),
        }
    )
    found = from_table(table, label="class", features=features)
    assert found._recipe.errors == {"spin": "spin_lower:spin_upper"}
    table.to_csv(tmp_path / "t.csv", index=False)
    (line,) = [line for line in run(tmp_path, "check", "t.csv").splitlines() if "feature" in line]
    assert "errors spin_lower:spin_upper" in line


@pytest.mark.parametrize("log", ["auto", "none"])
def test_the_same_bits_as_the_program(tmp_path, log):
    stars().to_csv(tmp_path / "t.csv", index=False)
    stars(60, 4).to_csv(tmp_path / "new.csv", index=False)
    run(tmp_path, "fit", "t.csv", "-o", "m", "--features", "*,kind", "--log", log, *LIKE, "-q")
    table, new = (opened(tmp_path / name) for name in ("t.csv", "new.csv"))
    quick = NoisyGPClassifier(**QUICK, calibrate=False)
    mine, said = told(fit_table, table, "class", quick, features=["*", "kind"], log=log)
    theirs = load(tmp_path / "m")
    flux = "log(flux)" if log == "auto" else "flux"
    names = ["mag", flux, "variable=true", "kind=blue", "kind=green", "kind=red"]
    assert list(mine.feature_names_in_) == names == list(theirs.feature_names_in_)
    assert any("mag (" in line and "cells are 99" in line and "cells are -9" in line for line in said), said
    wanted = run(tmp_path, "predict", "m", "new.csv", "-q").splitlines()[1:]
    wanted = [[float(cell) for cell in line.split(",")[:2]] for line in wanted]
    for model in (mine, theirs):
        assert np.array_equal(model.predict_proba(new), wanted)
        assert np.array_equal(model.predict_proba(str(tmp_path / "new.csv")), wanted)
    mine.save(tmp_path / "saved")
    assert run(tmp_path, "predict", "saved", "new.csv", "-q") == run(tmp_path, "predict", "m", "new.csv", "-q")
    assert mine.score(new) == theirs.score(new) == mine.score(new, new["class"])


def test_kinds_of_tables_and_columns(tmp_path):
    table = stars()
    quick = NoisyGPClassifier(**QUICK, calibrate=False)
    model, _ = told(fit_table, table, "class", quick, features=["mag", "kind"])
    wanted = model.predict_proba(table)
    categories = table.assign(kind=table["kind"].astype("category"), variable=table["variable"].astype("boolean"))
    for same in (categories, table[table.columns[::-1]], table.to_dict("list"), table.drop(columns="class")):
        assert np.array_equal(model.predict_proba(same), wanted)
    polars = pytest.importorskip("pyarrow").Table.from_pandas(table)
    assert np.array_equal(model.predict_proba(polars), wanted)
    # A text that was never seen, and none at all.
    new = table.assign(kind=["violet", None] * (len(table) // 2))
    read = read_alike(model._recipe, new).X
    assert not read.iloc[0, 1:].any() and read.iloc[1, 1:].isna().all()
    assert np.isfinite(model.predict_proba(new)).all()
    # Errors whose column is not there are unknown, which is not exact.
    lost = read_alike(model._recipe, table.drop(columns="e_mag"))
    assert np.isnan(lost.X_err[:, 0]).all() and not lost.X_err[:, 1:].any()
    with pytest.raises(ValueError, match="too many different texts"):
        from_table(table.assign(name=[f"n{i}" for i in range(len(table))]), features=["name"])


def test_scikit_learn_reads_tables():
    table = stars(200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit_table(table, "class", NoisyGPClassifier(**QUICK, calibrate=False), exclude=["kind"])
        assert list(model.feature_names_in_) == ["mag", "flux", "variable=true"]
        scores = cross_val_score(model, table, table["class"], cv=3)
        by_hand = []
        from sklearn.model_selection import StratifiedKFold

        for train, test in StratifiedKFold(3).split(table, table["class"]):
            again = clone(model).fit(table.iloc[train], table["class"].iloc[train])
            by_hand.append(again.score(table.iloc[test]))
    assert np.array_equal(scores, by_hand)


def test_choices_of_the_user():
    table = stars()
    assert from_table(table, label="class", missing_value=None).X["mag"].max() == 99
    kept, said = told(from_table, table, label="class", missing_value={"mag": 99})
    assert kept.X["mag"].max() < 99 and not any("taken as missing" in line for line in said)
    _, said = told(from_table, table.assign(score=(table["class"] == "far") + 0.0), label="class")
    assert any("gives the label away: score" in line for line in said), said
    merged = from_table(table, label="kind", features=["flux"], classes={"warm": ["red"], "cold": ["blue", "green"]})
    assert set(merged.y) == {"warm", "cold"} and len(merged.y) == len(table)
    renamed = table.rename(columns={"e_mag": "noise of mag", "flux_err": "noise of flux"})
    found = from_table(renamed, label="class", errors={"*": "noise of *"}, features=["mag", "flux"])
    assert found._recipe.errors == {"mag": "noise of mag", "flux": "noise of flux"}
    with pytest.raises(ValueError, match="two columns are named 'mag'"):
        from_table(table.rename(columns={"flux": "mag"}), label="class")
    number, said = told(from_table, table.assign(z=np.where(table.index % 9 == 0, -99.0, table["flux"])), label="z")
    assert (number.y > 0).all() and any("z (" in line for line in said)
    assert isinstance(fit_table(table[["flux", "mag"]], "flux", NoisyGPRegressor(**QUICK), missing_value=99), NoisyGPRegressor)


def test_files_as_the_program_reads_them(tmp_path):
    """Comments before the header, separators, words for missing cells; and columns of one name are refused."""
    rows = [["1.5", "a"], ["NA", "b"], ["2.5", "NA"], ["-1", "Na"]]
    for name, separator in {"t.csv": ",", "t.dat": "  ", "semicolons.txt": ";", "t.tsv": "\t"}.items():
        lines = [separator.join(row) for row in [["x", "class"], *rows]]
        (tmp_path / name).write_text("# made by hand\n" + "\n".join(lines) + "\n")
        found = from_table(str(tmp_path / name), label="class")
        assert found.y.tolist() == ["a", "b", "Na"], name
        assert np.array_equal(found.X["x"], [1.5, np.nan, -1], equal_nan=True), name
    for text in ("x,x,class\n1,2,a\n", "x x class\n1 2 a\n"):
        (tmp_path / "two.csv").write_text(text)
        with pytest.raises(ValueError, match="two columns are named 'x'"):
            from_table(str(tmp_path / "two.csv"))


def test_parquet_for_the_program(tmp_path):
    """A row file and a CSV file of a Parquet file are the same table for the program as one written by pandas."""
    table = pandas.DataFrame({"x": [1.5, np.nan, -1e300, 0.1] * 10, "n": np.arange(40), "class": ["a", "b", None, "é"] * 10})
    table.to_parquet(tmp_path / "t.parquet")
    table.to_csv(tmp_path / "t.csv", index=False)
    for name in ("t.nimrows", "made.csv"):
        subprocess.run([sys.executable, "-m", "nimgp", "convert", "t.parquet", name], cwd=tmp_path, check=True)
        assert run(tmp_path, "check", name, "--label", "class") == run(tmp_path, "check", "t.csv", "--label", "class")
        run(tmp_path, "convert", name, "again.csv", "-q")
        again = pandas.read_csv(tmp_path / "again.csv")
        assert again["class"].equals(table["class"]) and np.array_equal(again["x"], table["x"], equal_nan=True)
    wrong = subprocess.run([sys.executable, "-m", "nimgp", "convert", "none.parquet", "o"], cwd=tmp_path, capture_output=True)
    assert wrong.returncode == 2 and wrong.stderr.count(b"\n") == 1 and not (tmp_path / "o").exists()
    refused = subprocess.run([PROGRAM, "check", "t.parquet"], cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 2 and "python -m nimgp convert" in refused.stderr
