# SPDX-License-Identifier: Apache-2.0
"""Active learning on waveform: labels are asked one by one, by predictive entropy or at random.

100 rows to start with, 500 to test on, a pool of 400 of which 100 are asked. Rows are drawn with
replacement by the repeat's number. After each answer training goes on from where it was.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from .. import figures
from ..classifiers import all_classes, mean_nll
from ..data import standardised, uci_table
from ..experiment import Experiment, Outcome, Place, Problem, Task, errors, fields, learned_noise
from ..methods import ALL, Protocol, ours, time_epochs
from ..published import summary
from ..runs import Run
from ..tables import grid, label, with_error

PROTOCOL = Protocol(rate=0.001, epochs=1000, batch=50, inducing=50, noise="learned", whiten=False)
NOISES = ("0.0", "0.1", "0.25", "0.5")
FIRST, TEST, POOL, ASKED = 100, 500, 400, 100
TIMED_EPOCHS = 100  # with half of the labels asked


def make_rows(place: Place, variance: float, repeat: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows in the order first, test, pool; standardised by the first, then made noisy."""
    X, y = uci_table(place.data, "waveform")
    rng = np.random.RandomState(repeat)
    chosen = rng.randint(len(y), size=FIRST + TEST + POOL)
    X = standardised(X[chosen], np.arange(FIRST))[0]
    return X + rng.normal(size=X.shape) * np.sqrt(variance), y[chosen]


def make_estimator(task: Task, place: Place) -> Any:
    if task.protocol == "ours":
        estimator = ours(task.method, task.repeat, place)
        return estimator.set_params(warm_start=True)
    estimator = PROTOCOL.estimator(task.method, FIRST, 3, task.repeat, place)
    return estimator.set_params(warm_start=True)


def run(task: Task, place: Place) -> Outcome:
    at = fields(task.setting)
    variance, by_entropy = float(at["noise"]), at["mode"] == "entropy"
    X, y = make_rows(place, variance, task.repeat)
    if task.protocol == "epoch":
        rows = FIRST + ASKED // 2
        problem = Problem(X[:rows], y[:rows], None, X[rows:], y[rows:], None, 3)
        return time_epochs(task, place, problem, PROTOCOL, TIMED_EPOCHS, 1 + ASKED)
    estimator = make_estimator(task, place)
    with_errors = estimator.noise == "given" and variance > 0 and task.method != "MGP"
    err = errors(float(np.sqrt(variance)) if with_errors else None)
    test = np.arange(FIRST, FIRST + TEST)
    train, pool = list(range(FIRST)), list(range(FIRST + TEST, len(y)))
    rng, curve = np.random.default_rng(task.repeat), []
    begin = time.process_time()
    for _ in range(1 + (2 if place.short else ASKED)):
        estimator.fit(X[train], y[train], **err)
        p = all_classes(estimator, estimator.predict_proba(X[test], **err), 3)
        curve.append(round(float((p.argmax(axis=1) != y[test]).mean()), 4))
        q = estimator.predict_proba(X[pool], **err)
        entropy = -(q * np.log(np.maximum(q, 1e-12))).sum(axis=1)
        train.append(pool.pop(int(entropy.argmax()) if by_entropy else rng.integers(len(pool))))
    detail = {"curve": curve} | learned_noise(estimator)
    seconds = time.process_time() - begin
    return Outcome(task.repeat, float(mean_nll(p, y[test])), curve[-1], seconds, detail)


SHOWN = [("published", method) for method in ALL] + [("ours", "given")]


def select(runs: list[Run], *key: str) -> list[Run]:
    return [r for r in runs if r.task[:3] == key]


def curves(runs: list[Run], protocol: str, method: str, setting: str) -> np.ndarray:
    """Repeats x labels: the error rate after each label."""
    return np.array([r.detail["curve"] for r in select(runs, protocol, method, setting)])


def errors_by_label(runs: list[Run]) -> list[str]:
    """The error at the start, half-way and at the end."""
    rows = []
    for setting in EXPERIMENT.settings:
        for protocol, method in SHOWN:
            found = curves(runs, protocol, method, setting)
            if len(found):
                last = found.shape[1] - 1
                at = [with_error(summary(found[:, k].tolist())) for k in (0, last // 2, last)]
                nll = summary(r.nll for r in select(runs, protocol, method, setting))
                name = label(protocol, method)
                rows.append([setting, name, str(len(found)), *at, with_error(nll)])
    head = ["setting", "method", "repeats", "first", "half of the labels", "all labels", "NLL, all"]
    return ["### Error rate as labels are added", "", *grid(head, rows)] if rows else []


TITLES = {"entropy": "by entropy", "random": "at random", "reduction": "by entropy"}


def draw(runs: list[Run], out: Path) -> list[str]:
    """Error as labels are added, and how much it fell since the start."""
    noises = [n for n in NOISES if any(r.task.setting.endswith(f"noise={n}") for r in runs)]
    figure, axes = figures.panels(len(noises), 3, 3.4, 2.6)
    for i, mode in enumerate(("entropy", "random", "reduction")):
        for j, noise in enumerate(noises):
            for (protocol, method), colour in zip(SHOWN, figures.COLOURS, strict=False):
                setting = f"{'random' if i == 1 else 'entropy'} noise={noise}"
                found = curves(runs, protocol, method, setting)
                if len(found):
                    shown = found[:, :1] - found if mode == "reduction" else found
                    axes[j, i].plot(shown.mean(axis=0), color=colour, label=label(protocol, method))
            axes[j, i].set_title(f"{TITLES[mode]}, noise {noise}", fontsize=9)
            axes[j, i].set_xlabel("labels asked for")
            axes[j, i].set_ylabel("fall of the error rate" if mode == "reduction" else "error rate")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=8)
    caption = "Test error as labels are added, by entropy and at random; its reduction by entropy"
    return ["### Curves", "", *figures.save(figure, out, "active", caption)]


def sections(runs: list[Run], out: Path) -> list[str]:
    done = [r for r in runs if "curve" in r.detail]
    return errors_by_label(done) + draw(done, out) if done else []


EXPERIMENT = Experiment(
    name="active",
    title="Active learning on waveform",
    table=None,  # the paper has curves only
    settings=tuple(f"{mode} noise={noise}" for noise in NOISES for mode in ("entropy", "random")),
    short=("entropy noise=0.25",),
    methods={"published": ALL, "epoch": ALL, "ours": ("given",)},
    leaves_out=lambda protocol, _, setting: protocol == "epoch" and "noise=0.25" not in setting,
    needs=("uci/waveform.csv",),
    run=run,
    sections=sections,
)
