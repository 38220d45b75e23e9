#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws predicted class probabilities against the best possible ones, which `nimgp simulate` wrote. Needs
matplotlib.

usage: bayes_picture.py PREDICTED.csv BAYES.csv OUTPUT.png

PREDICTED is the output of `nimgp predict` for the test rows, BAYES the file bayes.csv of `nimgp simulate`.
"""
import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = ["#0b6cb0", "#cc5500", "#00825f", "#9d4a93", "#8a6a00"]


def columns(path):
    """The columns p_CLASS, by class."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name[2:]: [float(row[name]) for row in rows] for name in rows[0] if name.startswith("p_")}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    predicted, best = columns(sys.argv[1]), columns(sys.argv[2])
    figure, axes = plt.subplots(1, len(best), figsize=(3.3 * len(best), 3.5), sharey=True, layout="constrained")
    for axis, name, colour in zip(axes, best, COLOURS):
        axis.plot([0, 1], [0, 1], color="#8b939b", linestyle=(0, (3, 3)), linewidth=1)
        axis.scatter(best[name], predicted[name], s=4, color=colour, alpha=0.35, linewidths=0)
        axis.set(title=name, xlabel="best possible probability", xlim=(0, 1), ylim=(0, 1), aspect="equal")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("predicted probability")
    figure.savefig(sys.argv[3], dpi=110)


if __name__ == "__main__":
    main()
