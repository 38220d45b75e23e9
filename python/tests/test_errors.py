# SPDX-License-Identifier: Apache-2.0
"""Errors that are more than one number a cell: lopsided, correlated, and limits."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import cross_val_score

import nimgp
from nimgp import Errors, NoisyGPClassifier

QUICK = {"epochs": 20, "inducing": 10, "random_state": 0, "n_jobs": 1}


def problem(rows=80, seed=1):
    """Labels that hang on the first attribute; errors of both have a part in common."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(rows, 2))
    y = np.where(truth[:, 0] > 0, "up", "down")
    sigma = rng.uniform(0.3, 0.8, size=truth.shape)
    common = 0.95 * np.where(rng.random((rows, 2)) < 0.5, 1, -1)
    corr = common[:, :, None] * common[:, None, :]
    corr[:, [0, 1], [0, 1]] = 1.0
    noise = common * rng.normal(size=(rows, 1)) + 0.3122 * rng.normal(size=truth.shape)
    return truth + sigma * noise, y, sigma, corr


def probabilities(X, y, X_err, ask=None):
    clf = NoisyGPClassifier(**QUICK).fit(X, y, X_err=X_err)
    return clf.predict_proba(X, X_err=X_err if ask is None else ask)


def test_plain_errors_in_other_words():
    """Zero correlations, equal halves, no limits: as sigma alone."""
    X, y, sigma, _ = problem()
    plain = probabilities(X, y, sigma)
    same = [
        Errors(sigma),
        Errors(sigma, upper=sigma),
        Errors(cov=sigma[:, :, None] ** 2 * np.eye(2)),
        Errors(sigma, limit=np.zeros(X.shape)),
        (sigma, sigma),
        np.stack([sigma, sigma]),
    ]
    for errors in same:
        assert np.allclose(probabilities(X, y, errors), plain, atol=1e-6), errors


def test_what_is_known_counts():
    X, y, sigma, corr = problem()
    cov = corr * sigma[:, :, None] * sigma[:, None, :]
    plain = probabilities(X, y, sigma)
    told = probabilities(X, y, Errors(cov=cov))
    assert np.allclose(told, probabilities(X, y, Errors(sigma, corr=corr)), atol=1e-6)
    truth = (y == "up").astype(int)
    loss = [-np.mean(np.log(p[np.arange(len(y)), truth])) for p in (told, plain)]
    assert loss[0] < loss[1] - 0.02
    clf = NoisyGPClassifier(**QUICK).fit(X, y, X_err=sigma)
    row = np.array([[0.2, 0.0]])
    p = [clf.predict_proba(row, X_err=Errors([[0.5, 0.5]], upper=[[up, 0.5]]))[0, 1]
         for up in (0.1, 0.5, 2.0)]  # fmt: skip
    assert p[0] < p[1] < p[2]
    p = [clf.predict_proba(row, X_err=Errors([[0.5, 0.5]], limit=[[sign, ""]]))[0, 1]
         for sign in ("<", "", ">")]  # fmt: skip
    assert p[0] < p[1] < p[2]


def test_rows_are_handed_on():
    """Cross-validation, pickles, more rows, portions, denoising and reports."""
    X, y, sigma, corr = problem(60)
    errors = Errors(sigma, upper=2 * sigma, corr=corr, limit=(np.arange(120) % 9 == 0).reshape(60, 2))
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_val_score(
            NoisyGPClassifier(**QUICK), X, y, cv=3, params={"X_err": errors},
            scoring=nimgp.neg_log_loss,
        )  # fmt: skip
    assert np.isfinite(scores).all()
    clf = NoisyGPClassifier(**QUICK).partial_fit(X[:30], y[:30], X_err=errors[:30],
                                                 classes=["down", "up"])  # fmt: skip
    clf.partial_fit(X[30:], y[30:], X_err=sigma[30:])
    again = pickle.loads(pickle.dumps(clf))
    whole = clf.predict_proba(X, X_err=errors)
    assert np.array_equal(again.predict_proba(X, X_err=errors), whole)
    mask = np.arange(60) % 3 == 0
    assert np.array_equal(clf.predict_proba(X[mask], X_err=errors[mask]), whole[mask])
    assert np.isfinite(clf.remeasure(X, X_err=errors)).all()
    assert np.isfinite(clf.novelty(X, X_err=errors)).all()
    kept = nimgp.cross_val_predict(
        NoisyGPClassifier(**QUICK), X, y, X_err=errors, cv=3, method="predict_proba"
    )
    assert kept.shape == (60, 2) and np.isfinite(kept).all()
    with pytest.raises(TypeError, match="only rows"):
        errors[:, 0]
    with pytest.raises(TypeError, match="cannot be converted to an array"):
        np.asarray(errors)


def test_refusals():
    X, y, sigma, corr = problem(20)
    clf = NoisyGPClassifier(**QUICK)
    bad = corr.copy()
    bad[3, 0, 1] = bad[3, 1, 0] = 1.5
    refused = [
        (lambda: Errors(), "one of sigma, cov and limit"),
        (lambda: Errors(sigma, cov=corr), "cannot be given together with"),
        (lambda: Errors(sigma, upper=sigma[:3]), "upper has shape"),
        (lambda: Errors(sigma, corr=corr[:3]), "expected .20, 2, 2."),
        (lambda: Errors(sigma, corr=[[1, 0.5], [0.4, 1]]), "not symmetric"),
        (lambda: Errors(sigma, limit=[["x", ""]] * 20), "limit: row 0, column 0: 'x'"),
        (lambda: Errors(sigma, limit=np.full(X.shape, 2)), "expected '<', '>'"),
        (lambda: clf.fit(X, y, X_err=Errors(sigma[:5])), "X_err has shape .5, 2."),
        (lambda: clf.fit(X, y, X_err=Errors(sigma, upper=-sigma)), "upper errors: row 0"),
        (lambda: clf.fit(X, y, X_err=Errors(sigma, corr=bad)), "row 3, .*correlation 1.5"),
    ]
    for call, says in refused:
        with pytest.raises(ValueError, match=says):
            call()
