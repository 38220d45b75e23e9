# SPDX-License-Identifier: Apache-2.0
"""How the columns of a table were read for a model, so that other tables are read alike. A model file keeps it in the notes
of the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .._native.model import Model
from ._lists import join, split

_ERRORS, _MISSING, _LABEL = "errors", "option.missing-value", "label"


def read_missing(text: str | None) -> dict[str | None, list[float]]:
    """The program's --missing-value: "-99,mag=99" or "none"."""
    missing: dict[str | None, list[float]] = {}
    for item in split(text) if text != "none" else []:
        column, _, number = item.rpartition("=")
        missing.setdefault(column or None, []).append(float(number))
    return missing


@dataclass(frozen=True)
class Recipe:
    """`errors`: of each feature that has some, as in :func:`nimgp.from_table`; of what a difference takes away under its
    name and "-". `missing`: numbers that mean missing, of each column; None stands for all. `label_errors`: of a label that
    holds numbers."""

    features: Sequence[str]
    errors: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str | None, Sequence[float]] = field(default_factory=dict)
    label: str | None = None
    label_errors: str | None = None

    @classmethod
    def of_model(cls, model: Model) -> Recipe:
        pairs: dict[str, str] = {}
        label = model.note(_LABEL)
        for item in split(model.note(_ERRORS)):
            names = [f"{name}{end}" for name in model.attribute_names for end in ("", "-")] + ([label] if label else [])
            found = [name for name in names if item.startswith(f"{name}=")]
            if found:
                name = max(found, key=len)
                pairs[name] = item[len(name) + 1 :]
        label_errors = None if label in model.attribute_names else pairs.pop(label or "", None)
        return cls(
            list(model.attribute_names), pairs, read_missing(model.note(_MISSING)), label, label_errors
        )

    def note_down(self, model: Model) -> None:
        every = dict(self.errors)
        if self.label and self.label_errors:
            every[self.label] = self.label_errors
        model.set_note(_ERRORS, join(f"{name}={errors}" for name, errors in every.items()))
        missing = [
            f"{value!r}" if name is None else f"{name}={value!r}"
            for name, values in self.missing.items()
            for value in values
        ]
        model.set_note(_MISSING, join(missing) if missing else "none")
        model.set_note(_LABEL, self.label)
