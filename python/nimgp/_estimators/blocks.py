# SPDX-License-Identifier: Apache-2.0
"""Predictions for Dask arrays and frames, computed block by block."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .._base.errors import Errors
from .._base.masks import unmasked
from .prior import check_prior


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection, without importing Dask."""
    return hasattr(X, "__dask_graph__")


def predict_blocks(
    estimator: Any, method: str, X: Any, X_err: Any, prior: Any, width: int | None, dtype: Any
) -> Any:
    """The results of ``estimator.method`` as a Dask array with `width` columns, or with one dimension
    if `width` is None. The estimator is one task of the graph, so each worker receives it once."""
    import dask

    if isinstance(prior, str) and prior == "auto":
        raise ValueError(
            'prior="auto" takes all rows at once, and X is a Dask collection; expected a share for '
            "each class, such as estimate_prior finds for some of the rows"
        )
    if prior is not None:
        prior = check_prior(prior, estimator.classes_)
    shared = dask.delayed(estimator, traverse=False)
    block = partial(_block, method, prior)
    if hasattr(X, "chunks"):
        return _of_array(shared, block, X, X_err, width, dtype)
    return _of_frame(shared, block, X, X_err, width, dtype)


def _block(
    method: str, prior: np.ndarray | None, X: Any, X_err: Any, estimator: Any
) -> np.ndarray:
    return getattr(estimator, method)(X, X_err=X_err, prior=prior)


def _of_array(shared: Any, block: Any, X: Any, X_err: Any, width: int | None, dtype: Any) -> Any:
    import dask.array

    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions; expected 2")
    X = X.rechunk({1: -1})  # rows stay whole
    if isinstance(X_err, Errors):
        raise TypeError("X is a Dask array: X_err must be an array, and not Errors")
    if is_dask(X_err) and not hasattr(X_err, "chunks"):
        raise TypeError("X is a Dask array and X_err a Dask frame; expected both of the same kind")
    if np.ndim(X_err) == 2:
        if X_err.shape[0] != X.shape[0] and not np.isnan(X.shape[0]):
            raise ValueError(f"X_err has {X_err.shape[0]} rows, X has {X.shape[0]}")
        X_err = X_err if is_dask(X_err) else dask.array.from_array(np.asarray(unmasked(X_err)))
        X_err = X_err.rechunk(X.chunks)
    shape: dict[str, Any] = {"drop_axis": 1} if width is None else {"chunks": (X.chunks[0], width)}
    meta = np.empty((0,) if width is None else (0, width), dtype)
    return dask.array.map_blocks(block, X, X_err, shared, dtype=dtype, meta=meta, **shape)


def _of_frame(shared: Any, block: Any, X: Any, X_err: Any, width: int | None, dtype: Any) -> Any:
    import dask
    import dask.array

    parts = X.to_delayed()
    if is_dask(X_err):
        if not hasattr(X_err, "to_delayed") or X_err.npartitions != len(parts):
            raise ValueError("X_err must be a Dask frame with as many partitions as X")
        errors = X_err.to_delayed()
    elif isinstance(X_err, Errors) or np.ndim(X_err) == 2:
        raise TypeError(
            "X is a Dask frame: X_err must be a Dask frame, a number for each column, or one number"
        )
    else:
        errors = [X_err] * len(parts)
    shape = (np.nan,) if width is None else (np.nan, width)
    predict = dask.delayed(block)
    return dask.array.concatenate(
        [
            dask.array.from_delayed(predict(part, error, shared), shape, dtype)
            for part, error in zip(parts, errors, strict=True)
        ],
        allow_unknown_chunksizes=True,
    )
