# SPDX-License-Identifier: Apache-2.0
"""Over all experiments: how many published figures agree, and what everything costs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from .experiment import Experiment
from .published import FAR, VERDICTS, count_verdicts, read_figures
from .runs import read_runs
from .tables import COST_HEAD, cost_rows, grid


def write_overview(experiments: list[Experiment], data: Path, out: Path) -> None:
    """Writes overview.md into the folder, from the runs that are there."""
    runs_of = {e.name: read_runs(out / "runs" / f"{e.name}.csv") for e in experiments}
    if not any(runs_of.values()):
        return
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
                  "agree means that no difference was seen.", "",
                  *grid(["table", "figures", *VERDICTS], rows)]  # fmt: skip
    lines += ["What the whole evaluation costs, estimated from the runs, one thread each:", ""]
    lines += grid(COST_HEAD, [row for e in experiments for row in cost_rows(e, runs_of[e.name])])
    (out / "overview.md").write_text("\n".join(lines))
