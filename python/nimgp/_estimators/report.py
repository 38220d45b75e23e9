# SPDX-License-Identifier: Apache-2.0
"""Reports: an HTML page about a model and its predictions, written by the C library."""

from __future__ import annotations

import ctypes
import html
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .._native.core import call, library
from .._native.interface import ReportRows
from .._native.model import Model, name_array
from .._native.table import Table
from ..tables._units import from_note


class Report:
    """A report about a model and its predictions. Notebooks display it.

    Attributes
    ----------
    html : str
        The page, a single HTML document.
    data : dict
        The numbers of the page.
    """

    def __init__(self, page: str, data: dict[str, Any]) -> None:
        self.html, self.data = page, data

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def __repr__(self) -> str:
        return f"Report of {self.data['rows']} rows; save(path) writes the page"

    def _repr_html_(self) -> str:
        # A frame of its own keeps the page's script and style, and the notebook's, apart.
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            'title="nimgp report" width="100%" height="800" style="border: 0"></iframe>'
        )


def make_report(
    model: Model, table: Table, facts: Mapping[str, str], names: Sequence[str] | None
) -> Report:
    """The report of a model on a table, whose rows may have names."""
    handle = ctypes.c_void_p()
    with model.predictor() as (own, predictor):
        call("nim_report_create", own, predictor, ctypes.byref(handle))
        try:
            for key, fact in facts.items():
                call("nim_report_fact", handle, key.encode(), fact.encode(errors="replace"))
            units = from_note(range(model.attributes), model.note("units"))
            for attribute, unit in units.items():
                call("nim_report_attribute", handle, attribute, unit.encode(), None)
            for place, portion in table.portions(2048):
                rows = ReportRows(data=ctypes.pointer(portion.data))
                if names is not None:
                    rows.name = name_array(names[place])
                call("nim_report_add", handle, ctypes.byref(rows))
            texts = {}
            for form in ("json", "html"):
                text, size = ctypes.c_char_p(), ctypes.c_size_t()
                call(
                    "nim_report_text", handle, form.encode(), ctypes.byref(text), ctypes.byref(size)
                )
                texts[form] = ctypes.string_at(text, size.value).decode()
        finally:
            library.nim_report_free(handle)
    return Report(texts["html"], json.loads(texts["json"]))
