# SPDX-License-Identifier: Apache-2.0
"""Figures, each as SVG and as PNG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

COLOURS = ("tab:green", "tab:blue", "tab:red", "tab:orange", "tab:purple", "tab:brown", "tab:gray")


def panels(rows: int, columns: int, width: float = 3.2, height: float = 2.4) -> tuple[Any, Any]:
    """A figure and its axes, rows x columns."""
    return pyplot.subplots(
        rows, columns, figsize=(width * columns, height * rows), squeeze=False, layout="constrained"
    )


def save(figure: Any, folder: Path, name: str, caption: str) -> list[str]:
    """Lines of Markdown that show it. Without a date in the SVG the same runs give the same file."""
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    figure.savefig(folder / f"{name}.png", dpi=110)
    pyplot.close(figure)
    return [f"![{caption}]({name}.svg)", "", f"{caption} ([PNG]({name}.png))", ""]
