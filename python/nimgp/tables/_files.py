# SPDX-License-Identifier: Apache-2.0
"""Tables in files of their own formats: FITS and Parquet."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .._base.extras import needed
from ._arrow import read_parquet
from ._read import Columns, from_table


def from_fits(
    path: str | os.PathLike[str], hdu: int | str = 1, label: str | Sequence[str] | None = None, **how: Any
) -> Columns:
    """Values, labels and error bars of a table in a FITS file.

    Parameters
    ----------
    path : str or path-like
        The file; may be compressed (``.gz``).
    hdu : int or str, default=1
        Number or name of the extension that holds the table.
    label, **how
        As in :func:`from_table`: features, errors, ...

    Returns
    -------
    Columns
        As of :func:`from_table`.

    Notes
    -----
    Needs astropy (``pip install nimgp[tables]``).
    """
    reader = needed("astropy.table", "tables").Table
    table = reader.read(os.fspath(path), format="fits", hdu=hdu, unit_parse_strict="silent")
    return from_table(table, label, **how)


def from_parquet(path: str | os.PathLike[str], **how: Any) -> Columns:
    """Values, labels and error bars of a table in a Parquet file.

    Parameters
    ----------
    path : str or path-like
        The file.
    **how
        As in :func:`from_table`: label, features, ...

    Returns
    -------
    Columns
        As of :func:`from_table`.

    Notes
    -----
    Needs pyarrow (``pip install pyarrow``). Units are those in the metadata of fields, ``unit``.
    """
    return from_table(read_parquet(os.fspath(path)), **how)
