# SPDX-License-Identifier: Apache-2.0
"""What the columns of a table are, by their names: measure/measure.h, which the program uses too.

The docstring of :mod:`nimgp.tables` has the rules.
"""

from __future__ import annotations

import ctypes
import difflib
import functools
from collections.abc import Sequence
from ctypes import c_char_p, c_long
from typing import Any, NamedTuple

from .._native import interface
from .._native.core import library

# In the order of nim_column_role and nim_column_hint.
_ROLES = ("value", "errors", "limits", "correlation", "covariance", "weight", "one-sided",
          "orphan", "identity")  # fmt: skip
_HINTS = ("", "position", "flag")


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


class Names:
    """The columns of a table. `texts`: those that do not hold numbers."""

    def __init__(self, columns: Sequence[str], texts: Sequence[str] = ()) -> None:
        self.columns = list(columns)
        self._place = {name: place for place, name in enumerate(self.columns)}
        bytes_of = [name.encode("utf-8", "surrogatepass") for name in self.columns]
        self._kept = (c_char_p * len(bytes_of))(*bytes_of), self._marks(texts)
        self._handle = library.nim_names_create(*self._kept, len(bytes_of))
        if not self._handle:
            raise MemoryError

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.nim_names_free(self._handle)

    @property
    def handle(self) -> Any:
        """Of the C object, for what is told of these names elsewhere."""
        return self._handle

    def _marks(self, columns: Sequence[str]) -> bytes:
        marked = set(columns)
        return bytes(name in marked for name in self.columns)

    def _name(self, place: int) -> str | None:
        return self.columns[place] if place >= 0 else None

    def _read(self, sides: interface.Sides) -> Sides | None:
        lower = self._name(sides.lower)
        return None if lower is None else Sides(lower, self._name(sides.upper), bool(sides.ends))

    def find(self, wanted: str) -> str | None:
        """The column of that name: an exact match, otherwise the only one that differs in case."""
        if wanted in self._place:
            return wanted
        return self._name(library.nim_names_find(self._handle, wanted.encode("utf-8", "surrogatepass")))

    def require(self, wanted: str) -> str:
        found = self.find(wanted)
        if found is None:
            names = self.columns
            near = difflib.get_close_matches(wanted, names, n=1, cutoff=0.75)
            near = near or [name for name in names if name.lower().startswith(wanted.lower() + " ")]
            meant = f"; did you mean {near[0]!r}?" if near else f"; the columns are {', '.join(names)}"
            raise ValueError(f"no column {wanted!r}{meant}")
        return found

    def role(self, column: str) -> tuple[str, list[str]]:
        """What a name says ("value", "errors", ...), and of which columns."""
        of = (c_long * 2)()
        role = library.nim_names_role(self._handle, self._place[column], of)
        return _ROLES[role], [self.columns[place] for place in of if place >= 0]

    def hint(self, column: str) -> str:
        """Whether a measurement is a "position" or a "flag"; otherwise empty."""
        return _HINTS[library.nim_names_hint(self._handle, self._place[column])]

    def errors(self, column: str, excluded: Sequence[str] = ()) -> Sides | None:
        """The columns of errors of another one."""
        sides, also = interface.Sides(), c_long()
        library.nim_names_errors(
            self._handle, self._place[column], self._marks(excluded), sides, also
        )
        return self._read(sides)

    def limits(self, column: str, excluded: Sequence[str] = ()) -> str | None:
        """The column that marks limits among the values of another."""
        place = self._place[column]
        return self._name(library.nim_names_limits(self._handle, place, self._marks(excluded)))

    def read_sides(self, text: str) -> Sides:
        """"column", "lower:upper" or "[low:high]"."""
        sides = interface.Sides()
        library.nim_names_sides(self._handle, text.encode("utf-8", "surrogatepass"), sides)
        return self._read(sides) or Sides(self.require(text))


    def has_sides(self, text: str) -> bool:
        """Whether there are such columns of errors."""
        return bool(library.nim_names_sides(self._handle, text.encode("utf-8", "surrogatepass"), interface.Sides()))

    def by_pattern(self, pattern: str, column: str, errors: str) -> Sides | None:
        """The errors that a pattern such as "*": "* err" gives a column, if these are columns."""
        out, sides = ctypes.create_string_buffer(2048), interface.Sides()
        texts = (text.encode("utf-8", "surrogatepass") for text in (pattern, column, errors))
        if library.nim_pattern_fill(*texts, out, len(out)):
            library.nim_names_sides(self._handle, out.value, sides)
            found = self._read(sides)
            return found if found and column not in found.columns else None
        return None


@functools.lru_cache(maxsize=8)
def _names_of(columns: tuple[str, ...]) -> Names:
    return Names(columns)


def sides_by_rule(
    name: str, columns: Sequence[str], excluded: Sequence[str] = ()
) -> Sides | None:
    """The error columns of a name: a single one, or a pair. The name may be that of no column."""
    every = tuple(columns) if name in columns else (name, *columns)
    return _names_of(every).errors(name, excluded)


def says_error(name: str) -> bool:
    """Whether this is the name of an error column."""
    return bool(library.nim_name_says_error(name.encode("utf-8", "surrogatepass")))


def units_agree(one: str, other: str) -> bool:
    """Whether two units are equal: the same text, or products of the same powers of the same
    symbols, such as "m s-1", "s**-1.m" and "m/s"."""
    return bool(library.nim_units_agree(one.encode(), other.encode()))
