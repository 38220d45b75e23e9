# SPDX-License-Identifier: Apache-2.0
"""What comes out: laws that must hold."""

from __future__ import annotations

import numpy as np
import pytest

from nimgp import NoisyGPClassifier
from problems import make_problem


@pytest.fixture(scope="module")
def trained():
    problem = make_problem(300)
    clf = NoisyGPClassifier(epochs=100, rate=0.05, warm_up=100, random_state=0)
    return problem, clf.fit(problem.X, problem.y, X_err=problem.sigma)


def test_error_bars_pay(trained):
    problem, clf = trained
    exact = NoisyGPClassifier("exact", epochs=600, calibrate=False, random_state=0)
    exact.fit(problem.X, problem.y)
    new = make_problem(1000, seed=1)
    number = np.searchsorted(clf.classes_, new.y)
    nll = [
        -model.predict_log_proba(new.X, X_err=new.sigma)[np.arange(1000), number].mean()
        for model in (clf, exact)
    ]
    assert nll[0] < 0.8 * nll[1]
    assert clf.score(new.X, new.y, X_err=new.sigma) > 0.8


def test_probabilities(trained):
    problem, clf = trained
    p = clf.predict_proba(problem.X, X_err=problem.sigma)
    assert np.allclose(p.sum(axis=1), 1) and (p > 0).all()
    assert np.array_equal(clf.predict_log_proba(problem.X, X_err=problem.sigma), np.log(p))
    wide = clf.predict_proba([[1.0, 0.0]], X_err=3.0).max()
    assert wide < clf.predict_proba([[1.0, 0.0]], X_err=0.05).max()


def test_uncertainty_is_the_sum_of_its_parts(trained):
    problem, clf = trained
    parts = clf.uncertainty(problem.X, X_err=problem.sigma)
    p = clf.predict_proba(problem.X, X_err=problem.sigma)
    assert np.allclose(parts.total, -(p * np.log(p)).sum(axis=1), atol=1e-10)
    assert all((part >= 0).all() for part in parts)
    assert np.allclose(parts.total, parts.measurement + parts.rest, atol=1e-9)
    exact = clf.uncertainty(problem.X, X_err=0)
    assert np.allclose(exact.measurement, 0)
    assert parts.measurement.mean() > exact.measurement.mean()


def test_remeasuring(trained):
    problem, _ = trained
    clf = NoisyGPClassifier(
        epochs=60, rate=0.05, warm_up=100, calibrate=False, points=256, random_state=0
    ).fit(problem.X, problem.y, X_err=problem.sigma)
    X, _, sigma, _ = (array[:60] for array in problem)
    gain = clf.remeasure(X, X_err=sigma)
    assert gain.shape == X.shape and (gain >= 0).all()
    assert np.array_equal(clf.remeasure(X, X_err=0), np.zeros_like(gain))
    one = clf.remeasure(X, X_err=np.where([True, False], sigma, 0.0))
    assert (one[:, 1] == 0).all() and one[:, 0].max() > 0
    # Knowing one attribute cannot tell more than knowing all of them.
    every = clf.uncertainty(X, X_err=sigma).measurement
    assert (gain.max(axis=1) <= every + 0.02).all()


def test_remeasuring_is_on_the_scale_of_a_calibrated_entropy(trained):
    """Where one attribute alone is noisy, to measure it is to measure all."""
    problem, clf = trained
    assert abs(np.log(clf.temperature_)) > 0.05
    X, sigma = problem.X[:60], np.where([True, False], problem.sigma[:60], 0.0)
    every = clf.uncertainty(X, X_err=sigma).measurement
    # The gain takes a mixture of populations for one Gaussian: 2 % here without a temperature.
    assert np.isclose(clf.remeasure(X, X_err=sigma)[:, 0].sum(), every.sum(), rtol=0.04)


def test_suggestions(trained):
    problem, clf = trained
    parts = clf.uncertainty(problem.X, X_err=problem.sigma)
    chosen = clf.suggest(problem.X, 7, X_err=problem.sigma)
    assert chosen.tolist() == np.argsort(-parts.total)[:7].tolist()
    chosen = clf.suggest(problem.X, 7, X_err=problem.sigma, by="entropy")
    assert chosen.tolist() == np.argsort(-parts.total)[:7].tolist()
    assert len(clf.suggest(problem.X[:4], 7, X_err=0)) == 4
    with pytest.raises(ValueError, match="by='beauty' is not one of"):
        clf.suggest(problem.X, 7, by="beauty")
    with pytest.raises(ValueError, match="n=0 is not"):
        clf.suggest(problem.X, 0)


