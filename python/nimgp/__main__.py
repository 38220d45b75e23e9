# SPDX-License-Identifier: Apache-2.0
"""python -m nimgp convert IN OUT: a table that the program does not read, such as Parquet or HDF5, becomes one that it
does: a row file (docs/row-file.md) if the name ends in .nimrows, otherwise CSV."""

from __future__ import annotations

import csv
import json
import os
import struct
import sys
import zlib
from typing import Any

import numpy as np

from .tables._columns import column_names, is_numeric, numbers_of, opened, texts_of

_MAGIC, _MOST_WORDS = b"NIMROWS\n", 1 << 20


def _columns(table: Any) -> list[tuple[str, np.ndarray]]:
    """Numbers and texts; columns of arrays are left out."""
    names = [name for name in column_names(table) if np.ndim(table[name]) == 1]
    return [(name, numbers_of(table, name) if is_numeric(table[name]) else texts_of(table[name])) for name in names]


def _row_file(columns: list[tuple[str, np.ndarray]]) -> bytes:
    described, cells = [], []
    for name, values in columns:
        column: dict[str, Any] = {"name": name}
        if values.dtype.kind == "U":
            words, place = np.unique(values, return_inverse=True)
            there = words != ""
            if there.sum() > _MOST_WORDS:
                print(f"left out: {name}, a column of more than {_MOST_WORDS} texts", file=sys.stderr)
                continue
            column["words"] = words[there].tolist()
            values = np.where(values == "", np.nan, place - np.count_nonzero(~there))
        described.append(column)
        cells.append(values)
    rows = np.column_stack(cells).astype(np.float64)
    text = json.dumps({"columns": described}, ensure_ascii=False).encode()
    text = text.ljust(-(-len(text) // 8) * 8)
    head = _MAGIC + struct.pack("=3Q", 0x0102030405060708, 1, len(described)).ljust(56, b"\0")
    whole = head + rows.tobytes() + text + struct.pack("=2Q", len(rows), len(text))
    return whole + struct.pack("=Q", zlib.crc32(whole)) + _MAGIC


def convert(source: str, target: str) -> None:
    columns = _columns(opened(source))
    if not columns:
        raise ValueError(f"{source}: no columns of numbers or texts")
    partial = target + ".part"
    if target.endswith(".nimrows"):
        with open(partial, "wb") as binary:
            binary.write(_row_file(columns))
    else:
        cells = [
            ["" if cell != cell else repr(cell) for cell in values.tolist()] if values.dtype.kind == "f" else values.tolist()
            for _, values in columns
        ]
        with open(partial, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([name for name, _ in columns])
            writer.writerows(zip(*cells, strict=True))
    os.replace(partial, target)


def main() -> int:
    if len(sys.argv) != 4 or sys.argv[1] != "convert":
        print("usage: python -m nimgp convert IN OUT", file=sys.stderr)
        return 1
    try:
        convert(*sys.argv[2:])
    except (ImportError, OSError, ValueError, KeyError) as error:
        print(f"nimgp: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
