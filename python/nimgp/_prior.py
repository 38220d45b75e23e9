# SPDX-License-Identifier: Apache-2.0
"""Classes that have other shares where predictions are made than they had in training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def check_prior(prior: Any, classes: np.ndarray) -> np.ndarray:
    """A share from 0 on for each class, in their order; given as an array or by class."""
    if isinstance(prior, str):
        raise ValueError(f'prior={prior!r}; expected a share for each class, or "auto"')
    if isinstance(prior, Mapping):
        known = classes.tolist()
        for given in prior:
            if given not in known:
                raise ValueError(f"prior: {given!r} is not one of the classes {known}")
        for label in known:
            if label not in prior:
                raise ValueError(f"prior: no share of class {label!r}; expected one of each class")
        prior = [prior[label] for label in known]
    shares = np.asarray(prior, dtype=np.float64)
    if shares.shape != classes.shape:
        raise ValueError(f"prior has shape {shares.shape}; expected {classes.shape}, one a class")
    return np.ascontiguousarray(shares)
