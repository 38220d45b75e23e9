# SPDX-License-Identifier: Apache-2.0
"""Runs, kept in a CSV file: a finished run is one row of it, and is not done again."""

from __future__ import annotations

import csv
import datetime
import functools
import io
import json
import math
import os
import subprocess
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from .experiment import ROOT, Experiment, Outcome, Place, Task

COLUMNS = ("protocol", "method", "setting", "repeat", "seed", "nll", "error", "seconds", "when",
           "detail")  # fmt: skip


class Run(NamedTuple):
    task: Task
    seed: int
    nll: float
    error: float
    seconds: float
    when: str  # UTC
    detail: dict[str, Any]


def read_runs(path: Path) -> list[Run]:
    """Of several rows of one run the last counts. A row cut short is no run, and is told of.

    A row is one line, whatever its quotes: one that was cut inside a quoted cell must not take the
    next one with it.
    """
    if not path.exists():
        return []
    head, *lines = path.read_text(errors="replace").splitlines() or [",".join(COLUMNS)]
    if tuple(head.split(",")) != COLUMNS:
        raise SystemExit(f"{path}: the columns are not {', '.join(COLUMNS)}")
    each = [run_of(line) for line in lines]
    if None in each:
        tell_once(f"{path}: line {each.index(None) + 2} is no run and is left out "
                  f"({each.count(None)} of {len(each)} lines are not)")  # fmt: skip
    return list({run.task: run for run in each if run}.values())


@functools.cache
def tell_once(text: str) -> None:
    print(f"experiments: {text}", file=sys.stderr)


def run_of(line: str) -> Run | None:
    try:
        ((protocol, method, setting, repeat, seed, nll, error, seconds, when, detail),) = csv.reader([line])
        numbers = float(nll), float(error), float(seconds)
        task = Task(protocol, method, setting, int(repeat))
        run = Run(task, int(seed), *numbers, when, json.loads(detail))
    except (ValueError, csv.Error):
        return None
    return run if all(map(math.isfinite, numbers)) else None


def check_writable(path: Path) -> None:
    """Before the first run, which may take an hour."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab"):
        pass


def append_run(path: Path, task: Task, outcome: Outcome, when: str | None = None) -> None:
    """One write, so that several processes may share a file; after a row cut short, a new line."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    check_writable(path)
    with path.open("ab+") as file:
        if file.tell() == 0:
            writer.writerow(COLUMNS)
        else:
            file.seek(-1, os.SEEK_END)
            text.write("" if file.read(1) == b"\n" else "\n")
        detail = json.dumps(outcome.detail, separators=(",", ":"))
        writer.writerow([*task, outcome.seed, f"{outcome.nll:.6g}", f"{outcome.error:.6g}",
                         f"{outcome.seconds:.4g}", when or now, detail])  # fmt: skip
        file.write(text.getvalue().encode())


@functools.cache
def source_version() -> str:
    """The commit of the sources, with a plus where they were changed since; empty outside Git."""
    git = ["git", "-C", str(ROOT)]
    try:
        commit = subprocess.run([*git, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True)
        sources = ["include", "src", "python", "experiments"]
        same = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", *sources], capture_output=True)
    except OSError:
        return ""
    return commit.stdout.strip() + "+" * (same.returncode == 1)


def take_same(experiment: Experiment, tasks: Iterable[Task], folder: Path) -> int:
    """Takes over runs that another experiment has done; returns how many."""
    path = folder / f"{experiment.name}.csv"
    done = {run.task for run in read_runs(path)}
    twins = {task: experiment.same(task) for task in tasks if task not in done}
    names = {twin[0] for twin in twins.values() if twin}
    found = {(name, run.task): run for name in names for run in read_runs(folder / f"{name}.csv")}
    taken = 0
    for task, twin in twins.items():
        if twin in found:
            run = found[twin]
            detail = run.detail | {"same": f"{twin[0]}: {twin[1].setting}"}
            append_run(path, task, Outcome(*run[1:5], detail), run.when)
            taken += 1
    return taken


def perform(experiment: Experiment, task: Task, place: Place) -> tuple[Task, Outcome]:
    warnings.filterwarnings("ignore")
    with threadpool_limits(place.threads):  # scikit-learn's and NumPy's
        return task, experiment.run(task, place)


def run_missing(
    experiment: Experiment, tasks: Iterable[Task], path: Path, place: Place, workers: int
) -> int:
    """Does the runs that the file does not have yet, each in one process; returns how many."""
    done = {run.task for run in read_runs(path)}
    missing = [task for task in tasks if task not in done]
    together = set(missing)
    left = [task for task in missing if experiment.comes_with(task) not in together]
    calls = (delayed(perform)(experiment, task, place) for task in left)
    finished = Parallel(workers, return_as="generator_unordered")(calls)
    with tqdm(total=len(left), desc=experiment.name, unit="run", smoothing=0.05) as bar:
        for task, outcome in finished:
            for each, its in ((task, outcome), *outcome.also):
                if each not in done:
                    detail = its.detail | {"commit": source_version()}
                    append_run(path, each, its._replace(detail=detail))
            bar.set_postfix_str(f"{task.setting} {task.method} NLL {outcome.nll:.3f}")
            bar.update()
    return len(left)
