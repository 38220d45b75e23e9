# SPDX-License-Identifier: Apache-2.0
"""Simple ways to use given noise: copies of the rows with noise added, inputs drawn anew."""

from ..experiment import Experiment, Outcome, Place, Task, fields
from .synthetic import NOISES, run_synthetic


def run(task: Task, place: Place) -> Outcome:
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
    methods={"published": ("MGP", "MGP_aug", "MGP_sampling")},
    run=run,
    same=same,
)
