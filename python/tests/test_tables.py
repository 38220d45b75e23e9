# SPDX-License-Identifier: Apache-2.0
"""Tables: which column is whose error, and what is read from real ones."""

from __future__ import annotations

import importlib
import json
import math
import pickle
import random
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest
from astropy.table import MaskedColumn, Table

from nimgp import (
    NoisyGPClassifier,
    NoisyGPCountRegressor,
    NoisyGPMultiLabelClassifier,
    NoisyGPOrdinalClassifier,
    NoisyGPRegressor,
    fit_table,
    from_fits,
    from_table,
    pair_errors,
)
from problems import ROOT


@pytest.mark.parametrize(
    "name",
    ["x_err", "x_error", "e_x", "Unc_x", "sigma_x", "X_ERR", "UNC_X", "E_x", "x_unc", "err_x",
     "x_sigma", "dx"],
)  # fmt: skip
def test_the_rule(name):
    assert pair_errors(["x", "other"], ["x", name, "other"]) == {"x": name}


def test_what_the_rule_leaves_alone():
    assert pair_errors(["x"], ["x", "x_errors", "my_x", "unc"]) == {}
    assert pair_errors(["x", "x_err"], ["x", "x_err"]) == {}  # asked for as a feature
    assert pair_errors(["x"], ["x", "dx", "dx_err"]) == {}  # dx is a quantity of its own
    assert pair_errors(["x"], ["x", "x_err", "Unc_x"]) == {"x": "x_err"}
    assert pair_errors(["x", "X"], ["x", "X", "x_err", "X_err"]) == {"x": "x_err", "X": "X_err"}


PROGRAM = ROOT / "build" / "release" / "cli" / "nimgp"
AFFIXES = ["{}_err", "{}_ERROR", "e_{}", "unc_{}", "sigma_{}", "{}_unc", "err_{}", "{}_Sigma", "d{}"]
AFFIXES += ["{}_err1", "{}_err2", "{}ERR2", "{}_error_upper", "{}_lo", "{}_hi", "E_{}", "Unc_{}_1", "Unc_{}_2"]
AFFIXES += ["{}_limit", "{}lim", "{}_flux_corr"]


