#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nimgp compared with scikit-learn's classifiers, on mock catalogues whose best answer is known.

    catalogue.py [--seeds 5] [--first 0] [--rows 1000] [--test-rows 4000] [--missing few random faint]
                 [--methods NAME ...] [--jobs 2] [--out FILE] [--program NIMGP]

`nimgp simulate catalogue` makes the tables. Test rows are measured with the errors of the training rows, and
again with errors 3 and 10 times as large. nimgp gets the errors as X_err, NaN where they are missing and
0 for the latitude; the others cannot use them. For classifiers that do not accept missing cells, these
are replaced by the median of the training rows, and an additional column marks them.

Seeds from 3000 on are for reporting only; settings are chosen on others.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from classifiers import LEAST, PEERS, all_classes, mean_and_error, mean_nll

# classifiers sets NumPy's number of threads, so it comes first
# isort: split
import numpy as np
import sklearn
from joblib import Parallel, delayed
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nimgp
from nimgp import NoisyGPClassifier

ROOT = Path(__file__).parents[1]
WORSE = (1, 3, 10)  # factors to the errors of the rows to test on
MISSING = {
    "few": "few cells missing (5 %, at random)",
    "random": "30 % of cells missing, at random",
    "faint": "30 % of cells missing, more in faint sources",
}
CLASSES = ("agn", "pulsar", "starburst")
ATTRIBUTES = ("flux", "spectral_index", "curvature", "variability", "latitude")
OPTIMUM = "Bayes optimum"


class Rows(NamedTuple):
    X: np.ndarray  # NaN where a cell is missing
    X_err: np.ndarray  # NaN where an error is missing
    y: np.ndarray  # number of the class


class Problem(NamedTuple):
    seed: int
    missing: str
    train: Rows
    test: dict[int, Rows]  # by factor
    best: dict[int, np.ndarray]  # by factor: rows x classes


class Score(NamedTuple):
    method: str
    missing: str
    worse: int
    seed: int
    nll: float
    excess: float  # over the optimum, on the same rows
    seconds: float  # of the fit


# ---------------------------------------------------------------------- data


def numbers(table: list[dict[str, str]], name: str) -> np.ndarray:
    return np.array([float(row[name] or "nan") for row in table])


def read_rows(path: Path) -> Rows:
    with path.open(newline="") as file:
        table = list(csv.DictReader(file))
    X = np.column_stack([numbers(table, name) for name in ATTRIBUTES])
    X_err = np.zeros_like(X)  # the latitude is exact
    for j, name in enumerate(ATTRIBUTES):
        if f"{name}_err" in table[0]:
            X_err[:, j] = numbers(table, f"{name}_err")
    return Rows(X, X_err, np.array([CLASSES.index(row["class"]) for row in table]))


def read_best(path: Path) -> np.ndarray:
    with path.open(newline="") as file:
        table = list(csv.DictReader(file))
    return np.column_stack([numbers(table, f"p_{name}") for name in CLASSES])


def simulate(program: Path, seed: int, missing: str, rows: int, test_rows: int) -> Problem:
    """The rows to learn from are the same for every factor."""
    problem = Problem(seed, missing, None, {}, {})
    with tempfile.TemporaryDirectory() as name:
        for worse in WORSE:
            words = [program, "simulate", "catalogue", "--quiet", "--out", name, "--seed", seed,
                     "--rows", rows, "--test-rows", test_rows, "--missing", missing,
                     "--worse", worse]  # fmt: skip
            subprocess.run([str(word) for word in words], check=True)
            problem = problem._replace(train=read_rows(Path(name, "train.csv")))
            problem.test[worse] = read_rows(Path(name, "test.csv"))
            problem.best[worse] = read_best(Path(name, "bayes.csv"))
    return problem


# ---------------------------------------------------------------------- methods

Predict = Callable[[Rows], np.ndarray]  # probabilities, rows x classes


def noisy(**settings: object) -> Callable[[Rows], Predict]:
    """nimgp, at its defaults but for these settings."""

    def fit(train: Rows) -> Predict:
        model = NoisyGPClassifier(random_state=0, n_jobs=1, **settings)
        model.fit(train.X, train.y, X_err=train.X_err)
        return lambda rows: all_classes(
            model, model.predict_proba(rows.X, X_err=rows.X_err), len(CLASSES)
        )

    return fit


def peer(name: str, takes_missing: bool = False) -> Callable[[Rows], Predict]:
    def fit(train: Rows) -> Predict:
        imputers = [] if takes_missing else [SimpleImputer(strategy="median", add_indicator=True)]
        units = make_pipeline(*imputers, StandardScaler()).fit(train.X)
        X = units.transform(train.X)
        model = PEERS[name](X, train.y).fit(X, train.y)
        return lambda rows: all_classes(
            model, model.predict_proba(units.transform(rows.X)), len(CLASSES)
        )

    return fit


METHODS: dict[str, Callable[[Rows], Predict]] = {
    "nimgp": noisy(),
    "nimgp, softmax": noisy(likelihood="softmax"),
    "LogisticRegression": peer("LogisticRegression"),
    "RandomForest": peer("RandomForest"),
    "RandomForest, calibrated": peer("RandomForest, calibrated"),
    "HistGradientBoosting": peer("HistGradientBoosting", takes_missing=True),
    "SVC(probability=True)": peer("SVC(probability=True)"),
}


