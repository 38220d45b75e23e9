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


def unmasked(values: Any) -> Any:
    """Numbers with NaN where they are masked; the values, unchanged, if nothing can be."""
    if not is_masked(values) or getattr(values, "dtype", np.dtype(float)).names:
        return values
    plain = np.array(getattr(values, "unmasked", getattr(values, "data", values)), dtype=np.float64)
    return np.where(np.broadcast_to(np.asarray(values.mask), plain.shape), np.nan, plain)


def refuse_masked(values: Any, what: str = "y") -> Any:
    """The values, unchanged; raises ValueError if any is masked, since the number behind a mask means
    nothing."""
    if is_masked(values) and np.any(values.mask):
        mask = np.broadcast_to(np.asarray(values.mask), np.shape(values))
        first = np.argwhere(mask)[0]
        place = ", ".join(f"{axis} {i}" for axis, i in zip(("row", "column"), first, strict=False))
        others = int(mask.sum()) - 1
        more = f", and {others} more" if others else ""
        raise ValueError(f"{what}: {place}: the value is masked; leave out such rows{more}")
    return values
