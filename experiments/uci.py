#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nimgp's default beside scikit-learn's classifiers, on UCI sets with noise added to the inputs.

    uci.py [--sets wine,vehicle,glass] [--splits 10] [--variance 0.25] [--jobs 2] [--out FILE]

The published splits and noise draws (`uci/splits.py` in the data folder, NIMGP_DATA): the first 90 %
of a permutation train; attributes are standardised with the training rows' mean and deviation, then
noise of the given variance is added to all rows, training and test. nimgp is told the noise's standard
deviation as X_err; the others have no place for it. What they have settings for is chosen by
cross-validation inside the training rows.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from classifiers import LEAST, PEERS, all_classes, mean_and_error, mean_nll

# classifiers sets NumPy's number of threads, so it comes first
# isort: split
import numpy as np
import sklearn
from joblib import Parallel, delayed

import nimgp
from nimgp import NoisyGPClassifier

ROOT = Path(__file__).parents[1]


class Split(NamedTuple):
    set: str
    number: int
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


class Score(NamedTuple):
    method: str
    set: str
    split: int
    nll: float
    error: float
    seconds: float


# ---------------------------------------------------------------------- data


def data_folder() -> Path:
    folder = Path(os.environ.get("NIMGP_DATA", ROOT.parent / "shared" / "data")) / "uci"
    if not (folder / "splits.py").exists():
        sys.exit(f"uci.py: {folder}/splits.py is not there; set NIMGP_DATA to the data folder")
    return folder


def splits_module(folder: Path) -> Any:
    spec = importlib.util.spec_from_file_location("splits", folder / "splits.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_splits(name: str, count: int, variance: float) -> Iterator[Split]:
    folder = data_folder()
    published = splits_module(folder)
    table = np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1)
    X, y = table[:, :-1], table[:, -1].astype(int)
    order = published.permutations(len(X))
    # All hundred draws come from one generator, one after the other: take the first ones.
    for number, noise in published.noise(*X.shape, variance):
        if number >= count:
            return
        train, test = np.split(order[number], [int(0.9 * len(X))])
        mean, deviation = X[train].mean(axis=0), X[train].std(axis=0)
        noisy = (X - mean) / np.where(deviation > 0, deviation, 1.0) + noise
        yield Split(name, number, noisy[train], y[train], noisy[test], y[test])


# ---------------------------------------------------------------------- methods


def peer(name: str) -> Callable[[Split], Any]:
    return lambda split: PEERS[name](split.X, split.y)


METHODS: dict[str, Callable[[Split], Any]] = {
    "nimgp": lambda split: NoisyGPClassifier(random_state=0, n_jobs=1),
    "nimgp, softmax": lambda split: NoisyGPClassifier(
        likelihood="softmax", random_state=0, n_jobs=1
    ),
    **{name: peer(name) for name in PEERS},
}


def run(method: str, split: Split, variance: float) -> Score:
    warnings.filterwarnings("ignore")
    begin = time.perf_counter()
    estimator = METHODS[method](split)
    errors = {"X_err": np.sqrt(variance)} if method.startswith("nimgp") else {}
    estimator.fit(split.X, split.y, **errors)
    given = estimator.predict_proba(split.X_test, **errors)
    p = all_classes(estimator, given, max(split.y.max(), split.y_test.max()) + 1)
    error = (p.argmax(axis=1) != split.y_test).mean()
    nll = mean_nll(p, split.y_test)
    return Score(method, split.set, split.number, nll, error, time.perf_counter() - begin)


# ---------------------------------------------------------------------- the table


def of(scores: list[Score], method: str, name: str) -> list[Score]:
    chosen = [s for s in scores if (s.method, s.set) == (method, name)]
    return sorted(chosen, key=lambda s: s.split)


def report(scores: list[Score], sets: list[str], variance: float) -> str:
    lines = ["| method | " + " | ".join(f"{s}: NLL | error" for s in sets) + " | seconds a fit |",
             "|---|" + "---|" * (2 * len(sets) + 1)]  # fmt: skip
    for method in METHODS:
        cells = []
        for name in sets:
            mine = of(scores, method, name)
            best = min(np.mean([s.nll for s in of(scores, m, name)]) for m in METHODS)
            nll = mean_and_error([s.nll for s in mine])
            cells.append(f"**{nll}**" if np.mean([s.nll for s in mine]) == best else nll)
            cells.append(mean_and_error([s.error for s in mine]))
        seconds = np.mean([s.seconds for s in scores if s.method == method])
        lines.append(f"| {method} | " + " | ".join(cells) + f" | {seconds:.1f} |")
    lines += ["", "NLL of the others less nimgp's, split by split (positive: nimgp is better):", "",
              "| method | " + " | ".join(sets) + " |", "|---|" + "---|" * len(sets)]  # fmt: skip
    for method in list(METHODS)[1:]:
        cells = []
        for name in sets:
            pairs = zip(of(scores, method, name), of(scores, "nimgp", name), strict=True)
            cells.append(mean_and_error([theirs.nll - ours.nll for theirs, ours in pairs]))
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def document(table: str, scores: list[Score], sets: list[str], splits: int, variance: float) -> str:
    first = {name: min(METHODS, key=lambda m: np.mean([s.nll for s in of(scores, m, name)]))
             for name in sets}  # fmt: skip
    beaten = [
        f"{name} (best there: {method})" for name, method in first.items() if method != "nimgp"
    ]
    verdict = (
        f"nimgp's default has the best mean NLL on all of {', '.join(sets)}."
        if not beaten
        else f"nimgp's default does not have the best mean NLL on {'; '.join(beaten)}."
    )
    return f"""# nimgp beside scikit-learn's classifiers: noisy UCI sets

    make uci
    python experiments/uci.py --sets {",".join(sets)} --splits {splits} --variance {variance:g}

{splits} published splits of each set, 90 % to train. Attributes are standardised with the training rows,
then noise of variance {variance:g} is added to all rows, to train and to test. nimgp {nimgp.__version__}, at its defaults and
with `likelihood="softmax"`, is told the noise's deviation as `X_err`; nothing else can be. scikit-learn {sklearn.__version__}: regularisation
(LogisticRegression), kernel width (GaussianProcessClassifier, by marginal likelihood), C and gamma (SVC)
and the number of trees (HistGradientBoosting) are chosen inside the training rows; forests have 500
trees, calibrated by sigmoids in cross-validation. Means over splits ± standard error; probabilities below
{LEAST:g} count as {LEAST:g}. Bold: best mean NLL. Seconds are of one thread, settings searched included, with {{jobs}}
tasks at a time.

{table}

{verdict}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", default="wine,vehicle,glass")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--variance", type=float, default=0.25)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    sets = chosen.sets.split(",")
    splits = [s for name in sets for s in read_splits(name, chosen.splits, chosen.variance)]
    tasks = [delayed(run)(method, split, chosen.variance) for split in splits for method in METHODS]
    scores: list[Score] = []
    for score in Parallel(chosen.jobs, return_as="generator_unordered")(tasks):
        scores.append(score)
        print(f"{len(scores)}/{len(tasks)} {score.set} {score.split} {score.method}: "
              f"NLL {score.nll:.3f} error {score.error:.3f} in {score.seconds:.1f} s",
              file=sys.stderr)  # fmt: skip
    table = report(scores, sets, chosen.variance)
    print(table)
    if chosen.out:
        text = document(table, scores, sets, chosen.splits, chosen.variance)
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        chosen.out.write_text(text.replace("{jobs}", str(chosen.jobs)))


if __name__ == "__main__":
    main()
