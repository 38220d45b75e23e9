# SPDX-License-Identifier: Apache-2.0
"""What is made of a table's columns: formulas, patterns, units, Arrow; errors that go with rows."""

from __future__ import annotations

import pickle
import subprocess
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import sklearn
from astropy.table import Table
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score

import nimgp
from nimgp import NoisyGPClassifier, fit_table, from_fits, from_parquet, from_table, load
from nimgp.tables._arrow import ArrowColumns
from nimgp.tables._names import units_agree as agree
from problems import ROOT

PROGRAM = ROOT / "build" / "release" / "cli" / "nimgp"
QUICK = {"epochs": 2, "calibrate": False, "random_state": 1, "n_jobs": 1, "inducing": 4}


def stars(rows=60):
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"star": 1000 + 7 * np.arange(rows), "Gmag": rng.normal(15, 2, rows)})
    table["e_Gmag"] = rng.uniform(0.1, 1, rows)
    table["W1mag"] = rng.normal(12, 2, rows)
    table["e_W1mag"] = rng.uniform(0.1, 1, rows)
    table["flux"] = np.exp(rng.normal(0, 1, rows))
    table["flux_err"] = 0.1
    table["class"] = np.where(table["Gmag"] - table["W1mag"] > 3, "b", "a")
    return table


def test_formulas_carry_errors():
    table = stars()
    X, _, X_err, names = from_table(table, features=["Gmag-W1mag", "log10(flux)", "log(flux)"])
    assert names == ["Gmag-W1mag", "log10(flux)", "log(flux)"]
    assert np.array_equal(X["Gmag-W1mag"], table["Gmag"] - table["W1mag"])
    lower, upper = X_err.sigma, X_err.upper
    both = table["e_Gmag"] ** 2 + table["e_W1mag"] ** 2
    assert np.allclose(lower[:, 0] ** 2, both) and np.allclose(upper[:, 0] ** 2, both)
    assert np.allclose(X["log(flux)"], np.log(10) * X["log10(flux)"])
    assert np.allclose(lower[:, 2], np.log(10) * lower[:, 1])
    assert np.allclose(upper[:, 2], np.log(10) * upper[:, 1])
    assert np.allclose(upper[:, 1], np.log10(1 + table["flux_err"] / table["flux"]))
    # The slope of a formula times the error is the error to first order.
    small = from_table({"flux": table["flux"], "flux_err": 1e-6 * table["flux_err"]}, log=["flux"])
    slope = 1e-6 * table["flux_err"] / table["flux"]
    assert np.allclose(small.X_err.upper[:, 0], slope, rtol=1e-5)
    assert np.allclose(small.X_err.sigma[:, 0], slope, rtol=1e-5)
    one = from_table(table, features=["Gmag-W1mag"], errors={"Gmag": None}).X_err
    assert np.array_equal(one[:, 0], table["e_W1mag"])
    with pytest.raises(ValueError, match="is always zero"):
        from_table(table, features=["Gmag-Gmag"])
    with pytest.raises(ValueError, match="no column 'none'"):
        from_table(table, features=["Gmag-none"])


def test_choice_of_columns():
    table = stars()
    assert from_table(table, label="class").names == ["Gmag", "W1mag", "flux"]  # star numbers rows
    assert from_table(table, features=["star", "*mag"]).names == ["star", "Gmag", "W1mag"]
    assert from_table(table, features=["log(?mag)"]).names == ["log(Gmag)"]
    kept = from_table(table, label="class", exclude=["e_*", "flux"])
    assert kept.names == ["Gmag", "W1mag"] and kept.X_err is None
    with pytest.raises(ValueError, match="no column matches"):
        from_table(table, features=["no*"])


def test_numbers_that_mean_missing():
    table = stars()
    gaps = table.assign(Gmag=table["Gmag"].mask(table.index % 5 == 0),
                        e_Gmag=table["e_Gmag"].mask(table.index % 4 == 0))  # fmt: skip
    wanted = from_table(gaps, label="class")
    found = from_table(gaps.fillna(-99), label="class", missing_value=-99)
    assert np.array_equal(found.X, wanted.X, equal_nan=True)
    assert np.array_equal(found.X_err, wanted.X_err, equal_nan=True)
    unknown = from_table(table.assign(e_Gmag=np.nan), label="class")
    assert np.isnan(unknown.X_err[:, list(unknown.names).index("Gmag")]).all()


