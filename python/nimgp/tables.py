# SPDX-License-Identifier: Apache-2.0
"""Converts tables with error columns to the arrays of an estimator.

Error columns are found by name, with the rules of the command-line program. The 1-sigma errors of
a column ``flux`` are in the first of these columns that exists, in upper or lower case:

    ``flux_err  flux_error  e_flux  Unc_flux  sigma_flux  flux_unc  err_flux  flux_sigma``

or in ``dflux`` if none of these exists and ``dflux`` has no error column itself.

Upper and lower errors are pairs of columns: ``E_flux`` and ``e_flux``; if none of the above exists,
``Unc_flux_2`` and ``Unc_flux_1``, ``flux_err1`` and ``flux_err2``, ``flux_errhi`` and
``flux_errlo``, ``flux_err_upper`` and ``flux_err_lower`` and similar names, whose signs are ignored.
``flux_hi`` and ``flux_lo``, or ``flux_upper`` and ``flux_lower``, are the ends of the error bar.
``flux_limit`` or ``l_flux`` (text), or ``fluxlim``, marks limits: ``<`` or 1 if the true value is
below the value, ``>`` or -1 if it is above. ``a_b_corr`` is the correlation of the errors of ``a``
and ``b``.

Features may be computed, unless the table has a column of exactly this name:

    ``log(flux)``    the natural logarithm
    ``log10(flux)``  the decimal one
    ``gmag-w1mag``   a difference, with error ``sqrt(sigma_a**2 + sigma_b**2)``

Errors of a logarithm are asymmetric: the error bar ends at the logarithms of value - sigma and
value + sigma. Values that have no logarithm count as missing.
"""

from __future__ import annotations

import fnmatch
import importlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import erf, erfinv

from ._arrow import ArrowColumns, is_arrow, read_parquet
from ._error_columns import (
    Sides,
    by_rule,
    correlated,
    find,
    is_one_sided,
    limit_column,
    looks_like_error,
    pair_by_rule,
    read_sides,
    require,
    sides_by_rule,
)
from ._errors import Errors, read_limits
from ._units import refuse_mixed, units_of
from ._warnings import warn

__all__ = ["Columns", "from_fits", "from_parquet", "from_table", "pair_errors"]

_WORDS = {"false": 0.0, "true": 1.0, "no": 0.0, "yes": 1.0}

# Numbers that name a row rather than describe it.
_IDENTITIES = frozenset(
    "|id|index|row|rowid|row_id|objid|obj_id|source_id|recno|idx|#|no.|nr|unnamed: 0".split("|")
)


class _Columns(NamedTuple):
    X: Any
    y: Any
    X_err: np.ndarray | Errors | None
    names: list[str]


class Columns(_Columns):
    """The arrays of a table: a tuple of X, y, X_err and names, and further attributes.

    Attributes
    ----------
    X : DataFrame or ndarray of shape (n, d)
        Values; NaN where missing.
    y : ndarray of shape (n,), DataFrame or ndarray of shape (n, L), or None
        Labels, levels, numbers or counts; one column per label if several were named; an
        ordered pandas Categorical if the column is one; None without `label`.
    X_err : ndarray of shape (n, d), Errors or None
        1-sigma errors: NaN if unknown, 0 for attributes without errors; None if no
        attribute has errors. An :class:`nimgp.Errors` if some are asymmetric or correlated, or some
        values are limits.
    names : list of str
        Names of the attributes.
    exposure : ndarray of shape (n,) or None
        Time, area or effort of counts; None if it was not requested. It is not one of the four
        items of the tuple.
    units : dict
        Units of the attributes that have one; also in ``X.attrs["units"]`` of a DataFrame, from
        which estimators read them.
    """

    exposure: np.ndarray | None = None
    units: dict[str, str]


class _Source(NamedTuple):
    """The definition of a feature: a column, its logarithm, or its difference from another one."""

    column: str
    form: str = ""  # "log", "log10" or "-"
    minus: str | None = None

    @property
    def columns(self) -> list[str]:
        return [self.column] if self.minus is None else [self.column, self.minus]


