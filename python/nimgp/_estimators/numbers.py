# SPDX-License-Identifier: Apache-2.0
"""The base of estimators of numbers and counts, whose predictions are distributions of numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state

from .._base.errors import ErrorsLike
from .._base.masks import refuse_masked, unmasked
from .docstrings import shared_texts
from .estimator import Denoised, Estimator
from .inputs import check_exposure, check_y_err
from .report import Report
from .rows import Given

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(eq=False, repr=False)
class NumberEstimator(RegressorMixin, Estimator):
    """An estimator of one number per row. What stands beside y is its error, or the exposure of a count."""

    _: KW_ONLY
    calibrate: bool = True

    _beside: ClassVar[str]  # "y_err" or "exposure"
    _explained: ClassVar[Callable[..., float]]  # of true numbers, means and weights

    def _read_beside(self, given: Given, rows: int) -> dict[str, Any]:
        for name in ("y_err", "exposure"):
            if name != self._beside and getattr(given, name) is not None:
                raise ValueError(f"{name} is given, but {type(self).__name__} has none")
        return {
            "target_sigma": check_y_err(given.y_err, rows),
            "exposure": check_exposure(given.exposure, rows),
        }

    # ------------------------------------------------------------------ learning

    @shared_texts
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        y_err: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
        X_unlabelled: ArrayLike | None = None,
        X_unlabelled_err: ErrorsLike | None = None,
    ) -> Self:
        """Trains the estimator on measurements, their errors and numbers or counts.

        Parameters
        ----------
        {X}
        y : array-like of shape (n,)
            Numbers or counts.
        {X_err}
        y_err : array-like of shape (n,), float or None
            Only for numbers: 1-sigma errors of y. The noise of a row's y is the learned noise plus
            this error. Predictions are of y itself, without measurement error.
        exposure : array-like of shape (n,), float or None
            Only for counts: time, area or effort over which each was collected; None: 1 for all.
        {weights_and_unlabelled}

        Returns
        -------
        self

        Notes
        -----
        {interrupts}
        """
        given = Given(X, y, X_err, sample_weight, y_err, exposure)
        return self._learn(given, (X_unlabelled, X_unlabelled_err))

    @shared_texts
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        y_err: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> Self:
        """Adds rows to the training rows and continues the training.

        {adding_rows}

        Parameters
        ----------
        X, y, X_err, y_err, sample_weight, exposure
            As in :meth:`fit`; the new rows only.

        Returns
        -------
        self
        """
        return self._learn_more(Given(X, y, X_err, sample_weight, y_err, exposure))

    def denoise(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        y_err: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> Denoised:
        """Estimates the true inputs of the training rows.

        Parameters
        ----------
        X, y, X_err, y_err, exposure
            The rows of :meth:`fit`, in the same order, or the first of them. With
            ``input="amortised"``, any rows.

        Returns
        -------
        Denoised
            As :meth:`NoisyGPClassifier.denoise`.
        """
        return self._denoise(Given(X, y, X_err, None, y_err, exposure))

    # ------------------------------------------------------------------ predicting

    def _distribution(
        self, X: Any, X_err: Any, exposure: Any, *wanted: str, levels: Any = None, **how: Any
    ) -> dict[str, np.ndarray]:
        """`levels` may be a function of the number of rows."""
        table = self._table_to_predict(Given(X, None, X_err, exposure=exposure), False)
        levels = levels(len(table.x)) if callable(levels) else levels
        return self._ready_model().predict(table, *wanted, levels=levels, **how)

    @shared_texts
    def predict(
        self,
        X: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        return_std: bool = False,
        exposure: ArrayLike | None = None,
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The mean of y and, optionally, its standard deviation.

        Parameters
        ----------
        {X}
        {new_X_err}
        return_std : bool, default=False
        exposure : array-like of shape (n,), float or None
            Only for counts: time, area or effort of those to predict. 1 makes the mean a rate. None
            means 1, with a warning if the estimator was trained with an exposure.

        Returns
        -------
        ndarray of shape (n,), or two of them
            The standard deviation is that of a new y. It includes the uncertainty of the function,
            the error of the input and the noise of y. With ``likelihood="student_t"``, whose tails
            decide the standard deviation, it is half of the central 68.27 % interval instead.
        """
        wanted = ("mean", "deviation") if return_std else ("mean",)
        parts = self._distribution(X, X_err, exposure, *wanted)
        return (parts["mean"], parts["deviation"]) if return_std else parts["mean"]

    def predict_quantiles(
        self,
        X: ArrayLike,
        levels: float | Sequence[float] = (0.05, 0.5, 0.95),
        *,
        X_err: ErrorsLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> np.ndarray:
        """Quantiles of y; of counts the smallest whose cumulative probability reaches the level.

        Parameters
        ----------
        X, X_err, exposure
            As in :meth:`predict`.
        levels : float or sequence of k floats, default=(0.05, 0.5, 0.95)
            Probabilities between 0 and 1.

        Returns
        -------
        ndarray of shape (n, k), or (n,) for a single level
        """
        asked = check_levels(levels)
        parts = self._distribution(X, X_err, exposure, "quantiles", levels=np.atleast_1d(asked))
        return parts["quantiles"] if asked.ndim else parts["quantiles"][:, 0]

    def predict_interval(
        self,
        X: ArrayLike,
        coverage: float = 0.9,
        *,
        X_err: ErrorsLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> np.ndarray:
        """Intervals that contain y in at least a given share of the rows.

        They lie between two quantiles, which rows that were held out in training have chosen
        (conformal prediction); so their coverage does not depend on the likelihood being right. New
        rows and their errors must be like those of the training.

        Parameters
        ----------
        X, X_err, exposure
            As in :meth:`predict`.
        coverage : float, default=0.9
            The share, between 0 and 1.

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper ends.
        """
        return self._distribution(X, X_err, exposure, "interval", coverage=float(coverage))["interval"]

    def predict_density(
        self,
        X: ArrayLike,
        grid: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> np.ndarray:
        """The density of y at the values of a grid, or the probabilities of counts.

        Parameters
        ----------
        X, X_err, exposure
            As in :meth:`predict`.
        grid : array-like of shape (k,)
            Values of y, the same for all rows.

        Returns
        -------
        ndarray of shape (n, k)
            p(y) in units of 1 / y, or P(y = k) of counts. A mode is
            ``grid[density.argmax(axis=1)]``.
        """
        points = np.ascontiguousarray(unmasked(grid), dtype=np.float64)
        if points.ndim != 1:
            raise ValueError(f"grid has shape {points.shape}; expected a sequence of numbers")
        return self._distribution(X, X_err, exposure, "density", grid=points)["density"]

    def sample_y(
        self,
        X: ArrayLike,
        n_samples: int = 1,
        *,
        X_err: ErrorsLike | None = None,
        exposure: ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> np.ndarray:
        """Random draws of y from each row's predicted distribution, independent of other rows.

        Parameters
        ----------
        X, X_err, exposure
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
        if not isinstance(n_samples, Integral) or n_samples < 1:
            raise ValueError(f"n_samples={n_samples!r} is not a whole number above 0")
        uniform = check_random_state(random_state).random_sample

        def levels(rows: int) -> np.ndarray:
            """Quantiles at random levels, row after row."""
            return np.maximum(uniform((rows, int(n_samples))), 2.0**-54)

        return self._distribution(X, X_err, exposure, "quantiles", levels=levels)["quantiles"]

    def log_density(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        y_err: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> np.ndarray:
        """The log of the predicted density of given numbers, or of the probability of given counts.

        Parameters
        ----------
        X, X_err, exposure
            As in :meth:`predict`.
        y : array-like of shape (n,)
            Numbers or counts.
        y_err : array-like of shape (n,), float or None
            1-sigma errors of numbers: the density is that of a measurement with this error.

        Returns
        -------
        ndarray of shape (n,)
            log p(y) of each row, in units of y, or log P(y).
        """
        return self._log_density(Given(X, y, X_err, None, y_err, exposure))

    def report(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        X_err: ErrorsLike | None = None,
        path: str | os.PathLike[str] | None = None,
        names: Sequence[str] | None = None,
        exposure: ArrayLike | None = None,
    ) -> Report:
        """Makes an HTML page about the model and its predictions.

        Parameters
        ----------
        X, X_err, exposure
            As in :meth:`predict`.
        y, path, names
            As in :meth:`NoisyGPClassifier.report`.

        Returns
        -------
        Report
        """
        return self._report(Given(X, y, X_err, exposure=exposure), path, names)

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        X_err: ErrorsLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> float:
        """How much of the variation of y the means explain, as in scikit-learn.

        Of numbers it is R2, the share of the variance; of counts D2, the share of the Poisson
        deviance. 1 is perfect; predicting the mean of y scores 0.

        Parameters
        ----------
        X, X_err, exposure
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
        mean = self.predict(X, X_err=X_err, exposure=exposure)
        return float(self._explained(refuse_masked(y), mean, sample_weight=sample_weight))


def check_levels(levels: float | Sequence[float]) -> np.ndarray:
    """Levels of quantiles as an array of shape () or (k,)."""
    asked = np.asarray(unmasked(levels), dtype=np.float64)
    if asked.ndim > 1:
        raise ValueError(f"levels has shape {asked.shape}; expected numbers between 0 and 1")
    for level in np.atleast_1d(asked).tolist():
        if not 0 < level < 1:
            raise ValueError(f"levels: {level:g} is not between 0 and 1")
    return np.ascontiguousarray(asked) if asked.ndim else asked
