# SPDX-License-Identifier: Apache-2.0
"""Classification for data with error bars.

Multi-class Gaussian-process classification in which the inputs themselves are noisy measurements,
as a scikit-learn classifier::

    from nimgp import NoisyGPClassifier

    clf = NoisyGPClassifier(random_state=0).fit(X, y, X_err=sigma)
    p = clf.predict_proba(X_new, X_err=sigma_new)
"""

from __future__ import annotations

from ._classifier import Denoised, NoisyGPClassifier, Uncertainty
from ._native import NumericalError, Option, options, version
from ._progress import Progress
from ._scoring import neg_log_loss
from .tables import Columns, from_fits, from_table, pair_errors

__version__ = version()

__all__ = [
    "Columns",
    "Denoised",
    "NoisyGPClassifier",
    "NumericalError",
    "Option",
    "Progress",
    "Uncertainty",
    "from_fits",
    "from_table",
    "neg_log_loss",
    "options",
    "pair_errors",
]
