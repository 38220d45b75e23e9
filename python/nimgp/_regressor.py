# SPDX-License-Identifier: Apache-2.0
"""Numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import r2_score

from ._docstrings import documented
from ._errors import ErrorsLike
from ._inputs import check_numbers
from ._masks import refuse_masked
from ._numbers import NumberEstimator


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

    _target: ClassVar[str] = "number"
    _quantities: ClassVar[dict[str, tuple[str, ...]]] = {
        "gaussian": ("noise_deviation",),
        "student_t": ("scale", "freedom"),
    }

    def _read_targets(self, y: Any, classes: Any, rows: int) -> dict[str, np.ndarray]:
        return {"targets": check_numbers(y, rows)}

    def predict(
        self, X: ArrayLike, *, X_err: ErrorsLike | None = None, return_std: bool = False
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The mean of y and, optionally, its standard deviation.

        Parameters
        ----------
        X : array-like of shape (n, d), DataFrame or astropy Table
            Measurements; NaN means missing.
        X_err : array-like of shape (n, d) or (d,), float or None
            1-sigma errors, as in :meth:`fit`. 0 means that the values are exact. So does None, with
            a warning if the estimator was trained with errors.
        return_std : bool, default=False

        Returns
        -------
        ndarray of shape (n,), or two of them
            The standard deviation is that of a new y. It includes the uncertainty of the function,
            the error of the input and the noise of y.
        """
        return self._mean(X, X_err, return_std)

    def predict_quantiles(
        self,
        X: ArrayLike,
        levels: float | Sequence[float] = (0.05, 0.5, 0.95),
        *,
        X_err: ErrorsLike | None = None,
    ) -> np.ndarray:
        """Quantiles of y.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict`.
        levels : float or sequence of k floats, default=(0.05, 0.5, 0.95)
            Probabilities between 0 and 1.

        Returns
        -------
        ndarray of shape (n, k), or (n,) for a single level
        """
        return self._quantiles(X, levels, X_err)

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        X_err: ErrorsLike | None = None,
    ) -> float:
        """R2: the share of the variance of y that the means explain, as in scikit-learn.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict`.
        y : array-like of shape (n,)
            True values.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        return float(r2_score(refuse_masked(y), self.predict(X, X_err=X_err), sample_weight=sample_weight))
