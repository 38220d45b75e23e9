#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nimgp's default beside scikit-learn's classifiers, on UCI sets with noise added to the inputs.

    uci.py [--sets wine,glass,...] [--first 0] [--splits 10] [--variances 0,0.1,0.25,0.5] [--jobs 2]
           [--runs FILE] [--out FILE] [--variant NAME=VALUE,...]... [--no-peers]

With --variant, nimgp is also run with these parameters instead of its defaults: to choose defaults,
on splits from 50 on, which are not for reporting.

Every run is a row of the file --runs (build/uci.csv): a run that is there is not done again.

The published splits and noise draws (`uci/splits.py` in the data folder, NIMGP_DATA): the first 90 %
of a permutation train; attributes are standardised with the training rows' mean and deviation, then
noise of the given variance is added to all rows, training and test. nimgp is told the noise's standard
deviation as X_err; the others have no place for it. What they have settings for is chosen by
cross-validation inside the training rows.
"""

from __future__ import annotations

import argparse
import ast
import csv
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


# The quick ones first.
SETS = ["wine", "new-thyroid", "glass", "svmguide2", "vowel", "vehicle", "waveform", "satellite"]


class Split(NamedTuple):
    set: str
    variance: float
    number: int
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


class Score(NamedTuple):
    method: str
    set: str
    variance: float
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


def read_splits(name: str, first: int, count: int, variance: float) -> Iterator[Split]:
    folder = data_folder()
    published = splits_module(folder)
    table = np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1)
    X, y = table[:, :-1], table[:, -1].astype(int)
    order = published.permutations(len(X))
    # All hundred draws come from one generator, one after the other: take the first ones.
    for number, noise in published.noise(*X.shape, variance):
        if number < first:
            continue
        if number >= first + count:
            return
        train, test = np.split(order[number], [int(0.9 * len(X))])
        mean, deviation = X[train].mean(axis=0), X[train].std(axis=0)
        noisy = (X - mean) / np.where(deviation > 0, deviation, 1.0) + noise
        yield Split(name, variance, number, noisy[train], y[train], noisy[test], y[test])


# ---------------------------------------------------------------------- methods


def peer(name: str) -> Callable[[Split], Any]:
    return lambda split: PEERS[name](split.X, split.y)


METHODS: dict[str, Callable[[Split], Any]] = {
    "nimgp": lambda split: NoisyGPClassifier(random_state=0, n_jobs=1),
    **{name: peer(name) for name in PEERS},
}


def add_variant(text: str) -> None:
    """nimgp with other parameters, as one more method."""
    settings = {k: ast.literal_eval(v) if v[0] in "0123456789NTF" else v
                for k, v in (pair.split("=") for pair in text.split(","))}  # fmt: skip
    METHODS[f"nimgp {text.replace(',', ' ')}"] = lambda split: NoisyGPClassifier(
        random_state=0, n_jobs=1, **settings
    )


def run(make: Callable[[Split], Any], method: str, split: Split) -> Score:
    warnings.filterwarnings("ignore")
    begin = time.perf_counter()
    estimator = make(split)
    told = method.startswith("nimgp") and split.variance > 0
    errors = {"X_err": np.sqrt(split.variance)} if told else {}
    estimator.fit(split.X, split.y, **errors)
    given = estimator.predict_proba(split.X_test, **errors)
    p = all_classes(estimator, given, max(split.y.max(), split.y_test.max()) + 1)
    error = float((p.argmax(axis=1) != split.y_test).mean())
    seconds = time.perf_counter() - begin
    nll = float(mean_nll(p, split.y_test))
    return Score(method, split.set, split.variance, split.number, nll, error, seconds)


# ---------------------------------------------------------------------- runs, kept in a file


def read_scores(path: Path) -> list[Score]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [
            Score(r["method"], r["set"], float(r["variance"]), int(r["split"]), float(r["nll"]),
                  float(r["error"]), float(r["seconds"]))
            for r in csv.DictReader(file)
        ]  # fmt: skip


def append_score(path: Path, score: Score) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if fresh:
            writer.writerow(Score._fields)
        writer.writerow(score)


def run_missing(tasks: list[tuple[str, Split]], kept: Path, jobs: int) -> None:
    """Runs what the file does not have yet; each run is one more row of it."""
    done = {(s.method, s.set, s.variance, s.split) for s in read_scores(kept)}
    left = [t for t in tasks if (t[0], t[1].set, t[1].variance, t[1].number) not in done]
    runs = (delayed(run)(METHODS[method], method, split) for method, split in left)
    for count, score in enumerate(Parallel(jobs, return_as="generator_unordered")(runs), 1):
        append_score(kept, score)
        print(f"{count}/{len(left)} {score.set} +{score.variance:g} {score.split} {score.method}: "
              f"NLL {score.nll:.3f} error {score.error:.3f} in {score.seconds:.1f} s",
              file=sys.stderr)  # fmt: skip


# ---------------------------------------------------------------------- the table


class Case(NamedTuple):
    """All methods on one set at one noise level, on the splits that every method has run."""

    set: str
    variance: float
    splits: int
    nll: dict[str, np.ndarray]
    error: dict[str, np.ndarray]
    seconds: dict[str, float]

    def mean(self, method: str) -> float:
        return float(self.nll[method].mean())

    def best(self) -> str:
        return min(METHODS, key=self.mean)

    def holds(self) -> bool:
        """Whether nimgp is the best, or within one standard error of the best."""
        difference = self.nll["nimgp"] - self.nll[self.best()]
        spread = difference.std(ddof=1) / np.sqrt(self.splits) if self.splits > 1 else 0.0
        return float(difference.mean()) <= spread


def find_cases(
    scores: list[Score], sets: list[str], variances: list[float], numbers: range
) -> list[Case]:
    cases = []
    for name in sets:
        for variance in variances:
            runs = {(s.method, s.split): s for s in scores
                    if (s.set, s.variance) == (name, variance) and s.split in numbers}  # fmt: skip
            splits = sorted({k for _, k in runs if all((m, k) in runs for m in METHODS)})
            if not splits:
                continue
            column = {m: [runs[m, k] for k in splits] for m in METHODS}
            cases.append(
                Case(name, variance, len(splits),
                     {m: np.array([s.nll for s in c]) for m, c in column.items()},
                     {m: np.array([s.error for s in c]) for m, c in column.items()},
                     {m: float(np.mean([s.seconds for s in c])) for m, c in column.items()})
            )  # fmt: skip
    return cases


def table_of(cases: list[Case], cell: Callable[[Case, str], str]) -> str:
    lines = ["| set | noise | splits | " + " | ".join(METHODS) + " |",
             "|---|---|---|" + "---|" * len(METHODS)]  # fmt: skip
    for case in cases:
        cells = " | ".join(cell(case, method) for method in METHODS)
        lines.append(f"| {case.set} | {case.variance:g} | {case.splits} | {cells} |")
    return "\n".join(lines)


def nll_cell(case: Case, method: str) -> str:
    text = mean_and_error(list(case.nll[method]))
    return f"**{text}**" if method == case.best() else text


def verdict(cases: list[Case]) -> str:
    good = sum(case.holds() for case in cases)
    worst = max(cases, key=lambda c: c.mean("nimgp") - c.mean(c.best()))
    lost = [f"{c.set} +{c.variance:g} (to {c.best()} by {c.mean('nimgp') - c.mean(c.best()):.3f})"
            for c in cases if not c.holds()]  # fmt: skip
    return (
        f"nimgp's default has the best mean NLL, or one within a standard error of the paired "
        f"difference to the best, in {good} of {len(cases)} rows. Furthest above the best: "
        f"{worst.mean('nimgp') - worst.mean(worst.best()):.3f}, on {worst.set} +{worst.variance:g}."
        + (f" It loses on {'; '.join(lost)}." if lost else "")
    )


def document(cases: list[Case], jobs: int, command: str) -> str:
    return f"""# nimgp beside scikit-learn's classifiers: UCI sets with noise added

    make uci
    {command}

