# SPDX-License-Identifier: Apache-2.0
"""Tables to try nimgp on.

``fetch_*`` bring tables of astronomical archives, each in the form that the archive gives it. They are
downloaded once, into a cache. ``make_*`` simulate tables of which the best possible predictions are
known; they need no network. All are pandas DataFrames, except the catalogue of Fermi, an astropy Table.

``pip install nimgp[datasets]`` installs what they need.
"""

from __future__ import annotations

from ._archives import fetch_4fgl, fetch_koi, fetch_sdss_galaxies, fetch_toi
from ._catalogue import Mock, make_catalogue
from ._galaxies import make_galaxies

__all__ = [
    "Mock",
    "fetch_4fgl",
    "fetch_koi",
    "fetch_sdss_galaxies",
    "fetch_toi",
    "make_catalogue",
    "make_galaxies",
]
