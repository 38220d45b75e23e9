# SPDX-License-Identifier: Apache-2.0
"""A page that compares nimgp's default with scikit-learn's classifiers, from the runs of the experiment uci.

    python -m experiments.uci_peers [--runs FILE] [--repeats 10] [--out FILE] [--convert OLD]

--convert adds the rows of a file with columns method,set,variance,split,nll,error,seconds, as earlier
versions wrote it, to --runs.
"""

from __future__ import annotations

import argparse
import csv
import datetime
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from .classifiers import LEAST, mean_and_error

# classifiers sets NumPy's number of threads, so it comes first
# isort: split
import numpy as np
import sklearn

import nimgp

from .experiment import ROOT, Outcome, Task
from .paper.uci import EXPERIMENT, NOISES, SETS
from .runs import Run, append_run, read_runs

NIMGP = ("ours", "given")
LEAST_SPLITS = 3  # of a method that is counted


class Case(NamedTuple):
    """The methods run on one set at one noise level, on the splits that each of them has run."""

    set: str
    noise: str
    splits: int
    nll: dict[str, np.ndarray]
    error: dict[str, np.ndarray]
    seconds: dict[str, float]

    def mean(self, method: str) -> float:
        return float(self.nll[method].mean())

    def best(self) -> str:
        return min(self.nll, key=self.mean)

    def holds(self) -> bool:
        """Whether nimgp is the best, or within one standard error of the best."""
        difference = self.nll["nimgp"] - self.nll[self.best()]
        spread = difference.std(ddof=1) / np.sqrt(self.splits) if self.splits > 1 else 0.0
        return float(difference.mean()) <= spread


def columns() -> dict[str, tuple[str, str]]:
    return {"nimgp": NIMGP} | {name: ("peers", name) for name in EXPERIMENT.methods["peers"]}


def find_cases(runs: list[Run], repeats: int) -> list[Case]:
    by_task = {run.task: run for run in runs}
    cases = []
    for name in SETS:
        for noise in NOISES:
            setting = f"noise={noise} set={name}"
            here = {m: who for m, who in columns().items()
                    if not EXPERIMENT.leaves_out(*who, setting)}  # fmt: skip
            found = {m: {k: by_task.get(Task(*who, setting, k)) for k in range(repeats)}
                     for m, who in here.items()}  # fmt: skip
            counted = [m for m in here if sum(map(bool, found[m].values())) >= LEAST_SPLITS]
            splits = [k for k in range(repeats) if all(found[m][k] for m in counted)]
            if not splits or len(counted) < 2 or "nimgp" not in counted:
                continue
            column = {m: [found[m][k] for k in splits] for m in counted}
            cases.append(
                Case(name, noise, len(splits),
                     {m: np.array([r.nll for r in c]) for m, c in column.items()},
                     {m: np.array([r.error for r in c]) for m, c in column.items()},
                     {m: float(np.mean([r.seconds for r in c])) for m, c in column.items()})
            )  # fmt: skip
    return cases


def table_of(cases: list[Case], cell: Callable[[Case, str], str]) -> str:
    names = list(columns())
    lines = ["| set | noise | splits | " + " | ".join(names) + " |",
             "|---|---|---|" + "---|" * len(names)]  # fmt: skip
    for case in cases:
        cells = " | ".join(cell(case, m) if m in case.nll else "" for m in names)
        lines.append(f"| {case.set} | {float(case.noise):g} | {case.splits} | {cells} |")
    return "\n".join(lines)


def nll_cell(case: Case, method: str) -> str:
    text = mean_and_error(list(case.nll[method]))
    return f"**{text}**" if method == case.best() else text


def verdict(cases: list[Case]) -> str:
    def above(case: Case) -> float:
        return case.mean("nimgp") - case.mean(case.best())

    good, worst = sum(case.holds() for case in cases), max(cases, key=above)
    lost = [f"{c.set} +{float(c.noise):g} (to {c.best()} by {above(c):.3f})"
            for c in cases if not c.holds()]  # fmt: skip
    return (
        f"nimgp's default has the best mean NLL, or its paired difference from the best is "
        f"within one standard error, in {good} of {len(cases)} rows. Furthest above the best: "
        f"{above(worst):.3f}, on {worst.set} +{float(worst.noise):g}."
        + (f" Another method is better on {'; '.join(lost)}." if lost else "")
    )


def document(cases: list[Case], repeats: int) -> str:
    return f"""# nimgp compared with scikit-learn's classifiers: UCI sets with noise added

    make uci
    python -m experiments uci --protocols ours,peers --repeats {repeats}

Published splits, 90 % to train. Attributes are standardised with the training rows, then noise of
the given variance is added to training and test rows. nimgp {nimgp.__version__}, at its defaults, gets the
standard deviation of the noise as `X_err`; the other methods cannot use it. scikit-learn {sklearn.__version__}: regularisation
(LogisticRegression), kernel width (GaussianProcessClassifier, by marginal likelihood), C and gamma
(SVC) and the number of trees (HistGradientBoosting) are chosen inside the training rows; forests
have 500 trees, calibrated by sigmoids in cross-validation. Means over splits ± standard error;
probabilities below {LEAST:g} count as {LEAST:g}. Bold: best mean NLL. An empty cell means that
the method was run on fewer than {LEAST_SPLITS} splits. The other cells use the splits that all these methods have run.

{verdict(cases)}

Mean NLL:

{table_of(cases, nll_cell)}

Error rate:

{table_of(cases, lambda case, method: f"{case.error[method].mean():.3f}")}

Wall seconds of a fit and prediction with one thread, including the search for settings. Other work on the machine makes
runs slower, so compare only times measured on an idle machine:

{table_of(cases, lambda case, method: f"{case.seconds[method]:.1f}")}
"""


def convert(old: Path, path: Path) -> int:
    """Rows of an earlier version that `path` does not have."""
    done = {run.task for run in read_runs(path)}
    when = datetime.datetime.fromtimestamp(old.stat().st_mtime, datetime.timezone.utc)
    added = 0
    with old.open(newline="") as file:
        for row in csv.DictReader(file):
            ours, _, variant = row["method"].partition(" ")
            who = ("peers", row["method"])
            if ours == "nimgp":
                who = ("ours", f"given {variant.replace(' ', ',')}".strip())
            setting = f"noise={float(row['variance'])} set={row['set']}"
            task = Task(*who, setting, int(row["split"]))
            if task not in done:
                numbers = [float(row[name]) for name in ("nll", "error", "seconds")]
                append_run(path, task, Outcome(0, *numbers), f"{when:%Y-%m-%d %H:%M}")
                added += 1
    return added


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=Path, default=ROOT / "build" / "paper" / "runs" / "uci.csv")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--convert", type=Path, metavar="OLD")
    chosen = parser.parse_args()
    if chosen.convert:
        print(f"{convert(chosen.convert, chosen.runs)} runs added to {chosen.runs}")
    cases = find_cases(read_runs(chosen.runs), chosen.repeats)
    if not cases:
        raise SystemExit(f"uci_peers: no split in {chosen.runs} has a run of every method yet")
    text = document(cases, chosen.repeats)
    print(text)
    if chosen.out:
        chosen.out.write_text(text)


if __name__ == "__main__":
    main()
