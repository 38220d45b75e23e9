# SPDX-License-Identifier: Apache-2.0
"""From a table to a model in one call."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from ._classifier import NoisyGPClassifier
from ._estimator import Estimator
from .tables import from_table


def fit_table(
    table: Any, label: Any = "class", estimator: Estimator | None = None, **how: Any
) -> Estimator:
    """A model of a table: its columns as features, with the errors that belong to them.

    Parameters
    ----------
    table : pandas DataFrame, astropy Table, Arrow table, structured array or dict of columns
        The columns of an Arrow table are looked at where they are; each value is copied once, into
        the rows the library reads.
    label : str or list of str, default="class"
        The column of what is to be learned.
    estimator : estimator, optional
        What learns; it is not changed itself. A :class:`NoisyGPClassifier` unless given.
    **how
        As in :func:`from_table`: features, errors, exclude, ...

    Returns
    -------
    estimator
        Fitted.

    Examples
    --------
    >>> table = {"x": [0.0, 0.2, 1.0, 1.1], "x_err": [0.1] * 4, "class": ["a", "a", "b", "b"]}
    >>> model = fit_table(table, estimator=NoisyGPClassifier(max_epochs=5))
    >>> model.feature_names_in_.tolist()
    ['x']
    """
    columns = from_table(table, label=label, **how)
    model = NoisyGPClassifier() if estimator is None else clone(estimator)
    extra = {} if columns.exposure is None else {"exposure": columns.exposure}
    return model.fit(columns.X, columns.y, X_err=columns.X_err, **extra)