def test_the_program_means_the_same(tmp_path):
    table = stars()
    table.to_csv(tmp_path / "t.csv", index=False)
    quick = ["--epochs", "2", "--inducing", "4", "--calibrate", "none", "-q"]
    subprocess.run([PROGRAM, "fit", "t.csv", "-o", "m", "--features", "Gmag-W1mag,log10(flux)", *quick],
                   cwd=tmp_path, check=True)  # fmt: skip
    done = subprocess.run([PROGRAM, "predict", "m", "t.csv", "-q"], cwd=tmp_path, check=True,
                          capture_output=True, text=True)  # fmt: skip
    wanted = [float(line.split(",")[0]) for line in done.stdout.splitlines()[1:]]
    model = load(tmp_path / "m")
    rows = from_table(table, features=model.feature_names_in_)
    assert np.allclose(model.predict_proba(rows.X, X_err=rows.X_err)[:, 0], wanted, atol=1e-12)


def test_values_without_a_logarithm_are_told_as_by_the_program(tmp_path):
    table = stars()
    table.loc[:4, "flux"] = [-99.0, 0.0, -1.0, np.nan, -2.0]
    table.loc[2, "Gmag"] = -15.0
    table.loc[4, "class"] = None  # this row is not used
    table.to_csv(tmp_path / "t.csv", index=False)
    quick = ["--epochs", "1", "--inducing", "4", "--calibrate", "none", "--missing-value", "-99"]
    done = subprocess.run([PROGRAM, "fit", "t.csv", "-o", "m", "--log", "flux,Gmag", *quick],
                          cwd=tmp_path, check=True, capture_output=True, text=True)  # fmt: skip
    told = [line.removeprefix("nimgp: ") for line in done.stderr.splitlines() if "logarithm" in line]
    assert [line[:30] for line in told] == ["Gmag: 1 value is not positive,", "flux: 2 values are not positiv"]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        from_table(table, label="class", log=["flux", "Gmag"], missing_value=-99)
    assert [str(warning.message) for warning in found] == told
    assert {warning.filename for warning in found} == {__file__}


def test_units_stay_with_the_model(tmp_path):
    table = Table.from_pandas(stars())
    table["flux"].unit, table["Gmag"].unit = "Jy", "mag"
    rows = from_table(table, label="class", features=["Gmag", "log(flux)", "W1mag"])
    assert rows.units == {"Gmag": "mag", "log(flux)": "Jy"} == rows.X.attrs["units"]
    model = NoisyGPClassifier(**QUICK).fit(rows.X, rows.y, X_err=rows.X_err)
    model.save(tmp_path / "m")
    shown = subprocess.run(
        [PROGRAM, "inspect", tmp_path / "m"], check=True, capture_output=True, text=True
    )
    assert "Jy" in shown.stdout
    page = model.report(rows.X, rows.y, X_err=rows.X_err).data["attributes"]
    assert {one["name"]: one["unit"] for one in page} == {
        "Gmag": "mag",
        "log(flux)": "Jy",
        "W1mag": None,
    }
    table["flux"].unit = "erg"
    others = from_table(table, features=model.feature_names_in_)
    for one in (model, load(tmp_path / "m")):
        assert np.array_equal(
            one.predict(rows.X, X_err=rows.X_err), model.predict(rows.X, X_err=rows.X_err)
        )
        with pytest.raises(ValueError, match=r"'log\(flux\)' is in erg, but was in Jy"):
            one.predict(others.X, X_err=others.X_err)


SAME_UNITS = ["erg cm-2 s-1", "erg.cm**-2.s**-1", "s^-1 * erg cm-2", "erg/cm2/s", "erg / (s cm2)",
              "erg/(s.cm^2)", "1/(s cm2/erg)", "erg s-2 cm-2 s"]  # fmt: skip
DIFFERENT_UNITS = ["erg cm-2 s-1", "erg cm-2", "erg cm2 s-1", "erg/cm2 s", "Erg cm-2 s-1", "", "10-3 erg",
                   "10-4 erg", "m(1/2)", "m(1/3)", "mag(AB)", "mag(ST)", "m9223372036854775807", "s/m-9223372036854775808"]  # fmt: skip


def test_units_are_compared_as_products():
    """The lists of tests/cli/test_columns.c, which tests the program's comparison."""
    assert all(agree(one, other) for one in SAME_UNITS for other in SAME_UNITS)
    assert all(agree(one, other) == (one == other) for one in DIFFERENT_UNITS for other in DIFFERENT_UNITS)
    text = (ROOT / "tests" / "cli" / "test_columns.c").read_text()
    assert all(f'"{unit}"' in text for unit in SAME_UNITS + DIFFERENT_UNITS)


