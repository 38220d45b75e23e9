# SPDX-License-Identifier: Apache-2.0
"""The published figures, and how far ours are from them.

`published.csv` has columns table, metric, setting, method, mean, standard_error. In two of its
tables all three noisy-input methods are called NIMGP; they come in the paper's order.
"""

from __future__ import annotations

import csv
import fnmatch
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .experiment import ROOT, Experiment, fields
from .methods import ALL
from .runs import Run

REASONS = ROOT / "experiments" / "reasons.csv"
FAR = 3.0  # combined standard errors
FEWEST = 5  # repeats, for a standard error that says something
FEW = 3  # repeats, to be judged by the spread of the paper's
PUBLISHED_REPEATS = 100  # of a mean


class Figure(NamedTuple):
    table: str
    metric: str  # nll, error, seconds_per_epoch_P100
    setting: str
    method: str
    mean: float
    standard_error: float  # NaN where none was published
    rounding: float  # half a unit of the last printed digit
    note: str = ""  # a misprint put right


class Ours(NamedTuple):
    repeats: int
    mean: float
    standard_error: float
    spread: float  # between repeats


def read_figures(data: Path) -> list[Figure]:
    """None where the list is not there: it lies beside the data folder."""
    path = data.parent / "paper" / "published.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    printed: dict[tuple, list[tuple[str, str]]] = {}  # by row of the paper: methods and means
    for row in rows:
        printed.setdefault(row_of(row), []).append((row["method"], row["mean"]))
    seen: Counter = Counter()
    figures = []
    for row in rows:
        key = (*row_of(row), row["method"])
        repeated = row["table"] in ("synthetic_dN", "synthetic_classes")
        method = row["method"]
        if repeated and method == "NIMGP":
            method = ALL[1 + seen[key]]
        seen[key] += 1
        mean, error = float(row["mean"]), float(row["standard_error"] or "nan")
        # Where noise is learned MGP is copied from another row, and has more digits than the others.
        beside = [text for name, text in printed[key[:3]] if method == "MGP" or name != "MGP"]
        figures.append(Figure(*key[:3], method, mean, error, half_a_unit(mean, beside),
                              row["note"]))  # fmt: skip
    return figures


def row_of(row: dict[str, str]) -> tuple[str, str, str]:
    return row["table"], row["metric"], row["setting"]


def half_a_unit(mean: float, row: list[str]) -> float:
    """Of its last digit. The paper drops zeros at the end: 0.4 beside 0.28 is 0.40, not 0.35 to 0.45.

    So a number has as many significant digits as the longest of its row, and no more decimals.
    """
    digits = max(len(text.replace(".", "").lstrip("0")) for text in row)
    decimals = max(len(text.partition(".")[2]) for text in row)
    exponent = np.floor(np.log10(mean)) + 1 - digits if mean > 0 else -decimals
    return 0.5 * 10.0 ** max(exponent, -decimals)


def summary(values: Iterable[float]) -> Ours | None:
    each = np.array(list(values))
    if not len(each):
        return None
    spread = each.std(ddof=1) if len(each) > 1 else np.nan
    return Ours(len(each), float(each.mean()), float(spread / np.sqrt(len(each))), float(spread))


def summary_of_runs(runs: list[Run], metric: str) -> Ours | None:
    """The mean over runs. A single run may have an error of its own, over its test rows."""
    ours = summary(getattr(run, metric) for run in runs)
    if len(runs) == 1 and f"{metric}_error" in runs[0].detail:
        error = runs[0].detail[f"{metric}_error"]
        ours = ours._replace(standard_error=error, spread=error)
    return ours


def difference(figure: Figure, ours: Ours, single: bool = False) -> float:
    """Ours less theirs in combined standard errors, beyond what rounding explains; NaN: unknown.

    `single`: theirs is one problem or one run, so it has the spread of one of ours.
    """
    own = ours.standard_error
    theirs = ours.spread if single else figure.standard_error
    gap = ours.mean - figure.mean
    beyond = np.sign(gap) * max(abs(gap) - figure.rounding, 0.0)
    return float(beyond / np.hypot(own, theirs)) if np.hypot(own, theirs) > 0 else np.nan


def repeated_difference(figure: Figure, ours: Ours, single: bool) -> float:
    """`difference` where ours repeats what gave the figure.

    If both agree they have the same spread between repeats. So where ours are too few to show it,
    their mean has the standard error of the published one times sqrt(100 / repeats).
    """
    if not single and FEW <= ours.repeats < FEWEST:
        error = figure.standard_error * np.sqrt(PUBLISHED_REPEATS / ours.repeats)
        ours = ours._replace(standard_error=error)
    return difference(figure, ours, single)


# ---------------------------------------------------------------------- mean ranks

# Protocols in place of one that does not have a method on a set.
INSTEAD = {
    "told": ("published",),
    "unwhitened": ("told", "published"),
    "started": ("unwhitened", "told", "published"),
}


