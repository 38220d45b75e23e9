# SPDX-License-Identifier: Apache-2.0
"""Synthetic problems of 2, 5 and 10 attributes and 100, 500 and 1000 training rows."""

from ..experiment import Experiment, Outcome, Place, Task, fields
from ..methods import ALL
from .synthetic import NOISES, run_synthetic


def run(task: Task, place: Place) -> Outcome:
    at = fields(task.setting)
    return run_synthetic(task, place, at["noise"], rows=int(at["N"]), dims=int(at["d"]))


def same(task: Task) -> tuple[str, Task] | None:
    """The largest problems in a plane are those of `synthetic`."""
    at = fields(task.setting)
    if (at["N"], at["d"]) != ("1000", "2"):
        return None
    return "synthetic", task._replace(setting=f"given noise={at['noise']}")


EXPERIMENT = Experiment(
    name="synthetic-dn",
    title="Synthetic problems: number of attributes and of training rows",
    table="synthetic_dN",
    settings=tuple(
        f"N={rows} d={dims} noise={noise}"
        for rows in (100, 500, 1000) for noise in NOISES for dims in (2, 5, 10)
    ),  # fmt: skip
    short=("N=100 d=5 noise=0.25",),
    methods={"published": ALL, "smoother": ALL, "ours": ("given",)},
    run=run,
    same=same,
)
