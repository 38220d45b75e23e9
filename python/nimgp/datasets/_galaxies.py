# SPDX-License-Identifier: Apache-2.0
"""Simulated galaxies: redshifts from magnitudes, with the best possible p(z).

A galaxy is of one of two types t, with the density p(t) p(z | t) of its redshift. Its true magnitudes are

    x | z, t ~ N(m_t(z), S)

where m_t(z) is a spectrum with one break, that at 0.4 micrometres for the first type and the Lyman
break for the second, seen through five filters. A break seen between two filters may be either, at
redshifts that are far apart. S is scatter of brightness, slope, and each magnitude. The measured
magnitudes x~ have errors of covariance V, which differ from galaxy to galaxy: an error of each band,
and one that all bands have in common. So

    x~ | z, t ~ N(m_t(z), S + V),    p(z | x~) ~ sum_t p(t) p(z | t) N(x~; m_t(z), S + V).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .._base.extras import needed
from ._catalogue import Mock

_BANDS = ("u", "g", "r", "i", "z")
_WAVELENGTH = np.array([0.355, 0.469, 0.617, 0.748, 0.893])  # micrometres
_FILTER = 0.035  # half the width over which a break passes through a filter
_BREAK = (0.4, 0.1216)
_DEPTH = (1.5, 1.9)  # magnitudes
_SLOPE = (-1.1, -0.6)
_BRIGHT = (17.5, 15.0)  # the second type is seen from farther away
_SHARE = (0.6, 0.4)
_STEP = 0.005
_GRID = np.arange(_STEP / 2, 4.5, _STEP)  # middles of cells
_SCATTER = {"brightness": 1.0, "slope": 0.3, "band": 0.05}
_ERROR = np.array([0.12, 0.05, 0.04, 0.05, 0.09])
_COMMON = 0.07


def _shares() -> np.ndarray:
    """p(t, z) of the cells of the grid: they sum to one."""
    kinds = np.array([np.exp(-((_GRID / 0.35) ** 1.5)), np.exp(-((_GRID / 2.4) ** 2))]) * _GRID**2
    return np.array(_SHARE)[:, None] * kinds / kinds.sum(axis=1, keepdims=True)


def _magnitudes(kind: int, z: np.ndarray) -> np.ndarray:
    """m_t(z), shape (len(z), 5)."""
    step = (_BREAK[kind] * (1 + z[:, None]) - _WAVELENGTH) / _FILTER
    faint = _BRIGHT[kind] + 2.0 * np.log(z[:, None] + 0.1)
    slope = _SLOPE[kind] * np.log(_WAVELENGTH / 0.617)
    return faint + slope + _DEPTH[kind] / (1 + np.exp(-step))


def _scatter() -> np.ndarray:
    """S."""
    slope = _SCATTER["slope"] * np.log(_WAVELENGTH / 0.617)
    return (
        _SCATTER["brightness"] ** 2
        + np.outer(slope, slope)
        + _SCATTER["band"] ** 2 * np.eye(len(_BANDS))
    )


def _best(x: np.ndarray, V: np.ndarray) -> np.ndarray:
    """p(z | x~) on the grid, shape (n, len(grid)); each row integrates to one."""
    shares = _shares()
    L = np.linalg.cholesky(_scatter() + V)
    density = np.zeros((len(x), len(_GRID)))
    for kind in range(2):
        mean = _magnitudes(kind, _GRID)
        for i in range(len(x)):  # the determinant is the same for all z and t
            off = np.linalg.solve(L[i], (x[i] - mean).T)
            with np.errstate(under="ignore"):
                density[i] += shares[kind] * np.exp(-0.5 * ((off**2).sum(axis=0)))
    total = density.sum(axis=1, keepdims=True) * _STEP
    return density / total


def make_galaxies(
    rows: int = 1000, test_rows: int = 1000, *, worse: float = 1.0, seed: int = 0
) -> Mock:
    """Galaxies with magnitudes, correlated errors, and several redshifts for one set of colours.

    Parameters
    ----------
    rows, test_rows : int, default=1000
    worse : float, default=1
        The errors of `test` are this factor larger than those of `train`.
    seed : int, default=0

    Returns
    -------
    Mock
        The tables have the magnitudes u, g, r, i, z, their errors ``u_err`` ..., the correlations of the
        errors ``u_g_corr`` ..., and ``redshift``. The columns of `best` are redshifts, and a
        row is the best possible density p(z) there.

    Examples
    --------
    >>> from nimgp.datasets import make_galaxies
    >>> galaxies = make_galaxies(rows=300, test_rows=50)
    >>> galaxies.train.columns[:7].tolist()
    ['u', 'g', 'r', 'i', 'z', 'u_err', 'g_err']
    >>> galaxies.best.shape
    (50, 900)
    """
    pandas = needed("pandas", "datasets")
    if rows < 1 or test_rows < 0 or worse <= 0:
        raise ValueError(
            f"rows={rows!r}, test_rows={test_rows!r}, worse={worse!r}: expected at least 1, at least 0, above 0"
        )
    rng = np.random.default_rng(seed)
    total, bands = rows + test_rows, len(_BANDS)
    cell = rng.choice(2 * len(_GRID), size=total, p=_shares().ravel())
    z = _GRID[cell % len(_GRID)] + _STEP * rng.uniform(-0.5, 0.5, total)
    kind = cell // len(_GRID)
    mean = np.where(kind[:, None] == 0, _magnitudes(0, z), _magnitudes(1, z))
    truth = mean + rng.normal(size=(total, bands)) @ np.linalg.cholesky(_scatter()).T
    depth = np.exp(rng.normal(0.0, 0.6, size=(total, 1)))
    depth[rows:] *= worse
    common, own = _COMMON * depth, _ERROR * depth
    x = truth + common * rng.normal(size=(total, 1)) + own * rng.normal(size=truth.shape)
    error = np.hypot(common, own)
    columns = {band: x[:, b] for b, band in enumerate(_BANDS)}
    columns |= {f"{band}_err": error[:, b] for b, band in enumerate(_BANDS)}
    for a, b in combinations(range(bands), 2):
        columns[f"{_BANDS[a]}_{_BANDS[b]}_corr"] = common[:, 0] ** 2 / (error[:, a] * error[:, b])
    table = pandas.DataFrame(columns | {"redshift": z})
    V = common[rows:, :, None] ** 2 + own[rows:, :, None] ** 2 * np.eye(bands)
    best = pandas.DataFrame(_best(x[rows:], V), columns=_GRID.round(6))
    return Mock(table[:rows], table[rows:].reset_index(drop=True), best)
