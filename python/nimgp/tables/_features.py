# SPDX-License-Identifier: Apache-2.0
"""Chooses the features of a table: which columns they are, and which columns have their errors."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._base.warn import warn
from ._columns import is_numeric
from ._judge import Judge
from ._names import Names, Sides


class Source(NamedTuple):
    """The definition of a feature: a column, its logarithm, its difference from another one, or where it is a text."""

    column: str
    form: str = ""  # "log", "log10", "-" or "="
    minus: str | None = None
    level: str = ""

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
    for sign in re.finditer("=", feature):
        left = names.find(feature[: sign.start()].strip())
        if left is not None and feature[sign.end() :]:
            return Source(left, "=", level=feature[sign.end() :])
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


def _levels(judge: Judge, name: str) -> dict[str, Source]:
    """The indicators of a column of text."""
    return {f"{name}={level}": Source(name, "=", level=level) for level in judge.levels(name)}


def _matched(pattern: str, table: Any, names: Names, judge: Judge) -> list[str]:
    """Columns that may be features; of what numbers the rows only where more than * was written."""
    usable = ("learned", "truth") if pattern == "*" else ("learned", "truth", "row number")
    return [
        name
        for name in matching(pattern, names)
        if judge.standing(name) in usable
        and (is_numeric(table[name]) or judge.standing(name) == "truth")
    ]


def named_sources(
    features: Iterable[str], table: Any, names: Names, judge: Judge
) -> dict[str, Source]:
    """The features named by the user; patterns match columns that may be features."""
    sources: dict[str, Source] = {}
    for feature in map(str, features):
        logarithm, inside = _inside_log(feature) or ("", feature)
        if names.find(feature) is None and set("*?") & set(inside):
            found = _matched(inside, table, names, judge)
            if not found:
                raise ValueError(f"no column matches {inside!r}")
            for name in found:
                if not is_numeric(table[name]):
                    sources |= {} if logarithm else _levels(judge, name)
                    continue
                called = f"{logarithm}({name})" if logarithm else name
                sources.setdefault(called, Source(name, logarithm))
        else:
            source = _source(feature, names)
            texts = source.form == "" and not is_numeric(table[source.column])
            sources |= _levels(judge, source.column) if texts else {feature: source}
    return sources


def default_sources(table: Any, names: Names, judge: Judge) -> dict[str, Source]:
    """The features of a table of which none are named. A warning tells of those left out that may be meant."""
    standing = {name: judge.standing(name) for name in names.columns}
    sources: dict[str, Source] = {}
    for name, stands in standing.items():
        if stands == "learned" and is_numeric(table[name]):
            sources[name] = Source(name)
        elif stands == "truth":
            sources |= _levels(judge, name)
    lone = [name for name, stands in standing.items() if stands == "lone side"]
    if lone:
        warn(
            "not used, because they look like upper or lower errors without their counterpart: "
            f"{', '.join(lone)}; errors={{feature: 'lower:upper'}} names both columns"
        )
    if sources:
        return sources
    return {name: Source(name) for name, stands in standing.items() if stands == "row number"}


def warn_of_features(sources: Mapping[str, Source], judge: Judge) -> None:
    """Names the features that alone nearly give the target away."""
    columns = dict.fromkeys(source.column for source in sources.values())
    telling = [name for name in columns if judge.facts(name).tells]
    if telling:
        warn(
            "learned from, though each alone nearly gives the label away: "
            f"{', '.join(telling)}; exclude=[...] leaves columns out"
        )


def error_pairs(sources: Mapping[str, Source], names: Names, others: Sequence[str], errors: Any,
                given: Mapping[str, str | None]) -> dict[str, list[Sides | None]]:  # fmt: skip
    """The error columns of each feature, for each of its columns; None if there are none. `others`: columns that are
    nobody's errors."""
    if isinstance(errors, str) and errors != "auto":
        raise ValueError(f"errors={errors!r} is not 'auto', a dict or None")
    values = [column for source in sources.values() for column in source.columns]
    excluded = names.columns if errors is None else [*values, *others]
    pairs = {
        feature: [
            None if source.form == "=" else names.errors(column, excluded)
            for column in source.columns
        ]
        for feature, source in sources.items()
    }
    for feature, column in given.items():
        if "*" in feature and column is not None and "*" in column:
            _apply_pattern(pairs, sources, names, feature, column)
            continue
        about = [
            (f, k)
            for f, source in sources.items()
            for k, operand in enumerate(source.columns)
            if feature == operand or feature == f + "-" * k
        ]
        if not about:
            raise ValueError(
                f"errors: {feature!r} is not a feature; the features are {', '.join(sources)}"
            )
        for f, k in about:
            pairs[f][k] = None if column is None else names.read_sides(column)
    return pairs


def _apply_pattern(pairs: dict[str, list[Sides | None]], sources: Mapping[str, Source], names: Names, pattern: str,
                   errors: str) -> None:  # fmt: skip
    """errors={"*": "* err"}: of every column that has such a one."""
    found = False
    for feature, source in sources.items():
        for k, column in enumerate(source.columns):
            sides = names.by_pattern(pattern, column, errors)
            if sides is not None:
                pairs[feature][k] = sides
                found = True
    if not found:
        raise ValueError(f"errors: no columns are as {pattern!r}: {errors!r} says")


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