def test_units_of_fits_are_those_of_the_program(tmp_path):
    """astropy writes units in its own way; models of the program and of Python accept either."""
    table = Table.from_pandas(stars().drop(columns=["star"]))
    table["flux"].unit = table["flux_err"].unit = "ph cm-2 s-1"
    table.write(tmp_path / "t.fits")
    quick = ["--epochs", "2", "--inducing", "4", "--calibrate", "none", "-q"]
    subprocess.run([PROGRAM, "fit", "t.fits", "-o", "m", *quick], cwd=tmp_path, check=True)
    rows = from_fits(tmp_path / "t.fits", label="class")
    assert load(tmp_path / "m").predict(rows.X, X_err=rows.X_err).shape == (60,)
    NoisyGPClassifier(**QUICK).fit(rows.X, rows.y, X_err=rows.X_err).save(tmp_path / "ours")
    subprocess.run([PROGRAM, "predict", "ours", "t.fits", "-o", "p.csv", "-q"], cwd=tmp_path, check=True)


def test_errors_follow_their_rows():
    table = stars()
    X, y, X_err, names = from_table(table, label="class")
    errors = pd.DataFrame(X_err, columns=names, index=X.index)
    model = NoisyGPClassifier(**QUICK).fit(X, y, X_err=errors)
    wanted = model.predict_proba(X, X_err=X_err)
    turned = errors.sample(frac=1, random_state=1)
    assert np.array_equal(model.predict_proba(X, X_err=turned), wanted)
    assert np.array_equal(model.predict_proba(X.iloc[::-1], X_err=errors)[::-1], wanted)
    with pytest.raises(ValueError, match="index of X_err is not that of X"):
        model.predict_proba(X, X_err=errors.set_index(errors.index + 1))


def test_scorers_by_their_usual_names():
    X, y, X_err, _ = from_table(stars(), label="class")
    model = NoisyGPClassifier(**QUICK)
    folds = StratifiedKFold(3)
    metrics = {"balanced_accuracy": lambda y, p: balanced_accuracy_score(y, np.where(p[:, 1] > 0.5, "b", "a")),
               "roc_auc": lambda y, p: roc_auc_score(y == "b", p[:, 1])}  # fmt: skip
    for name, metric in metrics.items():
        scorer = pickle.loads(pickle.dumps(nimgp.scorer(name)))
        with sklearn.config_context(enable_metadata_routing=True):
            routed = NoisyGPClassifier(**QUICK).set_fit_request(X_err=True)
            found = cross_val_score(routed, X, y, cv=folds, params={"X_err": X_err}, scoring=scorer)
        wanted = []
        for train, test in folds.split(X, y):
            model.fit(X.iloc[train], y[train], X_err=X_err[train])
            wanted.append(metric(y[test], model.predict_proba(X.iloc[test], X_err=X_err[test])))
        assert np.allclose(found, wanted), name
    with pytest.raises(ValueError, match="no_such_score"):
        nimgp.scorer("no_such_score")


def test_arrow_tables(tmp_path):
    frame = stars()
    frame.loc[3, "flux"] = np.nan
    table = pa.table(frame.assign(**{"class": frame["class"].astype("category")}))
    fields = [
        field.with_metadata({"unit": "mag"}) if field.name == "Gmag" else field
        for field in table.schema
    ]
    table = table.cast(pa.schema(fields))
    column = table.column("W1mag").chunk(0)
    assert np.shares_memory(ArrowColumns(table)["W1mag"], column.to_numpy())  # nothing is copied
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet", row_group_size=7)
    wanted = from_table(frame, label="class")
    pieces = pa.concat_tables([table.slice(0, 10), table.slice(10)])
    for found in (from_table(table, label="class"), from_table(pieces, label="class"),
                  from_parquet(tmp_path / "t.parquet", label="class")):  # fmt: skip
        assert found.names == wanted.names and found.units == {"Gmag": "mag"}
        assert np.array_equal(found.X, wanted.X, equal_nan=True) and list(found.y) == list(wanted.y)
        assert np.array_equal(found.X_err, wanted.X_err)
    model = fit_table(table, estimator=NoisyGPClassifier(**QUICK), exclude=["flux*"])
    assert model.feature_names_in_.tolist() == ["Gmag", "W1mag"]
