# SPDX-License-Identifier: Apache-2.0
"""Pictures of an estimator with matplotlib (``pip install nimgp[plot]``).

Every function draws into the axes ``ax``, or into new ones, and returns the axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ._base.errors import Errors, ErrorsLike
from ._base.extras import needed
from ._estimators.inputs import check_labels, check_numbers, check_x, check_x_err
from ._estimators.scoring import neg_log_loss

__all__ = ["class_probabilities", "learning_curve", "numbers", "relevance", "reliability"]


def _axes(ax: Any, **size: Any) -> Any:
    if ax is not None:
        return ax
    return needed("matplotlib.pyplot", "plot").subplots(layout="constrained", **size)[1]


def _names(clf: Any) -> list[str]:
    known = getattr(clf, "feature_names_in_", None)
    return [f"x{j}" for j in range(clf.n_features_in_)] if known is None else [*map(str, known)]


def _number(clf: Any, feature: int | str) -> int:
    names = _names(clf)
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(f"no feature {feature!r}; the features are {', '.join(names)}")
        return names.index(feature)
    if not -len(names) <= feature < len(names):
        raise ValueError(f"feature {feature} is out of range; there are {len(names)} features")
    return range(len(names))[feature]


def class_probabilities(
    clf: Any,
    feature: int | str,
    X: Any,
    y: ArrayLike | None = None,
    *,
    X_err: ErrorsLike | None = None,
    at: ArrayLike | None = None,
    at_err: ArrayLike | None = 0.0,
    points: int = 200,
    ax: Any = None,
) -> Any:
    """Class probabilities against one attribute, with the data and their error bars below.

    Parameters
    ----------
    clf : NoisyGPClassifier or NoisyGPOrdinalClassifier
        Fitted.
    feature : int or str
        The attribute along the axis.
    X : array-like of shape (n, d)
        Data. They set the range of the axis and are drawn as a row of points for each class.
    y : array-like of shape (n,), optional
        Their labels; predicted ones by default.
    X_err : array-like, optional
        Their errors, as in ``clf.predict_proba``; drawn as horizontal bars.
    at : array-like of shape (d,), optional
        The values of the other attributes along the curves; the medians of X by default.
    at_err : array-like of shape (d,) or float, default=0
        Errors of the inputs along the curves. 0: exact inputs.
    points : int, default=200
        Points on a curve.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(clf)
    j, ax = _number(clf, feature), _axes(ax)
    values, bars = _measured(clf, X, X_err, j)
    labels = clf.predict(X, X_err=0.0 if X_err is None else X_err) if y is None else y
    numbers = check_labels(labels, clf.classes_, len(values))
    line, grid = _line(clf, values, j, at, points)
    probability = clf.predict_proba(grid, X_err=at_err)
    for c, label in enumerate(clf.classes_):
        (curve,) = ax.plot(line, probability[:, c], label=str(label))
        mine = numbers == c
        height = np.full(mine.sum(), -0.04 * (c + 1))
        ax.errorbar(values[mine, j], height, xerr=bars[mine], fmt=".",
                    color=curve.get_color(), alpha=0.4, elinewidth=0.6)  # fmt: skip
    ax.set_xlabel(_names(clf)[j])
    ax.set_ylabel("probability")
    ax.set_ylim(-0.04 * (len(clf.classes_) + 1), 1.02)
    ax.legend()
    return ax


