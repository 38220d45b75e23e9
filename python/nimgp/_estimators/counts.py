# SPDX-License-Identifier: Apache-2.0
"""Counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import d2_tweedie_score

from .docstrings import documented
from .inputs import check_counts
from .numbers import NumberEstimator

_REQUEST = {"X_err": True, "exposure": True}


@documented
@dataclass(eq=False, repr=False)
class NoisyGPCountRegressor(NumberEstimator):
    """Counts that depend on inputs with error bars.

    y is 0, 1, 2, ...: a Poisson count whose rate is the exponential of a smooth function of the
    true inputs, which has a sparse Gaussian-process prior, times the exposure (the time, area or
    effort over which the count was collected; 1 by default). Inputs are measurements of true
    values; their 1-sigma errors are passed as ``X_err``.

    Parameters
    ----------
    calibrate : bool, default=True
        Whether rows are held out for `predict_interval`. This adds four short trainings, each
        without a quarter of the rows. Tables with fewer than 40 rows have no intervals.
    {parameters}

    Attributes
    ----------
    base_rate_ : float
        Counts per unit of exposure where the latent function is zero.
    {attributes}

    Notes
    -----
    {notes}
    The same holds for `exposure`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, size=(300, 1))
    >>> hours = rng.uniform(0.5, 3.0, size=300)
    >>> y = rng.poisson(hours * np.exp(1 + X[:, 0]))
    >>> model = NoisyGPCountRegressor(epochs=500, random_state=0).fit(X, y, exposure=hours)
    >>> once, twice = model.predict([[1.0], [1.0]], exposure=[1.0, 2.0])
    >>> bool(abs(once / np.exp(2) - 1) < 0.2), bool(np.isclose(twice, 2 * once))
    (True, True)
    """

    likelihood: ClassVar[str] = "poisson"
    _target: ClassVar[str] = "count"
    _quantities: ClassVar[dict[str, tuple[str, ...]]] = {"poisson": ("base_rate",)}
    _beside: ClassVar[str] = "exposure"
    _explained = staticmethod(partial(d2_tweedie_score, power=1))

    __metadata_request__fit = _REQUEST
    __metadata_request__partial_fit = _REQUEST
    __metadata_request__predict = _REQUEST
    __metadata_request__score = _REQUEST

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _read_targets(self, y: Any, classes: Any, rows: int) -> dict[str, np.ndarray]:
        return {"targets": check_counts(y, rows)}
