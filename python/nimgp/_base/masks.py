# SPDX-License-Identifier: Apache-2.0
"""Masked arrays: of NumPy, and of astropy, whose columns and quantities have a mask too."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_masked(values: Any) -> bool:
    """Whether cells may be masked; a pandas Series has a method called mask, a table a mask for each
    column."""
    if np.ma.isMaskedArray(values):
        return True
    return isinstance(getattr(values, "mask", None), np.ndarray | np.bool_) and not hasattr(values, "colnames")


def _gathered(values: Any) -> Any:
    """A list of masked rows as one array, since NumPy would forget their masks; others unchanged."""
    if isinstance(values, (list, tuple)) and any(np.ma.isMaskedArray(row) for row in values):
        return np.ma.array(values)
    return values


def unmasked(values: Any) -> Any:
    """Numbers with NaN where they are masked; the values, unchanged, if nothing can be."""
    values = _gathered(values)
    if not is_masked(values) or getattr(values, "dtype", np.dtype(float)).names:
        return values
    plain = np.array(getattr(values, "unmasked", getattr(values, "data", values)), dtype=np.float64)
    return np.where(np.broadcast_to(np.asarray(values.mask), plain.shape), np.nan, plain)


def as_numbers(values: Any) -> np.ndarray:
    """An array of float64, NaN where a value is masked, or missing in pandas' own way."""
    if hasattr(values, "isna") and hasattr(values, "to_numpy"):
        return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(unmasked(values), dtype=np.float64)


def refuse_masked(values: Any, what: str = "y") -> Any:
    """The values, unchanged; raises ValueError if any is masked, since the number behind a mask means
    nothing, or is missing in pandas' way, whose NA cannot be compared."""
    values = _gathered(values)
    word = "missing" if hasattr(values, "isna") else "masked"
    gone = values.isna() if word == "missing" else values.mask if is_masked(values) else False
    if np.any(gone):
        mask = np.broadcast_to(np.asarray(gone), np.shape(values))
        first = np.argwhere(mask)[0]
        place = ", ".join(f"{axis} {i}" for axis, i in zip(("row", "column"), first, strict=False))
        others = int(mask.sum()) - 1
        more = f", and {others} more" if others else ""
        raise ValueError(f"{what}: {place}: the value is {word}; leave out such rows{more}")
    return values
