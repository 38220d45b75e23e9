# SPDX-License-Identifier: Apache-2.0
"""Frames beside those of X: names decide which column belongs to which, indices which row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._error_columns import Names, sides_by_rule
from ._masks import as_numbers
from ._table_columns import column_names, is_named_table, stack_columns


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


def order_of_errors(
    names: Sequence[str], features: Sequence[str], beside: Sequence[str] = (), upper: bool = False
) -> list[int]:
    """The columns of errors of the features: those of the same names or, as in tables, of names such as
    x_err. `beside`: the names of the other side of the error bars; `upper`: these are the upper ones."""

    def of(name: str) -> str | None:
        sides = sides_by_rule(name, [*features, *names], list(features))
        if sides is not None and sides.upper is None and sides.lower in names:
            return sides.lower
        sides = sides_by_rule(name, [*features, *names, *beside], list(features))
        return None if sides is None or sides.upper is None else sides.upper if upper else sides.lower

    return _order(names, features, of)


def order_of_limits(names: Sequence[str], features: Sequence[str]) -> list[int]:
    """The same for columns that mark limits, such as x_limit."""
    return _order(names, features, lambda name: Names([*features, *names], names).limits(name))


def _order(
    names: Sequence[str], features: Sequence[str], of: Callable[[str], str | None]
) -> list[int]:
    """Raises ValueError unless each feature has a column, and each column belongs to one."""
    found = list(features) if sorted(names) == sorted(features) else [of(name) for name in features]
    if sorted(map(str, found)) != sorted(names) or len(set(found)) != len(features):
        raise ValueError(
            f"X_err: the columns {list(names)} have neither the names of X, {list(features)}, nor those "
            "of their errors, such as x_err; give them these names, or X_err.to_numpy() if they are in "
            "the order of X"
        )
    return [list(names).index(str(name)) for name in found]
