# SPDX-License-Identifier: Apache-2.0
"""`python -m experiments NAME ...`: see README.md in this folder."""

from __future__ import annotations

import argparse
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

from nimgp import NoisyGPClassifier

from .data import default_folder, missing_files
from .experiment import PROTOCOLS, ROOT, Experiment, Place, Task, fields
from .methods import ours
from .paper import EXPERIMENTS
from .published import read_figures
from .runs import check_writable, read_runs, run_missing, take_same
from .summary import write_overview
from .tables import report


def count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 on")
    return int(text)


def repeat(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 on")
    return int(text)


def pair(text: str) -> tuple[str, list[str]]:
    name, equals, values = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text} is not NAME=VALUE")
    return name, values.split(",")


def protocols(text: str) -> list[str]:
    unknown = set(text.split(",")) - set(PROTOCOLS)
    if unknown:
        known = ", ".join(PROTOCOLS)
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)} is not one of {known}")
    return text.split(",")


def change(text: str) -> str:
    """Names are known, and training takes the values."""
    known = NoisyGPClassifier().get_params()
    for part in text.split(","):
        if pair(part)[0] not in known:
            raise argparse.ArgumentTypeError(f"there is no parameter {pair(part)[0]}")
    trial = ours(f"given {text}", 0, Place(Path(), Path()))
    rows = max(8, trial.inducing if isinstance(trial.inducing, int) else 0)
    if isinstance(trial.epochs, int):
        trial.set_params(epochs=min(trial.epochs, 1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trial.fit([[float(row)] for row in range(rows)], [row % 2 for row in range(rows)])
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="experiments", description="The paper's experiments.")
    add = parser.add_argument
    add("name", choices=[*EXPERIMENTS, "all", "overview"], help="an experiment")
    add("--repeats", type=count, help="how many; default: as many as published")
    add("--first", type=repeat, default=0, help="number of the first repeat, from 0 on")
    add("--protocols", type=protocols, default=list(PROTOCOLS), metavar="NAME,...",
        help=f"of {' '.join(PROTOCOLS)}; default: all")  # fmt: skip
    add("--methods", nargs="+", default=[], metavar="NAME", help="only these")
    add("--only", action="append", default=[], metavar="NAME=VALUE,...", type=pair,
        help="only settings with such a value, as set=glass,wine")  # fmt: skip
    add("--change", action="append", default=[], metavar="NAME=VALUE,...", type=change,
        help="`ours` once more, with these parameters")  # fmt: skip
    add("--workers", type=count, default=2, help="runs at a time")
    add("--threads", type=count, default=1, help="of each run")
    add("--short", action="store_true", help="a few rows and steps, to see it run; into OUT/short")
    add("--report", action="store_true", help="no runs, only tables and figures")
    add("--data", type=Path, default=default_folder(), metavar="DIR", help="the data sets")
    add("--out", type=Path, default=ROOT / "build" / "paper", metavar="DIR", help="runs and reports")
    add("--program", type=Path, default=ROOT / "build/release/cli/nimgp", metavar="FILE",
        help="nimgp, which makes problems up")  # fmt: skip
    chosen = parser.parse_args()
    if chosen.short:
        chosen.out /= "short"
    return chosen


def chosen_experiments(chosen: argparse.Namespace) -> list[Experiment]:
    """Those of the name. Methods and settings must be of one of them: a slip would run nothing."""
    names = {"all": list(EXPERIMENTS), "overview": []}.get(chosen.name, [chosen.name])
    found = [EXPERIMENTS[name] for name in names]
    methods = {m for e in found for each in e.methods.values() for m in each}
    changed = {f"{method} {change}" for method in methods for change in chosen.change}
    at = [fields(setting) for e in found for setting in e.settings]
    values = {name: {each[name] for each in at if name in each} for each in at for name in each}
    check_known("method", chosen.methods, methods | changed)
    for name, wanted in chosen.only:
        check_known("setting", [name], set(values))
        check_known(name, wanted, values[name])
    return found


def check_known(what: str, given: list[str], known: set[str]) -> None:
    for name in given:
        if name not in known:
            sys.exit(f"experiments: there is no {what} {name}, only {', '.join(sorted(known))}")


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
    tasks = list(experiment.tasks(
        chosen.protocols,
        range(chosen.first, end),
        lambda task: task.setting in settings and keep(task),
        chosen.change,
    ))  # fmt: skip
    if not tasks and chosen.name != "all":
        sys.exit(f"experiments: {experiment.name} has no run of these protocols, methods and settings")
    return tasks


def carry_out(experiment: Experiment, chosen: argparse.Namespace) -> bool:
    """Runs and report; False where data are missing."""
    missing = missing_files(experiment, chosen.data)
    path = chosen.out / "runs" / f"{experiment.name}.csv"
    if not chosen.report:
        if missing:
            print(f"experiments: {experiment.name}: {missing[0]} is not there; --data or NIMGP_DATA "
                  "names the data folder", file=sys.stderr)  # fmt: skip
            return False
        if not chosen.program.exists():
            sys.exit(f"experiments: {chosen.program} is not there; `make build` makes it")
        place = Place(chosen.data.resolve(), chosen.program.resolve(), chosen.short, chosen.threads)
        tasks = wanted(experiment, chosen)
        check_writable(path)
        take_same(experiment, tasks, path.parent)
        run_missing(experiment, tasks, path, place, chosen.workers)
    runs = read_runs(path)
    if runs:
        text = report(experiment, read_figures(chosen.data), runs, chosen.out)
        (chosen.out / f"{experiment.name}.md").write_text(text)
    return True


def main() -> int:
    chosen = arguments()
    experiments = chosen_experiments(chosen)
    try:
        good = all([carry_out(experiment, chosen) for experiment in experiments])
        written = write_overview(list(EXPERIMENTS.values()), chosen.data, chosen.out)
    except OSError as error:
        sys.exit(f"experiments: {error}")
    if good and not written:
        sys.exit(f"experiments: {chosen.out}/runs has no runs")
    return 0 if good else 3


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that workers end, too
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("experiments: stopped; finished runs are kept, the same command goes on from there")
