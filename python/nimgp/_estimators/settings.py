# SPDX-License-Identifier: Apache-2.0
"""Parameters of estimators as options of the library, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._base.warn import warn
from .._native import core
from .._native.model import Model

# Parameters have the names of the library's options, but for those that scikit-learn names and one
# that would hide a method.
_PARAMETER_OF = {"seed": "random_state", "threads": "n_jobs", "novelty": "learn_novelty"}

# All but the number of classes, which y tells.
OPTIONS = {option.name: option for option in core.options() if option.name != "classes"}


def parameter_of(option: str) -> str:
    """The parameter that sets an option, for options that have one."""
    return _PARAMETER_OF.get(option, option)


def option_text(option: str, value: Any) -> str:
    """A parameter's value as the text of an option."""
    about = OPTIONS[option]
    if value is None and (about.chosen or about.default == "0"):
        return about.default
    if option == "calibrate" and isinstance(value, (bool, np.bool_)):
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
    texts, more = {}, dict(estimator.options or {})
    for option, about in OPTIONS.items():
        name = parameter_of(option)
        if not hasattr(estimator, name):
            texts[option] = option_text(option, more.pop(option)) if option in more else about.default
        elif option == "threads":
            texts[option] = str(threads(estimator.n_jobs))
        elif option != "seed":
            texts[option] = option_text(option, getattr(estimator, name))
    for option in more:
        known = f"{parameter_of(option)} is a parameter" if option in OPTIONS else "there is no such option"
        raise ValueError(f"options: {option!r}: {known}")
    return texts


def change_options(model: Model, estimator: Any) -> None:
    """Passes parameters that changed since the last training to the model, if they may change."""
    for option, value in options_of(estimator).items():
        about = OPTIONS[option]
        # Models from older files do not know which of their options were left to the library.
        left = about.role == "shapes" and about.chosen and same_value(value, about.default)
        if left or same_value(value, model.request(option)):
            continue
        try:
            model.set_option(option, value)
        except ValueError as error:
            name = parameter_of(option)
            raise ValueError(f"{name}={getattr(estimator, name, value)!r}: {error}") from None


def name_parameter(error: ValueError, estimator: Any) -> None:
    """Adds the parameter to a message about an option that has another name."""
    name = _PARAMETER_OF.get(getattr(error, "option", None) or "")
    if name:
        error.args = (f"{name}={getattr(estimator, name)!r}: {error}",)


def warn_of_idle(model: Model, estimator: Any) -> None:
    """Warns of parameters that were set and have no effect on the model."""
    for option, value in options_of(estimator).items():
        why = "" if same_value(value, OPTIONS[option].default) else model.idle(option)
        if why:
            warn(f"{parameter_of(option)} has no effect: {why}")


def same_value(one: str, other: str) -> bool:
    """Whether two texts of an option mean the same."""
    try:
        return float(one) == float(other)
    except ValueError:
        return one == other


def parameters_of(model: Model, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with which a model was made: those that have a default, and `options`."""
    parameters: dict[str, Any] = {}
    more = {}
    for option, about in OPTIONS.items():
        text, name = model.request(option), parameter_of(option)
        if name in defaults and name != "n_jobs":
            left = defaults[name] is None and name != "random_state"
            parameters[name] = None if left and same_value(text, about.default) else _value(option, text)
        elif name not in (*defaults, "likelihood") and not same_value(text, about.default):
            more[option] = _value(option, text)
    return parameters | {"options": more or None}


def _value(option: str, text: str) -> Any:
    """The inverse of :func:`option_text`."""
    kind = OPTIONS[option].type
    if option == "calibrate":
        return text != "none"
    if kind == "flag":
        return text == "1"
    return text if kind == "choice" else float(text) if kind == "real" else int(text)
