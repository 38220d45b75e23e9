# SPDX-License-Identifier: Apache-2.0
"""Finds columns of errors, limits and correlations by their names.

The docstring of :mod:`nimgp.tables` has the rules, which are those of the program.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import NamedTuple

_RULE = (
    ("", "_err"),
    ("", "_error"),
    ("e_", ""),
    ("Unc_", ""),
    ("sigma_", ""),
    ("", "_unc"),
    ("err_", ""),
    ("", "_sigma"),
)


def find(names: Sequence[str], wanted: str) -> str | None:
    """The column of that name: an exact match, otherwise the only one that differs in case."""
    if wanted in names:
        return wanted
    same = [name for name in names if name.lower() == wanted.lower()]
    return same[0] if len(same) == 1 else None


def require(names: Sequence[str], wanted: str) -> str:
    found = find(names, wanted)
    if found is None:
        near = difflib.get_close_matches(wanted, names, n=1, cutoff=0.75)
        meant = f"; did you mean {near[0]!r}?" if near else f"; the columns are {', '.join(names)}"
        raise ValueError(f"no column {wanted!r}{meant}")
    return found


def by_rule(name: str, columns: Sequence[str], excluded: Sequence[str] = ()) -> list[str]:
    """The error column of a name and a second candidate, if any, without excluded columns."""

    def look(before: str, name: str, after: str) -> str | None:
        found = find(columns, before + name + after)
        return None if found in excluded else found

    tried = (look(before, name, after) for before, after in _RULE)
    found = list(dict.fromkeys(column for column in tried if column is not None))
    if found:
        return found[:2]
    delta = look("d", name, "")
    if delta is None or any(look(before, delta, after) for before, after in _RULE):
        return []
    return [delta]


def looks_like_error(name: str) -> bool:
    """Whether this is the name of an error column; elements of vectors end in a number."""
    name = name.lower()
    stem = name.rstrip("0123456789_")
    return any(
        len(name) > len(before)
        and len(stem) > len(after)
        and name.startswith(before.lower())
        and name[len(stem) - len(after) :].startswith(after)
        for before, after in _RULE
    )


# Endings of lower and upper errors.
_SIDES = tuple(
    tuple(pair.split())
    for pair in ("2 1", "lo hi", "low high", "lower upper", "down up", "minus plus", "neg pos", "l u")
)
_JOINTS = ("_err_", "_err", "err_", "err", "_error_", "_error")
_ONE_SIDED = tuple(joint + side for pair in _SIDES for side in pair for joint in _JOINTS)
_ENDS = (("_lo", "_hi"), ("_lower", "_upper"))


class Sides(NamedTuple):
    """Columns of errors: the only or lower ones, the upper ones, and whether they are ends."""

    lower: str
    upper: str | None = None
    ends: bool = False

    def __str__(self) -> str:
        if self.upper is None:
            return self.lower
        return f"[{self.lower}:{self.upper}]" if self.ends else f"{self.lower}:{self.upper}"

    @property
    def columns(self) -> list[str]:
        return [self.lower] if self.upper is None else [self.lower, self.upper]


def pair_by_rule(
    name: str, columns: Sequence[str], excluded: Sequence[str] = ()
) -> Sides | None:
    """The lower and upper errors of a name."""

    def both(lower: str, upper: str, ends: bool = False) -> Sides | None:
        found = find(columns, lower), find(columns, upper)
        if None in found or found[0] == found[1] or any(column in excluded for column in found):
            return None
        return Sides(found[0] or "", found[1], ends)

    tried = [both("e_" + name, "E_" + name), both(f"Unc_{name}_1", f"Unc_{name}_2")]
    tried += [
        both(name + joint + low, name + joint + high) for low, high in _SIDES for joint in _JOINTS
    ]
    tried += [both(name + low, name + high, True) for low, high in _ENDS]
    return next((sides for sides in tried if sides is not None), None)


def sides_by_rule(
    name: str, columns: Sequence[str], excluded: Sequence[str] = ()
) -> Sides | None:
    """The error columns of a name: a single one, or a pair."""
    found = by_rule(name, columns, excluded)
    pair = pair_by_rule(name, columns, excluded)
    if pair is not None and (
        not found or found[0] in pair.columns or found[0].lower() == "d" + name.lower()
    ):
        return pair
    return Sides(found[0]) if found else None


def read_sides(text: str, columns: Sequence[str]) -> Sides:
    """"column", "lower:upper" or "[low:high]"."""
    found = find(columns, text)
    if found is not None:
        return Sides(found)
    ends = text.startswith("[") and text.endswith("]")
    inside = text[1:-1] if ends else text
    for place, letter in enumerate(inside):
        if letter == ":":
            lower, upper = find(columns, inside[:place]), find(columns, inside[place + 1 :])
            if lower is not None and upper is not None:
                return Sides(lower, upper, ends)
    return Sides(require(columns, text))


def limit_column(name: str, columns: Sequence[str], excluded: Sequence[str] = ()) -> str | None:
    """The column that marks limits among the values of another. It holds text; a column of numbers
    is accepted only if its name ends in ``lim``.
    """
    for wanted in (name + "_limit", "l_" + name, name + "lim"):
        found = find(columns, wanted)
        if found is not None and found not in excluded:
            return found
    return None


def correlated(column: str, columns: Sequence[str]) -> tuple[str, str] | None:
    """The two columns that a column of correlations is about, by its name."""
    if not column.lower().endswith("_corr"):
        return None
    stem = column[: -len("_corr")]
    for place, letter in enumerate(stem):
        if letter == "_" and place:
            first, second = find(columns, stem[:place]), find(columns, stem[place + 1 :])
            if first is not None and second is not None and first != second:
                return first, second
    return None


def is_one_sided(name: str, columns: Sequence[str]) -> bool:
    """Whether it looks like the upper or lower error of another column: x_err1, xerr2, x_err_lo."""
    return any(
        len(name) > len(ending)
        and name.lower().endswith(ending)
        and find(columns, name[: -len(ending)]) is not None
        for ending in _ONE_SIDED
    )