def test_denoising_moves_rows_towards_the_truth(trained):
    problem, marginal = trained
    clf = NoisyGPClassifier("latent", epochs=600, calibrate=False, random_state=0)
    clf.fit(problem.X, problem.y, X_err=problem.sigma)
    mean, std = clf.denoise(problem.X, problem.y, X_err=problem.sigma)
    # What is known besides the measurement narrows its error bar, unless the label contradicts it.
    ratio = std / problem.sigma
    assert (ratio > 0).all() and np.quantile(ratio, 0.95) < 1.1 and ratio.mean() < 1
    before = np.square((problem.X - problem.truth) / problem.sigma).mean()
    after = np.square((mean - problem.truth) / problem.sigma).mean()
    assert after < 0.97 * before
    # Without the labels, from how true inputs are spread.
    shrunk, std = marginal.denoise(problem.X, problem.y, X_err=problem.sigma)
    assert 0.7 < np.square((shrunk - problem.truth) / std).mean() < 1.3
    assert np.square((shrunk - problem.truth) / problem.sigma).mean() < 0.97 * before
    same = NoisyGPClassifier("exact", epochs=5, calibrate=False)
    same.fit(problem.X, problem.y, X_err=problem.sigma)
    mean, std = same.denoise(problem.X, problem.y, X_err=problem.sigma)
    assert np.allclose(mean, problem.X) and np.allclose(std, problem.sigma)
    with pytest.raises(ValueError, match="has 301 rows; the model was trained on 300"):
        clf.denoise(problem.X[np.arange(301) % 300], problem.y[np.arange(301) % 300], X_err=0.1)


def test_what_is_learned_is_in_the_users_units(trained):
    """Another unit, here a power of two, changes the numbers by its power and nothing else."""
    (X, y, sigma, _), _ = trained
    clf = NoisyGPClassifier(noise="both", epochs=30, calibrate=False, random_state=0)
    metres = clf.fit(X, y, X_err=sigma)
    p, noise, length = metres.predict_proba(X, X_err=sigma), clf.noise_variance_, clf.lengthscales_
    unit = np.array([128.0, 0.25])
    clf.fit(X * unit, y, X_err=sigma * unit)
    assert np.array_equal(clf.predict_proba(X * unit, X_err=sigma * unit), p)
    assert np.array_equal(clf.noise_variance_, noise * unit**2) and (noise > 0).all()
    assert np.array_equal(clf.lengthscales_, length * unit)


def test_a_panel_says_how_typical_errors_are():
    """Two classes that overlap, but the errors of the second are larger."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 400)
    X = 0.5 * y[:, None] + rng.normal(size=(400, 2))
    sigma = 0.1 * np.exp(0.3 * rng.normal(size=(400, 2)) + 0.7 * y[:, None])
    clf = NoisyGPClassifier(random_state=0, n_jobs=1).fit(X[:300], y[:300], X_err=sigma[:300])
    one = NoisyGPClassifier(random_state=0, n_jobs=1, views="one").fit(X[:300], y[:300], X_err=sigma[:300])
    assert clf.panel_weights_.shape == (2, len(clf.panel_views_))
    np.testing.assert_allclose(clf.panel_weights_.sum(axis=1), 1, rtol=1e-12)
    usual, larger, smaller = (clf.typical(X[300:], X_err=k * sigma[300:]).mean() for k in (1, 10, 0.1))
    assert usual > 0.5 > larger and usual > smaller
    as_usual, where_larger = clf.panel_weights_
    for k in 1, 10, 0.1:
        typical = clf.typical(X[300:], X_err=k * sigma[300:])
        weights = clf.fit_weights(X[300:], X_err=k * sigma[300:])
        rest = weights - typical[:, None] * as_usual
        larger = rest[:, 1] / where_larger[1]
        plain = 1 - typical - larger  # where errors are smaller
        assert larger.min() > -1e-12 and plain.min() > -1e-12
        assert np.mean({1: typical, 10: larger, 0.1: plain}[k]) > 0.5
        np.testing.assert_allclose(rest[:, 0], larger * where_larger[0] + plain, atol=1e-12)
        np.testing.assert_allclose(rest[:, 2], larger * where_larger[2], atol=1e-12)
    p, plain = (model.predict_proba(X[300:], X_err=sigma[300:]) for model in (clf, one))
    chosen = np.arange(100), y[300:]
    assert np.log(p[chosen]).mean() > np.log(plain[chosen]).mean() + 0.1
    assert not one.panel_views_
    with pytest.raises(ValueError, match="panel"):
        one.typical(X, X_err=sigma)
