#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers from real catalogues: redshifts and the distances of supernovae, beside other methods.

    redshifts.py [galaxies] [sdss] [quasars] [pantheon] [--methods NAME ...] [--data DIR] [--first SEED] [--seeds N]
                 [--runs FILE] [--again NAME ...] [--report] [--out FILE]

A run is one method on one split, and some rows of the file of runs; it is not done twice, but for the methods named by
--again. --report runs nothing and only writes the page. Splits from 0 on are for reporting, from 50 on for development.
The methods are in redshift_methods.py; those whose packages (requirements-redshifts.txt) are not there are left out, and
that is said. Without the catalogues in DIR/catalogues nothing is done.
"""

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "LOKY_MAX_CPU_COUNT"):
    os.environ[name] = "1"

import argparse
import csv
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from redshift_methods import LEAST, LEVELS, METHODS, Answer, Part
from scipy import integrate

from nimgp import Errors, NoisyGPRegressor

ROOT = Path(__file__).resolve().parents[1]
WORSE = (0, 3, 10)  # times the median error, added to those of test rows
FILES = {
    "galaxies": "galaxies.csv.gz",
    "sdss": "sdss_galaxies_train.csv.gz",
    "quasars": "sdss_quasars.tab.gz",
    "pantheon": "pantheon_plus.dat.gz",
}
TITLES = {
    "galaxies": "Simulated LSST galaxies: 7000 training rows, six magnitudes",
    "sdss": "SDSS galaxies: 5000 training rows, five magnitudes",
    "quasars": "SDSS quasars: 8000 training rows, five magnitudes",
}


def read(folder: Path, name: str) -> Any:
    import pandas

    blanks = {"sep": r"\s+"} if name in ("quasars", "pantheon") else {}
    return pandas.read_csv(folder / FILES[name], **blanks)


def split(folder: Path, name: str, seed: int) -> tuple[Part, Part]:
    """Training and test rows; a magnitude that is not there is NaN."""
    table = read(folder, name)
    if name == "galaxies":
        columns, n, m = [(f"mag_{b}_lsst", f"mag_err_{b}_lsst") for b in "ugrizy"], 7000, 3225
    elif name == "quasars":
        columns, n, m = [(f"{b}_mag", f"sig_{b}_mag") for b in "ugriz"], 8000, 4000
    else:
        import pandas

        table = pandas.concat([table, pandas.read_csv(folder / "sdss_galaxies_test.csv.gz")])
        columns, n, m = [(b, f"{b}_err") for b in "ugriz"], 5000, 5000
    X = table[[value for value, _ in columns]].to_numpy(float)
    E = table[[error for _, error in columns]].to_numpy(float)
    y = table["z" if name == "quasars" else "redshift"].to_numpy(float)
    bad = (X <= 0) | (X > 90)
    X, E = np.where(bad, np.nan, X), np.where(bad | (E <= 0), np.nan, E)
    order = np.arange(len(y)) if name == "sdss" else np.random.default_rng(seed).permutation(len(y))
    return tuple(Part(X[rows], E[rows], y[rows]) for rows in (order[:n], order[n : n + m]))


def remeasured(part: Part, usual: np.ndarray, times: float) -> Part:
    """With more noise, and told so."""
    more = times * usual
    noise = more * np.random.default_rng(7).normal(size=part.X.shape)
    error = np.where(np.isnan(part.E), usual, part.E)
    return Part(part.X + noise, np.sqrt(error**2 + more**2), part.y) if times else part


# ---------------------------------------------------------------- runs

Figures = dict[str, float]
Runs = dict[tuple[str, str, int], Figures]  # by set, method and split


def read_runs(path: Path) -> Runs:
    runs: Runs = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            for name, method, seed, figure, value in csv.reader(file):
                runs.setdefault((name, method, int(seed)), {})[figure] = float(value)
    return runs


def write_runs(path: Path, runs: Runs) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = ((*run, figure, f"{value:.5g}") for run in sorted(runs) for figure, value in runs[run].items())
        csv.writer(file, lineterminator="\n").writerows(rows)


def score(answer: Answer, y: np.ndarray) -> Figures:
    off = (answer.point - y) / (1 + y)
    return {
        "nll": -np.clip(np.nan_to_num(answer.density, nan=LEAST), LEAST, None).mean(),
        "scatter": 1.4826 * float(np.median(abs(off - np.median(off)))),
        "outliers": 100 * float((abs(off) > 0.15).mean()),
        "pit": float(abs((answer.place[:, None] <= LEVELS).mean(0) - LEVELS).max()),
    }


def redshifts(folder: Path, name: str, method: str, seed: int) -> Figures:
    train, test = split(folder, name, seed)
    usual = np.nanmedian(train.E, 0)
    start = time.process_time()
    model = METHODS[method](train, seed)
    spent = time.process_time() - start
    scores = [score(model.predict(remeasured(test, usual, k)), test.y) for k in WORSE]
    more = {f"{key}_{k}": of[key] for k, of in zip(WORSE[1:], scores[1:], strict=True) for key in ("nll", "scatter")}
    return {**scores[0], **more, "seconds": spent}


def modulus(z: np.ndarray) -> np.ndarray:
    """Of a flat universe with Omega_m = 0.334, up to a constant."""
    distance = [
        integrate.quad(lambda t: (0.334 * (1 + t) ** 3 + 0.666) ** -0.5, 0, end)[0] for end in z
    ]
    return 5 * np.log10((1 + z) * np.array(distance))


class Supernovae:
    """Pantheon+: x1, c and the mass of the host, their covariances, and the brightness minus that of the universe above."""

    def __init__(self, folder: Path) -> None:
        table = read(folder, "pantheon")
        table = table[table.zHD > 0.01]
        self.X = table[["x1", "c", "HOST_LOGMASS"]].to_numpy(float)
        E = table[["x1ERR", "cERR", "HOST_LOGMASS_ERR"]].to_numpy(float)
        lost = self.X[:, 2] <= 0
        self.X[lost, 2], E[lost, 2] = np.nan, np.nan
        self.y = (table.mB - modulus(table.zHD.to_numpy(float))).to_numpy(float)
        self.covariance = np.where(np.isnan(E), np.nanmedian(E, 0), E)[:, :, None] ** 2 * np.eye(3)
        most = 0.99 * np.sqrt(self.covariance[:, 0, 0] * self.covariance[:, 1, 1])  # a few are rounded beyond
        self.covariance[:, 0, 1] = self.covariance[:, 1, 0] = np.clip(table.COV_x1_c, -most, most)


def linear(X: np.ndarray, y: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least squares in some rows: coefficients, and the mean of all rows."""
    A = np.column_stack([np.ones(len(y)), np.where(np.isnan(X), np.nanmedian(X[rows], 0), X)])
    slope = np.linalg.lstsq(A[rows], y[rows], rcond=None)[0]
    return slope, A @ slope


