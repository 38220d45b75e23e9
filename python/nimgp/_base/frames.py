# SPDX-License-Identifier: Apache-2.0
"""Columns of tables with names, and frames beside those of X: which rows and columns they have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .masks import as_numbers, is_masked, unmasked


def is_named_table(table: Any) -> bool:
    """Whether it is a table that scikit-learn does not support: astropy's or a structured array."""
    if isinstance(table, np.ndarray):
        return table.dtype.names is not None
    return hasattr(table, "colnames") and hasattr(table, "columns")


def column_names(table: Any) -> list[str]:
    if isinstance(table, Mapping):
        return [str(name) for name in table]
    if isinstance(table, np.ndarray) and table.dtype.names is not None:
        return list(table.dtype.names)
    if hasattr(table, "colnames"):
        return list(table.colnames)
    if hasattr(table, "columns"):
        return [str(name) for name in table.columns]
    raise TypeError(
        f"a {type(table).__name__} has no named columns; expected a pandas DataFrame, an astropy "
        "Table, an Arrow table, a structured array, a dict of columns or the path of a file"
    )


def is_numeric(column: Any) -> bool:
    kind = getattr(getattr(column, "dtype", None), "kind", None)
    if kind is None:
        kind = np.asarray(column).dtype.kind
    return kind in "iuf" and np.ndim(column) == 1


def numbers_of(table: Any, name: str) -> np.ndarray:
    """One column as float64, NaN where it is masked or missing."""
    column = table[name]
    if is_masked(column):
        values = unmasked(column)
    elif hasattr(column, "to_numpy"):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = np.asarray(getattr(column, "value", column), dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"column {name!r} has {values.ndim} dimensions; expected one number a row")
    return values


def stack_columns(table: Any) -> tuple[list[str], np.ndarray]:
    """All columns side by side, and their names."""
    names = column_names(table)
    for name in names:
        if not is_numeric(table[name]):
            raise ValueError(f"column {name!r} does not hold one number a row")
    return names, np.column_stack([numbers_of(table, name) for name in names])


def text_names(table: Any) -> list[str] | None:
    """The names of a table's columns, or of the numbers of a Series with one for each column; None if
    there are none, or numbers only."""
    if is_named_table(table):
        return column_names(table)
    if getattr(table, "ndim", 0) == 1 and hasattr(table, "index") and hasattr(table, "loc"):
        names = list(table.index)
    else:  # pyarrow's columns are no names
        names = list(getattr(table, "column_names", getattr(table, "columns", ())))
    return names if names and all(isinstance(name, str) for name in names) else None


def cells_of(table: Any) -> np.ndarray:
    """Numbers of any table as float64, NaN where they are masked or missing."""
    return stack_columns(table)[1] if is_named_table(table) else as_numbers(table)


def index_of(table: Any) -> Any:
    """pandas' index of the rows of a frame; None for other tables."""
    return table.index if hasattr(table, "loc") and getattr(table, "ndim", 0) == 2 else None


def order_of_rows(index: Any, wanted: Any) -> np.ndarray | None:
    """Which rows of an index are those of another; None if they are the same."""
    if index.equals(wanted):
        return None
    if not index.is_unique or not wanted.is_unique or not wanted.isin(index).all():
        raise ValueError(
            "the index of X_err is not that of X; give both the same index, or X_err.to_numpy() when "
            "the rows are in the same order"
        )
    return np.asarray(index.get_indexer(wanted))
