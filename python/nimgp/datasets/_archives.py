# SPDX-License-Identifier: Apache-2.0
"""Tables of archives, downloaded once into a cache."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from .._base.extras import needed

_ARCHIVE = "https://exoplanetarchive.ipac.caltech.edu/TAP/sync?query=select+*+from+{}&format=csv"

_SDSS = """SELECT s.z AS redshift, p.dered_u AS u, p.dered_g AS g, p.dered_r AS r, p.dered_i AS i, p.dered_z AS z,
 p.modelMagErr_u AS u_err, p.modelMagErr_g AS g_err, p.modelMagErr_r AS r_err, p.modelMagErr_i AS i_err,
 p.modelMagErr_z AS z_err FROM SpecObj AS s JOIN PhotoObj AS p ON p.objID = s.bestObjID
 WHERE s.class = 'GALAXY' AND s.zWarning = 0 AND (s.legacy_target1 & 64) > 0 AND s.plate BETWEEN 266 AND 285"""


class _Source(NamedTuple):
    """Where a table is, and how to tell that it is that table: by its hash if it never changes,
    otherwise by its size and some of its columns."""

    address: str
    file: str
    least_bytes: int
    columns: tuple[str, ...]
    sha256: str | None = None


_SOURCES = {
    "koi": _Source(
        _ARCHIVE.format("cumulative"),
        "koi.csv",
        1_000_000,
        ("kepoi_name", "koi_disposition", "koi_period", "koi_period_err1", "koi_period_err2"),
    ),
    "toi": _Source(
        _ARCHIVE.format("toi"),
        "toi.csv",
        500_000,
        ("toi", "tfopwg_disp", "pl_orbper", "pl_orbpererr1", "pl_orbpererr2"),
    ),
    "4fgl": _Source(
        "https://fermi.gsfc.nasa.gov/ssc/data/access/lat/10yr_catalog/gll_psc_v27.fit",
        "gll_psc_v27.fit",
        5_000_000,
        ("Source_Name", "CLASS1", "Flux1000", "Unc_Flux1000"),
        "5c619fca5ba3ecdaf33a3e3b5afedecc0b6d38851dba79b73d4f98e3d747b40e",
    ),
    "sdss_galaxies": _Source(
        "https://skyserver.sdss.org/dr18/SkyServerWS/SearchTools/SqlSearch?format=csv&cmd="
        + quote(" ".join(_SDSS.split())),
        "sdss_galaxies.csv",
        200_000,
        ("redshift", "u", "u_err", "z", "z_err"),
    ),
}


def fetch_koi(
    *, path: str | os.PathLike[str] | None = None, cache: str | os.PathLike[str] | None = None
) -> Any:
    """Kepler objects of interest: which of them are planets?

    The cumulative table of the NASA Exoplanet Archive: about 9600 rows. ``koi_disposition`` is CONFIRMED,
    FALSE POSITIVE or CANDIDATE. Values have upper and lower errors in ``_err1`` and ``_err2``. The
    ``koi_fpflag_`` columns and ``koi_score`` were made with the disposition, and tell it: leave them
    out of the features.

    Parameters
    ----------
    path : str or path-like or None, default=None
        The table, if you have it (CSV, compressed or not). Nothing is downloaded then.
    cache : str or path-like or None, default=None
        The directory for downloads; None is the user's cache directory.

    Returns
    -------
    pandas.DataFrame
        All columns of the archive (https://exoplanetarchive.ipac.caltech.edu/docs/API_kepcandidate_columns.html).

    Notes
    -----
    The archive updates the table, so its rows may change. It may be used freely; publications
    acknowledge the archive and cite its table (doi 10.26133/NEA4).
    """
    return _table("koi", path, cache)


def fetch_toi(
    *, path: str | os.PathLike[str] | None = None, cache: str | os.PathLike[str] | None = None
) -> Any:
    """TESS objects of interest: which of them are planets?

    The table of the NASA Exoplanet Archive: more than 7000 rows. ``tfopwg_disp`` is CP or KP (planets), FP or
    FA (none), or PC or APC (not decided). Values have upper and lower errors, ``pl_orbpererr1`` and
    ``pl_orbpererr2``.

    Parameters
    ----------
    path, cache
        As in :func:`fetch_koi`.

    Returns
    -------
    pandas.DataFrame
        All columns of the archive (https://exoplanetarchive.ipac.caltech.edu/docs/API_TOI_columns.html).

    Notes
    -----
    Updated by the archive almost daily. It may be used freely; publications acknowledge the archive
    and cite its table (doi 10.26134/ExoFOP3).
    """
    return _table("toi", path, cache)


def fetch_4fgl(
    *, path: str | os.PathLike[str] | None = None, cache: str | os.PathLike[str] | None = None
) -> Any:
    """Gamma-ray sources: what are those that are not associated?

    The catalogue 4FGL-DR2 of the Fermi Large Area Telescope: 5788 rows. ``CLASS1`` is the class, in capitals if the source is
    identified, blank if it is not associated. Errors are in columns ``Unc_``.

    Parameters
    ----------
    path : str or path-like or None, default=None
        The catalogue, if you have it (FITS, compressed or not). Nothing is downloaded then.
    cache
        As in :func:`fetch_koi`.

    Returns
    -------
    astropy.table.Table

    Notes
    -----
    Public data of NASA; cite Abdollahi et al., ApJS 247, 33 (2020) and Ballet et al., arXiv:2005.11208.
    The file never changes, and its checksum is verified.
    """
    return _table("4fgl", path, cache)


def fetch_sdss_galaxies(
    *, path: str | os.PathLike[str] | None = None, cache: str | os.PathLike[str] | None = None
) -> Any:
    """Galaxies of the Sloan Digital Sky Survey: their redshifts from magnitudes.

    Some thousand galaxies of the main sample, data release 18: magnitudes u, g, r, i and z, corrected for extinction, their errors
    ``u_err`` and so on, and the ``redshift`` that was measured from the spectrum.

    Parameters
    ----------
    path, cache
        As in :func:`fetch_koi`.

    Returns
    -------
    pandas.DataFrame

    Notes
    -----
    Public data (https://www.sdss.org/collaboration/citing-sdss/ says how to acknowledge them).
    """
    return _table("sdss_galaxies", path, cache)


def _table(
    name: str, path: str | os.PathLike[str] | None, cache: str | os.PathLike[str] | None
) -> Any:
    source = _SOURCES[name]
    if path is not None:
        return _read(Path(path), source)
    file = _download(name, source, cache)
    try:
        return _read(file, source)
    except ValueError:
        file.unlink(missing_ok=True)  # an answer that is not the table: the next call asks again
        raise


def _download(name: str, source: _Source, cache: str | os.PathLike[str] | None) -> Path:
    pooch = needed("pooch", "datasets")
    place = pooch.os_cache("nimgp") if cache is None else Path(cache)
    told = logging.getLogger("pooch")
    level = told.level
    told.setLevel(logging.WARNING)  # else it prints a hash that nobody needs
    try:
        loader = pooch.HTTPDownloader(progressbar=_terminal(), timeout=60)
        got = pooch.retrieve(source.address, source.sha256, source.file, place, downloader=loader)
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise OSError(
            f"{name}: cannot download {source.address.split('?')[0]}: {reason}; if you have the file, pass path="
        ) from None
    finally:
        told.setLevel(level)
    return Path(got)


def _terminal() -> bool:
    """Whether somebody can see a progress bar, and it can be drawn."""
    return sys.stderr.isatty() and importlib.util.find_spec("tqdm") is not None


def _read(path: Path, source: _Source) -> Any:
    """The table in a file; ValueError if it is another."""
    fits = path.name.removesuffix(".gz").endswith((".fit", ".fits"))
    read = _read_fits if fits else _read_csv
    size = path.stat().st_size * (4 if path.suffix == ".gz" else 1)
    try:
        table = read(path)
        names = list(getattr(table, "colnames", None) or table.columns)
    except OSError:
        raise
    except Exception as error:
        raise ValueError(f"{path}: cannot be read as a table: {str(error).splitlines()[0]}") from None
    missing = [name for name in source.columns if name not in names]
    if missing:
        raise ValueError(f"{path}: is not the table expected: it has no column {missing[0]!r}")
    if size < source.least_bytes:
        raise ValueError(f"{path}: has {size} bytes, less than the table expected; it may be cut off")
    return table


def _read_fits(path: Path) -> Any:
    tables = needed("astropy.table", "datasets")
    return tables.Table.read(path, hdu=1, unit_parse_strict="silent")


def _read_csv(path: Path) -> Any:
    """Lines of comments before the header are skipped."""
    pandas = needed("pandas", "datasets")
    opened = importlib.import_module("gzip" if path.suffix == ".gz" else "builtins").open
    skipped = 0
    with opened(path, "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if not line.startswith("#"):
                break
            skipped += 1
    return pandas.read_csv(path, skiprows=skipped, low_memory=False)
