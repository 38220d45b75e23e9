# SPDX-License-Identifier: Apache-2.0
"""The uncertainty of classes, levels or sets of labels, its parts, and what would reduce it."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._base.errors import ErrorsLike
from .._native.table import Table


class Uncertainty(NamedTuple):
    """How uncertain the class of each row is, in nats, and why; all of shape (n,).

    Attributes
    ----------
    total : ndarray
        Entropy of the probabilities, the sum of the other two. For sets of labels, the sum over
        the labels.
    measurement : ndarray
        By how much this model's entropy would fall on average if the row's inputs were measured
        exactly.
    rest : ndarray
        What overlapping classes and too few training rows leave together. Which of the two it is
        cannot be told: the spread of the latent functions explains overlap, too.
    """

    total: np.ndarray
    measurement: np.ndarray
    rest: np.ndarray


class UncertaintyMethods:
    """Methods about the uncertainty of classes, levels or sets of labels."""

    _predict: Any
    _rows_to_predict: Any
    _ready_model: Any

    def uncertainty(self, X: ArrayLike, *, X_err: ErrorsLike | None = None) -> Uncertainty:
        """How uncertain the class of each row is, and the parts of the uncertainty.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict_proba`.

        Returns
        -------
        Uncertainty
            total, measurement and rest, each of shape (n,), in nats. The parts can be off
            by about 0.015 nats at the default `tolerance`; a fixed `points` makes them more
            accurate. For input models that do not average over the possible inputs
            ("first_order", "exact" and most baselines) the part of the measurement is 0.
        """
        parts = self._predict(X, X_err, "entropy", "measurement_part", "model_part")
        return Uncertainty(*parts.values())

    def suggest(
        self,
        pool: ArrayLike,
        n: int = 10,
        *,
        X_err: ErrorsLike | None = None,
        by: Literal["entropy", "rest"] = "entropy",
    ) -> np.ndarray:
        """The rows whose labels would help most.

        Parameters
        ----------
        pool, X_err
            Rows without labels, as X and X_err in :meth:`predict_proba`.
        n : int, default=10
            Number of rows; fewer if the pool is smaller.
        by : {"entropy", "rest"}, default="entropy"
            "entropy": how uncertain the class is. "rest": without the part that exact measurements
            of the row would remove.

        Returns
        -------
        ndarray of int
            Row numbers, the best first.
        """
        scores = {"entropy": "entropy", "rest": "model_part"}
        if by not in scores:
            raise ValueError(f"by={by!r} is not one of {list(scores)}")
        if not isinstance(n, Integral) or n < 1:
            raise ValueError(f"n={n!r} is not a positive whole number")
        score = self._predict(pool, X_err, scores[by])[scores[by]]
        return np.argsort(-score, kind="stable")[:n]

    def remeasure(self, X: ArrayLike, *, X_err: ErrorsLike | None = None) -> np.ndarray:
        """The expected gain of better measurements.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n, d)
            The entropy of the row's class, in nats, that an exact measurement of this attribute
            alone would remove on average.
        """
        table = Table(*self._rows_to_predict(X, X_err))
        return self._ready_model().remeasure(table)
