# SPDX-License-Identifier: Apache-2.0
"""Reads the labels of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._base.masks import is_masked
from ._columns import is_numeric, numbers_of, plain_texts_of, texts_of

_WORDS = {"false": 0.0, "true": 1.0, "no": 0.0, "yes": 1.0}


def read_labels(column: Any, ignore_case: bool) -> tuple[Any, np.ndarray]:
    """Labels, and which rows have one."""
    dtype = getattr(column, "dtype", None)
    if getattr(dtype, "ordered", False) and not ignore_case:
        y = getattr(column, "array", column)  # levels: a pandas Categorical keeps their order
        return y, ~np.asarray(y.isna())
    if getattr(dtype, "na_value", None) is not None and is_numeric(column):
        there = ~np.asarray(column.isna())  # pandas' own numbers, which may be missing
        return column.to_numpy(dtype=column.dtype.numpy_dtype, na_value=0), there
    if is_numeric(column) or dtype == np.bool_:
        y = np.ma.asarray(column) if is_masked(column) else np.asarray(column)
        there = ~np.ma.getmaskarray(y)
        y = np.ma.getdata(y)
        return y, there & ~np.isnan(y) if y.dtype.kind == "f" else there
    y = texts_of(column)
    return (np.char.lower(y) if ignore_case else y), y != ""


def rows_of_classes(
    y: Any, there: np.ndarray, classes: Iterable[Any], ignore_case: bool, label: str
) -> np.ndarray:
    """Which rows have one of these labels. Raises ValueError if no row has one of them."""
    text = isinstance(y, np.ndarray) and y.dtype.kind == "U"
    chosen = np.zeros(len(there), dtype=bool)
    for name in classes:
        wanted = str(name) if text else name
        rows = there & np.asarray(y == (wanted.lower() if text and ignore_case else wanted))
        if not rows.any():
            raise ValueError(f"column {label!r}: no rows of class {name!r}")
        chosen |= rows
    return chosen


def merge_classes(
    y: Any, there: np.ndarray, classes: Mapping[Any, Sequence[Any]], ignore_case: bool, label: str
) -> tuple[np.ndarray, np.ndarray]:
    """Labels replaced by the classes that have them, and which rows have one of them."""
    merged = np.full(len(there), "", dtype=object)
    for name, labels in classes.items():
        labels = [labels] if isinstance(labels, str) else list(labels)
        merged[rows_of_classes(y, there, labels, ignore_case, label)] = name
    chosen = np.array([name != "" for name in merged], dtype=bool)
    merged[~chosen] = next(iter(classes))  # of rows that are not used
    return np.array(merged.tolist()), chosen


def read_sets(table: Any, labels: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Columns of 0 and 1 side by side, and which rows have all of them."""
    y = np.column_stack([_flags(table, name) for name in labels])
    return y, ~np.isnan(y).any(axis=1)


def _flags(table: Any, name: str) -> np.ndarray:
    """A column as 0 and 1, NaN where missing; words as the program reads them."""
    column = table[name]
    dtype = column.dtype if hasattr(column, "dtype") else np.asarray(column).dtype
    cells = numbers_of(table, name) if dtype.kind in "biuf" else plain_texts_of(column)
    flags = np.empty(len(cells))
    for row, cell in enumerate(cells.tolist()):
        flags[row] = _flag(cell)
        if flags[row] not in (0.0, 1.0) and cell != "" and cell == cell:
            raise ValueError(
                f"column {name!r}: row {row}: {cell!r} is not 0 or 1, true or false, yes or no"
            )
    return flags


def _flag(cell: float | str) -> float:
    if isinstance(cell, str) and cell.lower() in _WORDS:
        return _WORDS[cell.lower()]
    try:
        return float(cell)
    except ValueError:
        return np.nan
