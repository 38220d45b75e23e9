# SPDX-License-Identifier: Apache-2.0
"""Classification and regression for data with error bars.

Gaussian-process models whose inputs are noisy measurements, as scikit-learn estimators::

    from nimgp import NoisyGPClassifier, NoisyGPRegressor

    clf = NoisyGPClassifier(random_state=0).fit(X, y, X_err=sigma)
    p = clf.predict_proba(X_new, X_err=sigma_new)

There are estimators of classes, ordered classes, sets of labels, numbers and counts.
"""

from __future__ import annotations

from ._check_table import CheckedColumn, CheckedTable, check_table
from ._classifier import NoisyGPClassifier
from ._counts import NoisyGPCountRegressor
from ._errors import Errors
from ._estimator import Denoised, Population, load
from ._fit_table import fit_table
from ._folds import cross_val_predict
from ._multilabel import NoisyGPMultiLabelClassifier
from ._native import NumericalError, Option, options, version
from ._ordinal import NoisyGPOrdinalClassifier
from ._progress import Progress
from ._regressor import NoisyGPRegressor
from ._report import Report
from ._scoring import mean_log_density, neg_log_loss, scorer
from ._uncertainty import Uncertainty
from .tables import Columns, from_fits, from_parquet, from_table, pair_errors

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
