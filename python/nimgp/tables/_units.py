# SPDX-License-Identifier: Apache-2.0
"""Units of columns: reading them from tables, storing them in models, comparing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ._lists import join, split
from ._names import units_agree

Name = TypeVar("Name", str, int)


def units_of(table: Any) -> dict[str, str]:
    """The units of columns that have one: from astropy, Arrow, or ``attrs["units"]`` of pandas."""
    attributes = getattr(table, "attrs", None)
    if isinstance(attributes, Mapping) and isinstance(attributes.get("units"), Mapping):
        return {str(name): str(unit) for name, unit in attributes["units"].items() if unit}
    if isinstance(getattr(table, "units", None), Mapping):  # _arrow.ArrowColumns
        return dict(table.units)
    if hasattr(table, "colnames"):
        units = {name: getattr(table[name], "unit", None) for name in table.colnames}
        return {name: str(unit) for name, unit in units.items() if unit is not None and str(unit)}
    return {}


def refuse_others(known: Mapping[str, str], given: Mapping[str, str]) -> None:
    """Raises ValueError for the first column whose unit is not that of training, if any."""
    for name, unit in given.items():
        if name in known and not units_agree(known[name], unit):
            raise ValueError(
                f"X: column {name!r} is in {unit}, but was in {known[name]} in training"
            )


def refuse_mixed(column: str, others: Mapping[str, str], units: Mapping[str, str]) -> None:
    """Raises ValueError if a column's errors, or a column subtracted from it, have another unit.

    `others` gives the role of each of these columns.
    """
    for other, role in others.items():
        if column in units and other in units and not units_agree(units[column], units[other]):
            raise ValueError(
                f"column {column!r} is in {units[column]}, but {role} {other!r} in {units[other]}; "
                "convert them to the same unit"
            )


def as_note(names: Sequence[str], units: Mapping[str, str]) -> str | None:
    """The text stored in a model: a list with a unit for each attribute, as in the program."""
    cells = [units.get(name, "") for name in names]
    return join(cells) if any(cells) else None


def from_note(names: Sequence[Name], note: str | None) -> dict[Name, str]:
    """The units of attributes; `names` may be numbers."""
    return {name: unit for name, unit in zip(names, split(note), strict=False) if unit}