def slopes(model: NoisyGPRegressor, X: np.ndarray) -> np.ndarray:
    """Of the mean function along x1 and c: central differences of half a deviation to both sides, from exact points, the
    median over rows within one deviation of the middle."""
    middle, spread = np.nanmedian(X, 0), np.nanstd(X, 0)
    rows = X[(abs(X - middle) < spread).all(1)]
    found = []
    for j in range(2):
        step = np.eye(X.shape[1])[j] * spread[j] / 2
        rise = model.predict(rows + step, X_err=0.0) - model.predict(rows - step, X_err=0.0)
        found.append(float(np.median(rise / spread[j])))
    return np.array(found)


SUPERNOVAE = ("nimgp", "nimgp, errors ignored", "least squares")


def pantheon(folder: Path, method: str, seed: int) -> Figures:
    """Residuals in ten folds; slopes of a fit to all rows, of the catalogue and of one simulated: what is expected of the
    true x1 and c is linear there with slopes -0.15 and 3, true values are drawn from a normal distribution with the
    covariance of the measurements less that of their errors, and measured with the errors of the catalogue."""
    sn = Supernovae(folder)
    X, y, covariance = sn.X, sn.y, sn.covariance
    errors = method != "nimgp, errors ignored"

    def fit(X: np.ndarray, y: np.ndarray, rows: Any) -> NoisyGPRegressor:
        given = {"X_err": Errors(cov=covariance[rows])} if errors else {}
        return NoisyGPRegressor(random_state=0, n_jobs=1).fit(X[rows], y[rows], **given)

    fold, rest = np.random.default_rng(seed).permutation(len(y)) % 10, np.zeros(len(y))
    start = time.process_time()
    for k in range(10):
        learn, judge = fold != k, fold == k
        if method == "least squares":
            rest[judge] = (y - linear(X, y, learn)[1])[judge]
        else:
            given = {"X_err": Errors(cov=covariance[judge])} if errors else {}
            rest[judge] = y[judge] - fit(X, y, learn).predict(X[judge], **given)
    spent = time.process_time() - start
    every = np.ones(len(y), dtype=bool)
    figures = {"deviation": rest.std(), "mad": 1.4826 * float(np.median(abs(rest - np.median(rest)))), "seconds": spent}
    for place, (X_, y_) in {"": (X, y), "simulated_": simulated(sn, seed)}.items():
        of = linear(X_, y_, every)[0][1:3] if method == "least squares" else slopes(fit(X_, y_, every), X_)
        figures |= {f"{place}x1": of[0], f"{place}c": of[1]}
    return {key: float(value) for key, value in figures.items()}


