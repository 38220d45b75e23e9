# SPDX-License-Identifier: Apache-2.0
"""What the columns of a table are, by their names and their cells: measure/judge.h, which the program uses too."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterable, Mapping, Sequence
from ctypes import c_int
from typing import Any, NamedTuple

import numpy as np

from .._native.core import library
from .._native.interface import ColumnFacts
from ._columns import is_numeric, numbers_of, texts_of
from ._names import Names

_MOST_JUDGED, _MOST_SENTINELS = 1 << 20, 3
MOST_WORDS = 32


# In the order of nim_aside and nim_standing.
_ASIDE = ("", "classes", "numbers", "exposure", "other", "errors", "excluded")
STANDINGS = ("learned", "truth", "aside", "of another", "unused errors", "lone side", "lost errors",
             "other errors", "row name", "row number", "words", "nothing")  # fmt: skip


class Facts(NamedTuple):
    """What was found in the cells of a column."""

    cells: int
    missing: int
    text: bool
    truth: bool
    words: int
    sentinels: dict[float, int]
    tells: bool


class Judge:
    """The judged columns of a table. `aside`: those that are no features, by what they are."""

    def __init__(self, table: Any, names: Names, aside: Mapping[str, str]) -> None:
        self._table, self._names, self._aside = table, names, aside
        self._place = {name: place for place, name in enumerate(names.columns)}

    @functools.cached_property
    def _judged(self) -> int:
        """The C object; the cells are read when something is first asked."""
        self._handle = library.nim_judge_create(self._names.handle, len(self._place))
        fed = bool(self._handle) and all(
            (self._feed_numbers if is_numeric(self._table[name]) else self._feed_texts)(name, place)
            for name, place in self._place.items()
        )
        for name, what in self._aside.items():
            library.nim_judge_set_aside(self._handle, self._place[name], _ASIDE.index(what))
        if not fed or not library.nim_judge_finish(self._handle):
            raise MemoryError
        return int(self._handle)

    @property
    def names(self) -> Names:
        """The names, corrected by the cells: whether x_lower is the end or the length of an error bar."""
        self._judged  # noqa: B018
        return self._names

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.nim_judge_free(self._handle)

    def _feed_numbers(self, name: str, place: int) -> int:
        cells = np.ascontiguousarray(numbers_of(self._table, name)[:_MOST_JUDGED], dtype=np.float64)
        return int(library.nim_judge_numbers(self._handle, place, cells.ctypes.data, len(cells)))

    def _feed_texts(self, name: str, place: int) -> int:
        if np.ndim(self._table[name]) != 1:
            return 1
        texts = texts_of(self._table[name])[:_MOST_JUDGED].tolist()
        cells = [text.encode("utf-8", "surrogatepass") for text in texts]
        length = np.array([len(cell) for cell in cells], dtype=np.uintp)
        return int(
            library.nim_judge_texts(
                self._handle, place, b"".join(cells), length.ctypes.data, len(cells)
            )
        )

    def standing(self, name: str) -> str:
        """What becomes of a column by itself: one of STANDINGS."""
        return STANDINGS[library.nim_judge_standing(self._judged, self._place[name])]

    def facts(self, name: str) -> Facts:
        found = ColumnFacts()
        library.nim_judge_facts(self._judged, self._place[name], found)
        pairs = zip(found.sentinel, found.sentinel_cells, strict=True)
        return Facts(
            found.cells,
            found.missing,
            bool(found.text),
            bool(found.truth),
            found.words,
            dict(list(pairs)[: found.sentinels]),
            bool(found.tells),
        )

    def describe(self, name: str) -> tuple[str, str]:
        """What the column is, and remarks about its cells."""
        role, remarks = ctypes.create_string_buffer(256), ctypes.create_string_buffer(1024)
        library.nim_judge_describe(self._judged, self._place[name], role, 256, remarks, 1024)
        return role.value.decode("utf-8", "replace"), remarks.value.decode("utf-8", "replace")

    def levels(self, name: str) -> list[str]:
        """The texts a column of text becomes indicators of."""
        facts = self.facts(name)
        if facts.truth:
            return ["true"]
        if not 2 <= facts.words <= MOST_WORDS:
            many = "no" if facts.words < 2 else "too many"
            raise ValueError(
                f"column {name!r}: {many} different texts; expected 2 to {MOST_WORDS} of a feature"
            )
        place = self._place[name]
        words = [library.nim_judge_word(self._judged, place, k, None) for k in range(facts.words)]
        return [word.decode() for word in (words[1:] if len(words) == 2 else words)]

    def missing_values(self, columns: Iterable[str]) -> dict[str | None, list[float]]:
        """The numbers that mean missing in these columns; None stands for all of them. As missing_values_find of the
        program: one that is found in a column counts in others where it would be as far off."""
        used = set(columns)
        listed = [name for name in self._names.columns if name in used]
        found: dict[str | None, list[float]] = {}
        values = dict.fromkeys(value for name in listed for value in self.facts(name).sentinels)
        for value in values:
            where = [name for name in listed if self._is_sentinel(name, value)]
            for name in [None] if where == listed else where:
                found.setdefault(name, []).append(value)
        return found

    def _is_sentinel(self, name: str, value: float) -> bool:
        return bool(library.nim_judge_is_sentinel(self._judged, self._place[name], value))


def wants_log(name: str, values: np.ndarray) -> bool:
    """Whether log="auto" takes the logarithm of a column."""
    if library.nim_name_is_log(name.encode("utf-8", "surrogatepass")):
        return False
    values = np.ascontiguousarray(values, dtype=np.float64)
    return bool(library.nim_wants_log(values.ctypes.data, 1, len(values)))


def truth_of(text: str) -> bool | None:
    """What a truth value says; None of other texts."""
    value, word = c_int(), text.encode("utf-8", "surrogatepass")
    return bool(value.value) if library.nim_is_truth(word, len(word), value) else None


def describe_missing(judge: Judge, columns: Sequence[str]) -> str:
    """"mag_u (714 cells are 99), mag_g (1 cell is 99)", as the program says it."""
    told = []
    for name in columns:
        cells = [
            f"{count} cell{'' if count == 1 else 's'} {'is' if count == 1 else 'are'} "
            f"{repr(value).removesuffix('.0')}"
            for value, count in judge.facts(name).sentinels.items()
        ]
        if cells:
            told.append(f"{name} ({', '.join(cells)})")
    return ", ".join(told)
