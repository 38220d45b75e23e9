# SPDX-License-Identifier: Apache-2.0
"""Small problems, and where the source is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nimgp import (
    NoisyGPClassifier,
    NoisyGPCountRegressor,
    NoisyGPMultiLabelClassifier,
    NoisyGPOrdinalClassifier,
    NoisyGPRegressor,
)

ROOT = Path(__file__).parents[2]

ESTIMATORS = [
    NoisyGPClassifier,
    NoisyGPOrdinalClassifier,
    NoisyGPMultiLabelClassifier,
    NoisyGPRegressor,
    NoisyGPCountRegressor,
]


def uncalibrated(kind: type, settings: dict[str, Any]) -> dict[str, Any]:
    """The same settings, without the four short trainings that calibrate classes and levels."""
    return settings | ({"calibrate": False} if "calibrate" in kind().get_params() else {})


class Problem(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    sigma: np.ndarray
    truth: np.ndarray


def make_problem(rows: int = 120, seed: int = 0) -> Problem:
    """Three classes in a plane, divided by lines, measured with an error bar for every cell."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(-2, 2, size=(rows, 2))
    angle = np.arctan2(truth[:, 1], truth[:, 0])
    y = np.array(["east", "north", "west"])[np.digitize(angle, [-np.pi / 3, np.pi / 3])]
    sigma = rng.uniform(0.05, 0.5, size=truth.shape)
    return Problem(truth + sigma * rng.normal(size=truth.shape), y, sigma, truth)


def make_targets(kind: type, rows: int = 120, seed: int = 0) -> Problem:
    """A smooth function of a plane, measured with error bars, as what such an estimator learns."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(-2, 2, size=(rows, 2))
    height = np.sin(1.5 * truth[:, 0]) + truth[:, 1]
    sigma = rng.uniform(0.05, 0.3, size=truth.shape)
    X = truth + sigma * rng.normal(size=truth.shape)
    y = {
        NoisyGPClassifier: np.array(["down", "up"])[(height > 0).astype(int)],
        NoisyGPOrdinalClassifier: np.digitize(height, [-1, 0, 1]),
        NoisyGPMultiLabelClassifier: np.column_stack([height > 0, truth[:, 0] > 0, height > 2]).astype(int),
        NoisyGPRegressor: height + 0.1 * rng.normal(size=rows),
        NoisyGPCountRegressor: rng.poisson(np.exp(1 + 0.5 * height)),
    }[kind]
    return Problem(X, y, sigma, truth)


def predicted(estimator: Any, X: Any, X_err: Any, **more: Any) -> np.ndarray:
    """The distributions an estimator predicts, in one array."""
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(X, X_err=X_err, **more)
    return np.column_stack(
        [
            *estimator.predict(X, X_err=X_err, return_std=True, **more),
            estimator.predict_quantiles(X, (0.1, 0.7), X_err=X_err, **more),
        ]
    )