TRUE_SLOPES = (-0.15, 3.0)


def simulated(sn: Supernovae, seed: int) -> tuple[np.ndarray, np.ndarray]:
    r, both = np.random.default_rng(seed), slice(0, 2)
    noise = sn.covariance[:, both, both]
    inner = np.cov(sn.X[:, both].T) - np.median(noise, 0)
    truth = sn.X[:, both].mean(0) + r.multivariate_normal(np.zeros(2), inner, len(sn.y))
    X = sn.X.copy()
    X[:, both] = truth + np.einsum("nij,nj->ni", np.linalg.cholesky(noise), r.normal(size=truth.shape))
    return X, truth @ TRUE_SLOPES + 0.12 * r.normal(size=len(truth))


# ---------------------------------------------------------------- the page


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


COLUMNS = ("nll", "scatter", "outliers", "pit", "nll_3", "nll_10", "seconds")
FORMATS = ("{:.3f}", "{:.4f}", "{:.2f} %", "{:.3f}", "{:.3f}", "{:.3f}", "{:.0f}")


def means(runs: Runs, name: str, methods: Any, seeds: list[int]) -> dict[str, tuple[int, Figures]]:
    """Of each method, over the splits it has."""
    found = {}
    for method in methods:
        has = [runs[name, method, seed] for seed in seeds if (name, method, seed) in runs]
        if has:
            found[method] = len(has), {key: float(np.mean([one[key] for one in has])) for key in has[0]}
    return found


