# SPDX-License-Identifier: Apache-2.0
"""Simple ways to use given noise: copies of the rows with noise added, inputs drawn anew."""

import time

import numpy as np

from ..classifiers import all_classes
from ..experiment import Experiment, Outcome, Place, Task, fields, outcome
from .synthetic import NOISES, PROTOCOL, make_problem, run_synthetic

DRAWS = 100


def run_averaged(task: Task, place: Place) -> Outcome:
    """Predictions averaged over draws x~ + sqrt(V) epsilon of the test inputs."""
    problem, seed = make_problem(task, place, fields(task.setting)["noise"])
    estimator = PROTOCOL.estimator(task.method, len(problem.X), problem.classes, seed, place)
    rng, p = np.random.default_rng(seed), np.zeros((len(problem.X_test), problem.classes))
    begin = time.process_time()
    estimator.fit(problem.X, problem.y, X_err=problem.X_err)
    for _ in range(DRAWS):
        X = problem.X_test + problem.X_test_err * rng.normal(size=problem.X_test.shape)
        given = estimator.predict_proba(X, X_err=0.0)
        p += all_classes(estimator, given, problem.classes) / DRAWS
    return outcome(p, problem, seed, time.process_time() - begin, {})


def run(task: Task, place: Place) -> Outcome:
    if task.protocol == "averaged":
        return run_averaged(task, place)
    return run_synthetic(task, place, fields(task.setting)["noise"])


def same(task: Task) -> tuple[str, Task] | None:
    """MGP is that of `synthetic`."""
    if task.method != "MGP":
        return None
    return "synthetic", task._replace(setting=f"given {task.setting}")


EXPERIMENT = Experiment(
    name="baselines",
    title="Synthetic problems: augmented and resampled inputs",
    table="synthetic_baselines",
    settings=tuple(f"noise={noise}" for noise in NOISES),
    methods={"published": ("MGP", "MGP_aug", "MGP_sampling"), "averaged": ("MGP_sampling",)},
    run=run,
    same=same,
)
