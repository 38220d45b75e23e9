# SPDX-License-Identifier: Apache-2.0
"""What the columns of a table are, before a fit: `nimgp check` of the program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ._columns import column_names, is_numeric, opened
from ._features import default_sources, error_pairs, matching
from ._judge import Judge
from ._names import Names
from ._read import aside_of


class CheckedColumn(NamedTuple):
    """A column: what it is for a model, its columns of errors, empty cells, numbers that mean missing and how many cells
    have them, whether it alone nearly gives the label away, and remarks."""

    name: str
    role: str
    errors: str | None
    missing: int
    sentinels: dict[float, int]
    gives_away: bool
    remarks: str


class CheckedTable(list[CheckedColumn]):
    """The columns of a table; as text a table of them."""

    def __repr__(self) -> str:
        cells = [("column", "what it is", "missing", "cells")]
        for column in self:
            what = column.role + (f", errors {column.errors}" if column.errors else "")
            cells.append((column.name, what, str(column.missing), column.remarks))
        width = [max(len(row[k]) for row in cells) for k in range(3)]
        lines = [
            f"  {a.ljust(width[0])}  {b.ljust(width[1])}  {c.rjust(width[2])}  {d}".rstrip()
            for a, b, c, d in cells
        ]
        return "\n".join(lines)


def check_table(
    table: Any,
    label: str | None = None,
    errors: Mapping[str, str | None] | None = None,
    exclude: Iterable[str] = (),
) -> CheckedTable:
    """Says what :func:`from_table` would take each column of a table for, and what is odd about it.

    Parameters
    ----------
    table : pandas DataFrame, astropy Table, Arrow table, structured array, dict of columns or path
    label : str, optional
        The column to predict. With it, columns that alone nearly give it away are found.
    errors : dict, optional
        Columns of errors that are not found by name, as in :func:`from_table`.
    exclude : iterable of str
        Columns that are not used; ``*`` matches any characters, ``?`` one.

    Returns
    -------
    CheckedTable
        A list with a :class:`CheckedColumn` of each column; printed, it is a table.

    Examples
    --------
    >>> check_table({"mag": [20.1, 99.0, 21.2, 99.0], "e_mag": [0.1] * 4, "kind": ["a", "b", "a", "b"]}, label="kind")
      column  what it is                   missing  cells
      mag     feature, errors e_mag              0  20.1 to 21.2; 2 cells are 99, taken as missing
      e_mag   errors of mag                      0  constant, 0.1; all are 0.1
      kind    label                              0  2 texts: a 2, b 2
    """
    table = opened(table)
    columns = column_names(table)
    names = Names(columns, [name for name in columns if not is_numeric(table[name])])
    labels = [] if label is None else [names.require(label)]
    excluded = {
        name
        for pattern in ([exclude] if isinstance(exclude, str) else exclude)
        for name in matching(pattern, names)
    }
    given = dict(errors or {})
    judge = Judge(table, names, aside_of(table, names, labels, None, excluded, given))
    sources = default_sources(table, names, judge)
    pairs = error_pairs(sources, names, [*labels, *excluded], "auto", given)
    found = {source.column: pairs[feature][0] for feature, source in sources.items()}
    checked = CheckedTable()
    for name in columns:
        role, remarks = judge.describe(name)
        facts, sides = judge.facts(name), found.get(name)
        checked.append(
            CheckedColumn(
                name,
                "feature" if name in found and not facts.truth else role,
                None if sides is None else str(sides),
                facts.missing,
                facts.sentinels,
                facts.tells,
                remarks,
            )
        )
    return checked
