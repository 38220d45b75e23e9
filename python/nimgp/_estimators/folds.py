# SPDX-License-Identifier: Apache-2.0
"""Out-of-fold predictions with error bars, which scikit-learn's function does not support."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing

from .._base.errors import Errors
from .._base.masks import refuse_masked, unmasked


def cross_val_predict(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    X_err: Any = None,
    groups: Any = None,
    cv: Any = None,
    method: str = "predict",
) -> np.ndarray:
    """Predicts each row with a model that was not trained on its fold.

    ``sklearn.model_selection.cross_val_predict`` passes metadata to ``fit`` only; this function
    passes ``X_err`` to predictions too. Scores need no such function: with
    ``sklearn.set_config(enable_metadata_routing=True)``, ``cross_val_score(clf, X, y,
    cv=GroupKFold(5), params={"X_err": sigma, "groups": objects}, scoring=nimgp.neg_log_loss)``
    divides rows, errors and groups.

    Parameters
    ----------
    estimator : estimator of this package
    X, y, X_err
        As in its ``fit``.
    groups : array-like of shape (n,), optional
        For splitters that keep groups together, such as ``GroupKFold``.
    cv : int, splitter or iterable of splits, optional
        As in scikit-learn; by default 5 folds, stratified by class.
    method : str, default="predict"
        The method to call, such as "predict_proba" or "novelty"; it must accept X and X_err.

    Returns
    -------
    ndarray of shape (n, ...)
    """
    whole = X_err is None or hasattr(X_err, "iloc") or isinstance(X_err, Errors)
    errors = X_err if whole else np.asarray(unmasked(X_err))
    each = errors is not None and len(errors.shape) == 2 and len(errors) == len(y)
    refuse_masked(y)
    refuse_masked(groups, "groups")
    result: np.ndarray | None = None
    for learn, judge in check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y, groups):
        parts = (_safe_indexing(errors, rows) if each else X_err for rows in (learn, judge))
        model = clone(estimator)
        model.fit(_safe_indexing(X, learn), _safe_indexing(y, learn), X_err=next(parts))
        found = getattr(model, method)(_safe_indexing(X, judge), X_err=next(parts))
        if result is None:
            result = np.empty((len(y), *found.shape[1:]), dtype=found.dtype)
        result[judge] = found
    if result is None:
        raise ValueError("cv gives no folds")
    return result
