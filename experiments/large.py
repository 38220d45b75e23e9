# SPDX-License-Identifier: Apache-2.0
"""Tables of thousands to a million rows: nimgp at its defaults beside boosting, support vectors and a network.

large.py [--sets letter,sky-100000] [--methods nimgp,LightGBM] [--set inducing=200] [--draw K]

letter, satellite and shuttle have exact attributes; sky-N is a mock catalogue with errors and missing cells, with N rows
to learn from and 20,000 to test on. LightGBM sees the errors as more columns; it is left out where it is not installed.
One thread; the seconds are processor time of the fit.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib.util
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from subprocess import run
from typing import Any, NamedTuple

from classifiers import all_classes, mean_nll

# classifiers sets NumPy's number of threads, so it comes first
# isort: split
import numpy as np
from catalogue import ATTRIBUTES, CLASSES, ROOT, Rows, read_best
from sklearn.impute import SimpleImputer
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from nimgp import NoisyGPClassifier

# File, separator, column of the class, rows to learn from.
FILES = {
    "letter": ("scale/letter.csv.gz", ",", "lettr", 16000),
    "satellite": ("uci/satellite.csv", ",", "class", 5000),
    "shuttle": ("scale/shuttle.tsv.gz", "\t", "target", 40000),
}
SKIES = ("sky-10000", "sky-100000", "sky-1000000")
TEST_ROWS = 20000
MOST_FOR_SVC = 50000  # rows; its time grows with their square


class Problem(NamedTuple):
    train: Rows  # with no X_err where attributes are exact
    test: Rows
    best: float  # the smallest NLL possible on the test rows; NaN: not known


def read_file(folder: Path, name: str, draw: int) -> Problem:
    path, separator, label, size = FILES[name]
    opener: Any = gzip.open if path.endswith(".gz") else open
    with opener(folder / path, "rt", newline="") as file:
        table = list(csv.DictReader(file, delimiter=separator))
    y = np.unique([row.pop(label) for row in table], return_inverse=True)[1]
    X = np.array([[float(cell) for cell in row.values()] for row in table])
    order = np.random.default_rng(draw).permutation(len(X))
    parts = [Rows(X[rows], None, y[rows]) for rows in (order[:size], order[size:])]
    return Problem(parts[0], parts[1], np.nan)


def read_sky(path: Path) -> Rows:
    """With the logarithm of the flux."""
    with path.open() as file:
        names = file.readline().rstrip("\n").split(",")
    found = [names.index(name) for name in ATTRIBUTES]
    errors = [names.index(f"{name}_err") for name in ATTRIBUTES[:-1]]  # the latitude is exact
    numbers = np.loadtxt(path, delimiter=",", skiprows=1, usecols=found + errors,
                         converters=lambda cell: float(cell or "nan"))  # fmt: skip
    kinds = np.loadtxt(path, delimiter=",", skiprows=1, usecols=names.index("class"), dtype="U9")
    X, X_err = numbers[:, : len(found)], np.zeros((len(numbers), len(found)))
    X_err[:, : len(errors)] = numbers[:, len(found) :]
    X_err[:, 0] /= X[:, 0]
    X[:, 0] = np.log(X[:, 0])
    return Rows(X, X_err, np.searchsorted(CLASSES, kinds))


def simulate_sky(program: Path, size: int, draw: int) -> Problem:
    with tempfile.TemporaryDirectory() as folder:
        words = [program, "simulate", "catalogue", "--quiet", "--out", folder, "--seed", draw,
                 "--rows", size, "--test-rows", TEST_ROWS]  # fmt: skip
        run([str(word) for word in words], check=True)
        test = read_sky(Path(folder, "test.csv"))
        best = mean_nll(read_best(Path(folder, "bayes.csv")), test.y)
        return Problem(read_sky(Path(folder, "train.csv")), test, best)


# ---------------------------------------------------------------------- methods

Predict = Callable[[Rows], np.ndarray]


def nimgp(train: Rows, options: dict[str, str]) -> Predict:
    model = NoisyGPClassifier(random_state=0, n_jobs=1, options=options or None)
    errors = {} if train.X_err is None else {"X_err": train.X_err}
    model.fit(train.X, train.y, **errors)
    return lambda rows: model.predict_proba(rows.X, **(errors and {"X_err": rows.X_err}))


def columns(rows: Rows) -> np.ndarray:
    return rows.X if rows.X_err is None else np.hstack([rows.X, rows.X_err])


def fitted(estimator: Any, train: Rows) -> Predict:
    estimator.fit(columns(train), train.y)
    count = train.y.max() + 1
    return lambda rows: all_classes(estimator, estimator.predict_proba(columns(rows)), count)


def boosting(train: Rows, options: dict[str, str]) -> Predict:
    from lightgbm import LGBMClassifier

    return fitted(LGBMClassifier(n_estimators=300, learning_rate=0.05 if train.X_err is not None else 0.1,
                                 n_jobs=1, verbose=-1), train)  # fmt: skip


def scaled(estimator: Any) -> Any:
    return make_pipeline(SimpleImputer(), StandardScaler(), estimator)


def support_vectors(train: Rows, options: dict[str, str]) -> Predict:
    return fitted(scaled(SVC(C=10, probability=True, random_state=0)), train)


def network(train: Rows, options: dict[str, str]) -> Predict:
    return fitted(scaled(MLPClassifier((200, 100), early_stopping=True, random_state=0)), train)


METHODS: dict[str, Callable[[Rows, dict[str, str]], Predict]] = {
    "nimgp": nimgp, "LightGBM": boosting, "SVC": support_vectors, "MLP": network,
}  # fmt: skip


def is_possible(method: str, rows: int) -> bool:
    if method == "LightGBM":
        return importlib.util.find_spec("lightgbm") is not None
    return method != "SVC" or rows <= MOST_FOR_SVC


def compare(name: str, problem: Problem, methods: list[str], options: dict[str, str]) -> None:
    for method in methods:
        if not is_possible(method, len(problem.train.y)):
            continue
        start = time.process_time()
        predict = METHODS[method](problem.train, options)
        seconds = time.process_time() - start
        p = predict(problem.test)
        nll, wrong = mean_nll(p, problem.test.y), np.mean(p.argmax(axis=1) != problem.test.y)
        excess = "" if np.isnan(problem.best) else f"{nll - problem.best:.4f}"
        print(f"| {name} | {method} | {nll:.4f} | {excess} | {100 * wrong:.2f} % | {seconds:.1f} |",
              flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("NIMGP_DATA", ROOT.parent / "shared" / "data")),
    )
    parser.add_argument(
        "--program", type=Path, default=ROOT / "build" / "release" / "cli" / "nimgp"
    )
    parser.add_argument("--sets", default=",".join((*FILES, *SKIES)))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument(
        "--set", action="append", default=[], metavar="OPTION=VALUE", help="of nimgp"
    )
    parser.add_argument(
        "--draw", type=int, default=3000, help="of the rows; those from 3000 on are for reporting"
    )
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| table | method | NLL | above the optimum | wrong | s |\n|---|---|---|---|---|---|")
    for name in chosen.sets.split(","):
        known = read_file(chosen.data, name, chosen.draw) if name in FILES else None
        problem = known or simulate_sky(chosen.program, int(name.split("-")[1]), chosen.draw)
        compare(
            name, problem, chosen.methods.split(","), dict(pair.split("=") for pair in chosen.set)
        )


if __name__ == "__main__":
    main()
