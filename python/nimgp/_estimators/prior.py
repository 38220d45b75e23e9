# SPDX-License-Identifier: Apache-2.0
"""Class shares that differ from those in training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .inputs import plain_numbers


def check_prior(prior: Any, classes: np.ndarray) -> np.ndarray:
    """A share >= 0 for each class, in the order of the classes; given as an array, as a dict or as a
    Series indexed by class."""
    if isinstance(prior, str):
        raise ValueError(f'prior={prior!r}; expected a share for each class, or "auto"')
    if hasattr(prior, "to_dict"):
        prior = prior.to_dict()
    if isinstance(prior, Mapping):
        known = classes.tolist()
        for given in prior:
            if given not in known:
                raise ValueError(f"prior: {given!r} is not one of the classes {known}")
        for label in known:
            if label not in prior:
                raise ValueError(f"prior: no share for class {label!r}; expected one for each class")
        prior = [prior[label] for label in known]
    shares = np.asarray(plain_numbers(prior, "prior"), dtype=np.float64)
    if shares.shape != classes.shape:
        raise ValueError(f"prior has shape {shares.shape}; expected {classes.shape}, one per class")
    for label, share in zip(classes.tolist(), shares.tolist(), strict=True):
        if not 0 <= share < np.inf:
            raise ValueError(f"prior: share {share:g} of class {label!r} is negative or not finite")
    return np.ascontiguousarray(shares)
