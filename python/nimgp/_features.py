# SPDX-License-Identifier: Apache-2.0
"""Chooses the features of a table: which columns they are, and which columns have their errors."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

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
from ._table_columns import is_numeric, numbers_of
from ._warnings import warn

# Numbers that name a row rather than describe it.
_IDENTITIES = frozenset(
    "|id|index|row|rowid|row_id|objid|obj_id|source_id|recno|idx|#|no.|nr|unnamed: 0".split("|")
)


class Source(NamedTuple):
    """The definition of a feature: a column, its logarithm, or its difference from another one."""

    column: str
    form: str = ""  # "log", "log10" or "-"
    minus: str | None = None

    @property
    def columns(self) -> list[str]:
        return [self.column] if self.minus is None else [self.column, self.minus]


def _inside_log(feature: str) -> tuple[str, str] | None:
    """The name of the logarithm and the argument of log(X) or log10(X)."""
    found = re.fullmatch(r"(log|log10)\((.+)\)", feature)
    return None if found is None else (found[1], found[2].strip())


def _source(feature: str, columns: Sequence[str]) -> Source:
    """The definition of a feature."""
    column = find(columns, feature)
    if column is not None:
        return Source(column)
    inside = _inside_log(feature)
    if inside is not None:
        return Source(require(columns, inside[1]), inside[0])
    for sign in re.finditer("-", feature):
        left = find(columns, feature[: sign.start()].strip())
        right = feature[sign.end() :].strip()
        if left is not None and right:
            right = require(columns, right)
            if left == right:
                raise ValueError(f"feature {feature!r} is always zero")
            return Source(left, "-", right)
    return Source(require(columns, feature))


def matching(pattern: str, columns: Sequence[str]) -> list[str]:
    """The columns that match a pattern such as *mag; a column of exactly this name matches alone."""
    if find(columns, pattern) is not None or not set("*?") & set(pattern):
        return [require(columns, pattern)]
    plain = pattern.replace("[", "[[]").lower()
    found = [name for name in columns if fnmatch.fnmatchcase(name.lower(), plain)]
    if not found:
        raise ValueError(f"no column matches {pattern!r}")
    return found


def named_sources(
    features: Iterable[str], columns: Sequence[str], usable: Sequence[str]
) -> dict[str, Source]:
    """The features named by the user; patterns match `usable` columns."""
    sources: dict[str, Source] = {}
    for feature in map(str, features):
        logarithm, inside = _inside_log(feature) or ("", feature)
        if find(columns, feature) is None and set("*?") & set(inside):
            found = [name for name in usable if name in matching(inside, columns)]
            if not found:
                raise ValueError(f"no column matches {inside!r}")
            for name in found:
                called = f"{logarithm}({name})" if logarithm else name
                sources.setdefault(called, Source(name, logarithm))
        else:
            sources[feature] = _source(feature, columns)
    return sources


def _numbers_rows(table: Any, name: str) -> bool:
    """Whether a column numbers the rows: at least 30 whole numbers, none missing, all different."""
    values = numbers_of(table, name)[:4096]
    return bool(
        len(values) >= 30
        and np.isfinite(values).all()
        and (values == np.floor(values)).all()
        and len(np.unique(values)) == len(values)
    )


def limits_of(table: Any, name: str, columns: Sequence[str], excluded: Sequence[str] = ()) -> str | None:
    """The column that marks limits among the values of another. A column of numbers could also be a
    measurement, such as a speed limit, so it is accepted only with the ending used by archives.
    """
    found = limit_column(name, columns, excluded)
    limits = found is not None and (not is_numeric(table[found]) or found.lower().endswith("lim"))
    return found if limits else None


def _errors_of(name: str, columns: Sequence[str]) -> list[str]:
    """All columns that look like errors of another, used or not."""
    pair = pair_by_rule(name, columns)
    return by_rule(name, columns) + ([] if pair is None else pair.columns)


def _about(table: Any, name: str, columns: Sequence[str]) -> list[str]:
    """Columns of errors or limits of another column; the column itself if it holds correlations."""
    limit = limits_of(table, name, columns)
    about = _errors_of(name, columns) + ([] if limit is None else [limit])
    return about + ([name] if correlated(name, columns) else [])


def _warn_of_one_sided(names: Sequence[str]) -> None:
    if names:
        warn(
            "not used, because they look like upper or lower errors without their counterpart: "
            f"{', '.join(names)}; errors={{feature: 'lower:upper'}} names both columns"
        )


def numeric_columns(
    table: Any, columns: Sequence[str], labels: Sequence[str], named: set[str]
) -> tuple[list[str], list[str]]:
    """Columns that may be features, and those that are features by default."""
    values = [name for name in columns if name not in labels]
    errors = named.union(*(_about(table, name, columns) for name in values))
    errors.update(*(_errors_of(label, columns) for label in labels if is_numeric(table[label])))
    one_sided = [
        name
        for name in values
        if name not in errors and is_numeric(table[name]) and is_one_sided(name, columns)
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
        and is_numeric(table[name])
    ]
    described = [name for name in usable if name in noisy or not _numbers_rows(table, name)]
    return usable, described or usable


def error_pairs(sources: Mapping[str, Source], columns: Sequence[str], labels: Sequence[str],
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


def refuse_double_use(sources: Mapping[str, Source], pairs: Mapping[str, Sequence[Sides | None]],
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
