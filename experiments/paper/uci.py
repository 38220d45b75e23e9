# SPDX-License-Identifier: Apache-2.0
"""Eight UCI sets with noise of four variances added, on the published splits and noise draws.

The paper's methods and `ours, learned` are not told the variance; `ours, given` is, as X_err.
"""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import numpy as np

from .. import figures
from ..classifiers import PEERS, all_classes
from ..data import uci_rows
from ..experiment import (
    SHORT,
    Experiment,
    Outcome,
    Place,
    Problem,
    Task,
    fields,
    fit,
    learned_noise,
    outcome,
)
from ..methods import ALL, MOST_GP_ROWS, OURS, Protocol, run_method, time_epochs
from ..published import Ours, summary
from ..runs import Run
from ..tables import grid, label, with_error

# The quick ones first.
SETS = ("wine", "new-thyroid", "glass", "svmguide2", "vowel", "vehicle", "waveform", "satellite")
ROWS = {"satellite": 6435}  # of those beyond MOST_GP_ROWS
NOISES = ("0.0", "0.1", "0.25", "0.5")
TOLD = ("NIMGP_NN", "NIMGP_FO")  # predict with the injected noise, it seems, not with the learned
TIMED_EPOCHS = 4  # of satellite, which takes hours


def protocol_for(rows: int, name: str, variance: float) -> Protocol:
    inducing = min(100, int(0.05 * rows))
    start = variance if name == "started" else 0.1
    return Protocol(rate=0.001, epochs=1000, batch=50, inducing=inducing, noise="learned",
                    noise_start=start, whiten=name not in ("unwhitened", "started"))  # fmt: skip


def run(task: Task, place: Place) -> Outcome:
    at = fields(task.setting)
    variance = float(at["noise"])
    X, y, train, test = uci_rows(place.data, at["set"], variance, task.repeat)
    protocol = protocol_for(len(y), task.protocol, variance)
    X_err = float(np.sqrt(variance)) if variance > 0 else None
    problem = Problem(X[train], y[train], X_err, X[test], y[test], X_err, int(y.max()) + 1)
    if task.protocol == "epoch":
        return time_epochs(task, place, problem, protocol, TIMED_EPOCHS)
    if task.method == "NIMGP_FO" or (task.protocol == "unwhitened" and task.method in TOLD):
        return run_told(task, place, problem, protocol, variance or protocol.noise_start)
    seed = 0 if task.protocol == "ours" else task.repeat  # splits differ enough
    return brief(run_method(task, place, problem, protocol, seed)[0])


def brief(out: Outcome) -> Outcome:
    """Thousands of runs: the mean over attributes is kept."""
    return out._replace(detail={k: [float(f"{np.mean(v):.3g}")] for k, v in out.detail.items()})


def run_told(
    task: Task, place: Place, problem: Problem, protocol: Protocol, variance: float
) -> Outcome:
    """`published` and `told` of one training: in prediction noise as learned, and this variance.

    Where more was learned, that is what counts in both. `unwhitened` is a training of its own, with
    this variance; details say what the learned noise gives.
    """
    if place.short:
        problem = problem.cut(*SHORT)
    rows, seed = len(problem.X), task.repeat
    estimator = protocol.estimator(task.method, rows, problem.classes, seed, place)
    estimator.set_params(noise="both")  # the learned noise, and one given: none in training
    found = {}
    begin = time.process_time()
    fit(estimator, problem._replace(X_err=0.0), with_errors=True)
    rest = np.maximum(variance - estimator.noise_variance_, 0.0)  # what was learned counts, too
    for name, given in (("published", 0.0), ("told", rest)):
        err = np.sqrt(np.broadcast_to(given, problem.X_test.shape))
        p = estimator.predict_proba(problem.X_test, X_err=err)
        p = all_classes(estimator, p, problem.classes)
        detail = learned_noise(estimator) if name == "published" else {}
        found[name] = brief(outcome(p, problem, seed, time.process_time() - begin, detail))
    if task.protocol == "unwhitened":
        learned = found["published"]
        as_learned = {"nll_as_learned": learned.nll, "error_as_learned": learned.error}
        return found["told"]._replace(detail=learned.detail | as_learned)
    other = task._replace(protocol="told" if task.protocol == "published" else "published")
    return found[task.protocol]._replace(also=((other, found[other.protocol]),))