def _measured(model: Any, X: Any, X_err: Any, j: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and the length of their error bars in attribute j."""
    values = check_x(model, X, reset=False)
    errors = check_x_err(model, X_err, X, values.shape)
    sigma = errors.sigma if isinstance(errors, Errors) else errors
    bars = np.zeros(len(values)) if sigma is None else np.broadcast_to(sigma, values.shape)[:, j]
    return values, np.nan_to_num(bars)


def _line(model: Any, values: np.ndarray, j: int, at: Any, points: int) -> tuple[np.ndarray, Any]:
    """Values along attribute j, and the rows with these values."""
    line = np.linspace(np.nanmin(values[:, j]), np.nanmax(values[:, j]), points)
    place = np.nanmedian(values, axis=0) if at is None else np.asarray(at, float)
    grid = np.tile(place, (points, 1))
    grid[:, j] = line
    return line, _like(model, grid)


def _like(clf: Any, rows: np.ndarray) -> Any:
    """Rows with the feature names of the estimator, which avoids a warning."""
    if not hasattr(clf, "feature_names_in_"):
        return rows
    names = [str(name) for name in clf.feature_names_in_]
    return np.rec.fromarrays(list(rows.T), dtype=[(name, float) for name in names])


def numbers(
    model: Any,
    feature: int | str,
    X: Any,
    y: ArrayLike,
    *,
    X_err: ErrorsLike | None = None,
    at: ArrayLike | None = None,
    at_err: ArrayLike | None = 0.0,
    level: float = 0.9,
    points: int = 200,
    ax: Any = None,
) -> Any:
    """Predicted numbers or counts against one attribute, with the data and their error bars.

    Parameters
    ----------
    model : NoisyGPRegressor or NoisyGPCountRegressor
        Fitted. Counts are drawn for an exposure of 1.
    feature : int or str
        The attribute along the axis.
    X : array-like of shape (n, d)
        Data. They set the range of the axis.
    y : array-like of shape (n,)
        Their numbers.
    X_err : array-like, optional
        Their errors, as in ``model.predict``; drawn as horizontal bars.
    at : array-like of shape (d,), optional
        The values of the other attributes along the curve; the medians of X by default.
    at_err : array-like of shape (d,) or float, default=0
        Errors of the inputs along the curve. 0: exact inputs.
    level : float, default=0.9
        Probability that y is within the band.
    points : int, default=200
        Points on the curve.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(model)
    j, ax = _number(model, feature), _axes(ax)
    values, bars = _measured(model, X, X_err, j)
    line, grid = _line(model, values, j, at, points)
    more = {"exposure": 1.0} if model._target == "count" else {}
    low, high = model.predict_quantiles(grid, (0.5 - level / 2, 0.5 + level / 2), X_err=at_err, **more).T
    (curve,) = ax.plot(line, model.predict(grid, X_err=at_err, **more), label="mean")
    ax.fill_between(line, low, high, color=curve.get_color(), alpha=0.2, label=f"{level:g} of y")
    ax.errorbar(values[:, j], check_numbers(y, len(values)), xerr=bars, fmt=".", color="0.4",
                alpha=0.5, elinewidth=0.6)  # fmt: skip
    ax.set(xlabel=_names(model)[j], ylabel="y")
    ax.legend()
    return ax


def reliability(
    clf: Any,
    X: Any,
    y: ArrayLike,
    *,
    X_err: ErrorsLike | None = None,
    bins: int = 10,
    ax: Any = None,
) -> Any:
    """Reliability diagram: the share of correct classes against their predicted probability.

    Every class of every row counts. Bars are one standard error. The points of a calibrated
    classifier are on the diagonal.

    Parameters
    ----------
    clf : NoisyGPClassifier or NoisyGPOrdinalClassifier
        Fitted.
    X, y, X_err
        Rows that were not trained on.
    bins : int, default=10
        Bins of equal width.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    p = clf.predict_proba(X, X_err=X_err)
    labels = check_labels(y, clf.classes_, len(p))
    hit = labels[:, None] == np.arange(p.shape[1])
    which = np.minimum((p * bins).astype(int), bins - 1).ravel()
    count = np.bincount(which, minlength=bins)
    there = count > 0
    said = np.bincount(which, p.ravel(), bins)[there] / count[there]
    seen = np.bincount(which, hit.ravel(), bins)[there] / count[there]
    error = np.sqrt(np.maximum(said * (1 - said), 1e-12) / count[there])
    ax = _axes(ax, figsize=(4.5, 4.5))
    ax.plot([0, 1], [0, 1], color="0.7", zorder=0)
    ax.errorbar(said, seen, yerr=error, fmt="o-", capsize=2)
    nll = -neg_log_loss(clf, X, y, X_err=X_err)
    ax.set(xlabel="predicted probability", ylabel="share that was right", xlim=(-0.02, 1.02),
           ylim=(-0.02, 1.02), title=f"{len(p)} rows, NLL {nll:.3f}")  # fmt: skip
    return ax


def relevance(clf: Any, *, ax: Any = None) -> Any:
    """The relevance of each attribute and, if it was learned, its noise.

    Relevance is relative to the largest. Noise is drawn as a standard deviation in units of the
    attribute's smallest lengthscale; with noise of 1 or more the attribute has little information.
    The number next to the bar is the noise in the attribute's own units.

    Parameters
    ----------
    clf : estimator
        Fitted.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(clf)
    names, deviation = _names(clf), np.sqrt(clf.noise_variance_)
    noisy = bool(np.any(deviation > 0))
    ax = _axes(ax, figsize=(5, 1 + 0.35 * len(names)))
    place, thick = np.arange(len(names)), 0.38 if noisy else 0.7
    ax.barh(place - (thick / 2 if noisy else 0), clf.relevance_, thick, label="relevance")
    if noisy:
        relative = deviation / clf.lengthscales_.reshape(-1, len(names)).min(axis=0)
        bars = ax.barh(place + thick / 2, relative, thick, label="noise / lengthscale")
        ax.bar_label(bars, [f" ±{s:.3g}" for s in deviation], fontsize="small")
        ax.legend()
    ax.set_yticks(place, names)
    ax.invert_yaxis()
    ax.set_xlabel("relative to the largest" if not noisy else "")
    return ax


def learning_curve(clf: Any, *, skip: float = 0.02, ax: Any = None) -> Any:
    """The bound after every epoch of training.

    Parameters
    ----------
    clf : estimator
        Fitted in this process; model files do not keep the history.
    skip : float, default=0.02
        The share of the first epochs that is left out, where the bound is steep.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(clf)
    history = clf.history_[int(skip * len(clf.history_)) :]
    if not len(history):
        raise ValueError("there is no history: the estimator was loaded from a file")
    ax = _axes(ax)
    ax.plot(history[:, 0], history[:, 1])
    ax.set(xlabel="epoch", ylabel="evidence lower bound")
    return ax
