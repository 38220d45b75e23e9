# SPDX-License-Identifier: Apache-2.0
"""Chooses the features of a table: which columns they are, and which columns have their errors."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._error_columns import Names, Sides, says_error
from ._table_columns import is_numeric, numbers_of
from ._warnings import warn


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


def _source(feature: str, names: Names) -> Source:
    """The definition of a feature."""
    column = names.find(feature)
    if column is not None:
        return Source(column)
    inside = _inside_log(feature)
    if inside is not None:
        return Source(names.require(inside[1]), inside[0])
    for sign in re.finditer("-", feature):
        left = names.find(feature[: sign.start()].strip())
        right = feature[sign.end() :].strip()
        if left is not None and right:
            right = names.require(right)
            if left == right:
                raise ValueError(f"feature {feature!r} is always zero")
            return Source(left, "-", right)
    return Source(names.require(feature))


def matching(pattern: str, names: Names) -> list[str]:
    """The columns that match a pattern such as *mag; a column of exactly this name matches alone."""
    if names.find(pattern) is not None or not set("*?") & set(pattern):
        return [names.require(pattern)]
    plain = pattern.replace("[", "[[]").lower()
    found = [name for name in names.columns if fnmatch.fnmatchcase(name.lower(), plain)]
    if not found:
        raise ValueError(f"no column matches {pattern!r}")
    return found


def named_sources(
    features: Iterable[str], names: Names, usable: Sequence[str]
) -> dict[str, Source]:
    """The features named by the user; patterns match `usable` columns."""
    sources: dict[str, Source] = {}
    for feature in map(str, features):
        logarithm, inside = _inside_log(feature) or ("", feature)
        if names.find(feature) is None and set("*?") & set(inside):
            found = [name for name in usable if name in matching(inside, names)]
            if not found:
                raise ValueError(f"no column matches {inside!r}")
            for name in found:
                called = f"{logarithm}({name})" if logarithm else name
                sources.setdefault(called, Source(name, logarithm))
        else:
            sources[feature] = _source(feature, names)
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


def _warn_of_one_sided(names: Sequence[str]) -> None:
    if names:
        warn(
            "not used, because they look like upper or lower errors without their counterpart: "
            f"{', '.join(names)}; errors={{feature: 'lower:upper'}} names both columns"
        )


def numeric_columns(
    table: Any, names: Names, labels: Sequence[str], named: set[str]
) -> tuple[list[str], list[str]]:
    """Columns that may be features, and those that are features by default."""
    usable, one_sided = [], []
    for name in names.columns:
        if name in labels or name in named or not is_numeric(table[name]):
            continue
        role, of = names.role(name)
        if role == "errors" and of[0] in labels and not is_numeric(table[of[0]]):
            role = "orphan" if says_error(name) else "value"
        if role == "value":
            usable.append(name)
        elif role == "one-sided":
            one_sided.append(name)
    _warn_of_one_sided(one_sided)
    described = [name for name in usable if names.errors(name) or not _numbers_rows(table, name)]
    return usable, described or usable


def error_pairs(sources: Mapping[str, Source], names: Names, labels: Sequence[str], errors: Any,
                given: Mapping[str, str | None]) -> dict[str, list[Sides | None]]:  # fmt: skip
    """The error columns of each feature, for each of its columns; None if there are none."""
    if isinstance(errors, str) and errors != "auto":
        raise ValueError(f"errors={errors!r} is not 'auto', a dict or None")
    values = [column for source in sources.values() for column in source.columns]
    excluded = names.columns if errors is None else [*values, *labels]
    pairs = {
        feature: [names.errors(column, excluded) for column in source.columns]
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
            pairs[f][k] = None if column is None else names.read_sides(column)
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
