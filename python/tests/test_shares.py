# SPDX-License-Identifier: Apache-2.0
"""Other shares of classes, sets of classes, strangers; folds that keep groups and error bars."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.stats import chi2, multivariate_normal
from sklearn.model_selection import GroupKFold, cross_val_score

import nimgp
from nimgp import NoisyGPClassifier, NoisyGPRegressor
from problems import make_problem

QUICK = {"epochs": 20, "inducing": 20, "random_state": 0, "n_jobs": 1}


@pytest.fixture(scope="module")
def trained():
    problem = make_problem(300)
    return problem, NoisyGPClassifier(**QUICK).fit(problem.X, problem.y, X_err=problem.sigma)


def labels_of(clf, y):
    return np.searchsorted(clf.classes_, y)


# ---------------------------------------------------------------------- other shares


def test_shares_are_bayes_theorem(trained):
    problem, clf = trained
    assert np.allclose(clf.class_shares_, np.unique(problem.y, return_counts=True)[1] / 300)
    plain = clf.predict_proba(problem.X, X_err=problem.sigma)
    prior = np.array([0.6, 0.3, 0.1])
    expected = plain * prior / clf.class_shares_
    expected /= expected.sum(axis=1, keepdims=True)
    by_name = dict(zip(clf.classes_.tolist(), 10 * prior, strict=False))  # they need not sum to one
    by_index = pd.Series(by_name).sort_values()  # as y.value_counts() has them, in an order of its own
    for given in (prior, by_name, by_index):
        found = clf.predict_proba(problem.X, X_err=problem.sigma, prior=given)
        assert np.allclose(found, expected, atol=1e-12)
    same = clf.predict_proba(problem.X, X_err=problem.sigma, prior=clf.class_shares_)
    assert np.allclose(same, plain, atol=1e-12)
    assert np.array_equal(clf.predict_proba(problem.X, X_err=problem.sigma), plain)  # nothing is left over


def test_estimated_shares_make_the_rows_most_probable(trained):
    problem, clf = trained
    few = np.flatnonzero(problem.y != "north")
    X, sigma = problem.X[few], problem.sigma[few]
    likelihood = clf.predict_proba(X, X_err=sigma) / clf.class_shares_
    found = clf.estimate_prior(X, X_err=sigma)
    assert np.isclose(found.sum(), 1) and found[1] < 0.1 < clf.class_shares_[1]
    best = np.log(likelihood @ found).mean()
    for other in np.random.default_rng(0).dirichlet(np.ones(3), 200):
        assert np.log(likelihood @ (0.9 * found + 0.1 * other)).mean() <= best + 1e-12
    auto = clf.predict_proba(X, X_err=sigma, prior="auto")
    assert np.allclose(auto.mean(axis=0), found, atol=1e-6)


def test_shares_that_cannot_be(trained):
    problem, clf = trained
    for prior, says in (
        ({"east": 1.0}, "no share for class 'north'"),
        ({"south": 1.0}, "'south' is not one of the classes"),
        ([1.0, 2.0], r"expected \(3,\)"),
        ([1.0, -1.0, 1.0], "share -1 of class"),
        ([0.0, 0.0, 0.0], "sum to 0"),
        ("equal", 'or "auto"'),
    ):
        with pytest.raises(ValueError, match=says):
            clf.predict_proba(problem.X, X_err=problem.sigma, prior=prior)


# ---------------------------------------------------------------------- sets of classes


def test_sets_hold_the_true_class(trained):
    _, clf = trained
    new = make_problem(800, seed=1)
    label = labels_of(clf, new.y)
    before = np.zeros((800, 3), dtype=bool)
    for coverage in (0.5, 0.8, 0.9):
        sets = clf.predict_set(new.X, coverage, X_err=new.sigma)
        held = sets[np.arange(800), label]
        assert not (before & ~sets).any()  # larger sets for more coverage
        for c in range(3):  # five deviations: of the calibration's 77 rows at least, and of these
            assert held[label == c].mean() > coverage - 5 * np.sqrt(0.25 / 77)
        before = sets
    with pytest.raises(ValueError, match="not between 0 and 1"):
        clf.predict_set(new.X, 1.0, X_err=new.sigma)
    plain = NoisyGPClassifier(calibrate=False, **QUICK).fit(new.X[:50], new.y[:50], X_err=new.sigma[:50])
    with pytest.raises(ValueError, match="no rows were held out"):
        plain.predict_set(new.X, 0.9, X_err=new.sigma)


# ---------------------------------------------------------------------- strangers


def test_density_of_measurements(trained):
    """Against SciPy: the population widened by the row's errors, missing cells left out."""
    problem, clf = trained
    X, sigma = problem.X[:20].copy(), problem.sigma[:20].copy()
    X[3, 1] = np.nan
    sigma[7] = 0.0
    found = clf.input_log_density(X, X_err=sigma)
    for row, error, log_p in zip(X, sigma, found, strict=False):
        there = ~np.isnan(row)
        p = sum(
            share * multivariate_normal.pdf(
                row[there], mean[there], (S + np.diag(error**2))[np.ix_(there, there)])
            for share, mean, S in zip(*clf.population_, strict=False)
        )  # fmt: skip
        assert np.isclose(log_p, np.log(p), atol=1e-9)


