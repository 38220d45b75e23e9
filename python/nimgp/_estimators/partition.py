# SPDX-License-Identifier: Apache-2.0
"""Predictions of one partition of a table, for engines that divide tables among workers.

A worker loads a model once, whatever the number of partitions, and predicts with one thread, because the engine
has as many tasks as processors. Results do not depend on that.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from .._native.table import Table
from ..tables._read import MissingValue, from_table
from ..tables._recipe import Recipe
from .estimator import Estimator
from .files import load, of_bytes
from .inputs import check_exposure
from .numbers import check_levels
from .prior import check_prior


@dataclass(frozen=True)
class SentModel:
    """A model on its way to workers: a file that all can read, or the content of one."""

    name: str
    content: bytes | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, model: Any) -> SentModel:
        """From a path or an estimator."""
        if isinstance(model, (str, os.PathLike)):
            found = os.stat(model)  # a file that was replaced is another model
            return cls(f"{os.path.abspath(model)}\n{found.st_mtime_ns} {found.st_size}")
        if not isinstance(model, Estimator):
            raise TypeError(f"model is a {type(model).__name__}; expected an estimator or a path")
        content = as_bytes(model)
        return cls(hashlib.sha256(content).hexdigest(), content)

    def estimator(self) -> Estimator:
        """The same object for all tasks of a process."""
        return _loaded(self)


@lru_cache(maxsize=4)
def _loaded(sent: SentModel) -> Estimator:
    estimator = load(sent.name.split("\n")[0]) if sent.content is None else of_bytes(sent.content)
    estimator.n_jobs = 1
    return estimator


def as_bytes(estimator: Estimator) -> bytes:
    """The content of its model file."""
    with estimator._model.alone():
        estimator._note_down(estimator._model)
        return estimator._model.to_bytes()


class Reading(NamedTuple):
    """How columns of a table are read, as in :func:`nimgp.from_table`, and what is predicted."""

    errors: Literal["auto"] | Mapping[str, str | None] | None = "auto"
    missing_value: MissingValue = ()
    exposure: str | None = None
    prior: Any = None
    novelty: bool = False
    levels: Sequence[float] = ()

    def check(self, estimator: Estimator) -> None:
        """Raises ValueError for what would fail in each partition."""
        if not hasattr(estimator, "feature_names_in_"):
            raise ValueError(
                "the model does not know the names of its features; fit it on a data frame, or with the program"
            )
        if self.prior is not None:
            check_prior(self.prior, getattr(estimator, "classes_", np.empty(0)))
        if self.novelty:
            estimator._need_population()
        check_levels(self.levels)


# What is predicted, by the target of the model.
_PARTS = {
    "class": ("probabilities", "entropy"),
    "level": ("probabilities", "entropy"),
    "labels": ("probabilities",),
    "number": ("mean", "deviation"),
    "count": ("mean", "deviation"),
}


def predict_partition(frame: Any, sent: SentModel, how: Reading, *more: str) -> dict[str, Any]:
    """The columns of predictions of a data frame, under the names of the program's `predict`; also those members of
    nim_prediction that `more` names."""
    estimator = sent.estimator()
    missing = how.missing_value
    if missing == ():
        missing = dict(Recipe.of_model(estimator._model).missing)
    read = from_table(
        frame,
        features=list(estimator.feature_names_in_),
        errors=how.errors,
        exposure=how.exposure,
        missing_value=missing,
    )
    table = Table(
        *estimator._rows_to_predict(read.X, read.X_err),
        exposure=check_exposure(read.exposure, len(frame)),
    )
    model = estimator._ready_model()
    wanted = [*_PARTS[model.target], *more, *(["novelty"] if how.novelty else [])]
    shares = None if how.prior is None else check_prior(how.prior, estimator.classes_)
    levels = np.asarray(how.levels, dtype=np.float64)
    if len(levels):
        wanted.append("quantiles")
    found = model.predict(table, *wanted, levels=levels if len(levels) else None, shares=shares)
    columns: dict[str, Any] = {}
    for name, values in found.items():
        if name == "probabilities":
            names = np.array([str(label) for label in estimator.classes_], dtype=object)
            columns |= {f"p_{label}": values[:, c] for c, label in enumerate(names)}
            if model.target != "labels":
                columns["predicted"] = names[values.argmax(axis=1)]
        elif name == "quantiles":
            columns |= {_level_name(level): values[:, k] for k, level in enumerate(levels.tolist())}
        else:
            columns[_NAMES.get(name, name)] = values
    return columns


_NAMES = {"deviation": "sd"}


def _level_name(level: float) -> str:
    """The level in per cent, as the program writes it: q05, q50, q97.5."""
    whole, point, rest = f"{Decimal(repr(level)).scaleb(2).normalize():f}".partition(".")
    return f"q{whole.zfill(2)}{point}{rest}"
