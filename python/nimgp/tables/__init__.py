# SPDX-License-Identifier: Apache-2.0
"""Converts tables with error columns to the arrays of an estimator.

Error columns are found by name, with the rules of the command-line program: the name is that of the
values with a word in it such as err, error, unc, sigma, sig, std, se or uncertainty, at the end, at
the beginning or inside (``flux_err``, ``e_flux``, ``Unc_flux``, ``psfMagErr_u``, ``Period err (days)``),
or ``dflux`` if there is none and ``dflux`` has no error column itself.

Upper and lower errors are pairs of columns: ``E_flux`` and ``e_flux``, ``Unc_flux_2`` and
``Unc_flux_1``, ``flux_err1`` and ``flux_err2``, ``flux_errhi`` and ``flux_errlo`` and similar names,
whose signs are ignored. ``flux_hi`` and ``flux_lo``, or ``flux_upper`` and ``flux_lower``, are the ends
of the error bar. The table of names in docs/tables.md has those of many catalogues.
``flux_limit`` or ``l_flux`` (text), or ``fluxlim``, marks limits: ``<`` or 1 if the true value is
below the value, ``>`` or -1 if it is above. ``a_b_corr`` is the correlation of the errors of ``a``
and ``b``.

Features may be computed, unless the table has a column of exactly this name:

    ``log(flux)``    the natural logarithm
    ``log10(flux)``  the decimal one
    ``gmag-w1mag``   a difference, with error ``sqrt(sigma_a**2 + sigma_b**2)``

Errors of a logarithm are asymmetric: the error bar ends at the logarithms of value - sigma and
value + sigma. Values that have no logarithm count as missing.
"""

from __future__ import annotations

from ._files import from_fits, from_parquet
from ._read import Columns, from_table, pair_errors

__all__ = ["Columns", "from_fits", "from_parquet", "from_table", "pair_errors"]
