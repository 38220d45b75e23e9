# SPDX-License-Identifier: Apache-2.0
"""The catalogue of the program's `simulate`, and what simulated tables are returned as."""

from __future__ import annotations

import ctypes
from typing import Any, Literal, NamedTuple

import numpy as np

from .._base.extras import needed
from .._native.core import library

# Those of generate/catalogue.h.
_CLASSES = ("agn", "pulsar", "starburst")
_NAMES = ("flux", "spectral_index", "curvature", "variability", "latitude")
_MISSING = ("few", "random", "faint")
_MEASURED = ("plain", "correlated", "lopsided", "limits")
_PAIRS = ((1, 2), (1, 3), (2, 3))
_LIMITS = (2, 3)

_WHOLE, _REAL, _KIND, _ARRAY = ctypes.c_uint64, ctypes.c_double, ctypes.c_int, ctypes.c_void_p
_ARGUMENTS: list[Any] = [_WHOLE, _REAL, _REAL, _KIND, _KIND, *[ctypes.c_size_t] * 2, *[_ARRAY] * 5]
_draw = library.nim_mock_catalogue
_draw.restype, _draw.argtypes = None, _ARGUMENTS


class Mock(NamedTuple):
    """A simulated table.

    Attributes
    ----------
    train, test : pandas.DataFrame
        Rows to learn from, and rows to predict.
    best : pandas.DataFrame
        The best possible prediction of each row of `test`; no method is better on average.
    """

    train: Any
    test: Any
    best: Any


def make_catalogue(
    rows: int = 1000,
    test_rows: int = 1000,
    *,
    noise: float = 1.0,
    worse: float = 1.0,
    missing: Literal["few", "random", "faint"] = "few",
    measured: Literal["plain", "correlated", "lopsided", "limits"] = "plain",
    seed: int = 0,
) -> Mock:
    """A catalogue of gamma-ray sources: agn, pulsars and starburst galaxies.

    The tables of ``nimgp simulate catalogue``, to the last digit. Errors depend on the flux, faint sources are not listed, some
    cells and some errors are missing, and the latitude has no errors.

    Parameters
    ----------
    rows, test_rows : int, default=1000
    noise : float, default=1
        Multiplies the variances of all errors.
    worse : float, default=1
        The errors of `test` are this factor larger than those of `train`.
    missing : {"few", "random", "faint"}, default="few"
        5 % of the cells, 30 %, or 30 % that are mostly those of faint sources.
    measured : {"plain", "correlated", "lopsided", "limits"}, default="plain"
        Errors of spectral index, curvature and variability.
    seed : int, default=0

    Returns
    -------
    Mock
        `best` has the best possible probabilities, ``p_agn``, ``p_pulsar``, ``p_starburst``.

    Examples
    --------
    >>> from nimgp.datasets import make_catalogue
    >>> sky = make_catalogue(rows=300, test_rows=200)
    >>> sky.train.columns[:3].tolist(), len(sky.test), round(float(sky.best.iloc[0].sum()), 6)
    (['id', 'flux', 'spectral_index'], 200, 1.0)
    """
    pandas = needed("pandas", "datasets")
    counts = {"rows": (rows, 1), "test_rows": (test_rows, 0), "seed": (seed, 0)}
    for name, (given, least) in counts.items():
        if given != int(given) or given < least:
            raise ValueError(f"{name}={given!r} is not a whole number of at least {least}")
    for name, factor, least_factor in (("noise", noise, 1e-6), ("worse", worse, 1.0)):
        if not least_factor <= factor <= 1000:
            raise ValueError(f"{name}={factor!r} is not between {least_factor:g} and 1000")
    which = [
        _place("missing", missing, _MISSING),
        _place("measured", measured, _MEASURED),
    ]
    total, d = rows + test_rows, len(_NAMES)
    value, errors = np.empty((total, d)), np.empty((total, 2 * d + 3))
    limit, label = np.empty((total, d), np.int8), np.empty(total, np.int32)
    best = np.empty((test_rows, len(_CLASSES)))
    places = [array.ctypes.data for array in (value, errors, limit, label, best)]
    _draw(seed, noise, worse, *which, rows, total, *places)
    columns: dict[str, Any] = {"id": [f"S{i + 1:06d}" for i in range(total)]}
    columns |= {name: value[:, j] for j, name in enumerate(_NAMES)}
    columns |= _error_columns(measured, errors, limit)
    columns["class"] = np.array(_CLASSES)[label]
    table = pandas.DataFrame(columns)
    probabilities = pandas.DataFrame(best, columns=[f"p_{name}" for name in _CLASSES])
    return Mock(table[:rows], table[rows:].reset_index(drop=True), probabilities)


def _place(name: str, given: str, choices: tuple[str, ...]) -> int:
    if given not in choices:
        raise ValueError(f"{name}={given!r} is not one of {', '.join(choices)}")
    return choices.index(given)


def _error_columns(measured: str, errors: np.ndarray, limit: np.ndarray) -> dict[str, Any]:
    """Errors under the names that archives give them, in the order of the program."""
    d, found = len(_NAMES), dict[str, Any]()
    for j, name in enumerate(_NAMES[:-1]):  # the latitude is exact
        if measured == "lopsided":
            found |= {f"{name}_err1": errors[:, d + j], f"{name}_err2": -errors[:, j]}
        else:
            found[f"{name}_err"] = errors[:, j]
        if measured == "limits" and j in _LIMITS:
            found[f"{name}_limit"] = np.where(limit[:, j] != 0, "<", "")
    if measured == "correlated":
        for k, (i, j) in enumerate(_PAIRS):
            found[f"{_NAMES[i]}_{_NAMES[j]}_corr"] = errors[:, 2 * d + k]
    return found
