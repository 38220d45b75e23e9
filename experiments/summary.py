# SPDX-License-Identifier: Apache-2.0
"""Over all experiments: how many published figures agree, and what everything costs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from .experiment import Experiment
from .published import FAR, VERDICTS, Figure, count_verdicts, read_figures
from .runs import Run, read_runs
from .tables import COST_HEAD, METRICS, cost_rows, gaps_of_ours, grid

ABBREVIATED = {"nll": "NLL", "error": "error rate"}


def write_overview(experiments: list[Experiment], data: Path, out: Path) -> bool:
    """Writes overview.md into the folder, from the runs that are there; False: there are none."""
    runs_of = {e.name: read_runs(out / "runs" / f"{e.name}.csv") for e in experiments}
    if not any(runs_of.values()):
        return False
    lines = ["# Overview", ""]
    figures = read_figures(data)
    if figures:
        counts = count_verdicts(experiments, figures, runs_of)
        total = sum(counts.values(), Counter())
        rows = [[table, str(sum(c.values())), *(str(c[v]) for v in VERDICTS)]
                for table, c in counts.items()]  # fmt: skip
        rows.append(["all", str(len(figures)), *(str(total[v]) for v in VERDICTS)])
        lines += [f"Published figures beside the same protocol here. They agree when they are within "
                  f"{FAR:g} combined standard errors, rounding aside; with few repeats these are wide, and to "
                  "agree means that no difference was seen. A reason is checked where runs without it "
                  "agree; on the figures that it was found on this proves little.", "",
                  *grid(["table", "figures", *VERDICTS], rows)]  # fmt: skip
        lines += ours_beside_best(experiments, figures, runs_of)
    lines += ["What the whole evaluation costs, estimated from the runs, one thread each:", ""]
    costs = [row for e in experiments for row in cost_rows(e, runs_of[e.name])]
    paper = [row for row in costs if row[1] == "published"]
    lines += grid(COST_HEAD, [*costs, total_of("published", paper), total_of("every protocol", costs)])
    (out / "overview.md").write_text("\n".join(lines))
    return True


def total_of(name: str, costs: list[list[str]]) -> list[str]:
    whole, spent = (sum(float(row[at]) for row in costs) for at in (3, 6))
    return ["all", name, "", f"{whole:.1f}", "", "", f"{spent:.2f}"]


def ours_beside_best(
    experiments: list[Experiment], figures: list[Figure], runs_of: dict[str, list[Run]]
) -> list[str]:
    """How many settings nimgp's defaults are as good on as the best published method there."""
    rows = []
    for experiment in experiments:
        for method in experiment.methods.get("ours", ()):
            for metric in METRICS:
                gaps = gaps_of_ours(experiment, method, metric, figures, runs_of[experiment.name])
                wanted = [s for s in experiment.settings
                          if not experiment.leaves_out("ours", method, s)]  # fmt: skip
                worse = [setting for setting, gap in gaps.items() if gap > 1.0]
                if gaps:
                    rows.append([experiment.name, method, ABBREVIATED[metric], str(len(wanted)),
                                 str(len(gaps)), str(sum(gap <= 0.0 for gap in gaps.values())),
                                 str(len(gaps) - len(worse)), "; ".join(worse)])  # fmt: skip
    if not rows:
        return []
    head = ["experiment", "ours", "", "settings", "run", "no worse", "no worse by one SE", "worse by more"]
    return ["nimgp's defaults beside the best published method of each setting: no worse in the mean, or "
            "within one combined standard error of it (toy: one spread between problems, since the paper "
            "shows one). `given` is told the injected noise of `uci`, which the published methods are "
            "not.", "", *grid(head, rows)]  # fmt: skip
