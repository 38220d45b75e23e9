# SPDX-License-Identifier: Apache-2.0
"""Classification and regression for data with error bars.

Gaussian-process models whose inputs are noisy measurements, as scikit-learn estimators::

    from nimgp import NoisyGPClassifier, NoisyGPRegressor

    clf = NoisyGPClassifier(random_state=0).fit(X, y, X_err=sigma)
    p = clf.predict_proba(X_new, X_err=sigma_new)

There are estimators of classes, ordered classes, sets of labels, numbers and counts.
"""

from __future__ import annotations

from ._base.errors import Errors
from ._estimators.classifier import NoisyGPClassifier
from ._estimators.counts import NoisyGPCountRegressor
from ._estimators.estimator import Denoised, Population
from ._estimators.files import load
from ._estimators.fit_table import fit_table
from ._estimators.folds import cross_val_predict
from ._estimators.multilabel import NoisyGPMultiLabelClassifier
from ._estimators.ordinal import NoisyGPOrdinalClassifier
from ._estimators.regressor import NoisyGPRegressor
from ._estimators.report import Report
from ._estimators.scoring import mean_log_density, neg_log_loss, scorer
from ._estimators.uncertainty import Uncertainty
from ._native.core import NumericalError, Option, options, version
from ._native.progress import Progress
from .tables import Columns, from_fits, from_parquet, from_table, pair_errors
from .tables._check import CheckedColumn, CheckedTable, check_table

__version__ = version()

__all__ = [
    "CheckedColumn",
    "CheckedTable",
    "Columns",
    "Denoised",
    "Errors",
    "NoisyGPClassifier",
    "NoisyGPCountRegressor",
    "NoisyGPMultiLabelClassifier",
    "NoisyGPOrdinalClassifier",
    "NoisyGPRegressor",
    "NumericalError",
    "Option",
    "Population",
    "Progress",
    "Report",
    "Uncertainty",
    "check_table",
    "cross_val_predict",
    "fit_table",
    "from_fits",
    "from_parquet",
    "from_table",
    "load",
    "mean_log_density",
    "neg_log_loss",
    "options",
    "pair_errors",
    "scorer",
]
