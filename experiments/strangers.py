#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other shares of classes, sets of classes and strangers: what nimgp promises, measured.

    strangers.py [prior] [coverage] [novelty] [--runs FILE] [--out FILE] [--data DIR] [--program NIMGP]
                 [--report]

prior: mock catalogues whose shares of classes are turned over in the rows to test on.
coverage: how often sets of classes hold the true one, over 50 mock catalogues.
novelty: a class left out of training, told from the others, beside scikit-learn's IsolationForest.

A run is one row of the file of runs, and is not done again; --report does none, and writes the page. Seeds from 3000 on are for reporting only.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

from catalogue import CLASSES, ROOT, Rows, read_rows
from classifiers import mean_nll

# classifiers sets NumPy's number of threads, so it comes first
# isort: split
import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.impute import SimpleImputer
from sklearn.metrics import roc_auc_score

from nimgp import NoisyGPClassifier

TURNED = (0.15, 0.6, 0.25)  # agn, pulsar, starburst; in the catalogue 0.62, 0.16, 0.22
PRIOR_ROWS, TRAINING_ROWS = 5000, 1000
COVERAGE = 0.9
COVERAGE_SETS, COVERAGE_ROWS = 50, 400
SETS = ("catalogue", "4FGL", "wine", "vehicle")
SPLITS = 5


def simulated(program: Path, seed: int, rows: int, test_rows: int) -> tuple[Rows, Rows]:
    """A catalogue with the logarithm of the flux."""
    with tempfile.TemporaryDirectory() as folder:
        words = [program, "simulate", "catalogue", "--quiet", "--out", folder, "--seed", seed,
                 "--rows", rows, "--test-rows", test_rows]  # fmt: skip
        subprocess.run([str(word) for word in words], check=True)
        return tuple(in_logs(read_rows(Path(folder, f"{part}.csv"))) for part in ("train", "test"))


def in_logs(rows: Rows) -> Rows:
    X, X_err = rows.X.copy(), rows.X_err.copy()
    X_err[:, 0] /= X[:, 0]
    X[:, 0] = np.log(X[:, 0])
    return Rows(X, X_err, rows.y)


def taken(rows: Rows, chosen: np.ndarray) -> Rows:
    return Rows(*(array[chosen] for array in rows))


def with_shares(rows: Rows, shares: tuple[float, ...], count: int) -> Rows:
    """The first rows of each class, as many as its share of `count`."""
    each = [np.flatnonzero(rows.y == c)[: round(s * count)] for c, s in enumerate(shares)]
    return taken(rows, np.sort(np.concatenate(each)))


# ---------------------------------------------------------------------- runs


def run_prior(program: Path, seed: int) -> dict[str, object]:
    learn, judge = simulated(program, seed, 8000, 24000)
    usual = np.bincount(learn.y) / len(learn.y)
    judge = with_shares(judge, TURNED, PRIOR_ROWS)
    clf, other = (
        NoisyGPClassifier(random_state=0, n_jobs=1).fit(part.X, part.y, X_err=part.X_err)
        for part in (with_shares(learn, shares, TRAINING_ROWS) for shares in (usual, TURNED))
    )
    shares = clf.estimate_prior(judge.X, X_err=judge.X_err)
    found = {
        "as trained": clf.predict_proba(judge.X, X_err=judge.X_err),
        "auto": clf.predict_proba(judge.X, X_err=judge.X_err, prior=shares),
        "told": clf.predict_proba(judge.X, X_err=judge.X_err, prior=TURNED),
        "trained on these shares": other.predict_proba(judge.X, X_err=judge.X_err),
    }
    return {f"nll, {name}": mean_nll(p, judge.y) for name, p in found.items()} | {
        "largest error of a share": np.abs(shares - TURNED).max()
    }


