# SPDX-License-Identifier: Apache-2.0
"""How the columns of a table were read for a model, so that other tables are read alike. A model file keeps it in the notes
of the program."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._error_columns import Names
from ._model import Model
from ._table_columns import column_names

_ERRORS, _MISSING, _LABEL = "errors", "option.missing-value", "label"


def _join(items: Iterable[str]) -> str:
    """A list as the program writes it: items with commas or quotes are in quotes."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(items)
    return text.getvalue()


def _split(text: str) -> list[str]:
    return next(csv.reader([text], skipinitialspace=True)) if text else []


def read_missing(text: str | None) -> dict[str | None, list[float]]:
    """The program's --missing-value: "-99,mag=99" or "none"."""
    missing: dict[str | None, list[float]] = {}
    for item in _split(text or "") if text != "none" else []:
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
        for item in _split(model.note(_ERRORS) or ""):
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
        model.set_note(_ERRORS, _join(f"{name}={errors}" for name, errors in every.items()))
        missing = [
            f"{value!r}" if name is None else f"{name}={value!r}"
            for name, values in self.missing.items()
            for value in values
        ]
        model.set_note(_MISSING, _join(missing) if missing else "none")
        model.set_note(_LABEL, self.label)

    def read(self, table: Any, label: str | None = None) -> Any:
        """Other rows, as :func:`nimgp.from_table` has them. Errors whose columns are not there, under any name, are
        unknown."""
        from .tables import from_table  # which needs this module

        names = Names(column_names(table))
        there = {name: text for name, text in self.errors.items() if names.has_sides(text)}
        read = from_table(
            table, label, self.features, there or "auto", missing_value=dict(self.missing)
        )
        lost = [name for name in self.errors if name in self.features and name not in read._recipe.errors]
        if not lost:
            return read
        errors = np.zeros(read.X.shape) if read.X_err is None else read.X_err
        cells = errors if isinstance(errors, np.ndarray) else errors.sigma
        cells[:, [list(self.features).index(name) for name in lost]] = np.nan
        return read.with_errors(errors)
