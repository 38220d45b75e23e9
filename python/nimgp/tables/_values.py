# SPDX-License-Identifier: Apache-2.0
"""Computes the values of features, and their errors and limits, from the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._base.errors import Errors, read_limits
from .._base.warn import warn
from .._native.core import library
from ._columns import is_numeric, numbers_of, present_numbers, texts_of
from ._features import Source
from ._judge import truth_of
from ._names import Names, Sides

# Numbers that mean missing, of each column; None stands for all columns.
Missing = Mapping[str | None, Sequence[float]]


def sentinels_of(missing: Missing, name: str) -> np.ndarray:
    return np.array([*missing.get(None, ()), *missing.get(name, ())], dtype=np.float64)


class Reading(NamedTuple):
    """A column's cells: values, lower and upper errors, and which values are limits."""

    value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    limit: np.ndarray  # -1: the truth is below the value, 1: above it


def _address(cells: np.ndarray) -> int:
    return cells.ctypes.data


def logarithm(form: str, x: Reading) -> Reading:
    """Logarithms and their errors, as the program takes them: nim_take_log."""
    x = Reading(*(np.array(cells, order="C") for cells in x))
    library.nim_take_log(int(form == "log10"), len(x.value), *map(_address, x))
    return x


def difference(a: Reading, b: Reading) -> Reading:
    """a - b, as the program takes it: nim_take_difference."""
    a = Reading(*(np.array(cells, order="C") for cells in a))
    b = Reading(*map(np.ascontiguousarray, b))
    library.nim_take_difference(len(a.value), *map(_address, a), *map(_address, b))
    return a


def measured_values(
    table: Any,
    sources: Mapping[str, Source],
    pairs: Mapping[str, Sequence[Sides | None]],
    names: Names,
    missing: Missing,
) -> tuple[np.ndarray, np.ndarray | Errors]:
    """All rows of the features, and their errors; 0 where a feature has none."""

    def numbers(name: str) -> np.ndarray:
        return present_numbers(table, name, sentinels_of(missing, name))

    taken = [column for source in sources.values() for column in source.columns]
    rows = len(table[taken[0]])
    shape = rows, len(sources)
    X, lower, upper = np.empty(shape), np.zeros(shape), np.zeros(shape)
    limit = np.zeros(shape, dtype=np.int8)
    for j, (feature, source) in enumerate(sources.items()):
        if source.form == "=":
            X[:, j] = _indicator(table, source)
            continue
        readings = []
        for column, sides in zip(source.columns, pairs[feature], strict=True):
            value = numbers(column)
            errors = _error_bars(numbers, sides, value, column)
            found = names.limits(column, taken)
            limits = np.zeros(rows, dtype=np.int8) if found is None else _limit_cells(table, found)
            readings.append(Reading(value, *errors, limits))
        reading = readings[0]
        if source.form == "-":
            reading = difference(*readings)
        elif source.form:
            reading = logarithm(source.form, reading)
        X[:, j], lower[:, j], upper[:, j], limit[:, j] = reading
    lopsided = any(
        sides is not None and (sides.upper is not None or source.form.startswith("log"))
        for feature, source in sources.items()
        for sides in pairs[feature]
    )
    corr = _correlations(sources, pairs, names, taken, numbers)
    if not lopsided and corr is None and not limit.any():
        return X, lower
    return X, Errors(
        lower,
        upper if lopsided else None,
        corr=corr,
        limit=limit if limit.any() else None,
    )


def _indicator(table: Any, source: Source) -> np.ndarray:
    """1 where a cell is the text of an indicator, 0 where it is another, NaN where it is missing."""
    column = table[source.column]
    if is_numeric(column):
        values = numbers_of(table, source.column)
        return np.where(np.isnan(values), np.nan, values == float(source.level))
    texts, truth = texts_of(column), truth_of(source.level)
    words, place = np.unique(texts, return_inverse=True)
    has = [
        word == source.level or (truth is not None and truth_of(word) is truth)
        for word in words.tolist()
    ]
    return np.where(texts == "", np.nan, np.array(has, dtype=float)[place])


def _error_bars(
    numbers: Any, sides: Sides | None, values: np.ndarray, column: str
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper errors; if one is missing, the other is used for both."""
    if sides is None:
        return np.zeros(len(values)), np.zeros(len(values))
    cells = [numbers(name) for name in sides.columns]
    if sides.upper is None:
        return cells[0], cells[0]
    lower, upper = np.abs(cells[0]), np.abs(cells[1])
    if sides.ends:
        lower, upper = values - cells[0], cells[1] - values
        for name, side in zip(sides.columns, (lower, upper), strict=True):
            if (side < 0).any():
                row = int(np.argmax(side < 0))
                raise ValueError(
                    f"column {name!r}: row {row}: the error bar of {column!r} ends on the wrong "
                    "side of the value"
                )
    return np.where(np.isnan(lower), upper, lower), np.where(np.isnan(upper), lower, upper)


def errors_of_numbers(table: Any, column: str, sides: Sides, missing: Missing) -> np.ndarray:
    """Errors of all rows of a column: of two sides their root mean square, 0 where missing."""

    def numbers(name: str) -> np.ndarray:
        return present_numbers(table, name, sentinels_of(missing, name))

    lower, upper = _error_bars(numbers, sides, numbers(column), column)
    return np.nan_to_num(np.hypot(lower, upper) / np.sqrt(2), nan=0.0)


def _limit_cells(table: Any, name: str) -> np.ndarray:
    """Signs of a column of limits. In a column of numbers, 1 is an upper limit."""
    try:
        if is_numeric(table[name]):
            return -read_limits(np.nan_to_num(numbers_of(table, name)))
        return read_limits(texts_of(table[name]))
    except ValueError as error:
        raise ValueError(f"column {name!r}: {error}") from None


def _correlations(
    sources: Mapping[str, Source],
    pairs: Mapping[str, Sequence[Sides | None]],
    names: Names,
    taken: Sequence[str],
    numbers: Any,
) -> np.ndarray | None:
    """Correlations of errors of features that are a column or its logarithm, and have errors."""
    place = {
        source.column: j
        for j, (feature, source) in enumerate(sources.items())
        if source.form != "-" and pairs[feature][0] is not None
    }
    corr = None
    for name in names.columns:
        role, of = names.role(name)
        if name in taken or role != "correlation" or not place.keys() >= set(of):
            continue
        cells = np.nan_to_num(numbers(name))
        if corr is None:
            corr = np.zeros((len(cells), len(sources), len(sources)))
        i, j = place[of[0]], place[of[1]]
        corr[:, i, j] = corr[:, j, i] = cells
    return corr


def warn_of_nonpositive(
    table: Any, sources: Mapping[str, Source], rows: np.ndarray, missing: Missing
) -> None:
    """Says how many values of these rows have no logarithm, as the program does (cli/rows/input_report.c)."""
    for source in sources.values():
        if not source.form.startswith("log"):
            continue
        sentinels = sentinels_of(missing, source.column)
        count = np.count_nonzero(present_numbers(table, source.column, sentinels)[rows] <= 0)
        if count == 1:
            warn(f"{source.column}: 1 value is not positive, so it has no logarithm and counts as missing")
        elif count:
            warn(
                f"{source.column}: {count} values are not positive, so they have no logarithm and "
                "count as missing"
            )
