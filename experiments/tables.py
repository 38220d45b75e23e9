# SPDX-License-Identifier: Apache-2.0
"""The report of an experiment, in Markdown."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .experiment import CHECKS, Experiment
from .methods import ALL
from .published import (
    AGREE,
    FEW,
    FEWEST,
    NOT_RUN,
    Figure,
    Ours,
    difference,
    optimum,
    ours_for,
    read_reasons,
    reason_for,
    repeated_difference,
    summary_of_runs,
    verdict,
)
from .runs import Run

METRICS = {"nll": "Mean negative log-likelihood", "error": "Error rate"}
HEAD_OF = {"ours": "ours, ", "smoother": "ours, smoother functions, "}


def number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3f}" if abs(value) < 10 else f"{value:.3g}"


def with_error(value: Ours | Figure | None) -> str:
    if value is None:
        return ""
    error = number(value.standard_error)
    return f"{number(value.mean)} ± {error}" if error else number(value.mean)


def grid(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


# ---------------------------------------------------------------------- beside the paper


def beside_paper(
    experiment: Experiment, metric: str, figures: list[Figure], runs: list[Run]
) -> list[str]:
    """The paper's figures beside the same protocol here."""
    checks = [p for p in CHECKS if any(r.task.protocol == p for r in runs)]
    reasons, rows = read_reasons(), []
    for figure in figures:
        ours = ours_for(figure, runs)
        if figure.metric != metric or ours is None:
            continue
        gap = repeated_difference(figure, ours, experiment.single)
        found = verdict(figure, runs, experiment.single, reasons)
        mark = "" if np.isnan(gap) else f"{gap:+.1f}"
        if found == NOT_RUN:
            mark = f"({mark or 'few'})"
        elif found != AGREE:
            reason = reason_for(figure, runs, experiment.single, reasons)
            mark = f"**{mark}** {reason['reason'] if reason else 'no reason found yet'}"
        row = [figure.setting, figure.method, with_error(figure), with_error(ours),
               str(ours.repeats), mark]  # fmt: skip
        rows.append(row + [with_error(ours_for(figure, runs, protocol)) for protocol in checks])
    if not rows:
        return []
    head = ["setting", "method", "paper", "`published` here", "repeats", "difference in SE"]
    head += [CHECKS[protocol] for protocol in checks]
    return [f"### {METRICS[metric]}: the paper and its protocol here", "", *grid(head, rows)]


# ---------------------------------------------------------------------- ours and peers


def best_of(figures: list[Figure]) -> Figure | None:
    return min(figures, key=lambda f: f.mean, default=None)


def gaps_of_ours(
    experiment: Experiment, method: str, metric: str, figures: list[Figure], runs: list[Run]
) -> dict[str, float]:
    """By setting: ours less the best published method's, in combined standard errors."""
    gaps = {}
    for setting in experiment.settings:
        key = (experiment.table, metric, setting)
        best = best_of([f for f in figures if f[:3] == key])
        mine = summary_of_runs([r for r in runs if r.task[:3] == ("ours", method, setting)], metric)
        if best and mine and not np.isnan(mine.standard_error):
            gaps[setting] = difference(best, mine, experiment.single)
    return gaps


def beside_ours(
    experiment: Experiment, metric: str, figures: list[Figure], runs: list[Run]
) -> list[str]:
    """nimgp's defaults beside the best published method, the optimum and scikit-learn's."""
    columns = [who for p in ("ours", "smoother", "peers")
               for who in dict.fromkeys(r.task[:2] for r in runs if r.task.protocol == p)
               if who[1] not in ALL]  # fmt: skip
    if not columns:
        return []
    known = any(f"best_{metric}" in r.detail for r in runs)
    rows = []
    for setting in experiment.settings:
        here = [r for r in runs if r.task.setting == setting]
        cells = [summary_of_runs([r for r in here if r.task[:2] == c], metric) for c in columns]
        if not any(cells):
            continue
        best = best_of([f for f in figures if (f.metric, f.setting) == (metric, setting)])
        row = [setting, f"{with_error(best)} {best.method}" if best else ""]
        if known:
            row.append(with_error(optimum(here, setting, metric)))
        rows.append(row + [cell_of(c, best, experiment.single) for c in cells])
    head = ["setting", "best of the paper"] + (["Bayes optimum"] if known else [])
    head += [HEAD_OF.get(p, "") + m for p, m in columns]
    title = f"### {METRICS[metric]}: nimgp's defaults and scikit-learn (repeats)"
    note = "Bold: worse than the best of the paper by more than one combined standard error."
    return [title, "", note, "", *grid(head, rows)]


