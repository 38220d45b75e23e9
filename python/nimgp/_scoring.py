# SPDX-License-Identifier: Apache-2.0
"""A scorer that hands error bars on to ``predict_proba``, which scikit-learn's own do not."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from ._inputs import check_labels


class _NegLogLoss:
    """Mean log probability of the true classes, for ``scoring=`` in cross-validation.

    Unlike ``scoring="neg_log_loss"`` it passes ``X_err`` on to ``predict_proba``. With
    ``sklearn.set_config(enable_metadata_routing=True)``::

        cross_val_score(clf, X, y, params={"X_err": sigma}, scoring=nimgp.neg_log_loss)
    """

    def __call__(
        self, estimator: Any, X: Any, y: Any, X_err: Any = None, sample_weight: Any = None
    ) -> float:
        extra = {} if X_err is None else {"X_err": X_err}
        log_p = estimator.predict_log_proba(X, **extra)
        labels = check_labels(y, estimator.classes_, len(log_p))
        return float(np.average(log_p[np.arange(len(labels)), labels], weights=sample_weight))

    def get_metadata_routing(self) -> MetadataRequest:
        request = MetadataRequest(owner=self)
        request.score.add_request(param="X_err", alias=True)
        request.score.add_request(param="sample_weight", alias=False)
        return request

    def __repr__(self) -> str:
        return "nimgp.neg_log_loss"

    def __reduce__(self) -> str:
        return "neg_log_loss"


neg_log_loss = _NegLogLoss()
