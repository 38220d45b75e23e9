# SPDX-License-Identifier: Apache-2.0
"""Synthetic problems in a plane with 4 to 7 classes."""

from ..experiment import Experiment, Outcome, Place, Task, fields
from ..methods import ALL
from .synthetic import NOISES, run_synthetic


def run(task: Task, place: Place) -> Outcome:
    at = fields(task.setting)
    return run_synthetic(task, place, at["noise"], classes=int(at["C"]))


EXPERIMENT = Experiment(
    name="synthetic-classes",
    title="Synthetic problems: number of classes",
    table="synthetic_classes",
    settings=tuple(f"C={classes} noise={noise}" for noise in NOISES for classes in (4, 5, 6, 7)),
    short=("C=4 noise=0.25",),
    methods={"published": ALL, "smoother": ALL, "ours": ("given",)},
    run=run,
)
