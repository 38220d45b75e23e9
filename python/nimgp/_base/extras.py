# SPDX-License-Identifier: Apache-2.0
"""Packages that are installed only if something optional is used."""

from __future__ import annotations

import importlib
from typing import Any


def needed(module: str, extra: str) -> Any:
    """The module; ImportError says which extra of nimgp installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = (error.name or module).split(".")[0]
        raise ImportError(f"{package} is not installed: pip install nimgp[{extra}]", name=package) from None
