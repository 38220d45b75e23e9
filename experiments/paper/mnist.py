# SPDX-License-Identifier: Apache-2.0
"""Handwritten digits with noise of four variances added; the time of an epoch."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from .. import figures
from ..classifiers import nll_of_rows
from ..data import mnist_rows, standardised
from ..experiment import Experiment, Outcome, Place, Problem, Task, fields
from ..methods import ALL, Protocol, run_method, time_epochs
from ..published import summary
from ..runs import Run
from ..tables import grid, with_error

PROTOCOL = Protocol(rate=0.001, epochs=350, batch=200, inducing=100, layers=2, units=250,
                    noise="learned", kernel="polynomial", degree=9, jitter=1e-10, white=1.0,
                    whiten=False, near=True)  # fmt: skip
TRAINING = 60_000
NOISES = ("0.0", "0.1", "0.25", "0.5")
NOISE_START = {"0.0": 0.01, "0.1": 0.01, "0.25": 0.025, "0.5": 0.05}
P100 = {"MGP": 7.19, "NIMGP": 11.93, "NIMGP_NN": 7.62, "NIMGP_FO": 24.01}  # seconds an epoch


def make_problem(place: Place, variance: float, repeat: int, together: bool = False) -> Problem:
    """A permutation of all 70,000, standardised by those to train on, then made noisy.

    Each pixel by its own mean and deviation; `together`: all by those of all.
    """
    X, y = mnist_rows(place.data)
    rng = np.random.RandomState(repeat)
    order = rng.permutation(len(y))
    rows, test_rows = place.rows(TRAINING, len(y) - TRAINING)
    order = np.r_[order[:rows], order[TRAINING : TRAINING + test_rows]]
    X = X[order].astype(float)
    if together:
        X = (X - X[:rows].mean()) / X[:rows].std()
    else:
        X = standardised(X, np.arange(rows))[0]
    X += rng.normal(size=X.shape) * np.sqrt(variance)
    y, X_err = y[order], float(np.sqrt(variance)) if variance > 0 else None
    return Problem(X[:rows], y[:rows], X_err, X[rows:], y[rows:], X_err, 10)


def protocol_for(noise: str) -> Protocol:
    """Without noise the authors' networks are small and start at 0, as on the UCI sets."""
    networks = {"layers": 1, "units": 50, "near": False} if noise == "0.0" else {}
    return dataclasses.replace(PROTOCOL, noise_start=NOISE_START[noise], **networks)


def run(task: Task, place: Place) -> Outcome:
    at = fields(task.setting)
    together = task.protocol == "together"
    problem = make_problem(place, float(at["noise"]), task.repeat, together)
    protocol = protocol_for(at["noise"])
    if task.protocol == "epoch":
        return time_epochs(task, place, problem, protocol, 1)
    out, p, _ = run_method(task, place, problem, protocol, task.repeat)
    rows = nll_of_rows(p, problem.y_test[: len(p)])
    detail = {"nll_error": float(rows.std() / np.sqrt(len(rows))),
              "error_error": float(np.sqrt(out.error * (1 - out.error) / len(rows)))}  # fmt: skip
    return out._replace(detail=out.detail | detail)


def times(runs: list[Run], out: Path) -> list[str]:
    rows = []
    for method, theirs in P100.items():
        mine = [r.detail for r in runs if r.task[:2] == ("epoch", method)]
        if mine:
            wall = summary(detail["seconds_per_epoch"] for detail in mine)
            core = summary(detail["core_seconds_per_epoch"] for detail in mine)
            threads = "{:g}".format(mine[0]["threads"])
            rows.append([method, f"{theirs:.2f}", with_error(wall), threads, with_error(core)])
    head = ["method", "paper, P100", "here", "threads", "core-seconds"]
    lines = ["### Seconds an epoch", "", *grid(head, rows)] if rows else []
    return lines + histograms(runs, out)


def histograms(runs: list[Run], out: Path) -> list[str]:
    learned = [(r.task.method, r.task.setting.removeprefix("noise="), r.detail["noise"]) for r in runs
               if r.task.protocol == "published" and "noise" in r.detail]  # fmt: skip
    if not learned:
        return []
    learned.sort(key=lambda each: (each[1], ALL.index(each[0])))
    figure, axes = figures.panels(1, len(learned), 2.6, 2.1)
    for axis, (method, noise, variances) in zip(axes[0], learned, strict=True):
        axis.hist(variances, bins=40, color="tab:blue")
        axis.set_title(f"{method}, {noise} injected", fontsize=9)
        axis.set_xlabel("learned variance")
    axes[0, 0].set_ylabel("attributes")
    caption = "Learned variances of the 784 attributes"
    return ["### Learned noise", "", *figures.save(figure, out, "mnist-noise", caption)]


EXPERIMENT = Experiment(
    name="mnist",
    title="MNIST with noise added",
    table="mnist",
    settings=tuple(f"noise={noise}" for noise in NOISES),
    short=("noise=0.1",),
    methods={"published": ALL, "together": ALL, "epoch": ALL, "ours": ("given",)},
    leaves_out=lambda protocol, _, setting: protocol == "epoch" and setting != "noise=0.1",
    needs=tuple(f"mnist/{part}-{kind}-ubyte.gz" for part in ("train", "t10k")
                for kind in ("images-idx3", "labels-idx1")),  # fmt: skip
    repeats=1,
    single=True,
    run=run,
    sections=times,
)