def run_coverage(program: Path, seed: int) -> dict[str, object]:
    learn, judge = simulated(program, seed, COVERAGE_ROWS, 2000)
    clf = NoisyGPClassifier(inducing=30, points=64, random_state=0, n_jobs=1)
    clf.fit(learn.X, learn.y, X_err=learn.X_err)
    sets = clf.predict_set(judge.X, COVERAGE, X_err=judge.X_err)
    held = sets[np.arange(len(judge.y)), judge.y]
    each = {name: held[judge.y == c].mean() for c, name in enumerate(CLASSES)}
    return {"all": held.mean(), **each, "classes in a set": sets.sum(axis=1).mean()}


def whole_set(program: Path, folder: Path, name: str, split: int) -> Rows:
    if name == "catalogue":
        return simulated(program, 3000 + split, 1500, 1)[0]
    path = folder / ("astro/4fgl_paper.csv" if name == "4FGL" else f"uci/{name}.csv")
    with path.open(newline="") as file:
        table = list(csv.DictReader(file))
    names = [column for column in table[0] if column != "class" and not column.endswith("_err")]
    X, X_err = (
        np.array([[float(row.get(column + end, 0.0)) for column in names] for row in table])
        for end in ("", "_err")
    )
    return Rows(X, X_err, np.unique([row["class"] for row in table], return_inverse=True)[1])