def cell_of(mine: Ours | None, best: Figure | None, single: bool) -> str:
    if mine is None:
        return ""
    worse = best is not None and difference(best, mine, single) > 1.0
    return f"{'**' * worse}{with_error(mine)}{'**' * worse} ({mine.repeats})"


# ---------------------------------------------------------------------- cost


def cost_rows(experiment: Experiment, runs: list[Run]) -> list[list[str]]:
    """Core-hours of all settings and published repeats, from the runs there are, by protocol.

    Noise levels cost the same: one stands in for another. `timed` says how many of the settings
    times methods are known. Where there is no whole run, a few epochs say what it would take.
    """
    rows = []
    for protocol, methods in experiment.methods.items():
        if protocol == "epoch":
            continue
        done = [r.seconds for r in runs if r.task.protocol == protocol and "same" not in r.detail]
        seconds = seconds_of(runs, protocol)
        wanted = [(m, size_of(s)) for s in experiment.settings for m in methods
                  if not experiment.leaves_out(protocol, m, s)]  # fmt: skip
        known = [float(np.mean(seconds[key])) for key in wanted if key in seconds]
        if known:
            rows.append([experiment.name, protocol, str(experiment.repeats),
                         f"{sum(known) * experiment.repeats / 3600:.1f}",
                         f"{len(known)} of {len(wanted)}", str(len(done)),
                         f"{sum(done) / 3600:.2f}"])  # fmt: skip
    return rows


def seconds_of(runs: list[Run], protocol: str) -> dict[tuple[str, str], list[float]]:
    """Core-seconds of the runs of each method and size; of `published` estimated where there is none."""
    whole: dict[tuple[str, str], list[float]] = {}
    estimated: dict[tuple[str, str], list[float]] = {}
    for r in runs:
        key = (r.task.method, size_of(r.task.setting))
        if r.task.protocol == protocol:
            whole.setdefault(key, []).append(r.seconds)
        elif r.task.protocol == "epoch" and protocol == "published":
            estimated.setdefault(key, []).append(r.detail["whole"])
    return estimated | whole


def size_of(setting: str) -> str:
    """A setting without its noise level."""
    return " ".join(word for word in setting.split() if not word.startswith("noise="))


COST_HEAD = ["experiment", "protocol", "repeats in the paper", "core-hours for all of them", "timed",
             "runs done", "core-hours spent"]  # fmt: skip


# ---------------------------------------------------------------------- the whole report


def report(
    experiment: Experiment, figures: list[Figure], runs: list[Run], out: Path
) -> str:
    figures = [figure for figure in figures if figure.table == experiment.table]
    days = sorted(run.when[:10] for run in runs)
    repeats = max((run.task.repeat for run in runs), default=-1) + 1
    name = experiment.name
    lines = [f"# {experiment.title}", "", f"    python -m experiments {name} --repeats {repeats}", "",
             f"{len(runs)} runs, {repeats} repeats at most (the tables say how many), done {days[0]} "
             f"to {days[-1]}; every run is a row of [runs/{name}.csv](runs/{name}.csv). Means over "
             "repeats ± standard error; differences count beyond the rounding of what was printed, "
             f"and from {FEW} repeats on (fewer: in brackets). With less than {FEWEST} repeats our "
             "standard error is that of the paper, for as many repeats.", ""]  # fmt: skip
    if experiment.table and not figures:
        lines += ["The list of published figures is not there, so this stands alone.", ""]
    for metric in METRICS if experiment.table else ():
        lines += beside_paper(experiment, metric, figures, runs)
        lines += beside_ours(experiment, metric, figures, runs)
    lines += experiment.sections(runs, out)
    lines += ["### Cost", "", *grid(COST_HEAD, cost_rows(experiment, runs))]
    return "\n".join(lines)
