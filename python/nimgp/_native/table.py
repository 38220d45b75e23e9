# SPDX-License-Identifier: Apache-2.0
"""Rows in the form of the library."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._base.errors import Errors
from . import interface

_LIKE_SIGMA = ("sigma", "upper")


class Table:
    """Arrays in the form of the library, without copies; holds references to them.

    Parameters
    ----------
    x : ndarray of shape (n, d)
    sigma : ndarray of shape (d,) or (n, d), or None
    labels : ndarray of shape (n,), int32, or None
    weights : ndarray of shape (n,), or None
    targets : ndarray of shape (n,) or (n, outputs), or None
    exposure : ndarray of shape (n,), or None
    upper : ndarray of the shape of sigma, or None
    correlation : ndarray of shape (n, d (d-1)/2), or None
    limit : ndarray of shape (n, d), int8, or None
    target_sigma : ndarray of shape (n,), or None

    All but labels and limit are C-contiguous float64. sigma may be an Errors, which has upper,
    correlation and limit.
    """

    def __init__(
        self,
        x: np.ndarray,
        sigma: np.ndarray | Errors | None = None,
        labels: np.ndarray | None = None,
        weights: np.ndarray | None = None,
        targets: np.ndarray | None = None,
        exposure: np.ndarray | None = None,
        upper: np.ndarray | None = None,
        correlation: np.ndarray | None = None,
        limit: np.ndarray | None = None,
        target_sigma: np.ndarray | None = None,
    ) -> None:
        if isinstance(sigma, Errors):
            upper, correlation, limit = sigma.upper, sigma.correlation, sigma.limit
            sigma = sigma.sigma
        self.upper, self.correlation, self.limit = upper, correlation, limit
        self.x, self.sigma, self.labels, self.weights = x, sigma, labels, weights
        self.targets, self.exposure, self.target_sigma = targets, exposure, target_sigma
        rows, attributes = x.shape
        self.data = interface.Data(
            rows=rows,
            attributes=attributes,
            x=address_of(x),
            sigma=address_of(sigma),
            sigma_rows=0 if sigma is None else (1 if sigma.ndim == 1 else rows),
            labels=address_of(labels, np.int32),
            weights=address_of(weights),
            targets=address_of(targets),
            outputs=0 if targets is None else (1 if targets.ndim == 1 else targets.shape[1]),
            exposure=address_of(exposure),
            correlation=address_of(correlation),
            correlation_rows=0 if correlation is None else rows,
            sigma_upper=address_of(upper),
            limit=address_of(limit, np.int8),
            target_sigma=address_of(target_sigma),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, tuple(self.arrays().values())

    def arrays(self) -> dict[str, np.ndarray | None]:
        names = ("x", "sigma", "labels", "weights", "targets", "exposure", "upper", "correlation",
                 "limit", "target_sigma")  # fmt: skip
        return {name: getattr(self, name) for name in names}

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape that an array has with one entry for every row."""
        rows, d = self.x.shape
        if name == "correlation":
            return rows, d * (d - 1) // 2
        return (rows, d) if name in (*_LIKE_SIGMA, "limit") else (rows,)

    @property
    def reference(self) -> Any:
        return ctypes.byref(self.data)

    def portions(self, size: int) -> Iterator[tuple[slice, Table]]:
        """Tables of `size` rows each; Python can be interrupted between two of them."""
        shared = self.sigma is not None and self.sigma.ndim == 1
        for first in range(0, len(self.x), size):
            rows = slice(first, first + size)
            arrays: dict[str, Any] = {
                name: array if array is None or (name in _LIKE_SIGMA and shared) else array[rows]
                for name, array in self.arrays().items()
            }
            yield rows, Table(**arrays)

    def followed_by(self, more: Table) -> Table:
        """The rows of both; arrays that only one of them has are filled in."""
        plain: dict[str, Any] = {"sigma": 0.0, "weights": 1.0, "exposure": 1.0, "correlation": 0.0,
                 "upper": np.nan, "limit": np.int8(0), "target_sigma": 0.0}  # fmt: skip
        arrays: dict[str, Any] = {}
        for name, mine in self.arrays().items():
            pair = [mine, getattr(more, name)]
            if pair[0] is None and pair[1] is None:
                arrays[name] = None
            elif name in plain:
                filled = [plain[name] if array is None else array for array in pair]
                shapes = [t.shape_of(name) for t in (self, more)]
                whole = [np.broadcast_to(*each) for each in zip(filled, shapes, strict=True)]
                arrays[name] = np.ascontiguousarray(np.concatenate(whole))
            else:
                arrays[name] = np.concatenate(pair)
        return Table(**arrays)


def address_of(array: np.ndarray | None, dtype: type = np.float64) -> int | None:
    if array is None:
        return None
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise TypeError(f"an array of {array.dtype} is not a C-contiguous one of {dtype.__name__}")
    return array.ctypes.data
