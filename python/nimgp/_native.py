# SPDX-License-Identifier: Apache-2.0
"""The structures and functions of the C library, with its errors as exceptions.

This module mirrors ``include/nimgp.h``, which documents the functions. The library is loaded
from its path inside the package. ctypes releases the interpreter's lock during every call.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_size_t, c_void_p
from pathlib import Path
from typing import Any, NamedTuple


class NumericalError(ArithmeticError):
    """The computation failed, for example because a covariance matrix cannot be factorised."""


class Cancelled(Exception):
    """A progress function asked to stop."""


class Error(ctypes.Structure):
    _fields_ = [
        ("status", c_int),
        ("message", c_char * 512),
        ("option", c_char * 32),
        ("row", c_size_t),
        ("attribute", c_size_t),
        ("reserved", c_size_t * 4),
    ]


class _Sized(ctypes.Structure):
    """A structure that starts with its size, so that the library knows which members it has."""

    def __init__(self, **members: object) -> None:
        super().__init__(size=ctypes.sizeof(self), **members)


class Data(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("rows", c_size_t),
        ("attributes", c_size_t),
        ("x", c_void_p),
        ("sigma", c_void_p),
        ("sigma_rows", c_size_t),
        ("labels", c_void_p),
        ("weights", c_void_p),
        ("targets", c_void_p),
        ("outputs", c_size_t),
        ("exposure", c_void_p),
        ("correlation", c_void_p),
        ("correlation_rows", c_size_t),
        ("sigma_upper", c_void_p),
        ("limit", c_void_p),
        ("x_stride", c_size_t),
        ("sigma_stride", c_size_t),
        ("x_column", c_void_p),
        ("sigma_column", c_void_p),
        ("target_sigma", c_void_p),
    ]


class Progress(ctypes.Structure):
    _fields_ = [
        ("epoch", c_size_t),
        ("epochs", c_size_t),
        ("batch", c_size_t),
        ("batches", c_size_t),
        ("step", c_size_t),
        ("bound", c_double),
        ("rate", c_double),
        ("jitter", c_double),
    ]


ReduceFunction = ctypes.CFUNCTYPE(c_int, c_void_p, c_size_t, c_void_p)
GatherFunction = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)


class Collectives(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("rank", c_size_t),
        ("processes", c_size_t),
        ("sum", ReduceFunction),
        ("largest", ReduceFunction),
        ("gather", GatherFunction),
        ("context", c_void_p),
        ("sum_parts", GatherFunction),  # the same arguments
    ]


class Prediction(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("probabilities", c_void_p),
        ("entropy", c_void_p),
        ("latent_mean", c_void_p),
        ("latent_variance", c_void_p),
        ("measurement_part", c_void_p),
        ("model_part", c_void_p),
        ("mean", c_void_p),
        ("deviation", c_void_p),
        ("levels", c_void_p),
        ("level_count", c_size_t),
        ("quantiles", c_void_p),
        ("log_density", c_void_p),
        ("cumulative", c_void_p),
        ("plausibility", c_void_p),
        ("novelty", c_void_p),
        ("input_log_density", c_void_p),
        ("grid", c_void_p),
        ("grid_count", c_size_t),
        ("density", c_void_p),
        ("level_rows", c_size_t),
        ("crps", c_void_p),
        ("coverage", c_double),
        ("interval", c_void_p),
    ]


class OptionInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("fallback", c_char_p),
        ("values", c_char_p),
        ("help", c_char_p),
        ("type", c_int),
        ("choices", POINTER(c_char_p)),
        ("least", c_double),
        ("most", c_double),
        ("role", c_int),
        ("tier", c_int),
    ]


# In the order of nim_option_type, nim_option_role, nim_option_tier and nim_target.
OPTION_TYPES = ("choice", "flag", "whole", "real")
OPTION_ROLES = ("shapes", "trains", "predicts", "runs")
OPTION_TIERS = ("everyday", "expert", "research")
TARGETS = ("class", "level", "labels", "number", "count")


ProgressFunction = ctypes.CFUNCTYPE(c_int, POINTER(Progress), c_void_p)

(
    OK,
    INVALID_ARGUMENT,
    BAD_DATA,
    OUT_OF_MEMORY,
    NUMERICAL,
    CANCELLED,
    IO,
    BAD_FILE,
    COMMUNICATION,
) = range(9)
NONE = ctypes.c_size_t(-1).value

_EXCEPTIONS: dict[int, type[Exception]] = {
    INVALID_ARGUMENT: ValueError,
    BAD_DATA: ValueError,
    OUT_OF_MEMORY: MemoryError,
    NUMERICAL: NumericalError,
    CANCELLED: Cancelled,
    IO: OSError,
    BAD_FILE: ValueError,
    COMMUNICATION: ConnectionError,
}

# name: result, arguments. Functions that can fail return a status and take an Error last.
_HANDLE, _TEXT, _OUT = c_void_p, c_char_p, POINTER(c_void_p)
_FUNCTIONS = {
    "nim_version": (_TEXT, []),
    "nim_version_number": (c_int, []),
    "nim_options_create": (_HANDLE, []),
    "nim_options_free": (None, [_HANDLE]),
    "nim_options_set": (c_int, [_HANDLE, _TEXT, _TEXT, POINTER(Error)]),
    "nim_options_get": (c_int, [_HANDLE, _TEXT, _TEXT, c_size_t, POINTER(Error)]),
    "nim_option_count": (c_size_t, []),
    "nim_option_describe": (POINTER(OptionInfo), [c_size_t]),
    "nim_likelihood_target": (c_int, [_TEXT]),
    "nim_model_create": (c_int, [_HANDLE, POINTER(Data), _OUT, POINTER(Error)]),
    "nim_model_learn_population": (
        c_int,
        [_HANDLE, POINTER(Data), POINTER(Data), POINTER(Error)],
    ),
    "nim_model_free": (None, [_HANDLE]),
    "nim_model_train": (
        c_int,
        [_HANDLE, POINTER(Data), ProgressFunction, c_void_p, POINTER(Error)],
    ),
    "nim_model_set_collectives": (c_int, [_HANDLE, POINTER(Collectives), POINTER(Error)]),
    "nim_model_name_attributes": (c_int, [_HANDLE, POINTER(_TEXT), POINTER(Error)]),
    "nim_model_name_classes": (c_int, [_HANDLE, POINTER(_TEXT), POINTER(Error)]),
    "nim_model_attribute_name": (_TEXT, [_HANDLE, c_size_t]),
    "nim_model_class_name": (_TEXT, [_HANDLE, c_size_t]),
    "nim_model_set_note": (c_int, [_HANDLE, _TEXT, _TEXT, POINTER(Error)]),
    "nim_model_note": (_TEXT, [_HANDLE, _TEXT]),
    "nim_model_save": (c_int, [_HANDLE, _TEXT, POINTER(Error)]),
    "nim_model_load": (c_int, [_TEXT, _OUT, POINTER(Error)]),
    "nim_model_save_memory": (
        c_int,
        [_HANDLE, c_void_p, c_size_t, POINTER(c_size_t), POINTER(Error)],
    ),
    "nim_model_load_memory": (c_int, [c_char_p, c_size_t, _OUT, POINTER(Error)]),
    "nim_model_options": (_HANDLE, [_HANDLE]),
    "nim_model_request": (_HANDLE, [_HANDLE]),
    "nim_model_reason": (c_size_t, [_HANDLE, _TEXT, c_char_p, c_size_t]),
    "nim_model_choice": (c_size_t, [_HANDLE, _TEXT, c_char_p, c_size_t]),
    "nim_model_idle": (c_size_t, [_HANDLE, _TEXT, c_char_p, c_size_t]),
    "nim_option_rules": (c_size_t, [_TEXT, c_char_p, c_size_t]),
    "nim_model_set_option": (c_int, [_HANDLE, _TEXT, _TEXT, POINTER(Error)]),
    "nim_model_target": (c_int, [_HANDLE]),
    "nim_model_classes": (c_size_t, [_HANDLE]),
    "nim_model_functions": (c_size_t, [_HANDLE]),
    "nim_model_attributes": (c_size_t, [_HANDLE]),
    "nim_model_inducing": (c_size_t, [_HANDLE]),
    "nim_model_epochs": (c_size_t, [_HANDLE]),
    "nim_model_rows": (c_size_t, [_HANDLE]),
    "nim_model_under_way": (c_int, [_HANDLE]),
    "nim_model_bound": (c_double, [_HANDLE]),
    "nim_model_get": (
        c_int,
        [_HANDLE, _TEXT, c_void_p, c_size_t, POINTER(c_size_t), POINTER(Error)],
    ),
    "nim_model_denoise": (c_int, [_HANDLE, POINTER(Data), c_void_p, c_void_p, POINTER(Error)]),
    "nim_predictor_create": (c_int, [_HANDLE, _OUT, POINTER(Error)]),
    "nim_predictor_free": (None, [_HANDLE]),
    "nim_predict": (c_int, [_HANDLE, POINTER(Data), POINTER(Prediction), POINTER(Error)]),
    "nim_predictor_set_progress": (c_int, [_HANDLE, ProgressFunction, c_void_p, POINTER(Error)]),
    "nim_predictor_set_shares": (c_int, [_HANDLE, c_void_p, POINTER(Error)]),
    "nim_model_estimate_shares": (
        c_int,
        [_HANDLE, c_size_t, c_void_p, c_void_p, POINTER(Error)],
    ),
    "nim_take_log": (c_size_t, [c_int, c_size_t, *[c_void_p] * 4]),
    "nim_take_difference": (None, [c_size_t, *[c_void_p] * 8]),
    "nim_remeasure": (c_int, [_HANDLE, POINTER(Data), c_void_p, POINTER(Error)]),
}


def _library_path() -> Path:
    """In the package, or beside it, as in wheels."""
    inside = Path(__file__).with_name("libnimgp-core.so")
    beside = inside.parents[1] / ".nimgp.mesonpy.libs" / inside.name
    return beside if beside.exists() and not inside.exists() else inside


def _open() -> ctypes.CDLL:
    library = ctypes.CDLL(str(_library_path()))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


library = _open()


def exception(status: int, error: Error) -> Exception:
    """The exception for an error of the library, with the library's message. Its attributes
    ``option``, ``row`` and ``attribute`` are those of the error, or None."""
    raised = _EXCEPTIONS[status](error.message.decode(errors="replace"))
    vars(raised)["option"] = error.option.decode(errors="replace") or None
    for name in ("row", "attribute"):
        place = getattr(error, name)
        vars(raised)[name] = None if place == NONE else place
    return raised


def call(name: str, *arguments: object) -> None:
    """Calls a function that can fail; raises an exception if it does."""
    error = Error()
    status = getattr(library, name)(*arguments, ctypes.byref(error))
    if status != OK:
        raise exception(status, error)


def version() -> str:
    """The version of the C library."""
    return library.nim_version().decode()


class Option(NamedTuple):
    """An option of the library.

    Attributes
    ----------
    name, default, help : str
    values : str
        The allowed values, as text for people.
    type : str
        "choice", "flag" ("0" or "1"), "whole" (a whole number) or "real".
    choices : tuple of str
        The allowed names; for numbers, those allowed instead of a number.
    least, most : float or None
        The range of a number.
    role : str
        "shapes" (cannot change after a model is created), "trains", "predicts" or "runs".
    tier : str
        Who needs it: "everyday", "expert" or "research".
    chosen : str
        How the library chooses the value if the option has its default; empty if it does not.
    """

    name: str
    default: str
    values: str
    help: str
    type: str
    choices: tuple[str, ...]
    least: float | None
    most: float | None
    role: str
    tier: str
    chosen: str


def _names(choices: Any) -> Iterator[str]:
    for index in itertools.count():
        if not choices or choices[index] is None:
            return
        yield choices[index].decode()


def written(function: Any, *arguments: Any) -> str:
    """The text of a function that writes it to a buffer and returns its length."""
    text = ctypes.create_string_buffer(function(*arguments, None, 0) + 1)
    function(*arguments, text, len(text))
    return text.value.decode()


def _described(info: OptionInfo) -> Option:
    kind = OPTION_TYPES[info.type]
    number = kind in ("whole", "real")
    return Option(
        name=info.name.decode(),
        default=info.fallback.decode(),
        values=info.values.decode(),
        help=info.help.decode(),
        type=kind,
        choices=tuple(_names(info.choices)),
        least=info.least if number else None,
        most=info.most if number else None,
        role=OPTION_ROLES[info.role],
        tier=OPTION_TIERS[info.tier],
        chosen=written(library.nim_option_rules, info.name),
    )


def options() -> list[Option]:
    """All options of the library, in its order."""
    return [
        _described(library.nim_option_describe(i).contents)
        for i in range(library.nim_option_count())
    ]


def choices() -> dict[str, list[str]]:
    """The allowed names of each option that is a choice."""
    return {option.name: list(option.choices) for option in options() if option.type == "choice"}


def likelihoods(target: str) -> list[str]:
    """The likelihoods for a target, the default first."""
    return [
        name
        for name in choices()["likelihood"]
        if library.nim_likelihood_target(name.encode()) == TARGETS.index(target)
    ]
