# SPDX-License-Identifier: Apache-2.0
"""Error bars with more than one number per cell."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .masks import is_masked, unmasked

__all__ = ["Errors", "ErrorsLike"]

_LIMITS = {"<": -1, "<=": -1, "≤": -1, ">": 1, ">=": 1, "≥": 1, "": 0, "=": 0, "~": 0}


class Errors:
    """Errors of X with more than one number per cell; passed as ``X_err``.

    Rows can be selected as from an array, so cross-validation passes the right ones.

    Parameters
    ----------
    sigma : array-like of shape (n, d), optional
        1-sigma errors; NaN or a mask means unknown, 0 that the value is exact. With `upper`, the lower
        errors.
    upper : array-like of shape (n, d), optional
        Upper errors: the true value is distributed as two half-normal curves that meet at the
        value. NaN: equal to the lower error.
    cov : array-like of shape (n, d, d), optional
        Covariances of the errors, instead of `sigma` and `corr`.
    corr : array-like of shape (n, d, d) or (d, d), optional
        Correlations of the errors. NaN counts as 0. At most 64 attributes.
    limit : array-like of shape (n, d), optional
        "<" or -1 if the true value is below the value, ">" or 1 if it is above it; "" or 0 if the
        value is a measurement. `sigma` of a limit says how sharp it is.

    Attributes
    ----------
    sigma, upper : ndarray of shape (n, d); upper may be None
    correlation : ndarray of shape (n, d (d-1)/2) or None
        Below the diagonal, row by row.
    limit : ndarray of shape (n, d), int8, or None

    Examples
    --------
    >>> from nimgp import Errors
    >>> errors = Errors(cov=[[[0.04, 0.01], [0.01, 0.09]]])
    >>> errors.sigma.tolist(), errors.correlation.round(3).tolist()
    ([[0.2, 0.3]], [[0.167]])
    >>> Errors([[0.1, 0.1]], upper=[[0.4, 0.1]], limit=[["", "<"]]).limit.tolist()
    [[0, -1]]
    """

    sigma: np.ndarray
    upper: np.ndarray | None
    correlation: np.ndarray | None
    limit: np.ndarray | None
    _names: list[str] | None  # the columns of sigma, if it is a frame

    def __init__(self, sigma: Any = None, upper: Any = None, *, cov: Any = None, corr: Any = None,
                 limit: Any = None) -> None:  # fmt: skip
        if cov is not None:
            if sigma is not None or corr is not None:
                raise ValueError("Errors: cov cannot be given together with sigma or corr")
            sigma, corr = _split(cov)
        self.limit = None if limit is None else read_limits(limit)
        if sigma is None and self.limit is not None:
            sigma = np.zeros(self.limit.shape)
        if sigma is None:
            raise ValueError("Errors: one of sigma, cov and limit is needed")
        matrices = None if corr is None else np.asarray(unmasked(corr), dtype=np.float64)
        named = list(getattr(sigma, "columns", ()))
        self._names = named if named and all(isinstance(name, str) for name in named) else None
        self.sigma = np.asarray(unmasked(sigma), dtype=np.float64)
        if self.sigma.ndim < 2 and self.limit is not None:  # shared by the rows
            self.sigma = np.broadcast_to(self.sigma, self.limit.shape)
        elif self.sigma.ndim < 2 and matrices is not None and matrices.ndim == 3:
            self.sigma = np.broadcast_to(self.sigma, matrices.shape[:2])
        if self.sigma.ndim != 2:
            raise ValueError(f"Errors: sigma has shape {self.sigma.shape}; expected (n, d)")
        self.upper = None if upper is None else self._like(upper, "upper")
        if self.limit is not None and self.limit.shape != self.sigma.shape:
            raise ValueError(
                f"Errors: limit has shape {self.limit.shape}; expected that of sigma, "
                f"{self.sigma.shape}"
            )
        self.correlation = None if matrices is None else self._below(matrices)

    def _like(self, values: Any, what: str) -> np.ndarray:
        array = np.asarray(unmasked(values), dtype=np.float64)
        try:
            return np.broadcast_to(array, self.sigma.shape)
        except ValueError:
            raise ValueError(
                f"Errors: {what} has shape {array.shape}; expected that of sigma, "
                f"{self.sigma.shape}"
            ) from None

    def _below(self, matrices: np.ndarray) -> np.ndarray:
        """The elements below the diagonals."""
        n, d = self.sigma.shape
        if matrices.shape not in ((n, d, d), (d, d)):
            raise ValueError(
                f"Errors: correlations or covariances have shape {matrices.shape}; expected "
                f"{(n, d, d)} or {(d, d)}"
            )
        differ = np.abs(matrices - np.swapaxes(matrices, -1, -2)) > 1e-6
        if differ.any():
            place = tuple(int(i) for i in np.argwhere(differ)[0])
            raise ValueError(f"Errors: the matrix is not symmetric at {place}")
        first, second = np.tril_indices(d, -1)
        return np.ascontiguousarray(np.broadcast_to(matrices[..., first, second],
                                                    (n, len(first))))  # fmt: skip

    @property
    def shape(self) -> tuple[int, int]:
        return self.sigma.shape

    def __len__(self) -> int:
        return len(self.sigma)

    def __getitem__(self, rows: Any) -> Errors:
        """The errors of these rows: a slice, numbers or a mask."""
        if isinstance(rows, tuple):  # scikit-learn asks for [rows, ...]
            if any(more is not Ellipsis and more != slice(None) for more in rows[1:]):
                raise TypeError("Errors: only rows can be selected; sigma and the others are arrays")
            rows = rows[0]
        if isinstance(rows, (int, np.integer)):
            rows = [rows]
        part = object.__new__(Errors)
        part._names = self._names
        for name in ("sigma", "upper", "correlation", "limit"):
            array = getattr(self, name)
            setattr(part, name, None if array is None else array[rows])
        return part

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise TypeError("Errors cannot be converted to an array; its sigma, upper, correlation and limit can")

    def __repr__(self) -> str:
        more = [name for name in ("upper", "correlation", "limit") if getattr(self, name) is not None]
        rows = "1 row" if len(self) == 1 else f"{len(self)} rows"
        return f"Errors of {rows}" + (f" with {', '.join(more)}" if more else "")


#: What estimators take for X_err.
ErrorsLike = ArrayLike | Errors


def _split(cov: Any) -> tuple[np.ndarray, np.ndarray]:
    """Deviations and correlations of covariances."""
    cov = np.asarray(unmasked(cov), dtype=np.float64)
    if cov.ndim != 3 or cov.shape[-1] != cov.shape[-2]:
        raise ValueError(f"Errors: cov has shape {cov.shape}; expected (n, d, d)")
    variance = np.diagonal(cov, axis1=-2, axis2=-1)
    if (variance < 0).any():
        raise ValueError(f"Errors: cov has the negative variance {variance[variance < 0][0]:g}")
    sigma = np.sqrt(variance)
    product = sigma[..., :, None] * sigma[..., None, :]
    corr = np.divide(cov, product, out=np.zeros_like(cov), where=product > 0)
    return sigma, np.where(np.abs(corr) <= 1 + 1e-9, np.clip(corr, -1.0, 1.0), corr)


def read_limits(limit: Any) -> np.ndarray:
    """Limits as int8: -1, 0 and 1; accepts the texts used in tables."""
    array = np.asarray(limit)
    if is_masked(limit):
        array = np.where(limit.mask, "" if array.dtype.kind in "US" else 0, array)  # no limit
    if array.dtype.kind in "OUS":
        signs = np.empty(array.shape, dtype=np.int8)
        for place, cell in np.ndenumerate(array):
            sign = _limit(cell)
            if sign is None:
                where = ", ".join(f"{axis} {i}" for axis, i in zip(("row", "column"), place, strict=False))
                raise ValueError(f"limit: {where}: {str(cell)!r}; expected '<', '>' or ''")
            signs[place] = sign
        return signs
    if array.dtype.kind not in "biuf" or not np.isin(array, (-1, 0, 1)).all():
        raise ValueError("limit: expected '<', '>' and '', or -1, 1 and 0")
    return np.ascontiguousarray(array, dtype=np.int8)


def _limit(cell: Any) -> int | None:
    if cell is None or cell != cell:
        return 0
    if isinstance(cell, bytes):
        cell = cell.decode()
    if isinstance(cell, str):
        return _LIMITS.get(cell.strip())
    return int(cell) if cell in (-1, 0, 1) else None