def leaves_out(protocol: str, method: str, setting: str) -> bool:
    at = fields(setting)
    rows = ROWS.get(at["set"], 0)
    if protocol == "epoch":
        return setting != "noise=0.25 set=satellite"
    if protocol == "started":
        return at["noise"] in ("0.0", "0.1")  # there it starts at 0.1 anyway
    return method == "GaussianProcessClassifier" and rows > MOST_GP_ROWS


# ---------------------------------------------------------------------- learned noise


def noise_gains(runs: list[Run]) -> dict[tuple[str, str], dict[tuple[str, str], Ours]]:
    """By set and injected variance, then by who learned: the learned variance less the one learned
    where nothing was injected, split by split."""
    mean = {r.task: float(np.mean(r.detail["noise"])) for r in runs if "noise" in r.detail}
    gains: dict = {}
    for task, variance in mean.items():
        at = fields(task.setting)
        without = task._replace(setting=f"noise=0.0 set={at['set']}")
        if task[:2] in METHODS_LEARNING and without in mean and task != without:
            who = gains.setdefault((at["set"], at["noise"]), {})
            who.setdefault(task[:2], []).append(variance - mean[without])
    return {key: {who: summary(each) for who, each in found.items()} for key, found in gains.items()}


def noise_section(runs: list[Run], out: Path) -> list[str]:
    gains = noise_gains(runs)
    if not gains:
        return []
    rows = [[*key, *(with_error(gains[key].get(who)) for who in METHODS_LEARNING)]
            for key in itertools.product(SETS, NOISES) if key in gains]  # fmt: skip
    head = ["set", "injected", *(label(*who) for who in METHODS_LEARNING)]
    return ["### Learned noise: variance (mean over attributes) less that learned at 0 injected", "",
            *grid(head, rows), *draw_noise(gains, out)]  # fmt: skip


def draw_noise(gains: dict, out: Path) -> list[str]:
    """One dot a set; methods side by side, or they would hide each other."""
    figure, axes = figures.panels(1, 1, 4.6, 3.0)
    axis = axes[0, 0]
    axis.plot([0, 0.5], [0, 0.5], color="black", linewidth=0.8)
    for k, who in enumerate(METHODS_LEARNING):
        dots = [(float(noise) + 0.012 * (k - 1.5), found[who].mean)
                for (_, noise), found in gains.items() if who in found]  # fmt: skip
        axis.plot(*np.transpose(dots or [(np.nan, np.nan)]), "o", markersize=4, label=label(*who))
    axis.set_xlabel("injected variance")
    axis.set_ylabel("learned, less that learned at 0")
    axis.legend(fontsize=7)
    caption = "Learned against injected noise, one dot a set; methods side by side"
    return figures.save(figure, out, "uci-noise", caption)


METHODS_LEARNING = [("published", m) for m in ALL[1:]] + [("ours", "learned")]

EXPERIMENT = Experiment(
    name="uci",
    title="UCI sets with noise added",
    table="uci",
    settings=tuple(f"noise={noise} set={name}" for name in SETS for noise in NOISES),
    short=("noise=0.25 set=wine", "noise=0.25 set=satellite"),
    methods={
        "published": ALL,
        "told": ("NIMGP_FO",),
        "unwhitened": ALL,
        "started": ("NIMGP", "NIMGP_NN"),
        "epoch": ALL,
        "ours": OURS,
        "peers": tuple(PEERS),
    },
    needs=("uci/splits.py", *(f"uci/{name}.csv" for name in SETS)),
    leaves_out=leaves_out,
    comes_with=lambda task: task._replace(protocol="published") if task.protocol == "told" else None,
    most_repeats=100,
    run=run,
    sections=noise_section,
)
