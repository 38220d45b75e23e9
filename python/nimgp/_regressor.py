# SPDX-License-Identifier: Apache-2.0
"""Numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import r2_score

from ._docstrings import documented
from ._errors import ErrorsLike
from ._estimator import Denoised
from ._inputs import check_numbers, check_y_err
from ._masks import refuse_masked
from ._numbers import NumberEstimator

if TYPE_CHECKING:
    from typing_extensions import Self


class _Measured(NamedTuple):
    """Numbers and their errors, where y is expected."""

    y: Any
    error: Any


def _measured(y: Any, y_err: Any) -> Any:
    return y if y_err is None else _Measured(y, y_err)


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

    def _read_targets(self, y: Any, classes: Any, rows: int) -> dict[str, np.ndarray]:
        y, y_err = y if isinstance(y, _Measured) else (y, None)
        error = check_y_err(y_err, rows)
        return {"targets": check_numbers(y, rows)} | ({} if error is None else {"target_sigma": error})

    # ------------------------------------------------------------------ learning

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        y_err: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        X_unlabelled: ArrayLike | None = None,
        X_unlabelled_err: ErrorsLike | None = None,
    ) -> Self:
        """Trains the estimator on measurements, their errors and numbers.

        Parameters
        ----------
        X : array-like of shape (n, d), DataFrame or astropy Table
            Measurements; NaN means missing.
        y : array-like of shape (n,)
            Numbers.
        X_err : array-like of shape (n, d) or (d,), float or None
            1-sigma errors: of each cell, of each attribute, or one for all. NaN means unknown, 0 or
            None exact. May also be an :class:`nimgp.Errors` or a tuple (lower, upper) of arrays.
        y_err : array-like of shape (n,), float or None
            1-sigma errors of y. The noise of a row's y is the learned noise plus this error.
            Predictions are of y itself, without measurement error.
        sample_weight : array-like of shape (n,), optional
            Each row's term in the bound is multiplied by its weight.
        X_unlabelled : array-like of shape (m, d), DataFrame or astropy Table, optional
            Measurements of which y is unknown. The distribution of the true inputs (`population`)
            is learned from these rows too.
        X_unlabelled_err : array-like of shape (m, d) or (d,), float or None
            Their errors, as `X_err`.

        Returns
        -------
        self

        Notes
        -----
        An interrupt (Ctrl-C) stops training after the current step and raises KeyboardInterrupt.
        The estimator can then predict. With ``warm_start=True``, `fit` with the same data continues
        the training.
        """
        others = (X_unlabelled, X_unlabelled_err)
        return self._learn(X, _measured(y, y_err), X_err, sample_weight, others=others)

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        y_err: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Adds rows to the training rows and continues the training.

        See :meth:`NoisyGPClassifier.partial_fit`.

        Parameters
        ----------
        X, y, X_err, y_err, sample_weight
            As in :meth:`fit`; the new rows only.

        Returns
        -------
        self
        """
        return self._learn_more(X, _measured(y, y_err), X_err, sample_weight)

    def denoise(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        y_err: ArrayLike | None = None,
    ) -> Denoised:
        """Estimates the true inputs of the training rows.

        Parameters
        ----------
        X, y, X_err, y_err
            The rows of :meth:`fit`, in the same order, or the first of them. With
            ``input="amortised"``, any rows.

        Returns
        -------
        Denoised
            As :meth:`NoisyGPClassifier.denoise`.
        """
        return self._denoise(X, _measured(y, y_err), X_err)

    # ------------------------------------------------------------------ predicting

    def log_density(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        y_err: ArrayLike | None = None,
    ) -> np.ndarray:
        """The log of the predicted density of given numbers.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict`.
        y : array-like of shape (n,)
            Numbers.
        y_err : array-like of shape (n,), float or None
            Their 1-sigma errors: the density is that of a measurement with this error.

        Returns
        -------
        ndarray of shape (n,)
            log p(y) of each row, in units of y.
        """
        return self._log_density(X, _measured(y, y_err), X_err)

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
            the error of the input and the noise of y. With ``likelihood="student_t"``, whose tails
            decide the standard deviation, it is half of the central 68.27 % interval instead.
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

    def predict_interval(
        self,
        X: ArrayLike,
        coverage: float = 0.9,
        *,
        X_err: ErrorsLike | None = None,
    ) -> np.ndarray:
        """Intervals that contain y in at least a given share of the rows.

        They lie between two quantiles, which rows that were held out in training have chosen
        (conformal prediction); so their coverage does not depend on the likelihood being right. New
        rows and their errors must be like those of the training.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict`.
        coverage : float, default=0.9
            The share, between 0 and 1.

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper ends.
        """
        return self._interval(X, coverage, X_err)

    def predict_density(
        self,
        X: ArrayLike,
        grid: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
    ) -> np.ndarray:
        """The density of y at the values of a grid.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict`.
        grid : array-like of shape (k,)
            Values of y, the same for all rows.

        Returns
        -------
        ndarray of shape (n, k)
            p(y) in units of 1 / y.
        """
        return self._density(X, grid, X_err)

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
        return self._modes(X, grid, most, X_err)

    def sample_y(
        self,
        X: ArrayLike,
        n_samples: int = 1,
        *,
        X_err: ErrorsLike | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> np.ndarray:
        """Random draws of y from each row's predicted distribution, independent of other rows.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict`.
        n_samples : int, default=1
            Draws of each row.
        random_state : int, RandomState or None, default=0
            The same seed gives the same draws. Those of the first rows do not depend on how many
            rows follow.

        Returns
        -------
        ndarray of shape (n, n_samples)
        """
        return self._sample(X, n_samples, X_err, random_state)

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
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
            True values. Not needed where :func:`fit_table` fitted and X is a table
            that has them.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        X, y, X_err = self._read_labelled(X, y, X_err)
        return float(r2_score(refuse_masked(y), self.predict(X, X_err=X_err), sample_weight=sample_weight))