# ---------------------------------------------------------------------- any table as columns


def is_named_table(table: Any) -> bool:
    """Whether it is a table that scikit-learn does not support: astropy's or a structured array."""
    if isinstance(table, np.ndarray):
        return table.dtype.names is not None
    return hasattr(table, "colnames") and hasattr(table, "columns")


def _column_names(table: Any) -> list[str]:
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
        "Table, an Arrow table, a structured array or a dict of columns"
        + ("; pandas.read_csv or from_fits reads a file" if isinstance(table, str | os.PathLike) else "")
    )


def _is_numeric(column: Any) -> bool:
    kind = getattr(getattr(column, "dtype", None), "kind", None)
    if kind is None:
        kind = np.asarray(column).dtype.kind
    return kind in "iuf" and np.ndim(column) == 1


def _is_masked(column: Any) -> bool:
    """Whether cells may be masked; a pandas Series has a method called mask."""
    return np.ma.isMaskedArray(column) or not callable(getattr(column, "mask", max))


def _numbers(table: Any, name: str) -> np.ndarray:
    """One column as float64, NaN where it is masked or missing."""
    column = table[name]
    if _is_masked(column):
        values = np.array(getattr(column, "data", column), dtype=np.float64)
        values = np.where(np.broadcast_to(np.asarray(column.mask), values.shape), np.nan, values)
    elif hasattr(column, "to_numpy"):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = np.asarray(getattr(column, "value", column), dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"column {name!r} has {values.ndim} dimensions; expected one number a row")
    return values


def _present(table: Any, name: str, sentinels: np.ndarray) -> np.ndarray:
    """As _numbers, NaN also where a number means a missing value."""
    values = _numbers(table, name)
    return np.where(np.isin(values, sentinels), np.nan, values) if sentinels.size else values


def stack_columns(table: Any) -> tuple[list[str], np.ndarray]:
    """All columns side by side, and their names."""
    names = _column_names(table)
    for name in names:
        if not _is_numeric(table[name]):
            raise ValueError(f"column {name!r} does not hold one number a row")
    return names, np.column_stack([_numbers(table, name) for name in names])


# ---------------------------------------------------------------------- the rule


def _warn_of_one_sided(names: Sequence[str]) -> None:
    if names:
        warn(
            "not used, because they look like upper or lower errors without their counterpart: "
            f"{', '.join(names)}; errors={{feature: 'lower:upper'}} names both columns"
        )


def pair_errors(features: Iterable[str], columns: Iterable[str]) -> dict[str, str]:
    """Finds the error columns of features by their names.

    Parameters
    ----------
    features : iterable of str
        Columns of values. None of them is used as an error column.
    columns : iterable of str
        All columns of the table.

    Returns
    -------
    dict
        The error column of each feature that has one; ``"lower:upper"`` for a pair of
        columns, ``"[low:high]"`` for a pair of ends of error bars.

    Examples
    --------
    >>> pair_errors(["flux", "index"], ["flux", "Unc_Flux", "index", "class"])
    {'flux': 'Unc_Flux'}
    """
    features, columns = list(features), list(columns)
    pairs = {feature: sides_by_rule(feature, columns, features) for feature in features}
    return {feature: str(found) for feature, found in pairs.items() if found is not None}


def _inside_log(feature: str) -> tuple[str, str] | None:
    """The name of the logarithm and the argument of log(X) or log10(X)."""
    found = re.fullmatch(r"(log|log10)\((.+)\)", feature)
    return None if found is None else (found[1], found[2].strip())