def run(method: str, problem: Problem) -> list[Score]:
    warnings.filterwarnings("ignore")
    begin = time.perf_counter()
    predict = METHODS[method](problem.train)
    seconds = time.perf_counter() - begin
    scores = []
    for worse, rows in problem.test.items():
        nll, best = mean_nll(predict(rows), rows.y), mean_nll(problem.best[worse], rows.y)
        scores.append(Score(method, problem.missing, worse, problem.seed, nll, nll - best, seconds))
    return scores


def optimum(problem: Problem) -> list[Score]:
    return [Score(OPTIMUM, problem.missing, worse, problem.seed,
                  mean_nll(problem.best[worse], rows.y), 0.0, 0.0)
            for worse, rows in problem.test.items()]  # fmt: skip


# ---------------------------------------------------------------------- the table


def of(scores: list[Score], method: str, missing: str, worse: int) -> list[Score]:
    chosen = [s for s in scores if (s.method, s.missing, s.worse) == (method, missing, worse)]
    return sorted(chosen, key=lambda s: s.seed)


def cells(scores: list[Score], methods: list[str], method: str, missing: str) -> list[str]:
    """NLL and its excess over the optimum for each factor; the least excess in bold."""
    row = []
    for worse in WORSE:
        mine = of(scores, method, missing, worse)
        excess = {m: np.mean([s.excess for s in of(scores, m, missing, worse)]) for m in methods}
        row.append(mean_and_error([s.nll for s in mine]))
        if method == OPTIMUM:
            row.append("")
            continue
        text = mean_and_error([s.excess for s in mine])
        row.append(f"**{text}**" if excess[method] == min(excess.values()) else text)
    return row


def report(scores: list[Score], methods: list[str], kinds: list[str]) -> str:
    lines: list[str] = []
    for missing in kinds:
        heads = [f"K = {worse}: NLL | excess" for worse in WORSE]
        lines += [f"## {MISSING[missing][0].upper()}{MISSING[missing][1:]}", "",
                  f"| method | {' | '.join(heads)} | seconds a fit |",
                  "|---|" + "---|" * (2 * len(WORSE) + 1)]  # fmt: skip
        for method in [OPTIMUM, *methods]:
            mine = [s.seconds for s in scores if (s.method, s.missing) == (method, missing)]
            seconds = "" if method == OPTIMUM else f"{np.mean(mine):.1f}"
            row = cells(scores, methods, method, missing)
            lines.append(f"| {method} | {' | '.join(row)} | {seconds} |")
        lines.append("")
    return "\n".join(lines)


def document(table: str, chosen: argparse.Namespace) -> str:
    given = f"--first {chosen.first} --seeds {chosen.seeds} --rows {chosen.rows}"
    given += f" --test-rows {chosen.test_rows} --missing {' '.join(chosen.missing)}"
    last = chosen.first + chosen.seeds - 1
    return f"""# nimgp compared with scikit-learn's classifiers: mock catalogues

    python experiments/catalogue.py {given}

Seeds {chosen.first} to {last} of `nimgp simulate catalogue`: {chosen.rows} training rows, {chosen.test_rows} test rows. Test rows are measured
with errors K times as large as those of training rows. The optimum is the exact posterior, computed from the true
parameters of the catalogue; excess is the NLL above it on the same rows. nimgp {nimgp.__version__} gets all errors as `X_err`; the
classifiers of scikit-learn {sklearn.__version__} cannot use errors. Their settings are chosen inside the training rows, as in
`experiments/classifiers.py`. Missing cells are replaced by the median of the training rows, and an additional column
marks them; HistGradientBoosting handles missing cells itself. Means over seeds ± standard error; probabilities below
{LEAST:g} count as {LEAST:g}. Bold: smallest excess. Seconds are for one thread and include the search for settings;
{chosen.jobs} tasks ran at the same time.

{table}"""


def count(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=count, default=5)
    parser.add_argument("--first", type=int, default=0, help="first seed; 3000 for reporting")
    parser.add_argument("--rows", type=count, default=1000)
    parser.add_argument("--test-rows", type=count, default=4000)
    parser.add_argument("--missing", nargs="+", choices=MISSING, default=list(MISSING))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--jobs", type=count, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--program", type=Path, default=ROOT / "build" / "release" / "cli" / "nimgp"
    )
    chosen = parser.parse_args()
    if chosen.first < 0:
        parser.error("argument --first: a seed is not negative")
    if not chosen.program.exists():
        sys.exit(f"catalogue.py: {chosen.program} is not there; `make build` makes it")
    return chosen


def main() -> None:
    chosen = arguments()
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    problems = Parallel(chosen.jobs)(
        delayed(simulate)(chosen.program, seed, missing, chosen.rows, chosen.test_rows)
        for seed in seeds for missing in chosen.missing
    )  # fmt: skip
    scores = [score for problem in problems for score in optimum(problem)]
    tasks = [delayed(run)(method, problem) for problem in problems for method in chosen.methods]
    for done, new in enumerate(Parallel(chosen.jobs, return_as="generator_unordered")(tasks), 1):
        scores += new
        excess = ", ".join(f"K = {s.worse}: {s.excess:.3f}" for s in new)
        print(f"{done}/{len(tasks)} {new[0].missing} {new[0].seed} {new[0].method}: excess NLL "
              f"{excess}; {new[0].seconds:.1f} s", file=sys.stderr)  # fmt: skip
    table = report(scores, chosen.methods, chosen.missing)
    print(table)
    if chosen.out:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        chosen.out.write_text(document(table, chosen))


if __name__ == "__main__":
    main()
