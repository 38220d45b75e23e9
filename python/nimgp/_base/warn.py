# SPDX-License-Identifier: Apache-2.0
"""Warnings that show the line of the user's code."""

from __future__ import annotations

import os
import sys
import warnings

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """As ``warnings.warn``, from the nearest caller outside the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