def _source(feature: str, columns: Sequence[str]) -> _Source:
    """The definition of a feature."""
    column = find(columns, feature)
    if column is not None:
        return _Source(column)
    inside = _inside_log(feature)
    if inside is not None:
        return _Source(require(columns, inside[1]), inside[0])
    for sign in re.finditer("-", feature):
        left = find(columns, feature[: sign.start()].strip())
        right = feature[sign.end() :].strip()
        if left is not None and right:
            right = require(columns, right)
            if left == right:
                raise ValueError(f"feature {feature!r} is always zero")
            return _Source(left, "-", right)
    return _Source(require(columns, feature))


def _matching(pattern: str, columns: Sequence[str]) -> list[str]:
    """The columns that match a pattern such as *mag; a column of exactly this name matches alone."""
    if find(columns, pattern) is not None or not set("*?") & set(pattern):
        return [require(columns, pattern)]
    plain = pattern.replace("[", "[[]").lower()
    found = [name for name in columns if fnmatch.fnmatchcase(name.lower(), plain)]
    if not found:
        raise ValueError(f"no column matches {pattern!r}")
    return found


def _named_sources(
    features: Iterable[str], columns: Sequence[str], usable: Sequence[str]
) -> dict[str, _Source]:
    """The features named by the user; patterns match `usable` columns."""
    sources: dict[str, _Source] = {}
    for feature in map(str, features):
        logarithm, inside = _inside_log(feature) or ("", feature)
        if find(columns, feature) is None and set("*?") & set(inside):
            found = [name for name in usable if name in _matching(inside, columns)]
            if not found:
                raise ValueError(f"no column matches {inside!r}")
            for name in found:
                called = f"{logarithm}({name})" if logarithm else name
                sources.setdefault(called, _Source(name, logarithm))
        else:
            sources[feature] = _source(feature, columns)
    return sources


def _numbers_rows(table: Any, name: str) -> bool:
    """Whether a column numbers the rows: at least 30 whole numbers, none missing, all different."""
    values = _numbers(table, name)[:4096]
    return bool(
        len(values) >= 30
        and np.isfinite(values).all()
        and (values == np.floor(values)).all()
        and len(np.unique(values)) == len(values)
    )


def _limits_of(table: Any, name: str, columns: Sequence[str], excluded: Sequence[str] = ()) -> str | None:
    """The column that marks limits among the values of another. A column of numbers could also be a
    measurement, such as a speed limit, so it is accepted only with the ending used by archives.
    """
    found = limit_column(name, columns, excluded)
    limits = found is not None and (not _is_numeric(table[found]) or found.lower().endswith("lim"))
    return found if limits else None


def _errors_of(name: str, columns: Sequence[str]) -> list[str]:
    """All columns that look like errors of another, used or not."""
    pair = pair_by_rule(name, columns)
    return by_rule(name, columns) + ([] if pair is None else pair.columns)


def _about(table: Any, name: str, columns: Sequence[str]) -> list[str]:
    """Columns of errors or limits of another column; the column itself if it holds correlations."""
    limit = _limits_of(table, name, columns)
    about = _errors_of(name, columns) + ([] if limit is None else [limit])
    return about + ([name] if correlated(name, columns) else [])


def _numeric_columns(
    table: Any, columns: Sequence[str], labels: Sequence[str], named: set[str]
) -> tuple[list[str], list[str]]:
    """Columns that may be features, and those that are features by default."""
    values = [name for name in columns if name not in labels]
    errors = named.union(*(_about(table, name, columns) for name in values))
    errors.update(*(_errors_of(label, columns) for label in labels if _is_numeric(table[label])))
    one_sided = [
        name
        for name in values
        if name not in errors and _is_numeric(table[name]) and is_one_sided(name, columns)
    ]
    _warn_of_one_sided(one_sided)
    noisy = {name for name in values if sides_by_rule(name, columns) is not None}
    usable = [
        name
        for name in values
        if name not in errors
        and name not in one_sided
        and name.lower() not in _IDENTITIES
        and (not looks_like_error(name) or name in noisy)
        and _is_numeric(table[name])
    ]
    described = [name for name in usable if name in noisy or not _numbers_rows(table, name)]
    return usable, described or usable


