# SPDX-License-Identifier: Apache-2.0
"""Reads the columns of any table: a DataFrame, an astropy Table, a structured array or a dict."""

from __future__ import annotations

import collections
import csv
import gzip
import importlib
import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._base.masks import is_masked, unmasked
from ._arrow import ArrowColumns, is_arrow, read_parquet

# As text_is_missing of src/text/number.h.
_MISSING = frozenset(("", "NaN", "nan", "NAN", "NA", "na", "N/A", "n/a", "null", "NULL", "--"))


def is_named_table(table: Any) -> bool:
    """Whether it is a table that scikit-learn does not support: astropy's or a structured array."""
    if isinstance(table, np.ndarray):
        return table.dtype.names is not None
    return hasattr(table, "colnames") and hasattr(table, "columns")


def is_table(table: Any) -> bool:
    """Whether it has named columns, or is the name of a file that may."""
    if isinstance(table, (str, os.PathLike, Mapping)):
        return True
    return is_named_table(table) or is_arrow(table) or hasattr(table, "columns")


def opened(table: Any) -> Any:
    """A table whose columns can be taken by name."""
    if isinstance(table, (str, os.PathLike)):
        table = _read_file(os.fspath(table))
    return ArrowColumns(table) if is_arrow(table) else table


def _read_file(path: str) -> Any:
    """A file: Parquet, what astropy knows by its name, otherwise CSV."""
    plain = path.removesuffix(".gz").lower()
    if plain.endswith((".parquet", ".pq")):
        return read_parquet(path)
    if plain.endswith((".h5", ".hdf5", ".hdf")):
        return importlib.import_module("astropy.table").Table.read(path, format="hdf5")
    if plain.endswith((".fits", ".fit", ".vot", ".votable", ".xml", ".ecsv")):
        return importlib.import_module("astropy.table").Table.read(path)
    return _read_csv(path)


def _read_csv(path: str) -> Any:
    """As the program reads it: separated by the most frequent of comma, tab and semicolon in the header, or by blanks."""
    pandas = importlib.import_module("pandas")
    with open(path, "rb") as start:
        packed = start.read(2) == b"\x1f\x8b"
    before = 0
    with (gzip.open if packed else open)(path, "rt", encoding="utf-8-sig", errors="replace") as file:
        header = file.readline()
        while header and (header.startswith("#") or not header.strip()):
            header, before = file.readline(), before + 1
        words = len(file.readline().split())
    plain = "".join(header.split('"')[::2])  # what is not quoted
    separator = max(",\t;", key=plain.count)
    blanks = separator not in plain and 1 < len(header.split()) == words
    names = header.split() if blanks else next(csv.reader([header], delimiter=separator), [])
    for name, count in collections.Counter(name.strip() for name in names).items():
        if count > 1:
            raise ValueError(f"{path}: two columns are named {name!r}; expected names that differ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer versions always read exactly
        return pandas.read_csv(
            path,
            sep=r"\s+" if blanks else separator,
            skiprows=before,
            compression="gzip" if packed else None,
            float_precision="round_trip",
            skipinitialspace=True,
            keep_default_na=False,
            na_values=sorted(_MISSING),
        )


def column_names(table: Any) -> list[str]:
    if isinstance(table, Mapping):
        return [str(name) for name in table]
    if isinstance(table, np.ndarray) and table.dtype.names is not None:
        return list(table.dtype.names)
    if hasattr(table, "colnames"):
        return list(table.colnames)
    if hasattr(table, "columns"):
        return [str(name) for name in table.columns]
    raise TypeError(
        f"a {type(table).__name__} has no named columns; expected a pandas DataFrame, an astropy "
        "Table, an Arrow table, a structured array, a dict of columns or the path of a file"
    )


def is_numeric(column: Any) -> bool:
    kind = getattr(getattr(column, "dtype", None), "kind", None)
    if kind is None:
        kind = np.asarray(column).dtype.kind
    return kind in "iuf" and np.ndim(column) == 1


def numbers_of(table: Any, name: str) -> np.ndarray:
    """One column as float64, NaN where it is masked or missing."""
    column = table[name]
    if is_masked(column):
        values = unmasked(column)
    elif hasattr(column, "to_numpy"):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = np.asarray(getattr(column, "value", column), dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"column {name!r} has {values.ndim} dimensions; expected one number a row")
    return values


def present_numbers(table: Any, name: str, sentinels: np.ndarray) -> np.ndarray:
    """As numbers_of, NaN also where a number means a missing value."""
    values = numbers_of(table, name)
    return np.where(np.isin(values, sentinels), np.nan, values) if sentinels.size else values


def texts_of(column: Any) -> np.ndarray:
    """Labels as text without the blanks around them; empty where missing, or where a word says so, as in the program."""
    return np.array(["" if text in _MISSING else text for text in plain_texts_of(column).tolist()], dtype=str)


def plain_texts_of(column: Any) -> np.ndarray:
    """The same, but words are only words."""
    cells = np.ma.filled(column, "") if np.ma.isMaskedArray(column) else np.asarray(column)
    if cells.dtype.kind == "S":
        cells = np.char.decode(cells, "utf-8")
    cells = cells.tolist()
    if hasattr(column, "isna"):  # pandas, whose NA cannot be compared
        missing = np.asarray(column.isna()).tolist()
    else:
        missing = [cell is None or cell != cell for cell in cells]
    texts = ("" if gone else str(cell).strip() for cell, gone in zip(cells, missing, strict=True))
    return np.array(list(texts), dtype=str)


def stack_columns(table: Any) -> tuple[list[str], np.ndarray]:
    """All columns side by side, and their names."""
    names = column_names(table)
    for name in names:
        if not is_numeric(table[name]):
            raise ValueError(f"column {name!r} does not hold one number a row")
    return names, np.column_stack([numbers_of(table, name) for name in names])