def test_novelty_of_one_gaussian_is_its_mahalanobis_distance():
    rng = np.random.default_rng(0)
    X = rng.multivariate_normal([1.0, -2.0], [[2.0, 1.2], [1.2, 1.0]], size=2000)
    y = (X[:, 0] > 1).astype(int)
    clf = NoisyGPClassifier(learn_novelty="always", calibrate=False, **QUICK).fit(X, y)
    new = rng.multivariate_normal([1.0, -2.0], [[2.0, 1.2], [1.2, 1.0]], size=500)
    away = new - [1.0, -2.0]
    distance = np.einsum("ni,ij,nj->n", away, np.linalg.inv([[2.0, 1.2], [1.2, 1.0]]), away)
    expected = -chi2.logsf(distance, 2) / np.log(10)
    found = clf.novelty(new)
    inside = expected < 2
    assert np.abs(found - expected)[inside].mean() < 0.1
    far = clf.novelty([[1.0, -2.0], [6.0, 1.0], [11.0, 4.0], [1.0, 3.0]])
    assert far[0] < 0.1 and far[1] < far[2] and far[3] > 4
    wide = clf.novelty([[11.0, 4.0]], X_err=10.0)  # so badly measured that it may be anything
    assert wide[0] < 1
    assert clf.novelty([[np.nan, np.nan]])[0] < 1  # nothing measured, nothing strange


def test_novelty_wants_a_population():
    X = np.linspace(0, 1, 60)[:, None]
    plain = NoisyGPRegressor(**QUICK).fit(X, X[:, 0])
    with pytest.raises(ValueError, match='fit it again with learn_novelty="always"'):
        plain.novelty(X)
    always = NoisyGPRegressor(learn_novelty="always", **QUICK).fit(X, X[:, 0])
    assert always.novelty([[0.5], [5.0]])[1] > 3


def test_files_keep_all_of_it(trained, tmp_path):
    problem, clf = trained
    X, sigma = problem.X[:60], problem.sigma[:60]
    clf.save(tmp_path / "m")
    for copy in (nimgp.load(tmp_path / "m"), pickle.loads(pickle.dumps(clf))):
        for method in ("novelty", "estimate_prior", "input_log_density"):
            assert np.array_equal(getattr(copy, method)(X, X_err=sigma), getattr(clf, method)(X, X_err=sigma))
        assert np.array_equal(copy.predict_set(X, 0.7, X_err=sigma), clf.predict_set(X, 0.7, X_err=sigma))
        assert np.array_equal(copy.class_shares_, clf.class_shares_)


# ---------------------------------------------------------------------- folds


def test_groups_and_errors_are_routed(trained):
    """Out-of-fold probabilities are those of a fit on the other groups with their own errors."""
    problem, _ = trained
    X, y, sigma = (part[:90] for part in problem[:3])
    groups = np.arange(90) // 5
    clf = NoisyGPClassifier(calibrate=False, **QUICK)
    out = nimgp.cross_val_predict(
        clf, X, y, X_err=sigma, groups=groups, cv=GroupKFold(3), method="predict_proba"
    )
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_val_score(clf, X, y, cv=GroupKFold(3), scoring=nimgp.neg_log_loss,
                                 params={"X_err": sigma, "groups": groups})  # fmt: skip
    folds = list(GroupKFold(3).split(X, y, groups))
    label = np.searchsorted(np.unique(y), y)
    for score, (_, judge) in zip(scores, folds, strict=False):
        assert np.isclose(score, np.log(out[judge, label[judge]]).mean(), atol=1e-12)
    learn, judge = folds[0]
    own = clf.fit(X[learn], y[learn], X_err=sigma[learn]).predict_proba(X[judge], X_err=sigma[judge])
    assert np.array_equal(out[judge], own)
