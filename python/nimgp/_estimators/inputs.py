# SPDX-License-Identifier: Apache-2.0
"""Checks arguments of users and converts them to the form of the library.

C-contiguous float64 arrays are not copied. Error messages name the row and the column, both
counted from 0, and the name of the column if it has one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import _check_sample_weight, column_or_1d, validate_data

from .._base.errors import Errors
from .._base.masks import is_masked, refuse_masked, unmasked
from ..tables._columns import column_names, is_named_table, stack_columns
from ..tables._names import sides_by_rule


def check_x(estimator: Any, X: Any, *, reset: bool, least_rows: int = 1) -> np.ndarray:
    """X as an (n, d) array; NaN is allowed, infinity is not."""
    if is_named_table(X):  # astropy's, or a structured array: scikit-learn does not know these
        names, X = stack_columns(X)
        with warnings.catch_warnings():
            if not reset:
                _compare_names(estimator, names)
                warnings.filterwarnings("ignore", "X does not have valid feature names")
            X = _validate(estimator, X, reset, least_rows)
        if reset:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
    else:
        X = _validate(estimator, plain_numbers(X, "X"), reset, least_rows)
    refuse_cells(X, np.isinf, "X", "infinite value", getattr(estimator, "feature_names_in_", None))
    return X


def _only_numbers(values: Any, what: str) -> Any:
    """The values, unchanged; raises an error for times and complex numbers."""
    dtypes: Any = getattr(values, "dtypes", None)  # a DataFrame's, one a column
    if not isinstance(values, np.ndarray) and hasattr(dtypes, "items"):
        kinds = [(f" column {name!r}", dtype) for name, dtype in dtypes.items()]
    else:
        dtype = getattr(values, "dtype", None)
        kinds = [("", np.asarray(values).dtype if dtype is None else dtype)]
    for place, dtype in kinds:
        if getattr(dtype, "kind", "f") in "mMc":
            raise ValueError(
                f"{what}:{place} holds {dtype}; expected real numbers. Complex data not supported"
                if dtype.kind == "c"
                else f"{what}:{place} holds {dtype}; expected numbers, such as the time since a date"
            )
    return values


def plain_numbers(values: Any, what: str) -> Any:
    """Values that are real numbers, NaN where masked; refuses times and complex numbers."""
    return unmasked(_only_numbers(values, what))


def _validate(estimator: Any, X: Any, reset: bool, least_rows: int) -> np.ndarray:
    return validate_data(
        estimator, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False,
        ensure_min_samples=least_rows,
    )  # fmt: skip


def _compare_names(estimator: Any, names: Sequence[str]) -> None:
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and list(known) != list(names):
        raise ValueError(
            "The feature names should match those that were passed during fit: "
            f"expected {list(known)}, got {list(names)}"
        )


def refuse_cells(
    values: np.ndarray, is_bad: Any, what: str, fault: str, names: Sequence[str] | None
) -> None:
    """Raises ValueError for the first bad cell of an array of shape (n, d) or (d,), if any."""
    bad = is_bad(values)
    if not bad.any():
        return
    first = np.unravel_index(int(np.argmax(bad)), values.shape)
    column = int(first[-1])
    place = f"column {column}" if names is None else f"column {column} ({names[column]})"
    if values.ndim == 2:
        place = f"row {int(first[0])}, {place}"
    others = int(bad.sum()) - 1
    more = f", and {others} more" if others else ""
    raise ValueError(f"{what}: {place}: {fault} {values[first]:g}{more}")


def check_x_err(
    estimator: Any, X_err: Any, X: Any, shape: tuple[int, int]
) -> np.ndarray | Errors | None:
    """1-sigma errors of X as an array of shape (d,) or (n, d), or None; NaN means unknown. An Errors
    object if there are also upper errors, correlations or limits.
    """
    if X_err is None:
        return None
    if isinstance(X_err, Errors):
        return _check_errors(estimator, X_err, X, shape)
    if isinstance(X_err, tuple) and len(X_err) == 2 and all(np.ndim(side) == 2 for side in X_err):
        X_err = Errors(_plain_errors(X_err[0], X), _plain_errors(X_err[1], X))
        return _check_errors(estimator, X_err, X, shape)
    if isinstance(X_err, np.ndarray) and X_err.shape == (2, *shape):
        return _check_errors(estimator, Errors(X_err[0], X_err[1]), X, shape)
    sigma = _plain_errors(X_err, X)
    n, d = shape
    if sigma.ndim == 0:
        sigma = np.full(d, sigma)
    elif d == 1 and sigma.shape == (n,):
        sigma = sigma.reshape(n, 1)
    elif sigma.shape == (1, d):
        sigma = sigma[0]
    if sigma.shape not in ((n, d), (d,)):
        raise ValueError(
            f"X_err has shape {sigma.shape}; expected that of X, {shape}, or {(d,)} for errors "
            "shared by all rows, or a single number"
        )
    names = getattr(estimator, "feature_names_in_", None)
    refuse_cells(sigma, lambda s: s < 0, "X_err", "negative error", names)
    refuse_cells(sigma, np.isinf, "X_err", "infinite error", names)
    return np.ascontiguousarray(sigma)


def _check_errors(estimator: Any, errors: Errors, X: Any, shape: tuple[int, int]) -> Errors:
    if errors.shape != shape:
        raise ValueError(f"X_err has shape {errors.shape}; expected that of X, {shape}")
    known = _text_names(X)
    if errors._names and known and errors._names != known:
        if _order_of_errors(errors._names, known) != list(range(len(known))):
            raise ValueError(
                f"X_err: the columns {errors._names} of sigma are not in the order of X, {known}"
            )
    names = getattr(estimator, "feature_names_in_", None)
    for what, cells in (("X_err", errors.sigma), ("X_err, upper errors", errors.upper)):
        if cells is not None:
            refuse_cells(cells, lambda s: s < 0, what, "negative error", names)
            refuse_cells(cells, np.isinf, what, "infinite error", names)
    errors = errors[:]
    for name in ("sigma", "upper", "correlation", "limit"):
        array = getattr(errors, name)
        if array is not None and not array.flags.c_contiguous:
            setattr(errors, name, np.ascontiguousarray(array))
    return errors


def _align_rows(X_err: Any, X: Any) -> Any:
    """A frame of errors with its rows in the order of X, matched by index if both have one."""
    if not all(hasattr(table, "loc") and hasattr(table, "index") for table in (X_err, X)):
        return X_err
    index, wanted = X_err.index, X.index
    if index.equals(wanted):
        return X_err
    if X_err.ndim == 2 and len(index) == 1 and len(wanted) != 1:
        return X_err  # one row for all
    if X_err.ndim == 1 and not index.is_unique or len(index) != len(wanted):
        return X_err  # no rows of X: the shape is checked, and complained of, elsewhere
    if X_err.ndim == 1 and X.shape[1] != 1:
        return X_err  # one error an attribute
    if not index.is_unique or not wanted.is_unique or not wanted.isin(index).all():
        raise ValueError(
            "the index of X_err is not that of X; give both the same index, or X_err.to_numpy() when "
            "the rows are in the same order"
        )
    return X_err.loc[wanted]


def _plain_errors(X_err: Any, X: Any) -> np.ndarray:
    """Errors as an array; if the columns have the names of X, they are put into the order of X."""
    wanted = _text_names(X)
    X_err = _align_rows(X_err, X)
    names = _text_names(X_err)
    X_err = plain_numbers(X_err, "X_err")
    X_err = stack_columns(X_err)[1] if is_named_table(X_err) else np.asarray(X_err, dtype=np.float64)
    if wanted is None or names is None or names == wanted:
        return X_err
    return X_err[..., _order_of_errors(names, wanted)]


def _text_names(table: Any) -> list[str] | None:
    """The names of a table's columns, or of the numbers of a Series with one for each column; None if
    there are none, or numbers only."""
    if is_named_table(table):
        return column_names(table)
    if getattr(table, "ndim", 0) == 1 and hasattr(table, "index") and hasattr(table, "loc"):
        names = list(table.index)
    else:
        names = list(getattr(table, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None


def _order_of_errors(names: Sequence[str], features: Sequence[str]) -> list[int]:
    """The columns of errors of the features: those of the same names or, as in tables, of names such as
    x_err. Raises ValueError unless each feature has one, and each column belongs to one."""
    if sorted(names) == sorted(features):
        found = list(features)
    else:
        sides = [sides_by_rule(name, [*features, *names], list(features)) for name in features]
        found = [side.lower for side in sides if side is not None and side.upper is None]
    if sorted(found) != sorted(names) or len(set(found)) != len(features):
        raise ValueError(
            f"X_err: the columns {list(names)} have neither the names of X, {list(features)}, nor those "
            "of their errors, such as x_err; give them these names, or X_err.to_numpy() if they are in "
            "the order of X"
        )
    return [list(names).index(name) for name in found]


def refuse_rows(values: np.ndarray, bad: np.ndarray, what: str, fault: str) -> None:
    """Raises ValueError for the first bad row of an array of shape (n,), if any."""
    if not bad.any():
        return
    row, others = int(np.argmax(bad)), int(bad.sum()) - 1
    more = f", and {others} more" if others else ""
    raise ValueError(f"{what}: row {row}: {fault.format(f'{values[row]:g}')}{more}")


# ---------------------------------------------------------------------- what the rows are


def check_rows(y: Any, rows: int) -> Any:
    """y, unchanged; raises an error unless it has as many rows as X."""
    if y.shape[0] != rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {rows} rows, y has "
            f"{y.shape[0]}"
        )
    return y


def refuse_mixed_labels(y: np.ndarray) -> None:
    """Raises ValueError if a label is None, or if only some labels are texts."""
    labels = y.tolist() if y.dtype.kind == "O" else []
    for row, label in enumerate(labels):
        if label is None:
            raise ValueError(f"y: row {row}: the label is missing; leave out rows without a label")
        if isinstance(label, str) != isinstance(labels[0], str):
            raise ValueError(
                f"y: row 0 has the label {labels[0]!r} and row {row} the label {label!r}; expected "
                "either texts or numbers"
            )


def check_labels(y: Any, classes: np.ndarray, rows: int) -> np.ndarray:
    """Labels as numbers 0 .. C-1; ValueError for the first row whose label is not in classes."""
    y = check_rows(column_or_1d(refuse_masked(y), warn=True), rows)
    place = {label: number for number, label in enumerate(classes.tolist())}
    numbers = np.fromiter((place.get(label, -1) for label in y.tolist()), np.int32, len(y))
    if (numbers < 0).any():
        row = int(np.argmax(numbers < 0))
        raise ValueError(
            f"y: row {row}: label {y.tolist()[row]!r} is not one of the classes {classes.tolist()}"
        )
    return numbers


def check_numbers(y: Any, rows: int, what: str = "y") -> np.ndarray:
    """One finite number per row."""
    y = check_rows(column_or_1d(_plain_column(y), warn=True), rows)
    if y.dtype.kind == "O" and any(isinstance(cell, str) for cell in y.tolist()):
        y = y.astype(str)
    if y.dtype.kind not in "biufO":
        raise ValueError(f"{what} holds {y.dtype}; expected one number a row")
    numbers = np.ascontiguousarray(y, dtype=np.float64)
    refuse_rows(numbers, ~np.isfinite(numbers), what, "{} is not a finite number")
    return numbers


def _plain_column(y: Any) -> Any:
    """y as an array, NaN where it is missing or masked."""
    if is_masked(y):
        return unmasked(y)
    dtype = getattr(y, "dtype", None)
    if hasattr(y, "to_numpy") and getattr(dtype, "na_value", None) is not None:
        return y.to_numpy(dtype=np.float64, na_value=np.nan)
    return y


def check_counts(y: Any, rows: int) -> np.ndarray:
    """One whole number >= 0 per row."""
    counts = check_numbers(y, rows)
    bad = (counts < 0) | (counts != np.floor(counts)) | (counts > 2.0**53)
    refuse_rows(counts, bad, "y", "{} is not a count (0, 1, 2, ...)")
    return counts


def check_exposure(exposure: Any, rows: int) -> np.ndarray | None:
    """One number above 0 per row, or one for all rows, or None."""
    return _one_per_row(exposure, rows, "exposure", lambda values: values > 0, "above 0")


def check_y_err(y_err: Any, rows: int) -> np.ndarray | None:
    """One number of at least 0 per row, or one for all rows, or None."""
    return _one_per_row(y_err, rows, "y_err", lambda values: values >= 0, ">= 0")


def _one_per_row(
    given: Any, rows: int, name: str, allows: Callable[[np.ndarray], np.ndarray], what: str
) -> np.ndarray | None:
    if given is None:
        return None
    values = np.asarray(_plain_column(given), dtype=np.float64)
    if values.ndim == 0:
        values = np.full(rows, values)
    if values.shape != (rows,):
        raise ValueError(
            f"{name} has shape {values.shape}; expected {(rows,)}, or a single number"
        )
    bad = ~(allows(values) & np.isfinite(values))
    refuse_rows(values, bad, name, f"{{}} is not a finite number {what}")
    return np.ascontiguousarray(values)


def check_sets(y: Any, rows: int, names: Sequence[str] | None = None) -> np.ndarray:
    """Sets of labels as an (n, L) array of 0 and 1."""
    y = y.toarray() if hasattr(y, "toarray") else np.asarray(refuse_masked(y))
    if y.ndim != 2 or not y.shape[1]:
        raise ValueError(
            f"y has shape {y.shape}; expected (n, L), a column of 0 and 1 for each of L labels"
        )
    if y.dtype.kind not in "biufO":
        raise ValueError(f"y holds {y.dtype}; expected 0 and 1")
    sets = np.ascontiguousarray(check_rows(y, rows), dtype=np.float64)
    refuse_cells(sets, lambda s: (s != 0) & (s != 1), "y", "neither 0 nor 1:", names)
    return sets


# ---------------------------------------------------------------------- weights


def check_weights(sample_weight: Any, X: np.ndarray) -> np.ndarray | None:
    """A weight >= 0 for each row, or None."""
    if sample_weight is None:
        return None
    sample_weight = plain_numbers(sample_weight, "sample_weight")
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, copy=True)
    refuse_rows(weights, weights < 0, "sample_weight", "negative weight {}")
    return np.ascontiguousarray(weights)


def weigh_classes(class_weight: Any, classes: np.ndarray, labels: np.ndarray) -> np.ndarray | None:
    """The weight of each row's class, or None."""
    if class_weight is None:
        return None
    if not isinstance(class_weight, str):
        return compute_class_weight(class_weight, classes=classes, y=classes[labels])[labels]
    present, each = np.unique(labels), np.ones(len(classes))
    each[present] = compute_class_weight(class_weight, classes=present, y=labels)
    return each[labels]
