# SPDX-License-Identifier: Apache-2.0
"""454 gamma-ray sources of three kinds, with their own error bars, on the published splits.

The authors' training loop shuffles rows but not their error bars, so that every source trains with
another's. Protocol `published` does so (one permutation a split), `right` leaves errors where they
belong.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .. import figures
from ..data import astro_table, standardised
from ..experiment import Experiment, Outcome, Place, Problem, Task
from ..methods import ALL, CHOSEN_PEERS, Protocol, run_method
from ..runs import Run

ATTRIBUTES = ("flux", "log_signif", "log_pivot_energy", "lp_index", "lp_beta", "log_curve_signif")
SIGNIFICANCES = ("log_signif", "log_curve_signif")  # not among the 4 attributes
KINDS = ("bll", "fsrq", "psr")
PROTOCOL = Protocol(rate=0.001, epochs=750, batch=50, inducing=100)
EXACT_VARIANCE = 1e-5  # of attributes without errors, in standard units (published)


def make_problem(place: Place, attributes: int, split: int, exact: float) -> Problem:
    """In standard units; `exact`: the error of attributes that have none."""
    columns, y, order = astro_table(place.data)
    names = [a for a in ATTRIBUTES if attributes == 6 or a not in SIGNIFICANCES]
    train, test = np.split(order[split], [int(0.9 * len(y))])
    X, deviation = standardised(np.column_stack([columns[a] for a in names]), train)
    nothing = np.zeros(len(y))
    X_err = np.column_stack([columns.get(f"{a}_err", nothing) for a in names]) / deviation
    X_err[:, [f"{a}_err" not in columns for a in names]] = exact
    return Problem(X[train], y[train], X_err[train], X[test], y[test], X_err[test], len(KINDS))


def run(task: Task, place: Place) -> Outcome:
    paper = task.protocol in ("published", "right")
    exact = np.sqrt(EXACT_VARIANCE) if paper else 0.0
    problem = make_problem(place, int(task.setting.split()[0]), task.repeat, exact)
    if task.protocol == "published":
        mixed = np.random.default_rng(task.repeat).permutation(len(problem.y))
        problem = problem._replace(X_err=problem.X_err[mixed])
    out, p, _ = run_method(task, place, problem, PROTOCOL, task.repeat)
    counts = np.zeros((3, 3), int)  # predicted x true
    np.add.at(counts, (p.argmax(axis=1), problem.y_test[: len(p)]), 1)
    return out._replace(detail=out.detail | {"confusion": counts.tolist()})


def confusion(runs: list[Run], out: Path) -> list[str]:
    lines: list[str] = []
    for setting in EXPERIMENT.settings:
        found = {(p, m): [r.detail["confusion"] for r in runs if r.task[:3] == (p, m, setting)]
                 for p in ("published", "right", "ours") for m in EXPERIMENT.methods[p]}  # fmt: skip
        shown = {who: each for who, each in found.items() if each}
        if not shown:
            continue
        figure, axes = figures.panels(1, len(shown), 2.0, 2.2)
        for axis, ((protocol, method), each) in zip(axes[0], shown.items(), strict=True):
            mean = np.mean(each, axis=0)
            axis.imshow(mean, cmap="Blues")
            axis.set_title(f"{protocol}: {method}", fontsize=8)
            axis.set_xlabel("true kind", fontsize=7)
            axis.set_xticks(range(3), KINDS, fontsize=7)
            axis.set_yticks(range(3), KINDS, fontsize=7)
            for i, j in np.ndindex(3, 3):
                colour = "white" if mean[i, j] > 0.6 * mean.max() else "black"
                axis.text(j, i, f"{mean[i, j]:.2f}", ha="center", va="center", fontsize=7, color=colour)
        axes[0, 0].set_ylabel("predicted kind", fontsize=7)
        caption = f"Mean confusion matrices, {setting}: predicted (rows), true (columns)"
        number = setting.split()[0]
        lines += figures.save(figure, out, f"astro-confusion-{number}", caption)
    return ["### Confusion matrices", "", *lines] if lines else []


EXPERIMENT = Experiment(
    name="astro",
    title="Gamma-ray sources with error bars",
    table="astro",
    settings=("6 attributes", "4 attributes"),
    methods={"published": ALL, "right": ALL[1:], "ours": ("given",), "peers": CHOSEN_PEERS},
    needs=("astro/4fgl_paper.csv", "astro/4fgl_paper_splits.txt"),
    most_repeats=100,
    run=run,
    sections=confusion,
)
