# SPDX-License-Identifier: Apache-2.0
"""Numbers."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import r2_score

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
