# SPDX-License-Identifier: Apache-2.0
"""Scorers that pass error bars to the estimator, which scikit-learn's scorers do not."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.utils.metadata_routing import MetadataRequest

from .._base.masks import refuse_masked
from .inputs import check_labels, check_weights


class _Scorer:
    """A scorer that requests metadata."""

    _name: str
    _asks_for: tuple[str, ...] = ("X_err",)

    def get_metadata_routing(self) -> MetadataRequest:
        request = MetadataRequest(owner=self)
        for name in self._asks_for:
            request.score.add_request(param=name, alias=True)
        request.score.add_request(param="sample_weight", alias=False)
        return request

    def __repr__(self) -> str:
        return f"nimgp.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class _NegLogLoss(_Scorer):
    """Mean log probability of the true classes, for ``scoring=`` in cross-validation.

    Unlike ``scoring="neg_log_loss"`` it passes ``X_err`` to ``predict_proba``. With
    ``sklearn.set_config(enable_metadata_routing=True)``::

        cross_val_score(clf, X, y, params={"X_err": sigma}, scoring=nimgp.neg_log_loss)
    """

    _name = "neg_log_loss"

    def __call__(
        self, estimator: Any, X: Any, y: Any, *, X_err: Any = None, sample_weight: Any = None
    ) -> float:
        extra = {} if X_err is None else {"X_err": X_err}
        log_p = estimator.predict_log_proba(X, **extra)
        labels = check_labels(y, estimator.classes_, len(log_p))
        weights = check_weights(sample_weight, log_p)
        return float(np.average(log_p[np.arange(len(labels)), labels], weights=weights))


class _MeanLogDensity(_Scorer):
    """Mean log density of the true targets, for ``scoring=`` in cross-validation.

    It scores the whole predicted distribution of numbers, counts, classes or sets of labels, and
    passes ``X_err`` and ``exposure`` to the estimator. With
    ``sklearn.set_config(enable_metadata_routing=True)``::

        cross_val_score(model, X, y, params={"X_err": sigma}, scoring=nimgp.mean_log_density)
    """

    _name = "mean_log_density"
    _asks_for = ("X_err", "exposure")

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None, **given: Any
    ) -> float:
        if hasattr(estimator, "steps"):  # a pipeline knows scikit-learn's methods only
            X, estimator = estimator[:-1].transform(X), estimator[-1]
        given = {name: value for name, value in given.items() if value is not None}
        found = estimator.log_density(X, y, **given)
        return float(np.average(found, weights=check_weights(sample_weight, found)))


neg_log_loss = _NegLogLoss()
mean_log_density = _MeanLogDensity()


class _BoundErrors:
    """An estimator whose predictions use the given X_err and exposure."""

    _methods = frozenset({"predict", "predict_proba", "predict_log_proba", "decision_function"})

    def __init__(self, estimator: Any, extra: dict[str, Any]) -> None:
        self._estimator, self._extra = estimator, extra

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._estimator, name)
        if name not in self._methods:
            return found

        @functools.wraps(found)  # scikit-learn looks at its name
        def bound(X: Any) -> Any:
            return found(X, **self._extra)

        return bound


class _Named(_Scorer):
    """A scorer of scikit-learn that passes ``X_err`` and ``exposure`` to the estimator."""

    _asks_for = ("X_err", "exposure")

    def __init__(self, name: str) -> None:
        self._name, self._scorer = name, get_scorer(name)

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None, **given: Any
    ) -> float:
        extra = {name: value for name, value in given.items() if value is not None}
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._scorer(_BoundErrors(estimator, extra), X, refuse_masked(y), **weights))

    def __repr__(self) -> str:
        return f"nimgp.scorer({self._name!r})"

    def __reduce__(self) -> Any:
        return scorer, (self._name,)


def scorer(name: str) -> Any:
    """One of scikit-learn's scorers, extended to pass error bars to the estimator.

    Parameters
    ----------
    name : str
        One of ``sklearn.metrics.get_scorer_names()``, such as "roc_auc_ovr" or "r2".

    Returns
    -------
    callable
        For ``scoring=``. With ``sklearn.set_config(enable_metadata_routing=True)``::

            cross_val_score(clf, X, y, params={"X_err": sigma}, scoring=nimgp.scorer("f1_macro"))
    """
    return _Named(name)
