# SPDX-License-Identifier: Apache-2.0
"""The rows that the peers train on."""

from __future__ import annotations

from typing import Any

import numpy as np
from cases import Case


def random_data(case: Case) -> tuple[Any, Any, Any]:
    """Inputs (B x d), labels (B), inducing inputs (C x M x d): random, the same for all peers."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((case.batch, case.attributes))
    y = rng.integers(0, case.classes, case.batch)
    z = rng.standard_normal((case.classes, case.inducing, case.attributes))
    return x.astype(case.float_type), y, z.astype(case.float_type)
