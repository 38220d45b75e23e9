# SPDX-License-Identifier: Apache-2.0
"""What goes in: forms that mean the same, and complaints that name row and column."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from astropy.table import MaskedColumn, Table
from astropy.utils.masked import Masked
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError

from nimgp import (
    Errors,
    NoisyGPClassifier,
    NoisyGPCountRegressor,
    NoisyGPMultiLabelClassifier,
    NoisyGPOrdinalClassifier,
    NoisyGPRegressor,
    cross_val_predict,
    neg_log_loss,
    scorer,
)
from problems import make_targets

EVERY = {"epochs": 10, "random_state": 0, "n_jobs": 1}
QUICK = {**EVERY, "calibrate": False}


@pytest.fixture
def clf(problem):
    return NoisyGPClassifier(**QUICK).fit(problem.X, problem.y, X_err=problem.sigma)


def fitted(X, y, X_err):
    return NoisyGPClassifier(**QUICK).fit(X, y, X_err=X_err)


def test_errors_in_every_form(problem):
    X, y, _, _ = problem
    every = np.full(X.shape, 0.3)
    wanted = fitted(X, y, every).predict_proba(X, X_err=every)
    for form in (0.3, np.float64(0.3), [0.3, 0.3], np.full((1, 2), 0.3), pd.DataFrame(every)):
        assert np.array_equal(fitted(X, y, form).predict_proba(X, X_err=form), wanted)
    one = X[:, :1]
    assert np.array_equal(
        fitted(one, y, every[:, 0]).predict_proba(one, X_err=every[:, 0]),
        fitted(one, y, 0.3).predict_proba(one, X_err=0.3),
    )
    assert np.array_equal(
        fitted(X, y, None).predict_proba(X), fitted(X, y, 0.0).predict_proba(X, X_err=0)
    )


def test_unknown_errors_are_the_median_as_the_rows_others_are(problem):
    """A row whose known error is twice the usual one has twice the usual error elsewhere, too."""
    X, y, sigma, _ = problem
    sigma = sigma.copy()
    sigma[5, 1] = np.nan
    usual = np.nanmedian(sigma, axis=0)
    filled = sigma.copy()
    filled[5, 1] = usual[1] * sigma[5, 0] / usual[0]
    clf = fitted(X, y, sigma)
    wanted = fitted(X, y, filled).predict_proba(X, X_err=filled)
    assert np.allclose(clf.predict_proba(X, X_err=sigma), wanted, rtol=1e-6)


def test_missing_values_are_uncertain(problem):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier(
        epochs=60, rate=0.05, calibrate=False, random_state=0
    ).fit(X, y, X_err=sigma)
    there, missing = np.array([[0.5, 0.0]]), np.array([[0.5, np.nan]])
    more = clf.uncertainty(missing, X_err=0.1).total[0] - clf.uncertainty(there, X_err=0.1).total[0]
    assert more > 0.1
    X = X.copy()
    X[::7, 0] = np.nan
    assert np.isfinite(fitted(X, y, sigma).predict_proba(X, X_err=sigma)).all()


def test_tables_and_frames_are_arrays_with_names(problem):
    X, y, sigma, _ = problem
    wanted = fitted(X, y, sigma).predict_proba(X, X_err=sigma)
    frame = pd.DataFrame(X, columns=["a", "b"])
    table = Table(X, names=["a", "b"])
    structured = table.as_array()
    for values in (frame, table, structured):
        clf = fitted(values, y, sigma)
        assert clf.feature_names_in_.tolist() == ["a", "b"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.array_equal(clf.predict_proba(values, X_err=sigma), wanted)
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(Table(X, names=["b", "a"]))
    with pytest.raises(ValueError, match="column 'b' does not hold one number a row"):
        clf.predict(Table({"a": X[:, 0], "b": y}))


def test_errors_in_a_frame_are_matched_by_name(problem):
    X, y, sigma, _ = problem
    frame = pd.DataFrame(X, columns=["a", "b"])
    errors = pd.DataFrame(sigma, columns=["a", "b"])[["b", "a"]]
    wanted = fitted(X, y, sigma).predict_proba(X, X_err=sigma)
    assert np.array_equal(fitted(frame, y, errors).predict_proba(frame, X_err=errors), wanted)
    for names in (["b_err", "a_err"], ["e_b", "e_a"], ["b_x", "a_err"]):
        other = errors.set_axis(names, axis=1)
        if names[0] == "b_x":
            with pytest.raises(ValueError, match="neither the names of X"):
                fitted(frame, y, other)
        else:
            found = fitted(frame, y, other).predict_proba(frame, X_err=other)
            assert np.array_equal(found, wanted)


def test_errors_of_columns_are_matched_by_name(problem, clf):
    """Names decide: those of X or of its errors, in any order; others are refused, and so is a column
    that is of no attribute. Where only one side has names, the order counts."""
    X, y, sigma, _ = problem
    frame = pd.DataFrame(X, columns=["a", "b"])
    clf = fitted(frame, y, sigma)
    wanted = clf.predict_proba(frame, X_err=sigma)
    astropy = Table({"e_b": sigma[:, 1], "e_a": sigma[:, 0]})
    assert np.array_equal(clf.predict_proba(frame, X_err=astropy), wanted)
    records = np.rec.fromarrays([X[:, 0], X[:, 1]], names="a,b")
    swapped = np.rec.fromarrays([sigma[:, 1], sigma[:, 0]], names="b,a")
    assert np.array_equal(clf.predict_proba(records, X_err=swapped), wanted)
    unnamed = pd.DataFrame(sigma)
    assert np.array_equal(clf.predict_proba(frame, X_err=unnamed), wanted)
    shared = clf.predict_proba(frame, X_err=[0.1, 0.4])
    assert np.array_equal(clf.predict_proba(frame, X_err=pd.Series({"b": 0.4, "a": 0.1})), shared)
    for names in (["u", "v"], ["b", "x"], ["a", "a"], ["a_err", "b_error_of"]):
        with pytest.raises(ValueError, match="neither the names of X"):
            clf.predict_proba(frame, X_err=pd.DataFrame(sigma, columns=names))
    turned = Errors(pd.DataFrame(sigma, columns=["a", "b"])[["b", "a"]])
    assert np.array_equal(clf.predict_proba(frame, X_err=turned), wanted)


def test_a_masked_target_is_no_target(problem):
    """The number behind a mask, such as -99, is neither a class nor a score."""
    X, y, sigma, _ = problem
    levels = np.arange(len(X)) % 3
    hidden = np.ma.array(np.where(np.arange(len(X)) == 4, -99, levels), mask=np.arange(len(X)) == 4)
    good = NoisyGPClassifier(**EVERY).fit(X, levels)
    rows = {"match": "y: row 4.*masked"}
    for model in (NoisyGPClassifier(**EVERY), NoisyGPOrdinalClassifier(**EVERY)):
        with pytest.raises(ValueError, **rows):
            model.fit(X, hidden)
    with pytest.raises(ValueError, **rows):
        NoisyGPClassifier(**EVERY).fit(X, Masked(hidden.data, mask=hidden.mask))
    for call in (good.partial_fit, good.score, good.log_density):
        with pytest.raises(ValueError, **rows):
            call(X, hidden)
    with pytest.raises(ValueError, **rows):
        neg_log_loss(good, X, hidden)
    with pytest.raises(ValueError, **rows):
        scorer("accuracy")(good, X, hidden)
    with pytest.raises(ValueError, **rows):
        cross_val_predict(NoisyGPClassifier(**EVERY), X, hidden)
    with pytest.raises(ValueError, match="classes: row 0.*masked"):
        NoisyGPClassifier(**EVERY).partial_fit(X, levels, np.ma.array([0, 1, 2], mask=[1, 0, 0]))
    sets = np.ma.array(np.stack([levels == 0, levels == 1], axis=1).astype(int), mask=False)
    sets[4, 1] = np.ma.masked
    with pytest.raises(ValueError, match="y: row 4, column 1.*masked"):
        NoisyGPMultiLabelClassifier(**EVERY).fit(X, sets)
    numbers = NoisyGPRegressor(**EVERY).fit(X, X[:, 0])
    with pytest.raises(ValueError, **rows):
        numbers.score(X, np.ma.array(X[:, 0], mask=hidden.mask))
    nothing = np.ma.array(levels, mask=False)
    assert np.array_equal(NoisyGPClassifier(**EVERY).fit(X, nothing).predict_proba(X), good.predict_proba(X))


def test_masked_errors_are_unknown(problem, clf):
    X, y, sigma, _ = problem
    mask = np.arange(X.size).reshape(X.shape) % 5 == 0
    unknown, upper = np.where(mask, np.nan, sigma), np.where(mask, np.nan, 2 * sigma)
    hidden, above = np.ma.array(sigma, mask=mask), np.ma.array(2 * sigma, mask=mask)
    pairs = [
        (Errors(hidden), Errors(unknown)),
        (Errors(sigma, hidden), Errors(sigma, unknown)),
        (Errors(hidden, above), Errors(unknown, upper)),
        (np.ma.stack([hidden, above]), np.stack([unknown, upper])),
        (Masked(sigma, mask=mask), unknown),
        (Errors(sigma, limit=np.ma.array(np.ones(X.shape, int), mask=mask)),
         Errors(sigma, limit=np.where(mask, 0, 1))),
        (Errors(sigma, limit=np.ma.array(np.full(X.shape, "<"), mask=mask)),
         Errors(sigma, limit=np.where(mask, 0, -1))),
        (Errors(sigma, corr=np.ma.array([[1, 0.9], [0.9, 1]], mask=[[0, 1], [1, 0]])),
         Errors(sigma, corr=np.eye(2))),
    ]  # fmt: skip
    for masked, plain in pairs:
        wanted = clf.predict_proba(X, X_err=plain)
        assert np.array_equal(clf.predict_proba(X, X_err=masked), wanted)
    found = cross_val_predict(NoisyGPClassifier(**EVERY), X, y, X_err=hidden)
    assert np.array_equal(found, cross_val_predict(NoisyGPClassifier(**EVERY), X, y, X_err=unknown))
    values = Masked(np.where(mask, 999.0, X), mask=mask)
    assert np.array_equal(clf.predict_proba(values), clf.predict_proba(np.where(mask, np.nan, X)))


def test_masked_cells_of_an_array_are_missing(problem):
    """Whatever number lies behind the mask."""
    X, y, sigma, _ = problem
    mask = np.zeros(X.shape, dtype=bool)
    mask[::7, 1] = mask[3::11, 0] = True
    holes, unknown = np.where(mask, np.nan, X), np.where(mask, np.nan, sigma)
    masked = np.ma.MaskedArray(np.where(mask, 999.0, X), mask)
    masked_sigma = np.ma.MaskedArray(np.where(mask, 1e20, sigma), mask)
    wanted = fitted(holes, y, unknown).predict_proba(holes, X_err=unknown)
    clf = fitted(masked, y, masked_sigma)
    assert np.array_equal(clf.predict_proba(masked, X_err=masked_sigma), wanted)
    whole = np.ma.MaskedArray(np.full(X.shape, 7, dtype=int), mask)
    as_floats = np.where(mask, np.nan, 7.0)
    assert np.array_equal(clf.predict_proba(whole), clf.predict_proba(as_floats))


def test_what_is_no_real_number_is_refused(problem, clf):
    X, y, sigma, _ = problem
    frame = pd.DataFrame({"a": X[:, 0], "when": pd.date_range("2020-01-01", periods=len(X))})
    days = np.full(X.shape, np.datetime64("2020-01-01"))
    for wrong in (X + 1j, days, days - np.datetime64("1970-01-01"), frame):
        with pytest.raises(ValueError, match="holds (complex128|datetime64|timedelta64)"):
            fitted(wrong, y, None)
        with pytest.raises(ValueError, match="X_err.* holds "):
            fitted(X, y, wrong)
        with pytest.raises(ValueError, match="holds "):
            clf.predict_proba(wrong, X_err=sigma)
        with pytest.raises(ValueError, match="X_err.* holds "):
            clf.predict_proba(X, X_err=wrong)
    with pytest.raises(ValueError, match="column 'when' holds datetime64"):
        fitted(frame, y, None)


def test_masked_cells_of_a_table_are_missing(problem):
    X, y, sigma, _ = problem
    holes = X.copy()
    holes[::5, 1] = np.nan
    table = Table({"a": X[:, 0], "b": MaskedColumn(X[:, 1], mask=np.isnan(holes[:, 1]))})
    wanted = fitted(holes, y, sigma).predict_proba(holes, X_err=sigma)
    assert np.array_equal(fitted(table, y, sigma).predict_proba(table, X_err=sigma), wanted)


@pytest.mark.parametrize("where", ["fit", "predict_proba", "partial_fit", "denoise", "suggest"])
def test_bad_cells_are_named(clf, problem, where):
    X, y, sigma, _ = problem

    def call(X, X_err):
        if where in ("predict_proba",):
            clf.predict_proba(X, X_err=X_err)
        elif where == "suggest":
            clf.suggest(X, 3, X_err=X_err)
        else:
            getattr(clf, where)(X, y, X_err=X_err)

    for bad in (np.inf, -np.inf):
        wrong = X.copy()
        wrong[17, 1] = bad
        with pytest.raises(ValueError, match=r"X: row 17, column 1: infinite value"):
            call(wrong, sigma)
        wrong = sigma.copy()
        wrong[4, 0] = bad
        with pytest.raises(ValueError, match=r"X_err: row 4, column 0: (infinite|negative) error"):
            call(X, wrong)
    with pytest.raises(ValueError, match=r"X_err: column 1: negative error -2"):
        call(X, [0.1, -2.0])
    for shape in ((119, 2), (120, 3), (3,), (120,), (120, 2, 1)):
        with pytest.raises(ValueError, match=r"X_err has shape .*; expected that of X, \(120, 2\)"):
            call(X, np.ones(shape))


def test_named_columns_are_named(problem):
    frame = pd.DataFrame(problem.X, columns=["flux", "index"])
    frame.iloc[3, 1] = np.inf
    frame.iloc[9, 0] = np.inf
    with pytest.raises(
        ValueError, match=r"row 3, column 1 \(index\): infinite value inf, and 1 more"
    ):
        fitted(frame, problem.y, None)


def test_wrong_shapes(clf, problem):
    X, y, sigma, _ = problem
    with pytest.raises(ValueError, match="X has 1 features, but NoisyGPClassifier is expecting 2"):
        clf.predict(X[:, :1])
    with pytest.raises(ValueError, match="X has 120 rows, y has 100"):
        fitted(X, y[:100], sigma)
    with pytest.raises(ValueError, match="Expected 2D array"):
        fitted(X[:, 0], y, None)
    with pytest.raises(ValueError, match="sample_weight.shape"):
        clf.fit(X, y, X_err=sigma, sample_weight=np.ones(7))


def test_bad_weights_are_named(clf, problem):
    weights = np.ones(120)
    weights[31] = -1
    with pytest.raises(ValueError, match="sample_weight: row 31: negative weight -1"):
        clf.fit(problem.X, problem.y, sample_weight=weights)
    with pytest.raises(ValueError, match="zero"):
        clf.fit(problem.X, problem.y, sample_weight=np.zeros(120))


def test_labels_that_are_no_class(clf, problem):
    X, y, sigma, _ = problem
    wrong = y.copy()
    wrong[2] = "up"
    message = r"y: row 2: label 'up' is not one of the classes \['east', 'north', 'west'\]"
    with pytest.raises(ValueError, match=message):
        clf.denoise(X, wrong, X_err=sigma)
    with pytest.raises(ValueError, match=message):
        clf.partial_fit(X, wrong, X_err=sigma)
    with pytest.raises(ValueError, match=message):
        clf.set_params(warm_start=True).fit(X, wrong, X_err=sigma)
    with pytest.raises(ValueError, match=message):
        neg_log_loss(clf, X, wrong, X_err=sigma)
    for wrong, told in (
        (["a", None, "b"], "y: row 1: the label is missing"),
        (["a", "b", 1], "row 0 has the label 'a' and row 2 the label 1"),
    ):
        with pytest.raises(ValueError, match=told):
            NoisyGPClassifier().fit(np.eye(3), np.array(wrong, dtype=object))
    with pytest.raises(ValueError, match="only one class, 'east' in 3 rows"):
        NoisyGPClassifier().fit(X[:3], ["east"] * 3)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        NoisyGPClassifier().fit(X, np.linspace(0, 1, 120))


# ---------------------------------------------------------------------- other targets


def everywhere(model, X, y, **more):
    """All that take y, as calls of another y."""
    model.fit(X, y, **more)
    warm = clone(model).set_params(warm_start=True).fit(X, y, **more)
    return [
        lambda wrong: model.fit(X, wrong, **more),
        lambda wrong: model.partial_fit(X, wrong, **more),
        lambda wrong: warm.fit(X, wrong, **more),
        lambda wrong: model.log_density(X, wrong, **more),
        lambda wrong: model.denoise(X, wrong, **more),
    ]


def test_numbers_that_are_none():
    X, y, _, _ = make_targets(NoisyGPRegressor)
    for call in everywhere(NoisyGPRegressor(**EVERY), X, y):
        for bad, told in ((np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")):
            wrong = y.copy()
            wrong[[17, 30]] = bad
            message = f"y: row 17: {told} is not a finite number, and 1 more"
            with pytest.raises(ValueError, match=message):
                call(wrong)
        with pytest.raises(ValueError, match="y holds <U5; expected one number a row"):
            call(np.where(y > 0, "right", "left"))
        with pytest.raises(ValueError, match="y should be a 1d array"):
            call(np.column_stack([y, y]))
        with pytest.raises(ValueError, match="X has 120 rows, y has 100"):
            call(y[:100])
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
            call(y[:, None])
    with pytest.raises(ValueError, match="requires y to be passed"):
        NoisyGPRegressor().fit(X, None)


def test_numbers_in_every_form():
    X, y, sigma, _ = make_targets(NoisyGPRegressor)
    y = np.round(8 * y) / 8
    wanted = NoisyGPRegressor(**EVERY).fit(X, y, X_err=sigma).predict(X, X_err=sigma)
    for form in (list, pd.Series, lambda y: y.astype(np.float32), lambda y: y.astype(object),
                 lambda y: pd.array(y, dtype="Float64"), np.ma.asarray,
                 lambda y: Table({"y": y})["y"]):  # fmt: skip
        found = NoisyGPRegressor(**EVERY).fit(X, form(y), X_err=sigma).predict(X, X_err=sigma)
        assert np.array_equal(found, wanted)
    whole = np.round(8 * y).astype(np.int16)
    assert np.array_equal(NoisyGPRegressor(**EVERY).fit(X, whole, X_err=sigma).predict(X, X_err=sigma),
                          NoisyGPRegressor(**EVERY).fit(X, 8 * y, X_err=sigma).predict(X, X_err=sigma))  # fmt: skip
    holes = pd.array(np.arange(120.0), dtype="Float64")
    holes[3] = pd.NA
    masked = np.ma.masked_equal(np.arange(120), 3)
    for missing in (holes, pd.Series(holes), masked):
        with pytest.raises(ValueError, match="y: row 3: nan is not a finite number"):
            NoisyGPRegressor(**EVERY).fit(X, missing)


def test_counts_that_are_none():
    X, y, _, _ = make_targets(NoisyGPCountRegressor)
    for call in everywhere(NoisyGPCountRegressor(**EVERY), X, y, exposure=2.0):
        for bad, told in ((-1, "-1"), (2.5, "2.5"), (1e300, r"1e\+300")):
            wrong = y.astype(float)
            wrong[5] = bad
            with pytest.raises(ValueError, match=rf"y: row 5: {told} is not a count \(0, 1, 2"):
                call(wrong)
        wrong = y.astype(float)
        wrong[5] = np.nan
        with pytest.raises(ValueError, match="y: row 5: nan is not a finite number"):
            call(wrong)


def test_exposure_that_is_none():
    X, y, _, _ = make_targets(NoisyGPCountRegressor)
    model = NoisyGPCountRegressor(**EVERY).fit(X, y)
    calls = [
        lambda wrong: model.fit(X, y, exposure=wrong),
        lambda wrong: model.partial_fit(X, y, exposure=wrong),
        lambda wrong: model.predict(X, exposure=wrong),
        lambda wrong: model.predict_quantiles(X, exposure=wrong),
        lambda wrong: model.log_density(X, y, exposure=wrong),
        lambda wrong: model.score(X, y, exposure=wrong),
    ]
    for call in calls:
        for bad, told in ((0.0, "0"), (-2.0, "-2"), (np.nan, "nan"), (np.inf, "inf")):
            wrong = np.ones(120)
            wrong[9] = bad
            message = f"exposure: row 9: {told} is not a finite number above 0"
            with pytest.raises(ValueError, match=message):
                call(wrong)
        for shape in ((119,), (120, 2)):
            with pytest.raises(ValueError, match=r"exposure has shape .*; expected \(120,\), or a"):
                call(np.ones(shape))
    one, each = (NoisyGPCountRegressor(**EVERY).fit(X, y, exposure=e) for e in (3, np.full(120, 3)))
    assert np.array_equal(one.predict(X, exposure=2), each.predict(X, exposure=[2] * 120))


def test_sets_that_are_none():
    X, y, _, _ = make_targets(NoisyGPMultiLabelClassifier)
    model = NoisyGPMultiLabelClassifier(points=16, **EVERY)
    for call in everywhere(model, X, y):
        for bad, told in ((2, "2"), (-1, "-1"), (0.5, "0.5"), (np.nan, "nan")):
            wrong = y.astype(float)
            wrong[7, 1] = bad
            message = f"y: row 7, column 1: neither 0 nor 1: {told}"
            with pytest.raises(ValueError, match=message):
                call(wrong)
        with pytest.raises(ValueError, match=r"y has shape \(120,\); expected \(n, L\), a column"):
            call(y[:, 0])
        with pytest.raises(ValueError, match="X has 120 rows, y has 100"):
            call(y[:100])
    with pytest.raises(ValueError, match="y has 2 columns; expected 3, one per label"):
        model.log_density(X, y[:, :2])
    named = pd.DataFrame(y, columns=["hot", "red", "near"])
    named.loc[4, "red"] = 7
    with pytest.raises(ValueError, match=r"y: row 4, column 1 \(red\): neither 0 nor 1: 7"):
        model.fit(X, named)


def test_a_refused_fit_leaves_the_model_as_it_was():
    X, y, _, _ = make_targets(NoisyGPRegressor)
    model = NoisyGPRegressor(**EVERY).fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="not a finite number"):
        model.fit(X, np.where(y > 2, np.nan, y))
    assert np.array_equal(model.predict(X), before)


def test_not_fitted_yet(problem):
    X, y, sigma, _ = problem
    clf = NoisyGPClassifier()
    for call in (clf.predict, clf.predict_proba, clf.predict_log_proba, clf.uncertainty,
                 clf.suggest, clf.remeasure):  # fmt: skip
        with pytest.raises(NotFittedError):
            call(X)
    with pytest.raises(NotFittedError):
        clf.denoise(X, y, X_err=sigma)
    with pytest.raises(NotFittedError):
        clf.save("nowhere")


def test_forgotten_errors_are_mentioned(clf, problem):
    with pytest.warns(UserWarning, match="X_err is None: the values are taken to be exact"):
        forgotten = clf.predict_proba(problem.X)
    exact = fitted(problem.X, problem.y, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(clf.predict_proba(problem.X, X_err=0), forgotten)
        exact.predict(problem.X)


def test_wrong_parameters(problem):
    for wrong in ({"epsilon": 2}, {"inducing": -1}, {"batch": 1.5}, {"noise": "loud"},
                  {"rate": "fast"}, {"n_jobs": 0}, {"random_state": -1}):  # fmt: skip
        with pytest.raises(ValueError, match=r"\w"):
            NoisyGPClassifier(**wrong).fit(problem.X, problem.y)


def test_a_forgotten_exposure_is_told(tmp_path):
    X, y, _, _ = make_targets(NoisyGPCountRegressor)
    plain = NoisyGPCountRegressor(**EVERY).fit(X, y)
    model = NoisyGPCountRegressor(**EVERY).fit(X, y, exposure=2.0)
    model.save(tmp_path / "m")
    for one in (model, NoisyGPCountRegressor.load(tmp_path / "m")):
        for call in (
            lambda it, **more: it.predict(X, **more),
            lambda it, **more: it.predict_quantiles(X, **more),
            lambda it, **more: it.log_density(X, y, **more),
            lambda it, **more: it.score(X, y, **more),
        ):
            with pytest.warns(UserWarning, match="exposure is None: it is taken to be 1") as w:
                forgotten = call(one)
            assert [warning.filename for warning in w] == [__file__]
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert np.array_equal(call(one, exposure=1), forgotten)
                call(plain)


def test_rows_without_a_label_tell_of_the_population():
    """Where all rows are equally noisy, the most likely mean is that of all rows."""
    rng = np.random.default_rng(3)
    X, others = rng.normal(size=(60, 2)) * [1, 50], 4 + rng.normal(size=(300, 2)) * [2, 30]
    y = (X[:, 0] > 0).astype(int)
    quick = {"input": "latent", "population": "gaussian", "epochs": 2, "calibrate": False}
    clf = NoisyGPClassifier(**quick).fit(X, y, X_err=0.3, X_unlabelled=others, X_unlabelled_err=0.3)
    wanted = np.concatenate([X, others]).mean(axis=0)
    assert clf.population_.shares.tolist() == [1.0]
    assert np.allclose(clf.population_.means, [wanted], rtol=1e-9)
    spread = np.cov(np.concatenate([X, others]).T, bias=True) - 0.09 * np.eye(2)
    assert np.allclose(clf.population_.covariances, [spread], rtol=0.02, atol=0.1)
    flat = NoisyGPClassifier(**{**quick, "population": "flat"})
    assert flat.fit(X, y, X_err=0.3).population_.means.shape == (0, 2)
    with pytest.raises(ValueError, match="flat"):
        flat.fit(X, y, X_err=0.3, X_unlabelled=others)
    with pytest.raises(ValueError, match="X_unlabelled: X has 1 features"):
        clf.fit(X, y, X_err=0.3, X_unlabelled=others[:, :1])
    with pytest.raises(ValueError, match="X_unlabelled: X_err: row 0, column 1: negative"):
        clf.fit(X, y, X_err=0.3, X_unlabelled=others[:2], X_unlabelled_err=[[0.1, -1.0], [0.1, 0.1]])
    with pytest.raises(ValueError, match="X_unlabelled is None"):
        clf.fit(X, y, X_err=0.3, X_unlabelled_err=0.1)
    with pytest.raises(ValueError, match="warm_start"):
        clf.set_params(warm_start=True).fit(X, y, X_err=0.3, X_unlabelled=others)


@pytest.mark.parametrize("kernel", ["linear", "linear+se", "linear+matern32", "linear+matern52"])
def test_a_plane_goes_on_where_there_are_no_rows(kernel):
    """Far from all rows se returns to the mean of y; what has a plane in it goes on."""
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, size=(80, 2))
    y = 3 * X[:, 0] - X[:, 1] + 2 + 0.05 * rng.normal(size=80)
    far = np.array([[4.0, 0.0], [0.0, -4.0]])
    # The process alone: mixtures of a panel go on as a plane, too.
    quick = {"input": "exact", "views": "one", "epochs": 1500, "random_state": 0, "inducing": 20}
    reg = NoisyGPRegressor(kernel=kernel, stop="fixed", **quick).fit(X, y)
    assert np.allclose(reg.predict(far), [14, 6], rtol=0, atol=1.2)
    smooth = NoisyGPRegressor(stop="fixed", **quick).fit(X, y)
    assert smooth.predict(far)[0] < 11
    assert reg.elbo_ > smooth.elbo_
    terms = kernel.count("+") + 1
    assert reg.lengthscales_.shape == ((1, terms, 2) if terms > 1 else (1, 2))
    assert reg.relevance_.shape == (2,) and reg.relevance_.max() == 1
