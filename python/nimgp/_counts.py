# SPDX-License-Identifier: Apache-2.0
"""Counts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import d2_tweedie_score

from ._docstrings import documented
from ._errors import ErrorsLike
from ._estimator import Denoised
from ._inputs import check_counts
from ._masks import refuse_masked
from ._numbers import NumberEstimator
from ._report import Report

if TYPE_CHECKING:
    from typing_extensions import Self

_REQUEST = {"X_err": True, "exposure": True}


@documented
@dataclass(eq=False, repr=False)
class NoisyGPCountRegressor(NumberEstimator):
    """Counts that depend on inputs with error bars.

    y is 0, 1, 2, ...: a Poisson count whose rate is the exponential of a smooth function of the
    true inputs, which has a sparse Gaussian-process prior, times the exposure (the time, area or
    effort over which the count was collected; 1 by default). Inputs are measurements of true
    values; their 1-sigma errors are passed as ``X_err``.

    Parameters
    ----------
    calibrate : bool, default=True
        Whether rows are held out for `predict_interval`. This adds four short trainings, each
        without a quarter of the rows. Tables with fewer than 40 rows have no intervals.
    {parameters}

    Attributes
    ----------
    base_rate_ : float
        Counts per unit of exposure where the latent function is zero.
    {attributes}

    Notes
    -----
    {notes}
    The same holds for `exposure`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, size=(300, 1))
    >>> hours = rng.uniform(0.5, 3.0, size=300)
    >>> y = rng.poisson(hours * np.exp(1 + X[:, 0]))
    >>> model = NoisyGPCountRegressor(epochs=500, random_state=0).fit(X, y, exposure=hours)
    >>> once, twice = model.predict([[1.0], [1.0]], exposure=[1.0, 2.0])
    >>> bool(abs(once / np.exp(2) - 1) < 0.2), bool(np.isclose(twice, 2 * once))
    (True, True)
    """

    likelihood: ClassVar[str] = "poisson"
    _target: ClassVar[str] = "count"
    _quantities: ClassVar[dict[str, tuple[str, ...]]] = {"poisson": ("base_rate",)}

    __metadata_request__fit = _REQUEST
    __metadata_request__partial_fit = _REQUEST
    __metadata_request__predict = _REQUEST
    __metadata_request__score = _REQUEST

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _read_targets(self, y: Any, classes: Any, rows: int) -> dict[str, np.ndarray]:
        return {"targets": check_counts(y, rows)}

    # ------------------------------------------------------------------ learning

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        sample_weight: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
        X_unlabelled: ArrayLike | None = None,
        X_unlabelled_err: ErrorsLike | None = None,
    ) -> Self:
        """Learns from measurements, their errors and counts.

        Parameters
        ----------
        X : array-like of shape (n, d), DataFrame or astropy Table
            Measurements; NaN means missing.
        y : array-like of shape (n,)
            Counts.
        X_err : array-like of shape (n, d) or (d,), float or None
            1-sigma errors: of each cell, of each attribute, or one for all. NaN means unknown, 0 or
            None exact. May also be an :class:`nimgp.Errors` or a tuple (lower, upper) of arrays.
        sample_weight : array-like of shape (n,), optional
            Each row's term in the bound is multiplied by its weight.
        exposure : array-like of shape (n,), float or None
            Time, area or effort over which each count was collected; None: 1 for all.
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
        return self._learn(X, y, X_err, sample_weight, exposure, others)

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        sample_weight: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> Self:
        """Adds rows to the training rows and continues the training.

        See :meth:`NoisyGPRegressor.partial_fit`.

        Parameters
        ----------
        X, y, X_err, sample_weight, exposure
            As in :meth:`fit`; the new rows only.

        Returns
        -------
        self
        """
        return self._learn_more(X, y, X_err, sample_weight, exposure)

    def denoise(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> Denoised:
        """Estimates the true inputs of the training rows.

        Parameters
        ----------
        X, y, X_err, exposure
            The rows of :meth:`fit`, in the same order, or the first of them. With
            ``input="amortised"``, any rows.

        Returns
        -------
        Denoised
            mean and std, each of shape (n, d). For input models that do not infer true inputs, the
            distribution of the inputs given their measurements and the population, if a population
            was learned; otherwise the measurements and their errors.
        """
        return self._denoise(X, y, X_err, exposure)

    # ------------------------------------------------------------------ predicting

    def predict(
        self,
        X: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        return_std: bool = False,
        exposure: ArrayLike | None = None,
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The mean count and, optionally, its standard deviation.

        Parameters
        ----------
        X : array-like of shape (n, d), DataFrame or astropy Table
            Measurements; NaN means missing.
        X_err : array-like of shape (n, d) or (d,), float or None
            1-sigma errors, as in :meth:`fit`. 0 means that the values are exact. So does None, with
            a warning if the estimator was trained with errors.
        return_std : bool, default=False
        exposure : array-like of shape (n,), float or None
            Time, area or effort of the counts to predict. 1 makes the mean a rate. None means 1,
            with a warning if the estimator was trained with an exposure.

        Returns
        -------
        ndarray of shape (n,), or two of them
            The standard deviation is that of a new count. It includes the uncertainty of the rate.
        """
        return self._mean(X, X_err, return_std, exposure)

    def predict_quantiles(
        self,
        X: ArrayLike,
        levels: float | Sequence[float] = (0.05, 0.5, 0.95),
        *,
        X_err: ErrorsLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> np.ndarray:
        """Quantiles: the smallest counts whose cumulative probability reaches the levels.

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
        return self._quantiles(X, levels, X_err, exposure)

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
        return self._interval(X, coverage, X_err, exposure)

    def predict_density(
        self,
        X: ArrayLike,
        grid: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> np.ndarray:
        """The probabilities of counts at the values of a grid.

        Parameters
        ----------
        X, X_err, exposure
            As in :meth:`predict`.
        grid : array-like of shape (k,)
            Counts: 0, 1, 2, ...

        Returns
        -------
        ndarray of shape (n, k)
            P(y = k) for each k of the grid.
        """
        return self._density(X, grid, X_err, exposure)

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
        return self._sample(X, n_samples, X_err, random_state, exposure)

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
            As in :meth:`NoisyGPRegressor.report`.

        Returns
        -------
        Report
        """
        return self._report(X, y, X_err, path, names, exposure)

    def log_density(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        X_err: ErrorsLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> np.ndarray:
        """The log probability of given counts.

        Parameters
        ----------
        X, X_err, exposure
            As in :meth:`predict`.
        y : array-like of shape (n,)
            Counts.

        Returns
        -------
        ndarray of shape (n,)
            The logarithm of each count's probability.
        """
        return self._log_density(X, y, X_err, exposure)

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        X_err: ErrorsLike | None = None,
        exposure: ArrayLike | None = None,
    ) -> float:
        """D2: the share of the Poisson deviance that the means explain.

        As in scikit-learn's PoissonRegressor. 1 is perfect; predicting the mean of y scores 0.

        Parameters
        ----------
        X, X_err, exposure
            As in :meth:`predict`.
        y : array-like of shape (n,)
            Counts. Not needed where :func:`fit_table` fitted and X is a table
            that has them.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        X, y, X_err = self._read_labelled(X, y, X_err)
        mean = self.predict(X, X_err=X_err, exposure=exposure)
        weights = refuse_masked(sample_weight, "sample_weight")
        return float(d2_tweedie_score(refuse_masked(y), mean, sample_weight=weights, power=1))
