# SPDX-License-Identifier: Apache-2.0
"""Attributes with heavy tails: warped by nimgp, or by NumPy beforehand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nimgp import NoisyGPClassifier

SETTINGS = {"epochs": 40, "stop": "fixed", "calibrate": False, "random_state": 1, "n_jobs": 1}


@pytest.fixture(scope="module")
def table() -> tuple[np.ndarray, np.ndarray]:
    """A normal column and a log-normal one, and classes that depend on both."""
    rng = np.random.default_rng(3)
    hidden = rng.normal(size=(200, 2))
    X = np.column_stack([hidden[:, 0], np.exp(2.0 * hidden[:, 1])])
    return X, (hidden.sum(axis=1) + 0.3 * rng.normal(size=200) > 0).astype(int)


def warped_by_hand(column: np.ndarray) -> np.ndarray:
    low, middle, high = np.percentile(column, [25, 50, 75])
    return np.arcsinh((column - middle) / ((high - low) / 1.3489795003921634))


def test_same_as_warped_by_hand(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = table
    by_hand = np.column_stack([X[:, 0], warped_by_hand(X[:, 1])])
    ours = NoisyGPClassifier(**SETTINGS).fit(X, y)
    theirs = NoisyGPClassifier(warp="none", **SETTINGS).fit(by_hand, y)
    unwarped = NoisyGPClassifier(warp="none", **SETTINGS).fit(X, y)
    expected = theirs.predict_proba(by_hand)
    assert np.abs(ours.predict_proba(X) - expected).max() < 1e-6
    assert np.abs(unwarped.predict_proba(X) - expected).max() > 1e-2


def test_error_bars_and_gaps_prevent_it(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = table
    errors = np.full_like(X, 0.1)
    gaps = X.copy()
    gaps[::9, 0] = np.nan
    for rows, X_err in [(X, errors), (gaps, None)]:
        answers = [
            NoisyGPClassifier(warp=warp, **SETTINGS)
            .fit(rows, y, X_err=X_err)
            .predict_proba(rows[:20], X_err=None if X_err is None else X_err[:20])
            for warp in ("auto", "none")
        ]
        assert np.array_equal(*answers)


def test_lengthscales_are_in_the_units_of_the_table(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = table
    by_hand = np.column_stack([X[:, 0], warped_by_hand(X[:, 1])])
    ours = NoisyGPClassifier(**SETTINGS).fit(X, y)
    theirs = NoisyGPClassifier(warp="none", **SETTINGS).fit(by_hand, y)
    low, high = np.percentile(X[:, 1], [25, 75])
    unit = np.array([1.0, (high - low) / 1.3489795003921634])  # at the median
    assert np.allclose(ours.lengthscales_, theirs.lengthscales_ * unit, rtol=1e-6)


def test_saved_models_keep_it(table: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    X, y = table
    model = NoisyGPClassifier(**SETTINGS).fit(X, y)
    path = f"{tmp_path}/model.nimgp"
    model.save(path)
    again = NoisyGPClassifier.load(path)
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))


def test_rows_with_errors_can_be_predicted(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = table
    model = NoisyGPClassifier(learn_novelty="always", **SETTINGS).fit(X, y)
    rows = np.array([[0.0, 1.0], [np.nan, 1e300], [0.1, np.nan]])
    for X_err in (None, np.full_like(rows, 0.2)):
        assert np.isfinite(model.predict_proba(rows, X_err=X_err)).all()
        assert np.isfinite(model.input_log_density(rows, X_err=X_err)).all()
