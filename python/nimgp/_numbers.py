# SPDX-License-Identifier: Apache-2.0
"""The base of estimators of numbers and counts, whose predictions are distributions of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state

from ._estimator import Estimator
from ._masks import unmasked
from ._model import Table


@dataclass(eq=False, repr=False)
class NumberEstimator(RegressorMixin, Estimator):
    """An estimator of one number per row."""

    _: KW_ONLY
    calibrate: bool = True

    def _distribution(
        self, X: Any, X_err: Any, *wanted: str, exposure: Any = None, levels: Any = None, **how: Any
    ) -> dict[str, np.ndarray]:
        """`levels` may be a function of the number of rows."""
        values, sigma = self._rows_to_predict(X, X_err)
        exposure = self._exposure_to_predict(exposure, len(values))
        table = Table(values, sigma, exposure=exposure)
        levels = levels(len(values)) if callable(levels) else levels
        return self._ready_model().predict(table, *wanted, levels=levels, **how)

    def _mean(self, X: Any, X_err: Any, return_std: bool, exposure: Any = None) -> Any:
        wanted = ("mean", "deviation") if return_std else ("mean",)
        parts = self._distribution(X, X_err, *wanted, exposure=exposure)
        return tuple(parts.values()) if return_std else parts["mean"]

    def _quantiles(self, X: Any, levels: Any, X_err: Any, exposure: Any = None) -> np.ndarray:
        asked = check_levels(levels)
        parts = self._distribution(
            X, X_err, "quantiles", exposure=exposure, levels=np.atleast_1d(asked)
        )
        return parts["quantiles"] if asked.ndim else parts["quantiles"][:, 0]

    def _density(self, X: Any, grid: Any, X_err: Any, exposure: Any = None) -> np.ndarray:
        points = np.ascontiguousarray(unmasked(grid), dtype=np.float64)
        if points.ndim != 1:
            raise ValueError(f"grid has shape {points.shape}; expected a sequence of numbers")
        return self._distribution(X, X_err, "density", exposure=exposure, grid=points)["density"]

    def _modes(self, X: Any, grid: Any, most: int, X_err: Any) -> np.ndarray:
        """Peaks on the grid, each moved to the vertex of the parabola through the logarithms of three values."""
        if not isinstance(most, Integral) or most < 1:
            raise ValueError(f"most={most!r} is not a whole number above 0")
        points = np.ascontiguousarray(unmasked(grid), dtype=np.float64)
        if points.ndim != 1 or len(points) < 3 or not (np.diff(points) > 0).all():
            raise ValueError("grid is not an increasing sequence of at least three numbers")
        density = self._density(X, points, X_err)
        modes = np.full((len(density), int(most)), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            for row, own in enumerate(np.log(density)):
                peaks = 1 + np.flatnonzero((own[1:-1] > own[:-2]) & (own[1:-1] >= own[2:]))
                best = peaks[np.argsort(-own[peaks], kind="stable")][: int(most)]
                left, right = points[best] - points[best - 1], points[best + 1] - points[best]
                rise, fall = (own[best] - own[best - 1]) / left, (own[best] - own[best + 1]) / right
                moved = (rise * right - fall * left) / (2 * (rise + fall))
                modes[row, : len(best)] = points[best] + np.where(np.isfinite(moved), moved, 0.0)
        return modes

    def _interval(self, X: Any, coverage: float, X_err: Any, exposure: Any = None) -> np.ndarray:
        parts = self._distribution(X, X_err, "interval", exposure=exposure, coverage=float(coverage))
        return parts["interval"]

    def _sample(
        self, X: Any, n_samples: int, X_err: Any, random_state: Any, exposure: Any = None
    ) -> np.ndarray:
        """Quantiles at random levels, row after row."""
        if not isinstance(n_samples, Integral) or n_samples < 1:
            raise ValueError(f"n_samples={n_samples!r} is not a whole number above 0")
        uniform = check_random_state(random_state).random_sample

        def levels(rows: int) -> np.ndarray:
            return np.maximum(uniform((rows, int(n_samples))), 2.0**-54)

        return self._distribution(X, X_err, "quantiles", exposure=exposure, levels=levels)["quantiles"]


def check_levels(levels: float | Sequence[float]) -> np.ndarray:
    """Levels of quantiles as an array of shape () or (k,)."""
    asked = np.asarray(unmasked(levels), dtype=np.float64)
    if asked.ndim > 1:
        raise ValueError(f"levels has shape {asked.shape}; expected numbers between 0 and 1")
    for level in np.atleast_1d(asked).tolist():
        if not 0 < level < 1:
            raise ValueError(f"levels: {level:g} is not between 0 and 1")
    return np.ascontiguousarray(asked) if asked.ndim else asked
