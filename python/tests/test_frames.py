# SPDX-License-Identifier: Apache-2.0
"""Frames whose columns or rows are in another order, values that are missing in other ways, and lists
of masked rows: nothing is taken for what it is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from astropy.table import Table

from nimgp import Errors, NoisyGPClassifier, NoisyGPMultiLabelClassifier, NoisyGPRegressor, scorer
from problems import make_targets

QUICK = {"epochs": 10, "random_state": 0, "n_jobs": 1}


@pytest.fixture(scope="module")
def rows():
    """X, sigma, upper errors and limits as frames; y."""
    X, y, sigma, _ = make_targets(NoisyGPClassifier)
    first = pd.DataFrame(X, columns=["a", "b"])
    return first, *(pd.DataFrame(cells, columns=["a", "b"]) for cells in
                    (sigma, 2 * sigma, np.where(X > 1, ">", ""))), y  # fmt: skip


@pytest.fixture(scope="module")
def clf(rows):
    X, sigma, _, _, y = rows
    return NoisyGPClassifier(**QUICK, calibrate=False).fit(X, y, X_err=sigma)


def test_names_and_indices_decide_in_every_part(rows, clf):
    X, sigma, upper, limit, _ = rows
    turned = {"columns": lambda t: t[["b", "a"]], "rows": lambda t: t.iloc[::-1],
              "both": lambda t: t[["b", "a"]].iloc[::-1]}  # fmt: skip
    wanted = clf.predict_proba(X, X_err=Errors(sigma, upper, limit=limit))
    for turn in turned.values():
        for parts in ((turn(sigma), upper, limit), (sigma, turn(upper), limit), (sigma, upper, turn(limit)),
                      (turn(sigma), turn(upper), turn(limit))):  # fmt: skip
            errors = Errors(*parts[:2], limit=parts[2])
            assert np.array_equal(clf.predict_proba(X, X_err=errors), wanted)
        errors = Errors(turn(sigma), upper, limit=limit)  # the first says it where X says nothing
        there = turn(X)
        assert np.array_equal(clf.predict_proba(there[["a", "b"]].to_numpy(), X_err=Errors(
            turn(sigma)[["a", "b"]], upper, limit=limit)), clf.predict_proba(there[["a", "b"]], X_err=errors))  # fmt: skip
    half = slice(0, None, 2)
    part = Errors(sigma[["b", "a"]].iloc[::-1], upper, limit=limit)[half]
    assert np.array_equal(clf.predict_proba(X.iloc[1::2], X_err=part), wanted[1::2])


def test_names_of_upper_errors_and_limits(rows, clf):
    X, sigma, upper, limit, _ = rows
    wanted = clf.predict_proba(X, X_err=Errors(sigma, upper, limit=limit))
    lower = sigma.rename(columns="{}_err2".format)[["b_err2", "a_err2"]]
    upper = upper.rename(columns="{}_err1".format)
    limit = limit.rename(columns="{}_limit".format)[["b_limit", "a_limit"]]
    assert np.array_equal(clf.predict_proba(X, X_err=Errors(sigma, limit=limit)),
                          clf.predict_proba(X, X_err=Errors(sigma, limit=limit.to_numpy()[:, ::-1])))  # fmt: skip
    errors = Errors(sigma, upper.rename(columns=lambda name: name.replace("1", "")), limit=limit)
    assert np.array_equal(clf.predict_proba(X, X_err=errors), wanted)
    assert np.array_equal(clf.predict_proba(X, X_err=Errors(lower, upper, limit=limit)), wanted)


def test_what_cannot_be_put_in_order_is_refused(rows, clf):
    X, sigma, upper, limit, _ = rows
    other = ["c", "d"]
    for errors in (Errors(sigma, upper.set_axis(other, axis=1)), Errors(sigma, limit=limit.set_axis(other, axis=1))):
        with pytest.raises(ValueError, match="neither the names of X"):
            clf.predict_proba(X, X_err=errors)
    with pytest.raises(ValueError, match="the index of X_err is not that of X"):
        Errors(sigma, upper.set_axis(range(1, len(X) + 1)))
    with pytest.raises(ValueError, match="the index of X_err is not that of X"):
        clf.predict_proba(X, X_err=Errors(sigma.set_axis(range(1, len(X) + 1))))
    correlated = Errors(sigma[["b", "a"]], corr=[[1, 0.5], [0.5, 1]])
    with pytest.raises(ValueError, match="of sigma are not in the order of X"):
        clf.predict_proba(X, X_err=correlated)


def test_tables_of_others(rows, clf):
    X, sigma, _, _, _ = rows
    wanted = clf.predict_proba(X, X_err=sigma)
    for table in (pa.table({name: sigma[name] for name in "ba"}), Table({name: sigma[name] for name in "ba"})):
        assert np.array_equal(clf.predict_proba(X, X_err=table), wanted)
        assert np.array_equal(clf.predict_proba(X, X_err=Errors(table)), wanted)


def test_missing_in_the_way_of_pandas(rows, clf):
    X, sigma, _, limit, y = rows
    unknown, nothing = sigma.copy(), limit.copy()
    unknown.iloc[2, 1], nothing.iloc[2, 1] = np.nan, ""
    for kind in ("Float64", "double[pyarrow]"):
        hidden = unknown.astype(kind)
        for one, other in ((hidden, unknown), (Errors(sigma, hidden), Errors(sigma, unknown)), (Errors(hidden), Errors(unknown))):
            assert np.array_equal(clf.predict_proba(X, X_err=one), clf.predict_proba(X, X_err=other))
    words = limit.astype("string")
    words.iloc[2, 1] = pd.NA
    assert np.array_equal(clf.predict_proba(X, X_err=Errors(sigma, limit=words)),
                          clf.predict_proba(X, X_err=Errors(sigma, limit=nothing)))  # fmt: skip
    labels = pd.Series(y).astype("string")
    labels[3] = pd.NA
    for gone in (labels, labels.astype("category")):
        with pytest.raises(ValueError, match="y: row 3: the value is missing"):
            NoisyGPClassifier(**QUICK).fit(X, gone)


def test_lists_of_masked_rows(rows, clf):
    X, sigma = rows[0].to_numpy(), rows[1].to_numpy()
    mask = np.arange(X.size).reshape(X.shape) % 5 == 0
    holes, unknown = np.where(mask, np.nan, X), np.where(mask, np.nan, sigma)
    hidden, errors = list(np.ma.array(X, mask=mask)), list(np.ma.array(sigma, mask=mask))
    assert np.array_equal(clf.predict_proba(hidden, X_err=sigma), clf.predict_proba(holes, X_err=sigma))
    wanted = clf.predict_proba(X, X_err=unknown)
    for given in (errors, Errors(errors)):
        assert np.array_equal(clf.predict_proba(X, X_err=given), wanted)


def test_masked_weights_of_scores(rows, clf):
    X, sigma, _, _, y = rows
    weights = np.ma.array(np.where(np.arange(len(y)) == 3, 1e9, 1.0), mask=np.arange(len(y)) == 3)
    numbers = NoisyGPRegressor(**QUICK).fit(X, X["a"])
    for call in (lambda: clf.score(X, y, weights, X_err=sigma), lambda: numbers.score(X, X["a"], weights),
                 lambda: scorer("accuracy")(clf, X, y, sample_weight=weights)):  # fmt: skip
        with pytest.raises(ValueError, match="sample_weight: row 3: the value is masked"):
            call()


def test_labels_of_sets_by_name(rows):
    X, sigma, _, _, _ = rows
    sets = pd.DataFrame({"wide": X["a"] > 0, "far": X["b"] > 0.5}).astype(int)
    model = NoisyGPMultiLabelClassifier(**QUICK).fit(X, sets, X_err=sigma)
    turned = sets[["far", "wide"]]
    assert model.score(X, turned, X_err=sigma) == model.score(X, sets, X_err=sigma)
    assert np.array_equal(model.log_density(X, turned, X_err=sigma), model.log_density(X, sets, X_err=sigma))
    with pytest.raises(ValueError, match="expected the labels"):
        model.score(X, sets.rename(columns={"far": "near"}), X_err=sigma)
    holes = sets.astype("Int64")
    holes.iloc[4, 0] = pd.NA
    with pytest.raises(ValueError, match="y: row 4, column 0 .wide.: neither 0 nor 1"):
        model.partial_fit(X, holes, X_err=sigma)
