# SPDX-License-Identifier: Apache-2.0
"""How uncertain classes, levels or sets of labels are, why, and what would help."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._errors import ErrorsLike
from ._model import Table


class Uncertainty(NamedTuple):
    """How uncertain the class of each row is, in nats, and why; all of shape (n,).

    Attributes
    ----------
    total : ndarray
        Entropy of the probabilities, the sum of the other three. Of a set of labels, the sum over
        its labels.
    measurement : ndarray
        What exact measurements of the row's inputs would remove on average.
    model : ndarray
        What more training data would remove then.
    label : ndarray
        What nothing removes: label noise.
    """

    total: np.ndarray
    measurement: np.ndarray
    model: np.ndarray
    label: np.ndarray


class UncertaintyMethods:
    """The questions an estimator of classes, levels or sets of labels answers beyond them."""

    _predict: Any
    _rows_to_predict: Any
    _ready_model: Any

    def uncertainty(self, X: ArrayLike, *, X_err: ErrorsLike | None = None) -> Uncertainty:
        """How uncertain the class of each row is, and how much of that has which cause.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict_proba`.

        Returns
        -------
        Uncertainty
            total, measurement, model and label, each of shape (n,), in nats. Input models that do
            not average over where the input may be ("first_order", "exact" and the baselines) count
            everything but label noise as the model's.
        """
        parts = self._predict(X, X_err, "entropy", "measurement_part", "model_part")
        total, measurement, model = parts.values()
        return Uncertainty(total, measurement, model, np.maximum(total - measurement - model, 0.0))

    def suggest(
        self,
        pool: ArrayLike,
        n: int = 10,
        *,
        X_err: ErrorsLike | None = None,
        by: Literal["information", "entropy"] = "information",
    ) -> np.ndarray:
        """The rows whose labels would teach most.

        Parameters
        ----------
        pool, X_err
            Rows without labels, as X and X_err in :meth:`predict_proba`.
        n : int, default=10
            How many are wanted; there are fewer when the pool is smaller.
        by : {"information", "entropy"}, default="information"
            "information": what the label would tell about the latent functions, the model's part of
            the uncertainty. "entropy": the whole of it, also what no label can teach.

        Returns
        -------
        ndarray of int
            Row numbers, the best first.
        """
        scores = {"information": "model_part", "entropy": "entropy"}
        if by not in scores:
            raise ValueError(f"by={by!r} is not one of {list(scores)}")
        if not isinstance(n, Integral) or n < 1:
            raise ValueError(f"n={n!r} is not a whole number from 1 on")
        score = self._predict(pool, X_err, scores[by])[scores[by]]
        return np.argsort(-score, kind="stable")[:n]

    def remeasure(self, X: ArrayLike, *, X_err: ErrorsLike | None = None) -> np.ndarray:
        """What better measurements would tell.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n, d)
            The entropy of the row's class, in nats, that measuring this attribute alone exactly
            would remove on average.
        """
        table = Table(*self._rows_to_predict(X, X_err))
        return self._ready_model().remeasure(table)
