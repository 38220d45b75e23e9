# SPDX-License-Identifier: Apache-2.0
"""Parameters of estimators as options of the library, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ._model import Model

# Which of the library's options a parameter sets; no estimator has them all.
OPTION_OF = {
    "likelihood": "likelihood",
    "input_model": "input",
    "noise": "noise",
    "kernel": "kernel",
    "n_inducing": "inducing",
    "n_functions": "functions",
    "epsilon": "epsilon",
    "learn_epsilon": "learn_epsilon",
    "max_epochs": "epochs",
    "stop": "stop",
    "batch_size": "batch",
    "learning_rate": "rate",
    "warm_up": "warm_up",
    "n_draws": "samples",
    "n_points": "points",
    "noise_start": "noise_start",
    "degree": "degree",
    "n_layers": "layers",
    "n_units": "units",
    "prior_variance": "prior_variance",
    "jitter": "jitter",
    "standardise": "standardise",
    "random_state": "seed",
    "n_jobs": "threads",
}


def as_text(value: Any) -> str:
    """A parameter's value as the library reads it; None stands for its own choice, 0."""
    if value is None:
        return "0"
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    return str(value).replace("-", "_")


def seed(random_state: Any) -> int:
    """The library's seed; drawn unless an int was given."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def threads(n_jobs: Any) -> int:
    """The library's number of threads, 0 for its own choice."""
    if n_jobs is None:
        shared = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
        return int(shared) if shared.isdecimal() else 0
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs={n_jobs!r} is not a whole number other than 0, or None")
    processors = len(os.sched_getaffinity(0))
    return int(n_jobs) if n_jobs > 0 else max(1, processors + 1 + int(n_jobs))


def options_of(estimator: Any) -> dict[str, str]:
    """The parameters an estimator has, as options; but for the seed, which may have to be drawn."""
    options = {
        option: as_text(getattr(estimator, name))
        for name, option in OPTION_OF.items()
        if hasattr(estimator, name) and name != "random_state"
    }
    options["threads"] = str(threads(estimator.n_jobs))
    return options


def change_options(model: Model, estimator: Any) -> None:
    """Brings parameters changed since the last training to the model, where they may change."""
    name_of = {option: name for name, option in OPTION_OF.items()}
    for option, value in options_of(estimator).items():
        if _same_value(value, model.option(option)):
            continue
        try:
            model.set_option(option, value)
        except ValueError as error:
            name = name_of[option]
            raise ValueError(f"{name}={getattr(estimator, name)!r}: {error}") from None


def _same_value(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return one == other


def parameters_of(model: Model, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that make a model like this one, of those that have a default."""
    values: dict[str, Any] = {}
    for name, option in OPTION_OF.items():
        if name == "n_jobs" or name not in defaults:
            continue
        text, default = model.option(option), defaults[name]
        if isinstance(default, str):
            values[name] = text
        elif isinstance(default, bool):
            values[name] = text != "0"
        elif isinstance(default, float) or name == "noise_start":
            values[name] = float(text)
        else:
            values[name] = int(text)
        if default is None and name != "random_state" and values[name] == 0:
            values[name] = None
    return values