def run_novelty(
    program: Path, folder: Path, name: str, split: int, stranger: int
) -> dict[str, object]:
    rows = whole_set(program, folder, name, split)
    known = np.random.default_rng(split).permutation(np.flatnonzero(rows.y != stranger))
    learn = taken(rows, known[: 2 * len(known) // 3])
    judge = taken(rows, np.r_[known[2 * len(known) // 3 :], np.flatnonzero(rows.y == stranger)])
    # What is unusual does not depend on the latent functions: one epoch is enough.
    clf = NoisyGPClassifier(learn_novelty="always", epochs=1, calibrate=False, random_state=0,
                            n_jobs=1).fit(learn.X, learn.y, X_err=learn.X_err)  # fmt: skip
    novelty = clf.novelty(judge.X, X_err=judge.X_err)
    imputer = SimpleImputer(strategy="median").fit(learn.X)
    forest = IsolationForest(n_estimators=300, random_state=0).fit(imputer.transform(learn.X))
    strange = judge.y == stranger
    return {
        "nimgp": roc_auc_score(strange, novelty),
        "IsolationForest": roc_auc_score(strange, -forest.score_samples(imputer.transform(judge.X))),
        "known above 1": (novelty[~strange] > 1).mean(),
        "known above 2": (novelty[~strange] > 2).mean(),
        "strangers above 2": (novelty[strange] > 2).mean(),
    }


def tasks(names: list[str], folder: Path) -> list[tuple[str, ...]]:
    wanted: list[tuple[str, ...]] = []
    if "novelty" in names:
        present = [s for s in SETS if s == "catalogue" or Path(folder, "uci").is_dir()]
        for name in SETS:
            if name not in present:
                print(f"{name}: not measured, {folder} is not there")
        classes = {"catalogue": 3, "4FGL": 3, "wine": 3, "vehicle": 4}
        wanted += [("novelty", name, str(split), str(c)) for split in range(SPLITS)
                   for name in present for c in range(classes[name])]  # fmt: skip
    if "prior" in names:
        wanted += [("prior", "", str(seed), "") for seed in range(3000, 3003)]
    if "coverage" in names:
        wanted += [("coverage", "", str(seed), "") for seed in range(3000, 3000 + COVERAGE_SETS)]
    return wanted


def run(task: tuple[str, ...], program: Path, folder: Path) -> dict[str, object]:
    kind, name, number, stranger = task
    if kind == "novelty":
        return run_novelty(program, folder, name, int(number), int(stranger))
    return (run_prior if kind == "prior" else run_coverage)(program, int(number))


# ---------------------------------------------------------------------- report


def read_runs(path: Path) -> dict[tuple[str, ...], dict[str, float]]:
    runs: dict[tuple[str, ...], dict[str, float]] = {}
    if path.exists():
        with path.open(newline="") as file:
            for *task, figure, value in csv.reader(file):
                runs.setdefault(tuple(task), {})[figure] = float(value)
    return runs


def mean(values: list[float], digits: int = 3) -> str:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{np.mean(values):.{digits}f} ± {error:.{digits}f}"


def rows_of(runs: dict, kind: str, name: str = "") -> list[dict[str, float]]:
    return [figures for task, figures in runs.items() if task[:2] == (kind, name)]


def prior_text(runs: dict) -> str:
    every = rows_of(runs, "prior")
    if not every:
        return ""
    lines = [f"| {name} | {mean([run[name] for run in every], 4)} |" for name in every[0]]
    return (
        f"## Other shares of classes\n\nMock catalogues of {len(every)} seeds, {TRAINING_ROWS} training "
        f"rows. Among the {PRIOR_ROWS} test rows the shares of agn, pulsar and starburst are changed "
        f"to {', '.join(map(str, TURNED))}. `told`: these shares are passed as `prior`; `auto`: "
        "they are estimated from the rows without labels. Means over seeds ± standard error.\n\n"
        "| figure | |\n|---|---|\n" + "\n".join(lines) + "\n\n"
    )


def coverage_text(runs: dict) -> str:
    every = rows_of(runs, "coverage")
    if not every:
        return ""
    lines = [f"| {name} | {mean([run[name] for run in every])} |" for name in every[0]]
    return (
        f"## Sets of classes\n\nHow often sets with `coverage={COVERAGE}` contain the true class: "
        f"{len(every)} of {COVERAGE_SETS} mock catalogues of {COVERAGE_ROWS} rows each, 2000 test rows. "
        "Means over catalogues ± standard error.\n\n"
        "| | share |\n|---|---|\n" + "\n".join(lines) + "\n\n"
    )


def novelty_text(runs: dict) -> str:
    lines = []
    for name in SETS:
        every = rows_of(runs, "novelty", name)
        figures = [mean([run[figure] for run in every]) for figure in (every[0] if every else ())]
        lines += [f"| {name} | {len(every)} | " + " | ".join(figures) + " |"] if every else []
    return (
        "## Unknown classes\n\nEach class is left out of training in turn. The model is trained on two "
        "thirds of the other rows. AUC measures how well novelty separates the rows of the class that "
        "was left out from the remaining third. IsolationForest (300 trees) gets the same values "
        "without error bars; missing cells are replaced by medians. nimgp uses "
        "`learn_novelty=\"always\"`. The last columns are shares of rows above a threshold. If novelty is "
        "calibrated, 0.1 of the rows of known classes are above 1 and 0.01 are above 2.\n\n"
        "| set | runs | AUC, nimgp | AUC, IsolationForest | known above 1 | known above 2 | unknown "
        "above 2 |\n|---|---|---|---|---|---|---|\n" + "\n".join(lines) + "\n"
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=["prior", "coverage", "novelty"])
    parser.add_argument("--runs", type=Path, default=ROOT / "build" / "strangers.csv")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "strangers.md")
    folder = Path(os.environ.get("NIMGP_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=folder)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/cli/nimgp")
    parser.add_argument("--report", action="store_true")
    chosen = parser.parse_args()
    done = read_runs(chosen.runs)
    warnings.simplefilter("ignore")  # training is stopped early on purpose
    for task in [] if chosen.report else tasks(chosen.names, chosen.data):
        if task in done:
            continue
        start = time.process_time()
        figures = run(task, chosen.program, chosen.data)
        with chosen.runs.open("a", newline="") as file:
            csv.writer(file).writerows([*task, name, value] for name, value in figures.items())
        print(*task, f"{time.process_time() - start:.1f} s", flush=True)
    runs = read_runs(chosen.runs)
    chosen.out.write_text(
        "# Other class shares, sets of classes and unknown classes\n\n    python experiments/strangers.py\n\n"
        "Each table states its number of runs.\n\n" + prior_text(runs) + coverage_text(runs)
        + novelty_text(runs)
    )  # fmt: skip


if __name__ == "__main__":
    main()
