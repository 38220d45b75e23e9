# SPDX-License-Identifier: Apache-2.0
"""One attribute, three classes, noise of variance 0.1 given: all methods and the Bayes optimum.

The paper shows one problem, which cannot be had; here are many of its kind. So a published figure has
the spread of one of ours.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .. import figures
from ..data import FIRST_SEED, simulated
from ..experiment import Experiment, Outcome, Place, Problem, Task
from ..methods import ALL, CHOSEN_PEERS, run_method
from ..runs import Run
from .synthetic import PROTOCOL, ROWS, TEST_ROWS

SETTING = "noise_sd=0.1(see note)"  # as in the list of published figures; it is the variance
VARIANCE = 0.1
GRID = np.linspace(-4, 4, 121)


def run(task: Task, place: Place) -> Outcome:
    seed = FIRST_SEED + task.repeat
    rows, test_rows = place.rows(ROWS, TEST_ROWS)
    problem = simulated(place.program, "toy", seed, rows, test_rows, noise_var=VARIANCE)
    out, _, estimator = run_method(task, place, problem, PROTOCOL, seed)
    if task.repeat or task.protocol == "peers":
        return out
    return out._replace(detail=out.detail | curves(estimator, problem))


def curves(estimator: Any, problem: Problem) -> dict[str, Any]:
    """What the figures of the first problem show, on a grid of x."""

    def rounded(values: np.ndarray) -> list:
        return [[float(f"{v:.3g}") for v in row] for row in np.atleast_2d(values.T)]

    at = GRID[:, None]
    wanted = ("latent_mean", "latent_variance")
    wide = estimator._predict(at, np.sqrt(VARIANCE), *wanted)
    bare = estimator._predict(at, 0.0, *wanted)
    order = problem.X_test[:, 0].argsort()[::8]
    return {
        "p": rounded(estimator.predict_proba(at, X_err=np.sqrt(VARIANCE))),
        "mean": rounded(wide["latent_mean"]),
        "variance": rounded(wide["latent_variance"]),
        "variance_without_slope": rounded(bare["latent_variance"]),
        "inducing": rounded(estimator._model.get("inducing_inputs", 3, -1).T),
        "best_x": rounded(problem.X_test[order, 0]),
        "best_p": rounded(problem.best[order]),
    }


def draw(runs: list[Run], out: Path) -> list[str]:
    found = {r.task.method if r.task.protocol == "published" else "ours": r.detail for r in runs
             if r.task.repeat == 0 and "p" in r.detail}  # fmt: skip
    shown = {name: found[name] for name in (*ALL, "ours") if name in found}
    if not shown:
        return []
    figure, axes = figures.panels(3, len(shown), 2.8, 2.1)
    for j, (name, detail) in enumerate(shown.items()):
        top, middle, low = axes[:, j]
        top.set_title(name)
        for c, colour in enumerate(figures.COLOURS[:3]):
            top.plot(GRID, detail["p"][c], color=colour, label=f"class {c + 1}")
            top.plot(detail["best_x"][0], detail["best_p"][c], "--", color=colour, linewidth=0.8)
            middle.plot(GRID, detail["mean"][c], color=colour)
            middle.plot(detail["inducing"][c], [min(detail["mean"][c])] * len(detail["inducing"][c]),
                        "|", color=colour)  # fmt: skip
            low.plot(GRID, detail["variance"][c], color=colour)
            low.plot(GRID, detail["variance_without_slope"][c], ":", color=colour, linewidth=0.8)
        low.set_yscale("log")
        low.set_xlabel("attribute")
    axes[0, 0].legend(fontsize=6)
    for axis, text in zip(axes[:, 0], ("p(class)", "latent mean", "latent variance"), strict=True):
        axis.set_ylabel(text)
    caption = (
        "First problem: predictive distributions (dashed: Bayes optimum); latent means with inducing "
        "points; latent variances with noise (for NIMGP_FO the slope term) and without (dotted)"
    )
    return ["### Predictive distributions", "", *figures.save(figure, out, "toy", caption)]


EXPERIMENT = Experiment(
    name="toy",
    title="Toy problem, one attribute, three classes",
    table="toy_1d",
    settings=(SETTING,),
    methods={"published": ALL, "ours": ("given",), "peers": CHOSEN_PEERS},
    run=run,
    single=True,
    sections=draw,
)
