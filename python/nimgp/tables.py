# SPDX-License-Identifier: Apache-2.0
"""Converts tables with error columns to the arrays of an estimator.

Error columns are found by name, with the rules of the command-line program: the name is that of the
values with a word in it such as err, error, unc, sigma, sig, std, se or uncertainty, at the end, at
the beginning or inside (``flux_err``, ``e_flux``, ``Unc_flux``, ``psfMagErr_u``, ``Period err (days)``),
or ``dflux`` if there is none and ``dflux`` has no error column itself.

Upper and lower errors are pairs of columns: ``E_flux`` and ``e_flux``, ``Unc_flux_2`` and
``Unc_flux_1``, ``flux_err1`` and ``flux_err2``, ``flux_errhi`` and ``flux_errlo`` and similar names,
whose signs are ignored. ``flux_hi`` and ``flux_lo``, or ``flux_upper`` and ``flux_lower``, are the ends
of the error bar. The table of names in docs/tables.md has those of many catalogues.
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

import importlib
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ._arrow import ArrowColumns, is_arrow, read_parquet
from ._error_columns import Names, Sides, sides_by_rule
from ._errors import Errors
from ._features import (
    Source,
    error_pairs,
    matching,
    named_sources,
    numeric_columns,
    refuse_double_use,
)
from ._labels import read_labels, read_sets, rows_of_classes
from ._measurements import measured_values, warn_of_nonpositive
from ._table_columns import column_names, is_numeric, numbers_of
from ._units import refuse_mixed, units_of

__all__ = ["Columns", "from_fits", "from_parquet", "from_table", "pair_errors"]


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
    columns = column_names(table)
    one = label is None or isinstance(label, str)
    wanted = [label] if isinstance(label, str) else [] if label is None else list(label)
    names = Names(columns, [name for name in columns if not is_numeric(table[name])])
    labels = [names.require(name) for name in wanted]
    if classes is not None and (not one or not labels):
        raise ValueError("classes needs one column of labels, given by label")
    taken = labels if exposure is None else [*labels, names.require(exposure)]
    excluded = {
        name
        for pattern in ([exclude] if isinstance(exclude, str) else exclude)
        for name in matching(pattern, names)
    }
    if excluded:
        left = [name for name in columns if name not in excluded or name in taken]
        names = Names(left, [name for name in left if not is_numeric(table[name])])
    given = dict(errors) if isinstance(errors, Mapping) else {}
    named = {
        column
        for name in given.values()
        if name is not None
        for column in names.read_sides(name).columns
    }
    sources = _take_logarithms(_chosen_features(table, names, taken, named, features), log)
    if not sources:
        raise ValueError("the table has no columns of numbers besides labels and errors")
    pairs = error_pairs(sources, names, taken, errors, given)
    refuse_double_use(sources, pairs, labels, taken[len(labels) :])
    units = units_of(table)
    _refuse_mixed_units(sources, pairs, units)
    X, X_err = measured_values(table, sources, pairs, names, np.ravel(missing_value))
    y, keep = _targets(table, label, labels, len(X), classes, ignore_case)
    warn_of_nonpositive(table, sources, keep, np.ravel(missing_value))
    rows, called = np.flatnonzero(keep), list(sources)
    if y is not None:
        y = y[keep] if one else _frame(y[keep], labels, rows, as_frame)
    if not keep.all():
        X, X_err = X[keep], X_err[keep]
    X = _frame(X, called, rows, as_frame)
    known = any(map(any, pairs.values())) or isinstance(X_err, Errors)
    result = Columns(X, y, X_err if known else None, called)
    result.units = {
        name: units[source.column] for name, source in sources.items() if source.column in units
    }
    if result.units and hasattr(X, "attrs"):
        X.attrs["units"] = dict(result.units)
    if exposure is not None:
        result.exposure = _exposure(table, taken[-1], rows)
    return result


def _chosen_features(
    table: Any,
    names: Names,
    taken: Sequence[str],
    named: set[str],
    features: Iterable[str] | None,
) -> dict[str, Source]:
    """The features that were asked for; by default those that describe the rows.

    `taken`: labels and exposure; `named`: columns that were named as errors.
    """
    if features is None:
        return {name: Source(name) for name in numeric_columns(table, names, taken, named)[1]}
    features = list(map(str, [features] if isinstance(features, str) else features))
    patterns = any(set("*?") & set(feature) for feature in features)
    usable = numeric_columns(table, names, taken, named)[0] if patterns else []
    return named_sources(features, names, usable)


def _take_logarithms(sources: dict[str, Source], log: Iterable[str]) -> dict[str, Source]:
    """The features, of which those named by `log` are logarithms."""
    for name in [log] if isinstance(log, str) else log:
        if name not in sources:
            raise ValueError(f"log: {name!r} is not a feature; the features are {', '.join(sources)}")
        sources = {
            (f"log({key})" if key == name else key): (
                Source(source.column, "log") if key == name and not source.form else source
            )
            for key, source in sources.items()
        }
    return sources


def _refuse_mixed_units(
    sources: Mapping[str, Source],
    pairs: Mapping[str, Sequence[Sides | None]],
    units: Mapping[str, str],
) -> None:
    """Raises ValueError if a column has another unit than its errors or what is subtracted."""
    for feature, source in sources.items():
        for column, sides in zip(source.columns, pairs[feature], strict=True):
            refuse_mixed(column, dict.fromkeys(sides.columns if sides else (), "its errors"), units)
        refuse_mixed(source.column, dict.fromkeys(source.columns[1:], "the subtracted column"), units)


def _targets(
    table: Any,
    label: str | Sequence[str] | None,
    labels: Sequence[str],
    rows: int,
    classes: Sequence[Any] | None,
    ignore_case: bool,
) -> tuple[Any, np.ndarray]:
    """What is to be predicted, and which rows have it and are wanted."""
    if not labels:
        return None, np.ones(rows, dtype=bool)
    if isinstance(label, str):
        y, keep = read_labels(table[labels[0]], ignore_case)
    else:
        y, keep = read_sets(table, labels)
    if not keep.any():
        raise ValueError(f"no row of column {', '.join(map(repr, labels))} has a label")
    if classes is not None:
        keep = rows_of_classes(y, keep, classes, ignore_case, labels[0])
    return y, keep


def _exposure(table: Any, name: str, rows: np.ndarray) -> np.ndarray:
    """The exposure of these rows of the table."""
    if not is_numeric(table[name]):
        raise ValueError(f"exposure: column {name!r} does not hold one number a row")
    values = numbers_of(table, name)[rows]
    bad = ~((values > 0) & np.isfinite(values))
    if bad.any():
        first = int(np.argmax(bad))
        raise ValueError(
            f"exposure: column {name!r}: row {int(rows[first])}: {values[first]:g} is not a finite "
            "number above 0"
        )
    return values


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
