# SPDX-License-Identifier: Apache-2.0
"""How unlike the training rows a row is, whatever an estimator predicts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._errors import ErrorsLike


class NoveltyMethods:
    """What an estimator says of the measurements themselves."""

    _predict: Any

    def novelty(self, X: ArrayLike, *, X_err: ErrorsLike | None = None) -> np.ndarray:
        """How unlike the training rows each row is: objects of no known class stand out.

        A row's density under the population of inputs, widened by its own errors and with missing
        cells left out, is held against that of training rows. It takes a model that learned a
        population; with ``learn_novelty="always"`` every model does.

        Parameters
        ----------
        X, X_err
            As in :meth:`predict`.

        Returns
        -------
        ndarray of shape (n,)
            -log10 of the share of training rows that are at least as surprising: 2 where one in 100
            is, 3 where one in 1000 is.
        """
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
            log p(x), in units of X: a mixture of Gaussians, each widened by the row's own errors.
            Missing cells are left out. What :meth:`novelty` is made of.
        """
        return self._predict(X, X_err, "input_log_density")["input_log_density"]
