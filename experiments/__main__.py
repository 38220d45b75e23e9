# SPDX-License-Identifier: Apache-2.0
"""`python -m experiments NAME ...`: see README.md in this folder."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from typing import Any

from nimgp import NoisyGPClassifier

from .data import default_folder, missing_files
from .experiment import PROTOCOLS, ROOT, Experiment, Place, Task, fields
from .paper import EXPERIMENTS
from .published import read_figures
from .runs import read_runs, run_missing, take_same
from .summary import write_overview
from .tables import report


def count(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def pair(text: str) -> tuple[str, list[str]]:
    name, equals, values = text.partition("=")
    if not equals:
        raise ValueError
    return name, values.split(",")


def change(text: str) -> str:
    known = NoisyGPClassifier().get_params()
    for part in text.split(","):
        if pair(part)[0] not in known:
            raise argparse.ArgumentTypeError(f"there is no parameter {pair(part)[0]}")
    return text


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="experiments", description="The paper's experiments.")
    parser.add_argument("name", choices=[*EXPERIMENTS, "all", "overview"])
    parser.add_argument("--repeats", type=count, help="how many; default: as many as published")
    parser.add_argument("--first", type=int, default=0, help="number of the first repeat")
    parser.add_argument("--protocols", default=",".join(PROTOCOLS), help=f"of {' '.join(PROTOCOLS)}")
    parser.add_argument("--methods", nargs="+", help="only these")
    parser.add_argument("--only", action="append", default=[], metavar="NAME=VALUE,...", type=pair,
                        help="only settings with such a value, as set=glass,wine")  # fmt: skip
    parser.add_argument("--change", action="append", default=[], metavar="NAME=VALUE,...",
                        type=change, help="`ours` once more, with these parameters")  # fmt: skip
    parser.add_argument("--workers", type=count, default=2, help="runs at a time")
    parser.add_argument("--threads", type=count, default=1, help="of each run")
    parser.add_argument("--short", action="store_true", help="a few rows and steps, to see it run")
    parser.add_argument("--report", action="store_true", help="no runs, only tables and figures")
    parser.add_argument("--data", type=Path, default=default_folder())
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "paper")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/cli/nimgp")
    chosen = parser.parse_args()
    unknown = set(chosen.protocols.split(",")) - set(PROTOCOLS)
    if chosen.first < 0:
        parser.error("argument --first: repeats are counted from 0")
    if unknown:
        parser.error(f"there is no protocol {', '.join(unknown)}, only {', '.join(PROTOCOLS)}")
    return chosen


def kept_by(chosen: argparse.Namespace) -> Any:
    """Which tasks are wanted."""

    def keep(task: Task) -> bool:
        at = fields(task.setting)
        names = {task.method, task.method.split()[0]} if task.protocol == "ours" else {task.method}
        return (not chosen.methods or not names.isdisjoint(chosen.methods)) and all(
            at.get(name) in values for name, values in chosen.only
        )

    return keep


def wanted(experiment: Experiment, chosen: argparse.Namespace) -> list[Task]:
    repeats = chosen.repeats or (1 if chosen.short else experiment.repeats)
    settings = experiment.settings
    if chosen.short:
        settings = experiment.short or settings[:1]
    end = chosen.first + repeats
    if end > experiment.most_repeats:
        sys.exit(f"experiments: {experiment.name} has {experiment.most_repeats} repeats, not {end}")
    keep = kept_by(chosen)
    tasks = experiment.tasks(
        chosen.protocols.split(","),
        range(chosen.first, end),
        lambda task: task.setting in settings and keep(task),
        chosen.change,
    )
    found = list(tasks)
    if not found and (chosen.only or chosen.methods) and chosen.name != "all":
        sys.exit(f"experiments: {experiment.name} has no run of these methods and settings; settings "
                 f"are {', '.join(settings)}")  # fmt: skip
    return found


def carry_out(experiment: Experiment, chosen: argparse.Namespace) -> bool:
    """Runs and report; False where data are missing."""
    missing = missing_files(experiment, chosen.data)
    path = chosen.out / "runs" / f"{experiment.name}.csv"
    if missing and not chosen.report:
        print(f"experiments: {experiment.name}: {missing[0]} is not there; --data or NIMGP_DATA "
              "names the data folder", file=sys.stderr)  # fmt: skip
        return False
    place = Place(chosen.data.resolve(), chosen.program.resolve(), chosen.short, chosen.threads)
    if not chosen.report:
        tasks = wanted(experiment, chosen)
        take_same(experiment, tasks, path.parent)
        run_missing(experiment, tasks, path, place, chosen.workers)
    runs = read_runs(path)
    if runs:
        text = report(experiment, read_figures(chosen.data), runs, chosen.out)
        (chosen.out / f"{experiment.name}.md").write_text(text)
    return True


def main() -> int:
    chosen = arguments()
    if not chosen.program.exists():
        sys.exit(f"experiments: {chosen.program} is not there; `make build` makes it")
    names = list(EXPERIMENTS) if chosen.name == "all" else [chosen.name]
    good = True
    if chosen.name != "overview":
        for name in names:
            good = carry_out(EXPERIMENTS[name], chosen) and good
    write_overview(list(EXPERIMENTS.values()), chosen.data, chosen.out)
    return 0 if good else 3


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that workers end, too
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("experiments: stopped; finished runs are kept, the same command goes on from there")