# ---------------------------------------------------------------------- measurements


class _Reading(NamedTuple):
    """A column's cells: values, lower and upper errors, and which values are limits."""

    value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    limit: np.ndarray  # -1: the truth is below the value, 1: above it

    def keep(self, there: np.ndarray) -> _Reading:
        """Drops missing cells."""
        value, lower, upper = (np.where(there, cells, np.nan) for cells in self[:3])
        return _Reading(value, lower, upper, np.where(there, self.limit, np.int8(0)))


def _logarithm(form: str, x: _Reading) -> _Reading:
    """Logarithms and their errors, which end at the logarithms of value - lower and value + upper. A
    lower error that reaches below zero is cut at zero, as in the program (cli/rows/formula.c).
    """
    value, lower, upper, limit = x.keep(x.value > 0)
    largest, unit = np.finfo(np.float64).max, np.log(10) if form == "log10" else 1.0
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        down, up = lower / value, np.minimum(upper / value, largest)
        there = erf(np.sqrt(0.5) / down)
        z = np.where(there < 1, np.sqrt(2) * erfinv(erf(np.sqrt(0.5)) * there), 1.0)
        reach = np.minimum(down * z, 1 - np.finfo(np.float64).eps)
        reach = np.where(np.isinf(down), 1 - np.finfo(np.float64).eps, reach)
        lower = np.where(down > 0, -np.log1p(-reach), down)
    values = (np.log10 if form == "log10" else np.log)(value)
    return _Reading(values, lower / unit, np.log1p(up) / unit, limit)


def _warn_of_nonpositive(
    table: Any, sources: Mapping[str, _Source], rows: np.ndarray, sentinels: np.ndarray
) -> None:
    """Says how many values of these rows have no logarithm, as the program does (cli/rows/input_report.c)."""
    for source in sources.values():
        if not source.form.startswith("log"):
            continue
        count = np.count_nonzero(_present(table, source.column, sentinels)[rows] <= 0)
        if count == 1:
            warn(f"{source.column}: 1 value is not positive, so it has no logarithm and counts as missing")
        elif count:
            warn(
                f"{source.column}: {count} values are not positive, so they have no logarithm and "
                "count as missing"
            )


def _difference(a: _Reading, b: _Reading) -> _Reading:
    """a - b. If a or b is a limit, so is the difference; it is missing if they contradict."""
    with np.errstate(over="ignore"):
        value = a.value - b.value
        lower, upper = np.hypot(a.lower, b.upper), np.hypot(a.upper, b.lower)
    known = np.isfinite(value) & ((a.limit == 0) | (a.limit != b.limit))
    limit = np.where(a.limit != 0, a.limit, -b.limit)
    return _Reading(value, lower, upper, limit).keep(known)


# ---------------------------------------------------------------------- labels


def _texts(column: Any) -> np.ndarray:
    """Labels as text without the blanks around them; empty where missing."""
    cells = np.ma.filled(column, "") if np.ma.isMaskedArray(column) else np.asarray(column)
    if cells.dtype.kind == "S":
        cells = np.char.decode(cells, "utf-8")
    cells = cells.tolist()
    if hasattr(column, "isna"):  # pandas, whose NA cannot be compared
        missing = np.asarray(column.isna()).tolist()
    else:
        missing = [cell is None or cell != cell for cell in cells]
    texts = ("" if gone else str(cell).strip() for cell, gone in zip(cells, missing, strict=True))
    return np.array(list(texts), dtype=str)


