#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the best possible p(z) of four simulated galaxies with the same seed.

usage: redshift_picture.py PICTURE
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from nimgp.datasets import make_galaxies

galaxies = make_galaxies(rows=1, test_rows=200, seed=4)
redshift, p = galaxies.best.columns.to_numpy(float), galaxies.best.to_numpy()
spread = np.sqrt(p @ redshift**2 / p.sum(axis=1) - (p @ redshift / p.sum(axis=1)) ** 2)
figure, axes = plt.subplots(1, 4, figsize=(9.6, 2.2), sharex=True)
for axis, row in zip(axes, np.argsort(spread)[[20, 120, 185, 195]], strict=True):
    axis.plot(redshift, p[row], color="#2b6cb0")
    axis.axvline(galaxies.test["redshift"][row], color="#c05621", lw=1)
    axis.set(xlabel="redshift", yticks=[])
axes[0].set_ylabel("best p(z)")
figure.savefig(sys.argv[1], dpi=90, bbox_inches="tight", metadata={"Software": None})
