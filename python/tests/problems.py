# SPDX-License-Identifier: Apache-2.0
"""Small problems, and where the source is."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from nimgp import (
    NoisyGPClassifier,
    NoisyGPCountRegressor,
    NoisyGPMultiLabel,
    NoisyGPOrdinal,
    NoisyGPRegressor,
)

ROOT = Path(__file__).parents[2]

ESTIMATORS = [
    NoisyGPClassifier,
    NoisyGPOrdinal,
    NoisyGPMultiLabel,
    NoisyGPRegressor,
    NoisyGPCountRegressor,
]


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