def _labels(column: Any, ignore_case: bool) -> tuple[Any, np.ndarray]:
    """Labels, and which rows have one."""
    dtype = getattr(column, "dtype", None)
    if getattr(dtype, "ordered", False) and not ignore_case:
        y = getattr(column, "array", column)  # levels: a pandas Categorical keeps their order
        return y, ~np.asarray(y.isna())
    if getattr(dtype, "na_value", None) is not None and _is_numeric(column):
        there = ~np.asarray(column.isna())  # pandas' own numbers, which may be missing
        return column.to_numpy(dtype=column.dtype.numpy_dtype, na_value=0), there
    if _is_numeric(column) or dtype == np.bool_:
        y = np.ma.asarray(column) if _is_masked(column) else np.asarray(column)
        there = ~np.ma.getmaskarray(y)
        y = np.ma.getdata(y)
        return y, there & ~np.isnan(y) if y.dtype.kind == "f" else there
    y = _texts(column)
    return (np.char.lower(y) if ignore_case else y), y != ""


def _of_classes(
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


def _sets(table: Any, labels: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Columns of 0 and 1 side by side, and which rows have all of them."""
    y = np.column_stack([_flags(table, name) for name in labels])
    return y, ~np.isnan(y).any(axis=1)


def _flags(table: Any, name: str) -> np.ndarray:
    """A column as 0 and 1, NaN where missing; words as the program reads them."""
    column = table[name]
    dtype = column.dtype if hasattr(column, "dtype") else np.asarray(column).dtype
    cells = _numbers(table, name) if dtype.kind in "biuf" else _texts(column)
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


# ---------------------------------------------------------------------- the two functions


def from_table(
    table: Any,
    label: str | Sequence[str] | None = None,
    features: Iterable[str] | None = None,
    errors: Literal["auto"] | Mapping[str, str | None] | None = "auto",
    log: Iterable[str] = (),
    classes: Sequence[Any] | None = None,
    ignore_case: bool = False,
    as_frame: bool | Literal["auto"] = "auto",
    exposure: str | None = None,
    exclude: Iterable[str] = (),
    missing_value: float | Sequence[float] = (),
) -> Columns:
    """Values, labels and error bars of a table.

    Parameters
    ----------
    table : pandas DataFrame, astropy Table, Arrow table, structured array or dict of columns
        Columns of numbers of an Arrow table (of pyarrow, or any object with
        ``__arrow_c_stream__``) are read in place.
    label : str or list of str, optional
        The column to predict: labels, levels, numbers or counts; for sets of labels one column of 0
        and 1, true and false or yes and no per label. Rows in which it is missing are left out; the
        index of a DataFrame X has the numbers of the remaining rows.
    features : iterable of str, optional
        The columns to learn from, in this order, or features computed from them: ``log(x)``,
        ``log10(x)``, ``a-b``. ``*mag`` stands for all columns of numbers whose names end in mag.
        Default: all columns of numbers, except labels, errors (also of columns that do not exist),
        and columns that number the rows (``id``..., or whole numbers that are all different).
        ``model.feature_names_in_`` selects the features of an estimator.
    errors : "auto", dict or None, default="auto"
        "auto" finds error columns by name. A dict names the error columns of some features (None
        for exact values); the others are found by name. None ignores all error columns.
    log : iterable of str
        Features whose logarithm is used; they are then called ``log(x)``. Values that are not
        positive count as missing, with a warning.
    classes : sequence, optional
        Use only rows with these labels. Each must occur in the table.
    ignore_case : bool, default=False
        Ignore case in labels; they become lower case.
    as_frame : bool or "auto", default="auto"
        Whether X is a pandas DataFrame, which has the names of the features; its index has the row
        numbers of the table. y is then a DataFrame too if it has several columns. "auto": if pandas
        is installed.
    exposure : str, optional
        The column of the time, area or effort of counts. It is not used as a feature.
    exclude : iterable of str
        Columns to use neither as features nor as errors; ``*`` matches any characters, ``?`` one.
    missing_value : float or sequence of float
        Numbers that mean a missing value or error, such as -99.

    Returns
    -------
    Columns
        X, y, X_err and names; the exposure and the units are its attributes ``exposure`` and
        ``units``.

    Examples
    --------
    >>> table = {"flux": [1.0, 2.0], "flux_err": [0.1, 0.3], "class": ["bll", "psr"]}
    >>> X, y, X_err, names = from_table(table, label="class")
    >>> names, X_err.tolist()
    (['flux'], [[0.1], [0.3]])
    """
    if is_arrow(table):
        table = ArrowColumns(table)
    columns = _column_names(table)
    one = label is None or isinstance(label, str)
    wanted = [label] if isinstance(label, str) else [] if label is None else list(label)
    labels = [require(columns, name) for name in wanted]
    if classes is not None and (not one or not labels):
        raise ValueError("classes needs one column of labels, given by label")
    taken = labels if exposure is None else [*labels, require(columns, exposure)]
    excluded = {
        name
        for pattern in ([exclude] if isinstance(exclude, str) else exclude)
        for name in _matching(pattern, columns)
    }
    columns = [name for name in columns if name not in excluded or name in taken]
    given = dict(errors) if isinstance(errors, Mapping) else {}
    named = {
        column
        for name in given.values()
        if name is not None
        for column in read_sides(name, columns).columns
    }
    if features is None:
        sources = {name: _Source(name) for name in _numeric_columns(table, columns, taken, named)[1]}
    else:
        features = list(map(str, [features] if isinstance(features, str) else features))
        patterns = any(set("*?") & set(feature) for feature in features)
        usable = _numeric_columns(table, columns, taken, named)[0] if patterns else []
        sources = _named_sources(features, columns, usable)
    for name in [log] if isinstance(log, str) else log:
        if name not in sources:
            raise ValueError(f"log: {name!r} is not a feature; the features are {', '.join(sources)}")
        sources = {
            (f"log({key})" if key == name else key): (
                _Source(source.column, "log") if key == name and not source.form else source
            )
            for key, source in sources.items()
        }
    if not sources:
        raise ValueError("the table has no columns of numbers besides labels and errors")
    pairs = _pairs(sources, columns, taken, errors, given)
    _refuse_double_use(sources, pairs, labels, taken[len(labels) :])
    units = units_of(table)
    for feature, source in sources.items():
        for column, sides in zip(source.columns, pairs[feature], strict=True):
            refuse_mixed(column, dict.fromkeys(sides.columns if sides else (), "its errors"), units)
        refuse_mixed(source.column, dict.fromkeys(source.columns[1:], "the subtracted column"), units)
    X, X_err = _values(table, sources, pairs, columns, np.ravel(missing_value))
    if not labels:
        y, keep = None, np.ones(len(X), dtype=bool)
    elif one:
        y, keep = _labels(table[labels[0]], ignore_case)
    else:
        y, keep = _sets(table, labels)
    if not keep.any():
        raise ValueError(f"no row of column {', '.join(map(repr, labels))} has a label")
    if classes is not None:
        keep = _of_classes(y, keep, classes, ignore_case, labels[0])
    _warn_of_nonpositive(table, sources, keep, np.ravel(missing_value))
    rows, names = np.flatnonzero(keep), list(sources)
    if y is not None:
        y = y[keep] if one else _frame(y[keep], labels, rows, as_frame)
    if not keep.all():
        X, X_err = X[keep], X_err[keep]
    X = _frame(X, names, rows, as_frame)
    known = any(map(any, pairs.values())) or isinstance(X_err, Errors)
    result = Columns(X, y, X_err if known else None, names)
    result.units = {
        name: units[source.column] for name, source in sources.items() if source.column in units
    }
    if result.units and hasattr(X, "attrs"):
        X.attrs["units"] = dict(result.units)
    if exposure is not None:
        result.exposure = _exposure(table, taken[-1], rows)
    return result


def _refuse_double_use(sources: Mapping[str, _Source], pairs: Mapping[str, Sequence[Sides | None]],
                       labels: Sequence[str], exposures: Sequence[str]) -> None:  # fmt: skip
    """Raises ValueError if a target or the exposure is also a feature or an error column."""
    for column in exposures:
        if column in labels:
            raise ValueError(f"column {column!r} cannot be both label and exposure")
    for what, columns in (("label", labels), ("exposure", exposures)):
        for feature, source in sources.items():
            for column in source.columns:
                if column in columns:
                    raise ValueError(f"column {column!r} cannot be {what} and feature at once")
            for error in (name for sides in pairs[feature] if sides for name in sides.columns):
                if error in columns:
                    raise ValueError(
                        f"column {error!r} cannot be {what} and the error of {feature!r} at once"
                    )


def _exposure(table: Any, name: str, rows: np.ndarray) -> np.ndarray:
    """The exposure of these rows of the table."""
    if not _is_numeric(table[name]):
        raise ValueError(f"exposure: column {name!r} does not hold one number a row")
    values = _numbers(table, name)[rows]
    bad = ~((values > 0) & np.isfinite(values))
    if bad.any():
        first = int(np.argmax(bad))
        raise ValueError(
            f"exposure: column {name!r}: row {int(rows[first])}: {values[first]:g} is not a finite "
            "number above 0"
        )
    return values


def _pairs(sources: Mapping[str, _Source], columns: Sequence[str], labels: Sequence[str],
           errors: Any, given: Mapping[str, str | None]) -> dict[str, list[Sides | None]]:  # fmt: skip
    """The error columns of each feature, for each of its columns; None if there are none."""
    if isinstance(errors, str) and errors != "auto":
        raise ValueError(f"errors={errors!r} is not 'auto', a dict or None")
    values = [column for source in sources.values() for column in source.columns]
    allowed = [] if errors is None else [name for name in columns if name not in labels]
    pairs = {
        feature: [sides_by_rule(column, allowed, values) for column in source.columns]
        for feature, source in sources.items()
    }
    for feature, column in given.items():
        about = [
            (f, k)
            for f, source in sources.items()
            for k, operand in enumerate(source.columns)
            if feature == operand or (feature == f and k == 0)
        ]
        if not about:
            raise ValueError(
                f"errors: {feature!r} is not a feature; the features are {', '.join(sources)}"
            )
        for f, k in about:
            pairs[f][k] = None if column is None else read_sides(column, columns)
    return pairs


def _values(
    table: Any,
    sources: Mapping[str, _Source],
    pairs: Mapping[str, Sequence[Sides | None]],
    columns: Sequence[str],
    sentinels: np.ndarray,
) -> tuple[np.ndarray, np.ndarray | Errors]:
    """All rows of the features, and their errors; 0 where a feature has none."""

    def numbers(name: str) -> np.ndarray:
        return _present(table, name, sentinels)

    taken = [column for source in sources.values() for column in source.columns]
    rows = len(_numbers(table, taken[0]))
    shape = rows, len(sources)
    X, lower, upper = np.empty(shape), np.zeros(shape), np.zeros(shape)
    limit = np.zeros(shape, dtype=np.int8)
    for j, (feature, source) in enumerate(sources.items()):
        readings = []
        for column, sides in zip(source.columns, pairs[feature], strict=True):
            value = numbers(column)
            errors = _error_bars(numbers, sides, value, column, feature)
            found = _limits_of(table, column, columns, taken)
            limits = np.zeros(rows, dtype=np.int8) if found is None else _limit_cells(table, found)
            readings.append(_Reading(value, *errors, limits))
        reading = readings[0]
        if source.form == "-":
            reading = _difference(*readings)
        elif source.form:
            reading = _logarithm(source.form, reading)
        X[:, j], lower[:, j], upper[:, j], limit[:, j] = reading
    lopsided = any(
        sides is not None and (sides.upper is not None or source.form.startswith("log"))
        for feature, source in sources.items()
        for sides in pairs[feature]
    )
    corr = _correlations(sources, pairs, columns, taken, numbers)
    if not lopsided and corr is None and not limit.any():
        return X, lower
    return X, Errors(
        lower,
        upper if lopsided else None,
        corr=corr,
        limit=limit if limit.any() else None,
    )


def _error_bars(
    numbers: Any, sides: Sides | None, values: np.ndarray, column: str, feature: str
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper errors; if one is missing, the other is used for both."""
    if sides is None:
        return np.zeros(len(values)), np.zeros(len(values))
    cells = [numbers(name) for name in sides.columns]
    if len(values) and all(np.isnan(side).all() for side in cells):
        raise ValueError(
            f"column {sides.lower!r}: all errors of {feature!r} are missing; "
            f"errors={{{feature!r}: None}} makes the values exact"
        )
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


def _limit_cells(table: Any, name: str) -> np.ndarray:
    """Signs of a column of limits. In a column of numbers, 1 is an upper limit."""
    try:
        if _is_numeric(table[name]):
            return -read_limits(np.nan_to_num(_numbers(table, name)))
        return read_limits(_texts(table[name]))
    except ValueError as error:
        raise ValueError(f"column {name!r}: {error}") from None


def _correlations(
    sources: Mapping[str, _Source],
    pairs: Mapping[str, Sequence[Sides | None]],
    columns: Sequence[str],
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
    for name in columns:
        of = None if name in taken else correlated(name, columns)
        if of is None or of[0] not in place or of[1] not in place:
            continue
        cells = np.nan_to_num(numbers(name))
        if corr is None:
            corr = np.zeros((len(cells), len(sources), len(sources)))
        i, j = place[of[0]], place[of[1]]
        corr[:, i, j] = corr[:, j, i] = cells
    return corr


def _frame(X: np.ndarray, names: Sequence[str], rows: np.ndarray, as_frame: bool | str) -> Any:
    if not as_frame:
        return X
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        if as_frame == "auto":
            return X
        raise ImportError("as_frame=True needs pandas: pip install pandas") from None
    return pandas.DataFrame(X, columns=list(names), index=rows, copy=False)


def from_fits(
    path: str | os.PathLike[str],
    hdu: int | str = 1,
    label: str | Sequence[str] | None = None,
    features: Iterable[str] | None = None,
    errors: Literal["auto"] | Mapping[str, str | None] | None = "auto",
    log: Iterable[str] = (),
    classes: Sequence[Any] | None = None,
    ignore_case: bool = False,
    as_frame: bool | Literal["auto"] = "auto",
    exposure: str | None = None,
    exclude: Iterable[str] = (),
    missing_value: float | Sequence[float] = (),
) -> Columns:
    """Values, labels and error bars of a table in a FITS file.

    Parameters
    ----------
    path : str or path-like
        The file; may be compressed (``.gz``).
    hdu : int or str, default=1
        Number or name of the extension that holds the table.
    label, features, errors, log, classes, ignore_case, as_frame, exposure, exclude, missing_value
        As in :func:`from_table`.

    Returns
    -------
    Columns
        X, y, X_err and names; the exposure and the units are its attributes ``exposure`` and
        ``units``.

    Notes
    -----
    Needs astropy (``pip install nimgp[tables]``).
    """
    try:
        from astropy.table import Table
    except ImportError:
        raise ImportError("from_fits needs astropy: pip install nimgp[tables]") from None
    table = Table.read(os.fspath(path), format="fits", hdu=hdu, unit_parse_strict="silent")
    return from_table(table, label, features, errors, log, classes, ignore_case, as_frame, exposure,
                      exclude, missing_value)  # fmt: skip


def from_parquet(path: str | os.PathLike[str], **how: Any) -> Columns:
    """Values, labels and error bars of a table in a Parquet file.

    Parameters
    ----------
    path : str or path-like
        The file.
    **how
        As in :func:`from_table`: label, features, ...

    Returns
    -------
    Columns
        X, y, X_err and names; the exposure and the units are its attributes ``exposure`` and
        ``units``.

    Notes
    -----
    Needs pyarrow (``pip install pyarrow``). Units are those in the metadata of fields, ``unit``.
    """
    return from_table(read_parquet(os.fspath(path)), **how)
