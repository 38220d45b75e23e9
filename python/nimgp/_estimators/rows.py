# SPDX-License-Identifier: Apache-2.0
"""Rows as users give them, checked and in the form of the library."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._base.errors import Errors
from .._base.warn import warn
from .._native.table import Table
from ..tables._arrow import is_arrow
from ..tables._columns import column_names, is_table, opened
from ..tables._read import read_alike
from ..tables._recipe import Recipe
from ..tables._units import refuse_others, units_of
from .inputs import check_weights, check_x, check_x_err


class Given(NamedTuple):
    """The arguments of users about rows."""

    X: Any
    y: Any = None
    X_err: Any = None
    sample_weight: Any = None
    y_err: Any = None
    exposure: Any = None


class RowMethods:
    """Reads rows. A subclass says what y is."""

    noise: str
    feature_names_in_: np.ndarray
    _units: dict[str, str]
    _recipe: Recipe
    _had_errors: bool
    _had_exposure: bool

    def _read_targets(self, y: Any, classes: Any, rows: int) -> dict[str, np.ndarray]:
        """y as an argument of :class:`Table`; ValueError names what is wrong and where."""
        raise NotImplementedError

    def _read_beside(self, given: Given, rows: int) -> dict[str, Any]:
        """What stands beside y, as arguments of :class:`Table`."""
        return {}

    def _weigh(
        self, given: Any, values: np.ndarray, classes: Any, targets: dict[str, np.ndarray]
    ) -> np.ndarray | None:
        return check_weights(given, values)

    def _check_inputs(
        self, X: Any, X_err: Any, *, reset: bool = False, least_rows: int = 1
    ) -> tuple[np.ndarray, np.ndarray | Errors | None]:
        if not reset and X_err is None:
            X, X_err = self._read_table(X)
        values = check_x(self, X, reset=reset, least_rows=least_rows)
        units = units_of(X)
        if reset:
            self._units = units
        else:
            refuse_others(getattr(self, "_units", {}), units)
        return values, check_x_err(self, X_err, X, values.shape)

    def _reads(self, X: Any) -> bool:
        """Whether it is a table that is read as that of the training was, which was one: not the very features."""
        if not hasattr(self, "_recipe") or not is_table(X):
            return False
        return isinstance(X, (str, os.PathLike)) or (
            is_arrow(X) or column_names(X) != list(self.feature_names_in_)
        )

    def _read_table(self, X: Any) -> tuple[Any, Any]:
        """X and X_err of a table."""
        if not self._reads(X):
            return X, None
        read = read_alike(self._recipe, opened(X))
        return read.X, read.X_err

    def _read_labelled(self, X: Any, y: Any, X_err: Any) -> tuple[Any, Any, Any]:
        """X, y and X_err of the rows of a table that have a target, if y is None."""
        if y is not None:
            return X, y, X_err
        if not self._reads(X):
            raise ValueError("y is None, and X is no table that has it")
        read = read_alike(self._recipe, opened(X), self._recipe.label)
        return read.X, read.y, read.X_err

    def _check_unlabelled(self, X: Any, X_err: Any) -> Table | None:
        if X is None:
            if X_err is not None:
                raise ValueError("X_unlabelled_err is given, but X_unlabelled is None")
            return None
        try:
            return Table(*self._check_inputs(X, X_err))
        except ValueError as error:
            raise ValueError(f"X_unlabelled: {error}") from None

    def _make_table(
        self, values: np.ndarray, sigma: np.ndarray | Errors | None, given: Given, classes: Any
    ) -> Table:
        targets = self._read_targets(given.y, classes, len(values))
        weights = self._weigh(given.sample_weight, values, classes, targets)
        beside = self._read_beside(given, len(values))
        return Table(values, sigma, weights=weights, **targets, **beside)

    def _check_table(self, given: Given) -> Table:
        """Rows with known targets, checked for the current model."""
        values, sigma = self._check_inputs(given.X, given.X_err)
        return self._make_table(values, sigma, given, getattr(self, "classes_", None))

    def _rows_to_predict(
        self, X: Any, X_err: Any
    ) -> tuple[np.ndarray, np.ndarray | Errors | None]:
        """As :meth:`_check_inputs`. There may be no rows: partitions of large tables can be empty."""
        check_is_fitted(self)
        values, sigma = self._check_inputs(X, X_err, least_rows=0)
        if sigma is None and self._had_errors and self.noise != "learned":
            warn(
                "the estimator was trained with errors, but X_err is None: the values are taken "
                "to be exact. Pass X_err, or X_err=0 if this is intended."
            )
        return values, sigma

    def _table_to_predict(self, given: Given, with_targets: bool) -> Table:
        """Rows to predict, with or without y, and what stands beside it."""
        values, sigma = self._rows_to_predict(given.X, given.X_err)
        if given.exposure is None and self._had_exposure:
            warn(
                "the estimator was trained with an exposure, but exposure is None: it is taken to "
                "be 1. Pass exposure, or exposure=1 if this is intended."
            )
        if with_targets:
            return self._make_table(values, sigma, given, getattr(self, "classes_", None))
        return Table(values, sigma, **self._read_beside(given, len(values)))
