# SPDX-License-Identifier: Apache-2.0
"""The report of an experiment, in Markdown."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from .classifiers import PEERS
from .experiment import CHECKS, Experiment, Task
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


def label(protocol: str, method: str) -> str:
    return f"ours, {method}" if protocol == "ours" else method


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
    notes = {f.note: f for f in figures if f.metric == metric and f.note}
    told = [f"{f.setting} {f.method}: {note}." for note, f in notes.items()]
    return [f"### {METRICS[metric]}: the paper and its protocol here", "", *grid(head, rows),
            *(["Misprints that are put right here:", "", *(f"- {each}" for each in told), ""] if told else [])]  # fmt: skip


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
    # Other parameters than the defaults are too long for the head of a column.
    changed = dict.fromkeys(m.partition(" ")[2] for _, m in columns if " " in m and m not in PEERS)
    letter = {change: chr(ord("A") + k) for k, change in enumerate(changed)}
    changes = [f"Settings {letter[change]}: `{change}`." for change in changed]
    for protocol, method in columns:
        name, _, change = method.partition(" ")
        name = f"{name}, settings {letter[change]}" if change in letter else method
        head.append(HEAD_OF.get(protocol, "") + name)
    peers = any(protocol == "peers" for protocol, _ in columns)
    title = f"### {METRICS[metric]}: nimgp's defaults{' and scikit-learn' * peers} (repeats)"
    note = "Bold: worse than the best of the paper by more than one combined standard error."
    return [title, "", note, *changes, "", *grid(head, rows)]


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
    A protocol whose runs come with those of another costs nothing of its own.
    """
    rows = []
    for protocol, methods in experiment.methods.items():
        wanted = [Task(protocol, m, s, 0) for s in experiment.settings for m in methods
                  if not experiment.leaves_out(protocol, m, s)]  # fmt: skip
        if protocol == "epoch" or all(experiment.comes_with(task) for task in wanted):
            continue
        done = [r.seconds for r in runs if r.task.protocol == protocol and "same" not in r.detail]
        seconds = seconds_of(runs, protocol)
        known = [float(np.mean(seconds[key])) for key in map(size_of, wanted) if key in seconds]
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
        key = size_of(r.task)
        if r.task.protocol == protocol:
            whole.setdefault(key, []).append(r.seconds)
        elif r.task.protocol == "epoch" and protocol == "published":
            estimated.setdefault(key, []).append(r.detail["whole"])
    return estimated | whole


def size_of(task: Task) -> tuple[str, str]:
    """The method, and the setting without its noise level."""
    return task.method, " ".join(w for w in task.setting.split() if not w.startswith("noise="))


COST_HEAD = ["experiment", "protocol", "repeats", "core-hours for all of them", "timed",
             "runs done", "core-hours spent"]  # fmt: skip


# ---------------------------------------------------------------------- the whole report


def what_was_run(runs: list[Run]) -> list[str]:
    """By protocol and method: how many runs and repeats, when, and of which version of the sources."""
    rows = []
    for protocol, method in dict.fromkeys(r.task[:2] for r in runs):
        mine = [r for r in runs if r.task[:2] == (protocol, method)]
        repeats = Counter(r.task.setting for r in mine).values()
        days = sorted(r.when[:10] for r in mine)
        versions = sorted({r.detail.get("commit") or "not recorded" for r in mine})
        rows.append([protocol, method, str(len(repeats)), span(min(repeats), max(repeats)),
                     span(days[0], days[-1]), ", ".join(versions)])  # fmt: skip
    return grid(["protocol", "method", "settings", "repeats", "done", "version of the sources"], rows)


def span(first: object, last: object) -> str:
    return str(first) if first == last else f"{first} to {last}"


def report(
    experiment: Experiment, figures: list[Figure], runs: list[Run], out: Path
) -> str:
    figures = [figure for figure in figures if figure.table == experiment.table]
    name = experiment.name
    lines = [f"# {experiment.title}", "",
             f"Written by `python -m experiments {name} --report` from {len(runs)} runs, each a row of "
             f"[runs/{name}.csv](runs/{name}.csv); the last section says what was run, and when. Means over "
             "repeats ± standard error. Differences count beyond the rounding of what was printed, and "
             f"from {FEW} repeats on (fewer: in brackets). With less than {FEWEST} repeats our standard "
             "error is that of the paper, for as many repeats.", ""]  # fmt: skip
    if experiment.single and experiment.table:
        lines += ["The paper shows one problem or run. What it would have with another is taken to be "
                  "spread as ours are.", ""]  # fmt: skip
    if experiment.table and not figures:
        lines += ["The list of published figures is not there, so this stands alone.", ""]
    for metric in METRICS if experiment.table else ():
        lines += beside_paper(experiment, metric, figures, runs)
        lines += beside_ours(experiment, metric, figures, runs)
    lines += experiment.sections(runs, out)
    lines += ["### Cost", "", *grid(COST_HEAD, cost_rows(experiment, runs))]
    return "\n".join([*lines, "### What was run", "", *what_was_run(runs)])
