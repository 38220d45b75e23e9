# SPDX-License-Identifier: Apache-2.0
"""Numbers."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import r2_score

from .._base.errors import ErrorsLike
from .._base.masks import unmasked
from .docstrings import documented
from .inputs import check_numbers
from .numbers import NumberEstimator


@documented
@dataclass(eq=False, repr=False)
class NoisyGPRegressor(NumberEstimator):
    """Gaussian-process regression for inputs with error bars.

    y is a smooth function of the true inputs, which has a sparse Gaussian-process prior, plus
    noise. Inputs are measurements of true values; their 1-sigma errors are passed as ``X_err``.

    Parameters
    ----------
    likelihood : {choices of number}, default="gaussian"
        Distribution of the noise of y: normal, or Student's t, which tolerates outliers. Its width
        is learned.
    lowest, highest : float, default=-inf, inf
        Bounds of y, within which all predictions are. The logarithm of the distance from a bound is
        learned, or a logit with two bounds; ``lowest=0`` is for positive numbers. The noise of y is
        then that of the transformed y.
    calibrate : bool, default=True
        Whether rows are held out for `predict_interval`. This adds four short trainings, each
        without a quarter of the rows. Tables with fewer than 40 rows have no intervals.
    {parameters}

    Attributes
    ----------
    noise_deviation_ : float
        Standard deviation of the noise of y, in its units (gaussian).
    scale_, freedom_ : float
        Width of the noise of y, in its units, and its degrees of freedom (student_t).
    {attributes}

    Notes
    -----
    {notes}

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.uniform(-3, 3, size=(200, 1))
    >>> y = np.sin(truth[:, 0]) + 0.1 * rng.normal(size=200)
    >>> sigma = rng.uniform(0.05, 0.3, size=truth.shape)
    >>> X = truth + sigma * rng.normal(size=truth.shape)
    >>> model = NoisyGPRegressor(random_state=0).fit(X, y, X_err=sigma)
    >>> mean, std = model.predict([[1.5], [1.5]], X_err=[[0.0], [1.0]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.5)) < 0.15), bool(std[1] > std[0])
    (True, True)
    """

    _: KW_ONLY
    likelihood: str = "gaussian"
    lowest: float = float("-inf")
    highest: float = float("inf")

    _target: ClassVar[str] = "number"
    _quantities: ClassVar[dict[str, tuple[str, ...]]] = {
        "gaussian": ("noise_deviation",),
        "student_t": ("scale", "freedom"),
    }

    _beside: ClassVar[str] = "y_err"
    _explained = staticmethod(r2_score)

    def _read_targets(self, y: Any, classes: Any, rows: int) -> dict[str, np.ndarray]:
        return {"targets": check_numbers(y, rows)}

    def predict_modes(
        self,
        X: ArrayLike,
        grid: ArrayLike,
        most: int = 1,
        *,
        X_err: ErrorsLike | None = None,
    ) -> np.ndarray:
        """The most probable values of y, where the density has its peaks.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict`.
        grid : array-like of shape (k,)
            Increasing values of y, the same for all rows. Peaks are sought between them, so the grid
            must be finer than the peaks are wide; at its ends there are none.
        most : int, default=1
            How many of each row.

        Returns
        -------
        ndarray of shape (n, most)
            The highest peak first; NaN where there are fewer.
        """
        if not isinstance(most, Integral) or most < 1:
            raise ValueError(f"most={most!r} is not a whole number above 0")
        points = np.ascontiguousarray(unmasked(grid), dtype=np.float64)
        if points.ndim != 1 or len(points) < 3 or not (np.diff(points) > 0).all():
            raise ValueError("grid is not an increasing sequence of at least three numbers")
        density = self.predict_density(X, points, X_err=X_err)
        modes = np.full((len(density), int(most)), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            for row, own in enumerate(np.log(density)):
                peaks = 1 + np.flatnonzero((own[1:-1] > own[:-2]) & (own[1:-1] >= own[2:]))
                best = peaks[np.argsort(-own[peaks], kind="stable")][: int(most)]
                # To the vertex of the parabola through the logarithms of three values.
                left, right = points[best] - points[best - 1], points[best + 1] - points[best]
                rise, fall = (own[best] - own[best - 1]) / left, (own[best] - own[best + 1]) / right
                moved = (rise * right - fall * left) / (2 * (rise + fall))
                modes[row, : len(best)] = points[best] + np.where(np.isfinite(moved), moved, 0.0)
        return modes
