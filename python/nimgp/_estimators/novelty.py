# SPDX-License-Identifier: Apache-2.0
"""Novelty: how unusual a row is compared with the training rows; for all estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._base.errors import ErrorsLike


class NoveltyMethods:
    """Methods about the measurements themselves."""

    _model: Any
    _predict: Any

    def novelty(self, X: ArrayLike, *, X_err: ErrorsLike | None = None) -> np.ndarray:
        """How unusual each row is compared with the training rows, for instance of an unknown class.

        The density of a row under the population of inputs, convolved with its errors and without
        its missing cells, is compared with that of training rows. The model must have learned a
        population; with ``learn_novelty="always"`` every model does.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict`.

        Returns
        -------
        ndarray of shape (n,)
            -log10 of the share of training rows that are at least as surprising: 2 for one in 100,
            3 for one in 1000.
        """
        self._need_population()
        return self._predict(X, X_err, "novelty")["novelty"]

    def input_log_density(self, X: ArrayLike, *, X_err: ErrorsLike | None = None) -> np.ndarray:
        """The log density of each measurement under the population of inputs.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict`.

        Returns
        -------
        ndarray of shape (n,)
            log p(x), in units of X: a mixture of Gaussians, each convolved with the row's errors,
            without missing cells. :meth:`novelty` is computed from it.
        """
        self._need_population()
        return self._predict(X, X_err, "input_log_density")["input_log_density"]

    def _need_population(self) -> None:
        check_is_fitted(self)
        if not len(self._model.get("novelty_quantiles")):
            raise ValueError(
                "the model has learned no population of inputs; fit it again with "
                'learn_novelty="always"'
            )
