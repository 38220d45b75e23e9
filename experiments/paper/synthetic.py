# SPDX-License-Identifier: Apache-2.0
"""Synthetic problems in a plane, three classes; noise given, or learned by each method."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import numpy as np

from .. import figures
from ..data import FIRST_SEED, simulated
from ..experiment import Experiment, Outcome, Place, Problem, Task, fields
from ..methods import ALL, CHOSEN_PEERS, OURS, Protocol, run_method
from ..runs import Run
from ..tables import grid, label

PROTOCOL = Protocol(rate=0.01, epochs=750, batch=200, inducing=100, layers=2)
ROWS = TEST_ROWS = 1000
NOISES = ("0.1", "0.25", "0.5")
# By number of attributes: functions with these lengthscales give MGP about the error rate that the
# paper has with 1000 rows. As described they are sqrt(2), whatever d.
SMOOTHER = {2: 1.6, 5: 3.5, 10: 10.0}


def make_problem(
    task: Task, place: Place, noise: str, rows: int = ROWS, dims: int = 2, classes: int = 3
) -> tuple[Problem, int]:
    """Problem number FIRST_SEED + repeat, and its number.

    If all its rows are of one class (smooth functions may do that), another one.
    """
    shape = {"dims": dims, "classes": classes, "noise_var": noise}
    if task.protocol == "smoother":
        shape["lengthscale"] = SMOOTHER[dims]
    for seed in itertools.count(FIRST_SEED + task.repeat, 1000):
        problem = simulated(place.program, "synthetic", seed, *place.rows(rows, TEST_ROWS), **shape)
        if np.ptp(problem.y) > 0:
            return problem, seed


def run_synthetic(
    task: Task, place: Place, noise: str, mode: str = "given", **shape: int
) -> Outcome:
    """Also for the experiments that vary the problem's shape: rows, dims, classes."""
    problem, seed = make_problem(task, place, noise, **shape)
    protocol = dataclasses.replace(PROTOCOL, noise=mode)
    return run_method(task, place, problem, protocol, seed)[0]


def run(task: Task, place: Place) -> Outcome:
    at = fields(task.setting)
    return run_synthetic(task, place, at["noise"], at["mode"])


def leaves_out(protocol: str, method: str, setting: str) -> bool:
    """Learned noise: MGP has none, and scikit-learn's have no place for it."""
    learned = setting.startswith("learned")
    if method in OURS:
        return method != setting.split()[0]
    return learned and protocol == "peers"


def same(task: Task) -> tuple[str, Task] | None:
    """MGP knows no noise, so learned or given is the same."""
    paper = task.protocol in ("published", "smoother")
    if paper and task.method == "MGP" and task.setting.startswith("learned"):
        return "synthetic", task._replace(setting=task.setting.replace("learned", "given"))
    return None


def histograms(runs: list[Run], out: Path) -> list[str]:
    """What each method learned of the noise, at each true variance."""
    columns = [("published", m) for m in ALL[1:]] + [("ours", "learned")]
    figure, axes = figures.panels(len(NOISES), len(columns), 2.4, 1.9)
    medians = []
    for i, noise in enumerate(NOISES):
        for j, (protocol, method) in enumerate(columns):
            key = (protocol, method, f"learned noise={noise}")
            learned = [v for r in runs if r.task[:3] == key for v in r.detail["noise"]]
            axes[i, j].hist(np.minimum(learned, 1.0), bins=np.linspace(0, 1, 41), color="tab:blue")
            axes[i, j].axvline(float(noise), color="tab:red", linewidth=1)
            axes[i, j].set_title(f"{label(protocol, method)}, {noise}", fontsize=9)
            if learned:
                medians.append([key[2], label(protocol, method), f"{np.median(learned):.3g}",
                                f"{np.mean(learned):.3g}"])  # fmt: skip
    for axis in axes[-1]:
        axis.set_xlabel("learned variance")
    for axis in axes[:, 0]:
        axis.set_ylabel("attributes")
    caption = (
        "Learned variances of both attributes, all repeats; the true one in red. The last bar has those "
        "from 1 on, too"
    )
    shown = figures.save(figure, out, "synthetic-noise", caption)
    if not medians:
        return []
    head = ["setting", "method", "median learned variance", "mean"]
    return ["### Learned noise", "", *grid(head, medians), *shown]


EXPERIMENT = Experiment(
    name="synthetic",
    title="Synthetic problems, two attributes, three classes",
    table="synthetic_2d",
    settings=tuple(f"{mode} noise={noise}" for mode in ("given", "learned") for noise in NOISES),
    short=("given noise=0.25", "learned noise=0.25"),
    methods={
        "published": ALL,
        "smoother": (*ALL, *OURS),
        "ours": OURS,
        "peers": CHOSEN_PEERS,
    },
    leaves_out=leaves_out,
    same=same,
    run=run,
    sections=histograms,
)
