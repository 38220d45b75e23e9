# SPDX-License-Identifier: Apache-2.0
"""Arrow tables as columns of NumPy arrays.

Any object with the Arrow C stream interface (``__arrow_c_stream__``) is accepted: tables of
pyarrow, polars, duckdb and others. Numbers in one chunk without missing values are not copied.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


def is_arrow(table: Any) -> bool:
    """Whether it is an Arrow table; False for pandas' frames, which have that interface too."""
    return hasattr(table, "__arrow_c_stream__") and not hasattr(table, "iloc")


class ArrowColumns(Mapping[str, np.ndarray]):
    """The columns of an Arrow table, converted when they are first used; `units` are their units."""

    def __init__(self, table: Any):
        self._table = _pyarrow().table(table)
        self.units: dict[str, str] = {}
        for field in self._table.schema:
            unit = (field.metadata or {}).get(b"unit")
            if unit:
                self.units[field.name] = unit.decode("utf-8", "replace")

    def __getitem__(self, name: str) -> np.ndarray:
        return _as_numpy(self._table.column(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._table.column_names)

    def __len__(self) -> int:
        return len(self._table.column_names)


def _pyarrow() -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise ImportError("an Arrow table needs pyarrow: pip install pyarrow") from None


def _as_numpy(column: Any) -> np.ndarray:
    """One column: numbers, masked where they are null; other types as objects."""
    types = _pyarrow().types
    chunk = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if hasattr(chunk, "chunks"):  # no chunks at all, or more than one array holds
        chunk = _pyarrow().concat_arrays(chunk.chunks) if chunk.num_chunks else chunk
    if types.is_dictionary(column.type):
        chunk = chunk.dictionary_decode()
    kind = chunk.type
    if types.is_integer(kind) or types.is_floating(kind):
        if chunk.null_count == 0:
            return chunk.to_numpy(zero_copy_only=False)  # no copy: there is nothing to fill in
        gaps = chunk.is_null().to_numpy(zero_copy_only=False)
        return np.ma.MaskedArray(chunk.fill_null(0).to_numpy(zero_copy_only=False), gaps)
    if types.is_boolean(kind) and chunk.null_count == 0:
        return chunk.to_numpy(zero_copy_only=False)
    return np.array(chunk.to_pylist(), dtype=object)


def read_parquet(path: str) -> Any:
    """A Parquet file as an Arrow table."""
    _pyarrow()
    return importlib.import_module("pyarrow.parquet").read_table(path)