def mean_ranks(
    runs: list[Run], metric: str, noise: str, methods: tuple[str, ...], protocol: str = "published"
) -> dict[str, Ours]:
    """Ranks (1 is best, ties share) of methods on each split, averaged over splits, then over sets.

    Every set counts the same, however many of its splits were run. A method that has no runs of the
    protocol on a set, or too few, is taken there as in INSTEAD.
    """
    value: dict[str, dict[int, dict[str, float]]] = {}  # by set, split and method
    repeats = Counter(run.task[:3] for run in runs)
    order = (protocol, *INSTEAD.get(protocol, ()))
    for run in runs:
        task, at = run.task, fields(run.task.setting)
        wanted = next((p for p in order if repeats[(p, *task[1:3])] >= FEW), protocol)
        if task.protocol == wanted and at["noise"] == noise:
            splits = value.setdefault(at["set"], {})
            splits.setdefault(task.repeat, {})[task.method] = getattr(run, metric)
    of_sets = [ranks_of([[v[m] for m in methods] for v in splits.values() if len(v) == len(methods)])
               for splits in value.values()]  # fmt: skip
    if sum(len(ranks) > 1 for ranks in of_sets) < 8:  # not what the paper averages over
        return {}
    found = {}
    for k, method in enumerate(methods):
        each = [summary(ranks[:, k]) for ranks in of_sets]
        error = float(np.sqrt(sum(s.standard_error**2 for s in each)) / len(each))
        mean = float(np.mean([s.mean for s in each]))
        found[method] = Ours(sum(s.repeats for s in each), mean, error, np.nan)
    return found


def ranks_of(rows: list[list[float]]) -> np.ndarray:
    """Ranks in each row; those that are equal share theirs."""
    each = np.array(rows)
    if not rows:
        return each
    better = (each[:, :, None] > each[:, None, :]).sum(axis=2)
    equal = (each[:, :, None] == each[:, None, :]).sum(axis=2)
    return better + 0.5 * (equal - 1) + 1


def ours_for(figure: Figure, runs: list[Run], protocol: str = "published") -> Ours | None:
    """What the runs of an experiment say of a published figure."""
    if figure.metric not in ("nll", "error"):
        timed = [r for r in runs if r.task[:2] == ("epoch", figure.method)]
        return summary(r.detail["seconds_per_epoch"] for r in timed)
    if figure.setting.endswith("set=mean_rank"):
        noise = fields(figure.setting)["noise"]
        return mean_ranks(runs, figure.metric, noise, ALL, protocol).get(figure.method)
    key = (protocol, figure.method, figure.setting)
    return summary_of_runs([r for r in runs if r.task[:3] == key], figure.metric)


# ---------------------------------------------------------------------- how many agree

AGREE, REASON, FOUND_HERE = "agree", "differ, reason checked", "differ, reason found on them"
NO_REASON, ELSEWHERE, NOT_RUN = "differ", "times of another machine", "not run"
VERDICTS = (AGREE, REASON, FOUND_HERE, NO_REASON, ELSEWHERE, NOT_RUN)


def read_reasons() -> list[dict[str, str]]:
    """Columns table, metric, setting, method (patterns), protocol, reason, found_on.

    `found_on` is a pattern of metric and setting: the figures by which the reason was found, which do
    not confirm it. Without the reason, that is with runs of this protocol, the figure must agree. Protocol
    `optimum`: the figure must be better than the best possible prediction of the problems here.
    """
    with REASONS.open(newline="") as file:
        return list(csv.DictReader(file))


def agrees(figure: Figure, ours: Ours | None, single: bool) -> bool | None:
    """None: not known. One run has an error of its own where one was published (MNIST)."""
    if ours is None or 1 < ours.repeats < (FEWEST if single else FEW):
        return None
    gap = repeated_difference(figure, ours, single)
    return None if np.isnan(gap) else abs(gap) <= FAR


def optimum(runs: list[Run], setting: str, metric: str) -> Ours | None:
    """The best possible prediction of the problems as described: each once, whatever ran on it."""
    name = f"best_{metric}"
    known = {r.task.repeat: r.detail[name] for r in runs
             if r.task.setting == setting and r.task.protocol != "smoother"
             and name in r.detail}  # fmt: skip
    return summary(known.values())


def beats_optimum(figure: Figure, runs: list[Run]) -> bool:
    """The figure cannot be had on these problems, whatever the method."""
    best = optimum(runs, figure.setting, figure.metric)
    return best is not None and best.repeats >= FEWEST and difference(figure, best) > FAR


def reason_for(
    figure: Figure, runs: list[Run], single: bool, reasons: list[dict[str, str]]
) -> dict[str, str] | None:
    """The row of why ours differ, where a check bears it out."""
    for row in reasons:
        names = ("table", "metric", "setting", "method")
        if not all(fnmatch.fnmatchcase(getattr(figure, n), row[n]) for n in names):
            continue
        if row["protocol"] == "optimum":
            good = beats_optimum(figure, runs)
        else:
            good = agrees(figure, ours_for(figure, runs, row["protocol"]), single)
        if good:
            return row
    return None


def verdict(figure: Figure, runs: list[Run], single: bool, reasons: list) -> str:
    good = agrees(figure, ours_for(figure, runs), single)
    if good is None:
        return NOT_RUN
    if good:
        return AGREE
    reason = reason_for(figure, runs, single, reasons)
    if reason is None:
        return NO_REASON
    found_on = reason["found_on"]
    return FOUND_HERE if fnmatch.fnmatchcase(f"{figure.metric} {figure.setting}", found_on) else REASON


def count_verdicts(
    experiments: list[Experiment], figures: list[Figure], runs_of: dict[str, list[Run]]
) -> dict[str, Counter]:
    """By table: how many figures agree, differ with or without a reason, were not run."""
    of_table = {e.table: e for e in experiments if e.table} | {
        "mnist_time": next(e for e in experiments if e.name == "mnist")
    }
    reasons = read_reasons()
    counts: dict[str, Counter] = {}
    for figure in figures:
        experiment = of_table[figure.table]
        runs = runs_of.get(experiment.name, [])
        found = verdict(figure, runs, experiment.single, reasons)
        if figure.table == "mnist_time" and ours_for(figure, runs) is not None:
            found = ELSEWHERE  # both are in the report
        counts.setdefault(figure.table, Counter())[found] += 1
    return counts