def paired_by_program(folder, columns, features):
    """Features and their error columns as the command-line program finds them."""
    rows = [[str(i // 2 % 2)] * len(columns) for i in range(6)]
    lines = [",".join(row + ["ab"[i % 2]]) for i, row in enumerate(rows)]
    (folder / "t.csv").write_text("\n".join([",".join([*columns, "class"]), *lines]))
    wish = [] if features is None else ["--features", ",".join(features)]
    quick = ["--epochs", "1", "--inducing", "2", "--quiet", "-o", "m"]
    subprocess.run([PROGRAM, "fit", "t.csv", *wish, *quick], cwd=folder, check=True)
    seen = subprocess.run(
        [PROGRAM, "inspect", "m", "--json"], cwd=folder, check=True, capture_output=True
    )
    return {found["name"]: found["error"] for found in json.loads(seen.stdout)["features"]}


@pytest.mark.filterwarnings("ignore:not used, because they look like")
def test_the_program_has_the_same_rule(tmp_path):
    """The rule is written in C and in Python: random tables, with features named and not."""
    if not PROGRAM.exists():
        pytest.skip(f"NO PROGRAM: {PROGRAM} is not there; make builds it")
    source = random.Random(11)
    paired = 0
    for trial in range(30):
        bases = source.sample(["x", "X", "flux", "dx", "Mag", "x_err"], source.randint(1, 4))
        errors = {source.choice(AFFIXES).format(source.choice(bases)) for _ in range(6)}
        columns = source.sample([*bases, *sorted(errors - set(bases))], len(errors | set(bases)))
        features = bases if trial % 2 else None
        X, _, _, names = from_table(
            {**{name: np.arange(6) // 2 % 2 for name in columns}, "class": list("ababab")},
            "class", features, as_frame=False,
        )  # fmt: skip
        pairs = pair_errors(names, columns)
        expected = {name: pairs.get(name) for name in names}
        assert paired_by_program(tmp_path, columns, features) == expected, (columns, features)
        paired += len(pairs)
    assert paired > 30


COLUMNS = {
    "id": [7, 8, 9, 10],
    "flux": [1.0, 2.0, 4.0, -1.0],
    "Unc_Flux": [0.1, np.nan, 0.4, 0.1],
    "index": [1, 2, 3, 4],
    "e_index": [0.5, 0.5, 0.5, 0.5],
    "name": ["a", "b", "c", "d"],
    "class": ["BLL ", "psr", "", "bll"],
}


def as_structured(columns):
    table = Table(columns)
    return table.as_array()


def test_one_sided_errors_are_no_features():
    names = ["x", "x_err1", "pererr1", "per", "merr1"]
    table = {name: np.arange(3.0) for name in names}
    with pytest.warns(UserWarning, match="without their counterpart: x_err1, pererr1; errors="):
        assert from_table(table).names == ["x", "per"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert from_table(table, features=["x", "x_err1"]).names == ["x", "x_err1"]


def test_pairs_limits_and_correlations():
    table = {
        "x": [1.0, 2.0, 3.0],
        "x_err1": [0.1, 0.2, np.nan],
        "x_err2": [-0.4, np.nan, -0.5],
        "y": [5.0, 6.0, 7.0],
        "y_lo": [4.0, 5.5, np.nan],
        "y_hi": [5.5, 6.5, np.nan],
        "y_limit": ["", "<", ">"],
        "m": [1.0, 1.0, 1.0],
        "mlim": [1, 0, -1],
        "x_y_corr": [0.5, np.nan, -0.5],
    }
    pairs = {"x": "x_err2:x_err1", "y": "[y_lo:y_hi]"}
    assert pair_errors(["x", "y", "m"], table) == pairs
    for given in ("auto", pairs):
        X, _, X_err, names = from_table(table, errors=given, as_frame=False)
        assert names == ["x", "y", "m"]
        lower, upper = X_err.sigma, X_err.upper
        assert lower[:, 0].tolist() == [0.4, 0.2, 0.5] and upper[:, 0].tolist() == [0.1, 0.2, 0.5]
        assert lower[:2, 1].tolist() == [1.0, 0.5] and upper[:2, 1].tolist() == [0.5, 0.5]
        assert np.isnan(lower[2, 1]) and np.isnan(upper[2, 1])
        assert X_err.limit.tolist() == [[0, 0, -1], [0, -1, 0], [0, 1, 1]]
        assert X_err.correlation.tolist() == [[0.5, 0, 0], [0, 0, 0], [-0.5, 0, 0]]
        part = X_err[np.array([2, 0])]
        assert part.limit.tolist() == [[0, 1, 1], [0, 0, -1]] and len(part) == 2
    with pytest.raises(ValueError, match="'y_lo': row 1: the error bar of 'y' ends on the wrong"):
        from_table({**table, "y_lo": [4.0, 6.5, np.nan]})
    with pytest.raises(ValueError, match="column 'y_limit': .*'below'"):
        from_table({**table, "y_limit": ["", "below", ""]})


def test_logarithms_of_errors():
    """68 % of what lies above zero of the lower half; far from zero, sigma / x."""
    x, sigma = np.array([2.0, 1.0, 5.0]), np.array([1e-7, 0.3, 9.0])
    _, _, X_err, _ = from_table({"x": x, "x_err": sigma}, log=["x"])
    assert np.allclose(X_err.upper[:, 0], np.log(x + sigma) - np.log(x), rtol=1e-12)
    low = x * np.exp(-X_err.sigma[:, 0])
    half = [math.erf(z / math.sqrt(2)) for z in (x - low) / sigma]
    whole = [math.erf(1 / math.sqrt(2)) * math.erf(z / math.sqrt(2)) for z in x / sigma]
    assert np.allclose(half[1:], whole[1:], rtol=1e-9)
    assert np.isclose(X_err.sigma[0, 0], 0.5e-7, rtol=1e-6)


@pytest.mark.parametrize("make", [dict, pd.DataFrame, Table, as_structured])
@pytest.mark.parametrize("as_frame", [True, False])
def test_every_kind_of_table(make, as_frame):
    X, y, X_err, names = from_table(make(COLUMNS), "class", ignore_case=True, as_frame=as_frame)
    assert names == ["flux", "index"] or names == ["flux"]
    assert y.tolist() == ["bll", "psr", "bll"]
    values = np.asarray(X)
    assert values[:, 0].tolist() == [1.0, 2.0, -1.0]
    assert np.array_equal(X_err[:, 0], [0.1, np.nan, 0.1], equal_nan=True)
    if as_frame:
        assert X.columns.tolist() == names and X.index.tolist() == [0, 1, 3]


@pytest.mark.filterwarnings("ignore:flux. 1 value is not positive")
def test_choosing():
    X, y, X_err, names = from_table(COLUMNS, "class", ["index", "log(flux)"], as_frame=False)
    assert names == ["index", "log(flux)"] and y.tolist() == ["BLL", "psr", "bll"]
    assert np.array_equal(X[:, 1], [0.0, np.log(2.0), np.nan], equal_nan=True)
    assert np.allclose(X_err.sigma[0], [0.5, -np.log(0.9)]) and np.isnan(X_err.sigma[2, 1])
    assert np.allclose(X_err.upper[0], [0.5, np.log(1.1)])
    same = from_table(COLUMNS, "class", ["index", "flux"], log=["flux"], as_frame=False)
    assert same.names == names and np.array_equal(same.X, X, equal_nan=True)
    assert from_table(COLUMNS, features=["flux"], errors=None).X_err is None
    assert from_table(COLUMNS, features=["flux"], errors={"flux": None}).X_err is None
    swapped = from_table(COLUMNS, features=["flux"], errors={"flux": "e_index"})
    assert swapped.X_err[:, 0].tolist() == [0.5] * 4
    one = from_table(COLUMNS, "CLASS", ["flux"], classes=["BLL", "PSR"], ignore_case=True)
    assert one.y.tolist() == ["bll", "psr", "bll"]
    assert from_table(COLUMNS, "class", ["flux"], classes=["psr"]).y.tolist() == ["psr"]
    assert from_table(COLUMNS, "index", ["flux"], classes=[1, 4]).y.tolist() == [1, 4]


def test_missing_cells():
    column = MaskedColumn([1, 2, 3], mask=[False, True, False])
    label = MaskedColumn(["a", "b", "c"], mask=[False, False, True])
    X, y, X_err, _ = from_table(Table({"x": column, "class": label}), "class", as_frame=False)
    assert np.array_equal(X[:, 0], [1.0, np.nan], equal_nan=True)
    assert y.tolist() == ["a", "b"] and X_err is None
    frame = pd.DataFrame({"x": pd.array([1, None], dtype="Int64"), "class": [1.0, np.nan]})
    X, y, _, _ = from_table(frame, "class", as_frame=False)
    assert X.tolist() == [[1.0]] and y.tolist() == [1.0]


def test_numbers_as_labels():
    table = {**COLUMNS, "mass": [1.5, np.nan, 3.0, 4.0], "mass_err": [0.1, 0.1, 0.1, 0.1]}
    for make in (dict, pd.DataFrame, Table):
        X, y, X_err, names = from_table(make(table), "mass")
        assert names == ["flux"]  # its own errors are not among them
        assert y.tolist() == [1.5, 3.0, 4.0] and X_err[:, 0].tolist() == [0.1, 0.4, 0.1]
        model = NoisyGPRegressor("first_order", epochs=2).fit(X, y, X_err=X_err)
        assert model.predict(X, X_err=X_err).shape == (3,)
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "n": pd.array([4, None, 6], dtype="Int64")})
    X, y, _, _ = from_table(frame, "n")
    assert y.tolist() == [4, 6] and y.dtype.kind == "i" and X.index.tolist() == [0, 2]


def test_sets_of_labels():
    table = {**COLUMNS, "hot": [True, False, True, False], "red": [0, 1, 1, 1]}
    for make in (dict, pd.DataFrame, Table):
        X, y, _, names = from_table(make(table), ["hot", "red"], ["flux"])
        assert names == ["flux"] and y.columns.tolist() == ["hot", "red"]
        assert y.to_numpy().tolist() == [[1, 0], [0, 1], [1, 1], [0, 1]]
    model = NoisyGPMultiLabelClassifier("exact", epochs=2).fit(X, y)
    assert model.classes_.tolist() == ["hot", "red"]
    plain = from_table(table, ["hot", "red"], as_frame=False)
    assert isinstance(plain.y, np.ndarray) and plain.names == ["flux"]
    holes = {**table, "red": [0.0, np.nan, 1.0, 1.0]}
    assert len(from_table(holes, ["hot", "red"]).y) == 3


def test_words_for_labels():
    words = {"flux": [1.0, 2.0, 3.0, 4.0], "hot": ["yes", "No ", "TRUE", "false"],
             "red": ["0", "1", "1.0", ""]}  # fmt: skip
    for make in (dict, pd.DataFrame, Table):
        y = from_table(make(words), ["hot", "red"]).y
        assert y.to_numpy().tolist() == [[1, 0], [0, 1], [1, 1]]
    frame = pd.DataFrame(words)
    frame["hot"] = pd.array([True, False, None, True], dtype="boolean")
    frame["red"] = pd.array(["yes", None, "yes", "no"], dtype="string")
    y = from_table(frame, ["hot", "red"]).y
    assert y.to_numpy().tolist() == [[1, 1], [1, 0]] and y.index.tolist() == [0, 3]
    for wrong in (["yes", "no", "maybe", "no"], [0, 1, 2, 1], ["1", "0", "nan", "1"]):
        message = f"column 'hot': row 2: {wrong[2]!r}(.0)? is not 0 or 1, true or false, yes or no"
        with pytest.raises(ValueError, match=message):
            from_table({**words, "hot": wrong}, ["hot", "red"])


def test_ordered_labels_keep_their_order():
    levels = ["low", "mid", "high"]
    grade = pd.Categorical(["mid", "low", None, "high"] * 5, categories=levels, ordered=True)
    frame = pd.DataFrame({"flux": np.linspace(0, 1, 20), "grade": grade})
    X, y, _, _ = from_table(frame, "grade")
    assert list(y) == ["mid", "low", "high"] * 5 and len(X) == 15
    ordinal = NoisyGPOrdinalClassifier("exact", epochs=2, calibrate=False).fit(X, y)
    assert ordinal.classes_.tolist() == levels
    classes = NoisyGPClassifier("exact", epochs=2, calibrate=False).fit(X, y).classes_
    assert classes.tolist() == sorted(levels)
    X, y, _, _ = from_table(frame, "grade", classes=["low", "high"])
    assert list(y) == ["low", "high"] * 5 and len(X) == 10


def test_exposure():
    table = {**COLUMNS, "n": [3, 1, 4, 1], "hours": [1.0, 2.0, 0.5, 3.0], "hours_err": [0.1] * 4}
    for make in (dict, pd.DataFrame, Table):
        columns = from_table(make(table), "n", exposure="Hours")
        X, y, X_err, names = columns
        assert names == ["flux"] and y.tolist() == [3, 1, 4, 1]
        assert columns.exposure.tolist() == table["hours"]
        again = pickle.loads(pickle.dumps(columns))
        assert again.exposure.tolist() == table["hours"] and again.names == names
    NoisyGPCountRegressor(epochs=2).fit(X, y, X_err=X_err, exposure=columns.exposure)
    assert from_table(table, "n").exposure is None and "hours" in from_table(table, "n").names
    fewer = from_table({**table, "n": [3, np.nan, 4, 1], "hours": [1, np.nan, 2, 3]}, "n",
                       exposure="hours")  # fmt: skip
    assert fewer.exposure.tolist() == [1, 2, 3]
    for wrong, told in ((np.nan, "nan"), (0.0, "0"), (-1.0, "-1"), (np.inf, "inf")):
        message = f"exposure: column 'hours': row 2: {told} is not a finite number above 0"
        with pytest.raises(ValueError, match=message):
            from_table({**table, "hours": [1, 2, wrong, 3]}, "n", exposure="hours")
    with pytest.raises(ValueError, match="exposure: column 'class' does not hold one number a row"):
        from_table(table, "n", exposure="class")


def test_errors_of_y(tmp_path):
    rng = np.random.default_rng(3)
    x, error = rng.uniform(-2, 2, 120), np.where(np.arange(120) % 2, 0.02, 2.0)
    table = {"x": x, "z": np.sin(2 * x) + error * rng.normal(size=120), "e_z": error}
    for make in (dict, pd.DataFrame, Table):
        columns = from_table(make(table), "z")
        assert columns.names == ["x"] and np.allclose(columns.y_err, error, rtol=1e-15)
        assert np.array_equal(pickle.loads(pickle.dumps(columns)).y_err, columns.y_err)
    for change, errors, expected in (
        ({"e_z": np.where(x > 0, np.nan, error)}, "auto", np.where(x > 0, 0, error)),
        ({"e_z": np.where(x > 0, -99.0, error)}, "auto", np.where(x > 0, 0, error)),
        ({}, {"z": None}, None),
        ({}, None, None),
        ({"wide": 3 * error}, {"z": "wide"}, 3 * error),
        ({"noise of z": 3 * error, "noise of x": error}, {"*": "noise of *"}, 3 * error),
        ({"z_err1": error, "z_err2": -7 * error, "e_z": x}, {"z": "z_err2:z_err1"}, 5 * error),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # -99 is missing
            found = from_table({**table, **change}, "z", features=["x"], errors=errors).y_err
        assert found is None if expected is None else np.allclose(found, expected, rtol=1e-12)
    assert from_table({**table, "z": np.arange(120) % 3}, "z").y_err is None  # classes
    assert from_table(table, "x").y_err is None

    quick = NoisyGPRegressor("exact", epochs=5, calibrate=False, random_state=0)
    model = fit_table(table, "z", quick)
    columns = from_table(table, "z")
    with_errors, without = (quick.fit(columns.X, columns.y, y_err=e).predict(columns.X) for e in (columns.y_err, None))
    assert np.array_equal(model.predict(table), with_errors) and not np.array_equal(with_errors, without)
    model.save(tmp_path / "m")
    assert NoisyGPRegressor.load(tmp_path / "m")._recipe == model._recipe and model._recipe.label_errors == "e_z"
    assert fit_table({**table, "z": np.round(abs(table["z"])) * 40 // 1}, "z", NoisyGPCountRegressor(epochs=1))


def test_units_are_left_alone():
    from astropy import units

    table = Table({"x": [1.0, 2.0] * units.m, "x_err": [0.1, 0.2] * units.m, "class": ["a", "b"]})
    assert from_table(table, "class").X_err[:, 0].tolist() == [0.1, 0.2]


def test_errors_are_in_the_unit_of_their_column():
    frame = pd.DataFrame({"ra": [1.0, 2.0], "ra_error": [0.1, 0.2], "z": [1.0, 3.0], "class": ["a", "b"]})
    frame.attrs["units"] = {"ra": "deg", "ra_error": "mas", "z": "s"}
    with pytest.raises(ValueError, match=r"'ra' is in deg, but its errors 'ra_error' in mas"):
        from_table(frame, "class")
    from_table(frame, "class", errors=None, features=["ra"])
    frame.attrs["units"]["ra_error"] = "deg"
    from_table(frame, "class")
    with pytest.raises(ValueError, match=r"'ra' is in deg, but the subtracted column 'z' in s"):
        from_table(frame, "class", features=["ra-z"])


def test_complaints():
    for wrong, message in (
        ({"label": "klass"}, r"no column 'klass'; did you mean 'class'\?"),
        ({"label": "kind"}, "no column 'kind'; the columns are id, flux"),
        ({"features": ["flx"]}, r"no column 'flx'; did you mean 'flux'\?"),
        ({"log": ["flx"]}, "log: 'flx' is not a feature"),
        ({"errors": "none"}, "errors='none' is not 'auto'"),
        ({"errors": {"flx": "e_index"}}, "errors: 'flx' is not a feature"),
        ({"errors": {"flux": "nothing"}}, "no column 'nothing'"),
        ({"label": "flux", "features": ["index", "flux"]}, "'flux' cannot be label and feature"),
        ({"label": "flux", "features": ["log(flux)"]}, "'flux' cannot be label and feature"),
        ({"label": ["flux", "index"], "features": ["Index"]}, "'index' cannot be label and feat"),
        (
            {"label": "index", "features": ["flux"], "errors": {"flux": "index"}},
            "'index' cannot be label and the error of 'flux' at once",
        ),
        (
            {"label": "flux", "features": ["index"], "exposure": "flux"},
            "'flux' cannot be both label and exposure",
        ),
        ({"features": ["flux"], "exposure": "flux"}, "'flux' cannot be exposure and feature"),
        ({"exposure": "hours"}, "no column 'hours'"),
        ({"label": "class", "classes": ["agn"]}, "column 'class': no rows of class 'agn'"),
        ({"label": "class", "classes": ["psr", "PSR"]}, "column 'class': no rows of class 'PSR'"),
        ({"label": "index", "classes": [1, 5]}, "column 'index': no rows of class 5"),
        ({"label": "index", "classes": ["1"]}, "column 'index': no rows of class '1'"),
        ({"classes": ["psr"]}, "classes needs one column of labels"),
        ({"label": ["index", "flux"], "classes": [1]}, "classes needs one column of labels"),
    ):
        with pytest.raises(ValueError, match=message):
            from_table(COLUMNS, **wrong)
    with pytest.raises(ValueError, match="no columns of numbers"):
        from_table({"class": ["a", "b"]}, "class")
    with pytest.raises(TypeError, match="ndarray has no named columns"):
        from_table(np.ones((3, 2)))
    with pytest.raises(FileNotFoundError, match="table.csv"):
        from_table("table.csv", "class")


def test_without_pandas_and_astropy(monkeypatch, tmp_path):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "astropy.table", None)
    assert isinstance(from_table(COLUMNS, "class").X, np.ndarray)
    with pytest.raises(ImportError, match="pip install pandas"):
        from_table(COLUMNS, "class", as_frame=True)
    with pytest.raises(ImportError, match=r"pip install nimgp\[tables\]"):
        from_fits(tmp_path / "x.fits")
    importlib.invalidate_caches()


def test_a_real_catalogue(data, tmp_path):
    path = data / "astro" / "gll_psc_v27.fit.gz"
    if not path.exists():
        pytest.skip(f"NO DATA: {path} is not there")
    features = ["Flux1000", "Signif_Avg", "LP_Index", "LP_beta"]
    X, y, X_err, names = from_fits(path, label="CLASS1", classes=["bll", "fsrq", "psr"],
                                   ignore_case=True, features=features, log=["Flux1000"])  # fmt: skip
    assert names == ["log(Flux1000)", "Signif_Avg", "LP_Index", "LP_beta"]
    assert {name: int((y == name).sum()) for name in set(y)} == {
        "bll": 1308,
        "fsrq": 744,
        "psr": 271,
    }
    sigma = X_err.sigma  # the flux is a logarithm: its errors are lopsided
    assert (sigma[:, 1] == 0).all() and np.nanmin(sigma[:, [0, 2, 3]]) > 0
    assert 0 < np.isnan(sigma).sum() < 300
    clf = NoisyGPClassifier(epochs=10, inducing=20, calibrate=False, random_state=0)
    clf = clf.fit(X, y, X_err=X_err)
    clf.save(tmp_path / "m")
    clf = NoisyGPClassifier.load(tmp_path / "m")
    every = from_fits(path, features=clf.feature_names_in_)
    assert len(every.X) == 5788 and every.y is None
    assert np.isfinite(clf.predict_proba(every.X, X_err=every.X_err)).all()
