# SPDX-License-Identifier: Apache-2.0
"""Reads values, labels and error bars from the columns of a table."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from .._base.errors import Errors
from .._base.warn import warn
from ._columns import column_names, is_numeric, numbers_of, opened
from ._features import (
    Source,
    default_sources,
    error_pairs,
    matching,
    named_sources,
    refuse_double_use,
    warn_of_features,
)
from ._judge import Judge, describe_missing, wants_log
from ._labels import merge_classes, read_labels, read_sets, rows_of_classes
from ._names import Names, Sides, sides_by_rule
from ._recipe import Recipe, read_missing
from ._units import refuse_mixed, units_of
from ._values import (
    Missing,
    errors_of_numbers,
    measured_values,
    sentinels_of,
    warn_of_nonpositive,
)

# Numbers that mean missing: in all columns, in each of some, or found.
MissingValue = (
    Literal["auto"] | float | Sequence[float] | Mapping[str | None, float | Sequence[float]] | None
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
        items of the tuple, nor is `y_err`.
    y_err : ndarray of shape (n,) or None
        1-sigma errors of y, for ``fit(..., y_err=...)``, if y holds numbers that have an error
        column; 0 where the error is missing, the root mean square of lower and upper errors.
    units : dict
        Units of the attributes that have one; also in ``X.attrs["units"]`` of a DataFrame, from
        which estimators read them.
    """

    exposure: np.ndarray | None = None
    y_err: np.ndarray | None = None
    units: dict[str, str]
    _recipe: Recipe

    def with_errors(self, X_err: np.ndarray | Errors) -> Columns:
        """The same with other errors."""
        other = Columns(self.X, self.y, X_err, self.names)
        other.exposure, other.y_err = self.exposure, self.y_err
        other.units, other._recipe = self.units, self._recipe
        return other


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
    log: Iterable[str] | Literal["auto", "none"] = (),
    classes: Sequence[Any] | Mapping[Any, Sequence[Any]] | None = None,
    ignore_case: bool = False,
    as_frame: bool | Literal["auto"] = "auto",
    exposure: str | None = None,
    exclude: Iterable[str] = (),
    missing_value: MissingValue = "auto",
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
        ``log10(x)``, ``a-b``. ``*mag`` stands for all columns of numbers whose names end in mag. A
        column of text or categories (2 to 32 different ones) becomes an indicator ``kind=red`` for
        each of them; of two, for the second. Default: all columns of numbers and of true and false,
        except labels, errors (also of columns that do not exist), and columns that number the rows
        (``id``..., or whole numbers that are all different).
        ``model.feature_names_in_`` selects the features of an estimator.
    errors : "auto", dict or None, default="auto"
        "auto" finds error columns by name. A dict names the error columns of some features, or of
        the label (None for exact values); the others are found by name. ``{"*": "* err"}`` names those of all columns
        that have such a one. None ignores all error columns.
    log : iterable of str, "auto" or "none"
        Features whose logarithm is used; they are then called ``log(x)``. Values that are not
        positive count as missing, with a warning. "auto": those that are positive and skewed.
    classes : sequence or dict, optional
        Use only rows with these labels. Each must occur in the table. A dict names the labels of each
        class: ``{"planet": ["KP", "CP"]}``.
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
    missing_value : "auto", float, sequence of float, dict or None
        Numbers that mean a missing value or error, such as -99; a dict has those of some columns.
        "auto" finds them, with a warning: numbers of nines that are far from the other values
        (docs/cli.md has the rule). None: there are none.

    Returns
    -------
    Columns
        X, y, X_err and names; the exposure, the errors of y and the units are its attributes
        ``exposure``, ``y_err`` and ``units``.

    Examples
    --------
    >>> table = {"flux": [1.0, 2.0], "flux_err": [0.1, 0.3], "class": ["bll", "psr"]}
    >>> X, y, X_err, names = from_table(table, label="class")
    >>> names, X_err.tolist()
    (['flux'], [[0.1], [0.3]])
    """
    table = opened(table)
    columns = column_names(table)
    for name in columns:
        if columns.count(name) > 1:
            raise ValueError(f"two columns are named {name!r}; expected names that differ")
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
        if name not in taken
    }
    given = dict(errors) if isinstance(errors, Mapping) else {}
    judge = Judge(table, names, aside_of(table, names, labels, exposure, excluded, given))
    numbers = [name for name in labels if is_numeric(table[name]) and one]
    measured = [name for name in numbers if errors is not None and _holds_numbers(table, name)]
    told, given = given, {key: text for key, text in given.items() if key not in measured}
    if features is None:
        sources = default_sources(table, names, judge)
    else:
        features = [features] if isinstance(features, str) else map(str, features)
        sources = named_sources(features, table, names, judge)
        for feature, source in sources.items():
            if excluded & set(source.columns):
                raise ValueError(f"feature {feature!r} is excluded at once")
    sources = _take_logarithms(sources, () if log in ("auto", "none") else log)
    if not sources:
        raise ValueError("the table has no columns of numbers besides labels and errors")
    pairs = error_pairs(sources, judge.names, [*taken, *excluded], errors, given)
    refuse_double_use(sources, pairs, labels, taken[len(labels) :])
    units = units_of(table)
    _refuse_mixed_units(sources, pairs, units)
    values = [column for source in sources.values() for column in source.columns]
    target_errors = _errors_of_label(measured, names, [*values, *taken, *excluded], told)
    used = _columns_used(sources, pairs)
    if target_errors:
        refuse_mixed(measured[0], dict.fromkeys(target_errors.columns, "its errors"), units)
        used += target_errors.columns
    missing = _missing_values(missing_value, judge, [*used, *numbers])
    X, X_err = measured_values(table, sources, pairs, names, missing)
    y, keep = _targets(table, label, labels, len(X), classes, ignore_case)
    for name in numbers:
        keep &= ~np.isin(numbers_of(table, name), sentinels_of(missing, name))
    if label is not None and features is None:
        warn_of_features(sources, judge)
        gone = [name for j, name in enumerate(sources) if np.isnan(X[keep, j]).all()]
        if gone and len(gone) < len(sources):
            warn(f"empty columns are not used: {', '.join(gone)}")
            sources = {name: source for name, source in sources.items() if name not in gone}
            X, X_err = measured_values(table, sources, pairs, names, missing)
    skewed = [
        name
        for j, (name, source) in enumerate(sources.items())
        if log == "auto" and not source.form and wants_log(source.column, X[keep, j])
    ]
    if skewed:
        renamed = {f"log({name})": pairs[name] for name in skewed}
        sources, pairs = _take_logarithms(sources, skewed), {**pairs, **renamed}
        X, X_err = measured_values(table, sources, pairs, names, missing)
    warn_of_nonpositive(table, sources, keep, missing)
    rows, called = np.flatnonzero(keep), list(sources)
    if y is not None:
        y = y[keep] if one else _frame(y[keep], labels, rows, as_frame)
    if not keep.all():
        X, X_err = X[keep], X_err[keep]
    X = _frame(X, called, rows, as_frame)
    known = any(any(pairs[name]) for name in sources) or isinstance(X_err, Errors)
    result = Columns(X, y, X_err if known else None, called)
    result.units = {
        name: units[source.column]
        for name, source in sources.items()
        if source.column in units and source.form != "="
    }
    if result.units and hasattr(X, "attrs"):
        X.attrs["units"] = dict(result.units)
    if exposure is not None:
        result.exposure = _exposure(table, taken[-1], rows)
    if target_errors:
        result.y_err = errors_of_numbers(table, measured[0], target_errors, missing)[rows]
    result._recipe = Recipe(
        called,
        _errors_of(sources, pairs),
        missing,
        labels[0] if one and labels else None,
        str(target_errors) if target_errors else None,
    )
    return result


def aside_of(
    table: Any,
    names: Names,
    labels: Sequence[str],
    exposure: str | None,
    excluded: Iterable[str],
    given: Mapping[str, str | None],
) -> dict[str, str]:
    """Columns that are no features, by what they are."""
    aside = dict.fromkeys(excluded, "excluded")
    for feature, text in given.items():
        if text is None:
            continue
        if "*" in feature and "*" in text:
            found = [names.by_pattern(feature, name, text) for name in names.columns]
        else:
            found = [names.read_sides(text)]
        for sides in found:
            aside |= dict.fromkeys(sides.columns if sides else (), "errors")
    for name in labels:
        aside[name] = "numbers" if _holds_numbers(table, name) else "classes"
    if exposure is not None:
        aside[names.require(exposure)] = "exposure"
    return aside


def _holds_numbers(table: Any, name: str) -> bool:
    """Whether a target holds numbers to learn: not few whole ones, which may be classes."""
    if not is_numeric(table[name]):
        return False
    different = np.unique(numbers_of(table, name))
    return len(different) > 30 or bool((different != np.floor(different)).any())


def _errors_of_label(
    measured: Sequence[str], names: Names, others: Sequence[str], given: Mapping[str, str | None]
) -> Sides | None:
    """The error columns of a label that holds numbers, by its name or as given."""
    found = names.errors(measured[0], others) if measured else None
    for name, text in given.items() if measured else ():
        if name == measured[0]:
            found = None if text is None else names.read_sides(text)
        elif "*" in name and text is not None and "*" in text:
            found = names.by_pattern(name, measured[0], text) or found
    return found


def _columns_used(
    sources: Mapping[str, Source], pairs: Mapping[str, Sequence[Sides | None]]
) -> list[str]:
    """All columns that values and errors come from."""
    used = [
        name
        for feature, source in sources.items()
        for column, sides in zip(source.columns, pairs[feature], strict=True)
        for name in (column, *(sides.columns if sides else ()))
    ]
    return list(dict.fromkeys(used))


def _missing_values(wanted: MissingValue, judge: Judge, used: Sequence[str]) -> Missing:
    """What the user named, or what was found in the columns that are used, with a warning."""
    if wanted is None:
        return {}
    if isinstance(wanted, Mapping):
        return {name: np.ravel(values).tolist() for name, values in wanted.items()}
    if isinstance(wanted, str):
        if wanted != "auto":
            return read_missing(wanted)
        told = describe_missing(judge, used)
        if told:
            warn(f"taken as missing: {told}; missing_value=None keeps them")
        return judge.missing_values(used) if told else {}
    return {None: np.ravel(wanted).tolist()}


def _errors_of(
    sources: Mapping[str, Source], pairs: Mapping[str, Sequence[Sides | None]]
) -> dict[str, str]:
    """The columns of errors of each feature, and under its name and "-" those of what a difference takes away."""
    return {
        f"{feature}{'-' * k}": str(sides)
        for feature in sources
        for k, sides in enumerate(pairs[feature])
        if sides is not None
    }


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
    classes: Sequence[Any] | Mapping[Any, Sequence[Any]] | None,
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
    if isinstance(classes, Mapping):
        y, keep = merge_classes(y, keep, classes, ignore_case, labels[0])
    elif classes is not None:
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


def read_alike(recipe: Recipe, table: Any, label: str | None = None) -> Columns:
    """Other rows, as :func:`from_table` has them. Errors whose columns are not there, under any name, are unknown."""
    names = Names(column_names(table))
    there = {name: text for name, text in recipe.errors.items() if names.has_sides(text)}
    read = from_table(table, label, recipe.features, there or "auto", missing_value=dict(recipe.missing))
    lost = [name for name in recipe.errors if name in recipe.features and name not in read._recipe.errors]
    if not lost:
        return read
    errors = np.zeros(read.X.shape) if read.X_err is None else read.X_err
    cells = errors if isinstance(errors, np.ndarray) else errors.sigma
    cells[:, [list(recipe.features).index(name) for name in lost]] = np.nan
    return read.with_errors(errors)
