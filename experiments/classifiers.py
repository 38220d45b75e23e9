# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's classifiers, as the experiments set them beside nimgp, and how answers are rated.

What they have settings for is chosen by cross-validation inside the training rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # one process a task instead
    os.environ.setdefault(variable, "1")

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

LEAST = 1e-6  # a probability below counts as this, so that one miss cannot decide a mean

# ---------------------------------------------------------------------- methods


def folds(y: np.ndarray, most: int = 5) -> StratifiedKFold:
    """No more folds than the rarest class has rows, where that is possible."""
    rarest = np.bincount(y)[np.unique(y)].min()
    return StratifiedKFold(max(2, min(most, rarest)), shuffle=True, random_state=0)


def searched(estimator: Any, grid: dict[str, list], y: np.ndarray, scoring: str) -> GridSearchCV:
    return GridSearchCV(estimator, grid, scoring=scoring, cv=folds(y, 3))


def forest() -> RandomForestClassifier:
    return RandomForestClassifier(500, random_state=0)


def support_vectors(X: np.ndarray, y: np.ndarray) -> Any:
    d = X.shape[1]
    grid = {"C": [0.3, 1, 3, 10, 30], "gamma": [0.1 / d, 0.3 / d, 1 / d]}
    best = searched(SVC(), grid, y, "accuracy").fit(X, y).best_params_
    return SVC(probability=True, random_state=0, **best)


# An estimator to fit, from the training rows: classes are 0, 1, ..., attributes are standardised.
PEERS: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "GaussianProcessClassifier": lambda X, y: GaussianProcessClassifier(
        ConstantKernel(1.0, (1e-2, 1e4)) * RBF(np.sqrt(X.shape[1])), random_state=0
    ),
    "LogisticRegression": lambda X, y: LogisticRegressionCV(
        Cs=10, l1_ratios=(0.0,), use_legacy_attributes=False, scoring="neg_log_loss",
        cv=folds(y), max_iter=5000,
    ),
    "RandomForest": lambda X, y: forest(),
    "RandomForest, calibrated": lambda X, y: CalibratedClassifierCV(
        forest(), method="sigmoid", cv=folds(y)
    ),
    "HistGradientBoosting": lambda X, y: searched(
        HistGradientBoostingClassifier(learning_rate=0.05, max_leaf_nodes=8, random_state=0),
        {"max_iter": [25, 50, 100, 200]}, y, "neg_log_loss",
    ),
    "SVC(probability=True)": support_vectors,
}  # fmt: skip


# ---------------------------------------------------------------------- scores


def all_classes(estimator: Any, given: np.ndarray, count: int) -> np.ndarray:
    """Probabilities of classes 0 to count - 1 from those of the classes the estimator knows."""
    p = np.zeros((len(given), count))
    p[:, estimator.classes_] = given
    return p


def nll_of_rows(p: np.ndarray, y: np.ndarray) -> np.ndarray:
    return -np.log(np.maximum(p[np.arange(len(p)), y], LEAST))


def mean_nll(p: np.ndarray, y: np.ndarray) -> float:
    return nll_of_rows(p, y).mean()


def mean_and_error(values: list[float]) -> str:
    each = np.array(values)
    if len(each) == 1:
        return f"{each[0]:.3f}"
    return f"{each.mean():.3f} ± {each.std(ddof=1) / np.sqrt(len(each)):.3f}"