Published splits, 90 % to train. Attributes are standardised with the training rows, then noise of
the given variance is added to all rows, to train and to test. nimgp {nimgp.__version__}, at its defaults, is told
the noise's deviation as `X_err`; nothing else can be. scikit-learn {sklearn.__version__}: regularisation
(LogisticRegression), kernel width (GaussianProcessClassifier, by marginal likelihood), C and gamma
(SVC) and the number of trees (HistGradientBoosting) are chosen inside the training rows; forests
have 500 trees, calibrated by sigmoids in cross-validation. Means over splits ± standard error;
probabilities below {LEAST:g} count as {LEAST:g}. Bold: best mean NLL. Only splits that every method has run
are counted.

{verdict(cases)}

Mean NLL:

{table_of(cases, nll_cell)}

Error rate:

{table_of(cases, lambda case, method: f"{case.error[method].mean():.3f}")}

Seconds a fit and prediction, one thread, settings searched included, with {jobs} tasks at a time:

{table_of(cases, lambda case, method: f"{case.seconds[method]:.1f}")}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--variant", action="append", default=[])
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--variances", default="0,0.1,0.25,0.5")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--runs", type=Path, default=ROOT / "build" / "uci.csv")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    sets = chosen.sets.split(",")
    for text in chosen.variant:
        add_variant(text)
    for name in PEERS if chosen.no_peers else ():
        del METHODS[name]
    variances = [float(v) for v in chosen.variances.split(",")]
    splits = [s for name in sets for v in variances for s in read_splits(name, chosen.first, chosen.splits, v)]
    run_missing([(m, s) for s in splits for m in METHODS], chosen.runs, chosen.jobs)
    numbers = range(chosen.first, chosen.first + chosen.splits)
    cases = find_cases(read_scores(chosen.runs), sets, variances, numbers)
    command = (f"python experiments/uci.py --sets {chosen.sets} --first {chosen.first} "
               f"--splits {chosen.splits} --variances {chosen.variances}")  # fmt: skip
    text = document(cases, chosen.jobs, command)
    print(text)
    if chosen.out:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        chosen.out.write_text(text)


if __name__ == "__main__":
    main()
