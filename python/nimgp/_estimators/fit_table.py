# SPDX-License-Identifier: Apache-2.0
"""From a table to a model in one call."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from ..tables._read import from_table
from .classifier import NoisyGPClassifier
from .estimator import Estimator


def fit_table(
    table: Any, label: Any = "class", estimator: Estimator | None = None, **how: Any
) -> Estimator:
    """Fits an estimator to a table, with its columns as features and error columns found by name.

    Parameters
    ----------
    table : pandas DataFrame, astropy Table, Arrow table, structured array, dict of columns or path
        The columns of an Arrow table are read in place; each value is copied once. A file is CSV,
        Parquet, FITS, VOTable or ECSV, by its name.
    label : str or list of str, default="class"
        The column to predict.
    estimator : estimator, optional
        A clone of it is fitted. Default: a :class:`NoisyGPClassifier`.
    **how
        As in :func:`from_table`: features, errors, exclude, ...

    Returns
    -------
    estimator
        The fitted clone. It reads tables by itself, with the same features, errors and missing
        values: ``predict(table)``, ``score(table)``; in ``cross_val_score(model, table,
        table["class"])`` each fit finds its columns anew. Its model file works in the program.

    Examples
    --------
    >>> table = {"x": [0.0, 0.2, 1.0, 1.1], "x_err": [0.1] * 4, "class": ["a", "a", "b", "b"]}
    >>> model = fit_table(table, estimator=NoisyGPClassifier(epochs=5))
    >>> model.feature_names_in_.tolist()
    ['x']
    """
    columns = from_table(table, label=label, **how)
    model = NoisyGPClassifier() if estimator is None else clone(estimator)
    extra = {} if columns.exposure is None else {"exposure": columns.exposure}
    if columns.y_err is not None and getattr(model, "_beside", None) == "y_err":
        extra["y_err"] = columns.y_err
    if hasattr(model, "_table_how"):
        del model._table_how  # of another table
    model.fit(columns.X, columns.y, X_err=columns.X_err, **extra)
    model._recipe = columns._recipe
    model._table_how = columns._recipe.label, _how_without_label(label, how)
    return model


def _how_without_label(label: Any, how: dict[str, Any]) -> dict[str, Any]:
    """How `fit` reads tables whose labels are given apart."""
    exclude = how.get("exclude", ())
    return {
        **{key: value for key, value in how.items() if key not in ("classes", "ignore_case", "exposure")},
        "exclude": [
            *([exclude] if isinstance(exclude, str) else exclude),
            *([label] if isinstance(label, str) else label),
        ],
    }
