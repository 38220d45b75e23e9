# SPDX-License-Identifier: Apache-2.0
"""Parameters of estimators as options of the library, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from . import _native
from ._model import Model

# Which of the library's options a parameter sets; no estimator has them all.
OPTION_OF = {
    "likelihood": "likelihood",
    "input_model": "input",
    "noise": "noise",
    "kernel": "kernel",
    "n_inducing": "inducing",
    "n_functions": "functions",
    "alpha": "alpha",
    "caution": "caution",
    "lengthscale_prior": "lengthscale_prior",
    "epsilon": "epsilon",
    "learn_epsilon": "learn_epsilon",
    "max_epochs": "epochs",
    "stop": "stop",
    "batch_size": "batch",
    "last_batch": "last_batch",
    "row_steps": "row_steps",
    "learning_rate": "rate",
    "lengthscale_rate": "lengthscale_rate",
    "warm_up": "warm_up",
    "precision": "precision",
    "calibrate": "calibrate",
    "learn_novelty": "novelty",
    "n_draws": "samples",
    "n_points": "points",
    "tolerance": "tolerance",
    "noise_start": "noise_start",
    "degree": "degree",
    "n_layers": "layers",
    "n_units": "units",
    "population": "population",
    "prior_variance": "prior_variance",
    "missing": "missing",
    "warp": "warp",
    "views": "views",
    "jitter": "jitter",
    "whiten": "whiten",
    "white_start": "white_start",
    "standardise": "standardise",
    "random_state": "seed",
    "n_jobs": "threads",
}

_OPTIONS = {option.name: option for option in _native.options()}

# Where None is a real number's default.
_REAL = ("alpha", "caution", "lengthscale_prior", "noise_start", "white_start")


def option_text(name: str, value: Any) -> str:
    """A parameter's value as the text of an option."""
    if value is None:
        about = _OPTIONS[OPTION_OF[name]]
        return about.default if about.chosen else "0"
    if name == "calibrate" and isinstance(value, (bool, np.bool_)):
        return "auto" if value else "none"
    return as_text(value)


def as_text(value: Any) -> str:
    """A number, a bool or a name as the text of an option."""
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    return str(value).replace("-", "_")


def seed(random_state: Any) -> int:
    """The library's seed; random unless an int was given."""
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
    return int(n_jobs) if int(n_jobs) > 0 else max(1, processors + 1 + int(n_jobs))


def options_of(estimator: Any) -> dict[str, str]:
    """The parameters of an estimator as options, without the seed, which may be random."""
    options = {
        option: option_text(name, getattr(estimator, name))
        for name, option in OPTION_OF.items()
        if hasattr(estimator, name) and name != "random_state"
    }
    options["threads"] = str(threads(estimator.n_jobs))
    return options


def change_options(model: Model, estimator: Any) -> None:
    """Passes parameters that changed since the last training to the model, if they may change."""
    name_of = {option: name for name, option in OPTION_OF.items()}
    for option, value in options_of(estimator).items():
        about = _OPTIONS[option]
        # Models from older files do not know which of their options were left to the library.
        left = about.role == "shapes" and about.chosen and same_value(value, about.default)
        if left or same_value(value, model.request(option)):
            continue
        try:
            model.set_option(option, value)
        except ValueError as error:
            name = name_of[option]
            raise ValueError(f"{name}={getattr(estimator, name)!r}: {error}") from None


def name_parameter(error: ValueError, estimator: Any) -> None:
    """Adds the parameter to a message about an option that has another name."""
    option = getattr(error, "option", None)
    for name, its_option in OPTION_OF.items():
        if its_option == option and name != option and hasattr(estimator, name):
            error.args = (f"{name}={getattr(estimator, name)!r}: {error}",)


def same_value(one: str, other: str) -> bool:
    """Whether two texts of an option mean the same."""
    try:
        return float(one) == float(other)
    except ValueError:
        return one == other


def parameters_of(model: Model, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with which a model was made, of those that have a default."""
    return {
        name: _value(name, model.request(option), defaults[name])
        for name, option in OPTION_OF.items()
        if name != "n_jobs" and name in defaults
    }


def _value(name: str, text: str, default: Any) -> Any:
    """The inverse of :func:`option_text`."""
    if default is None and name != "random_state" and same_value(text, option_text(name, None)):
        return None
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        return text not in ("0", "none")
    return float(text) if isinstance(default, float) or name in _REAL else int(text)
