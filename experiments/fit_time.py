# SPDX-License-Identifier: Apache-2.0
"""CPU time of a fit at the defaults beside scikit-learn's calibrated random forest, one thread, in turns.

python -m experiments.fit_time [--data DIR] [--splits 3]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .classifiers import PEERS

# classifiers sets NumPy's number of threads, so it comes first
# isort: split
import numpy as np

from nimgp import NoisyGPClassifier

from .data import default_folder, uci_rows
from .experiment import Place
from .paper.astro import make_problem

FOREST = "RandomForest, calibrated"
FIRST_SPLIT = 50  # splits on which settings are chosen will do for a time
NOISE = 0.25

Rows = tuple[np.ndarray, np.ndarray, Any]


def uci_splits(folder: Path, name: str, splits: int) -> Iterator[Rows]:
    for split in range(FIRST_SPLIT, FIRST_SPLIT + splits):
        X, y, train, _ = uci_rows(folder, name, NOISE, split)
        yield X[train], np.unique(y[train], return_inverse=True)[1], np.sqrt(NOISE)


def astro_splits(folder: Path, splits: int) -> Iterator[Rows]:
    for split in range(FIRST_SPLIT, FIRST_SPLIT + splits):
        problem = make_problem(Place(folder, Path()), 6, split, exact=0.0)
        yield problem.X, problem.y, problem.X_err


def seconds(estimator: Any, X: np.ndarray, y: np.ndarray, **errors: Any) -> float:
    start = time.process_time()
    estimator.fit(X, y, **errors)
    return time.process_time() - start


def compare(name: str, splits: Iterator[Rows]) -> None:
    pairs = []
    for X, y, X_err in splits:
        ours = seconds(NoisyGPClassifier(random_state=0, n_jobs=1), X, y, X_err=X_err)
        pairs.append((ours, seconds(PEERS[FOREST](X, y), X, y)))
    ratios = [ours / forest for ours, forest in pairs]
    ours, forest = np.median(pairs, axis=0)
    print(f"| {name} | {ours:.2f} | {forest:.2f} | {np.median(ratios):.2f} "
          f"({min(ratios):.2f} to {max(ratios):.2f}) |", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=default_folder())
    parser.add_argument("--splits", type=int, default=3)
    chosen = parser.parse_args()
    print("| set | nimgp, s | forest, s | ratio, median (range) |\n|---|---|---|---|")
    for name in ("wine", "glass", "vehicle"):
        compare(f"{name} + {NOISE}", uci_splits(chosen.data, name, chosen.splits))
    compare("4FGL", astro_splits(chosen.data, chosen.splits))


if __name__ == "__main__":
    main()
