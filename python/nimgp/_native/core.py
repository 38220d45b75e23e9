# SPDX-License-Identifier: Apache-2.0
"""The C library, with its errors as exceptions.

The library is loaded from its path inside the package; its functions and structures are in ``interface``. ctypes releases
the interpreter's lock during every call.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .interface import ENUMERATIONS, FUNCTIONS, Error, OptionInfo


class NumericalError(ArithmeticError):
    """The computation failed, for example because a covariance matrix cannot be factorised."""


class Cancelled(Exception):
    """A progress function asked to stop."""


OPTION_TYPES, OPTION_ROLES, OPTION_TIERS = (
    ENUMERATIONS[f"nim_option_{what}"] for what in ("type", "role", "tier")
)
TARGETS = ENUMERATIONS["nim_target"]
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
) = range(len(ENUMERATIONS["nim_status"]))
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


def _library_path() -> Path:
    """In the package, or beside it, as in wheels."""
    inside = Path(__file__).parents[1] / "libnimgp-core.so"
    beside = inside.parents[1] / ".nimgp.mesonpy.libs" / inside.name
    return beside if beside.exists() and not inside.exists() else inside


def _open() -> ctypes.CDLL:
    library = ctypes.CDLL(str(_library_path()))
    for name, (result, arguments) in FUNCTIONS.items():
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