def redshift_table(runs: Runs, name: str, seeds: list[int]) -> list[str]:
    found = means(runs, name, METHODS, seeds)
    if not found:
        return []
    best = {key: min(figures[key] for _, figures in found.values()) for key in COLUMNS[:-1]}
    lines = [
        f"## {TITLES[name]}", "",
        "| method | splits | NLL | scatter | outliers | PIT | NLL, errors x 3 | x 10 | CPU s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for method, (count, figures) in found.items():
        cells = [form.format(figures[key]) for key, form in zip(COLUMNS, FORMATS, strict=True)]
        cells = [f"**{cell}**" if figures[key] == best.get(key) else cell
                 for key, cell in zip(COLUMNS, cells, strict=True)]  # fmt: skip
        lines.append(f"| {method} | {count} | {' | '.join(cells)} |")
    absent = [method for method in METHODS if (name, method, seeds[0]) not in runs]
    lines += ["", verdict(runs, name, seeds)] if "nimgp" in found else []
    return [*lines, *(["", f"Not measured yet: {'; '.join(absent)}."] if absent else []), ""]


def verdict(runs: Runs, name: str, seeds: list[int]) -> str:
    """Where others win, on the splits that both have."""
    called = ("NLL", "scatter", "outliers", "PIT", "NLL, errors x 3", "NLL, errors x 10", "CPU time")
    lost = []
    for key, words in zip(COLUMNS, called, strict=True):
        better = []
        for method in METHODS:
            shared = [seed for seed in seeds if {(name, "nimgp", seed), (name, method, seed)} <= set(runs)]
            gaps = [runs[name, method, seed][key] - runs[name, "nimgp", seed][key] for seed in shared]
            better += [method] if gaps and np.mean(gaps) < 0 else []
        lost += [f"\n- {words}: {'; '.join(better)}"] if better else []
    return f"Better than nimgp on the splits that both have:\n{''.join(lost) or ' none in any column.'}"


def supernova_table(runs: Runs, seeds: list[int]) -> list[str]:
    found = means(runs, "pantheon", SUPERNOVAE, seeds[:1])
    if not found:
        return []
    lines = [
        "## Pantheon+: 1590 supernovae, in ten folds", "",
        "The target is the brightness minus that of a flat universe with Omega_m = 0.334; the errors of x1 and c are "
        "correlated. Slopes along x1 and c are those of the mean function between exact points, of a fit to all rows: "
        "noise in x1 and c flattens what is fitted to the measurements, and a method that knows of it should undo that. "
        "Simulated: the same errors, true values from a normal distribution as wide, and a target that is linear in "
        f"them with slopes {TRUE_SLOPES[0]:g} and {TRUE_SLOPES[1]:g}.", "",
        "| method | deviation of residuals | 1.4826 MAD | slope x1 | slope c | simulated: x1 | c | CPU s of ten fits |",
        "|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    forms = ("{:.4f}", "{:.4f}", "{:.3f}", "{:.2f}", "{:.3f}", "{:.2f}", "{:.0f}")
    keys = ("deviation", "mad", "x1", "c", "simulated_x1", "simulated_c", "seconds")
    for method, (_, figures) in found.items():
        cells = [form.format(figures[key]) for key, form in zip(keys, forms, strict=True)]
        lines.append(f"| {method} | {' | '.join(cells)} |")
    return [*lines, ""]


HEAD = """# Numbers

    make redshifts

Written by [redshifts.py](../../experiments/redshifts.py), from catalogues that are not part of the project; runs are kept
in numbers.csv. Means over the splits; NLL: of the true
redshift; scatter: 1.4826 MAD of (z - z_true)/(1 + z_true); outliers: share beyond 0.15; PIT: largest difference between
the share of rows below a quantile and its level; errors x 3: test magnitudes measured
worse by 3 times the median error of each, and told so; CPU seconds of the fit, by one thread. Bold: the best of a column.

GPz and FlexZBoost are stages of [RAIL](https://rail-hub.readthedocs.io), with their defaults; the point estimate of
FlexZBoost is the mode, of others the mean or the median. GPz, CatBoost and histogram boosting are told of the errors by
columns of their logarithms; copies: trained with two degraded copies of each row too. What each method does is in
[redshift_methods.py](../../experiments/redshift_methods.py).

## The parts of the default

Where y is a number, a fit is a panel ([views.md](../derivations/views.md#numbers)) of a Gaussian process and eight
mixtures of Gaussians over attributes and y. Held-out rows weigh them; where they gain nothing the Gaussian process is
alone. Noise of y that varies and several modes are what one Gaussian around one function cannot say.
"""


def measure(folder: Path, name: str, method: str, seed: int) -> Figures | None:
    try:
        return (pantheon if name == "pantheon" else redshifts)(folder, *(() if name == "pantheon" else (name,)), method, seed)
    except ImportError as error:
        say(f"redshifts.py: {method}: SKIPPED, {error}; see experiments/requirements-redshifts.txt")
        return None


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    every = [*METHODS, *(method for method in SUPERNOVAE if method not in METHODS)]
    parser.add_argument("sets", nargs="*", choices=[*FILES, []])
    parser.add_argument("--methods", nargs="+", choices=every, default=every)
    parser.add_argument("--again", nargs="+", choices=every, default=[])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--runs", type=Path, default=ROOT / "docs/results/numbers.csv")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/results/numbers.md")
    options = parser.parse_args()
    folder, sets = options.data / "catalogues", options.sets or list(FILES)
    missing = [str(folder / FILES[name]) for name in sets if not (folder / FILES[name]).exists()]
    if missing and not options.report:
        say(f"redshifts.py: SKIPPED, nothing measured: no {', '.join(missing)}")
        return
    seeds = [options.first + k for k in range(options.seeds)]
    todo = [
        (name, method, seed)
        for seed in seeds
        for name in sets
        if seed == seeds[0] or name not in ("sdss", "pantheon")  # which is split as it is; in ten folds
        for method in (SUPERNOVAE if name == "pantheon" else METHODS)
        if method in options.methods
        and (method in options.again or (name, method, seed) not in read_runs(options.runs))
    ]
    for run in [] if options.report else todo:
        figures = measure(folder, *run)
        if figures:
            write_runs(options.runs, {**read_runs(options.runs), run: figures})
            say(f"{run}: { {key: float(f'{value:.4g}') for key, value in figures.items()} }")
    runs, lines = read_runs(options.runs), [HEAD]
    for name in TITLES:
        lines += redshift_table(runs, name, seeds)
    lines += supernova_table(runs, seeds)
    options.out.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
