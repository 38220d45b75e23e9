#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers from real catalogues: redshifts and the distances of supernovae, beside other methods.

    redshifts.py [galaxies] [sdss] [quasars] [pantheon] [--data DIR] [--first SEED] [--seeds N] [--out FILE]

Splits from 0 on are for reporting, from 50 on for development. Without the catalogues in DIR/catalogues
nothing is done.
"""

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import integrate, stats

from nimgp import Errors, NoisyGPRegressor

ROOT = Path(__file__).resolve().parents[1]
WORSE = (0, 3, 10)  # times the median error, added to those of test rows
LEVELS = np.arange(1, 40) / 40
LEAST = -14.0  # log density, so that one row does not decide
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


class Part(NamedTuple):
    X: np.ndarray
    E: np.ndarray
    y: np.ndarray


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


# ---------------------------------------------------------------- methods


class Answer(NamedTuple):
    density: np.ndarray  # log
    mean: np.ndarray
    place: np.ndarray  # share of rows whose y is below the quantile, for each level


def gaussian(y: np.ndarray, mean: np.ndarray, deviation: Any) -> Answer:
    below = stats.norm.cdf(y, mean, deviation)[:, None] <= LEVELS
    return Answer(stats.norm.logpdf(y, mean, deviation), mean, below.mean(0))


class Ours:
    def __init__(self, train: Part, seed: int) -> None:
        self.model = NoisyGPRegressor(random_state=seed, n_jobs=1).fit(
            train.X, train.y, X_err=train.E
        )

    def predict(self, part: Part) -> Answer:
        return Answer(
            self.model.log_density(part.X, part.y, X_err=part.E),
            self.model.predict(part.X, X_err=part.E),
            self.place(Part(part.X[::3], part.E[::3], part.y[::3])),
        )

    def place(self, part: Part) -> np.ndarray:
        """From every third row, as quantiles take a while."""
        quantiles = self.model.predict_quantiles(part.X, LEVELS, X_err=part.E)
        return (part.y[:, None] <= quantiles).mean(0)


class LeastSquares:
    """Quadratic in magnitudes."""

    def __init__(self, train: Part, seed: int) -> None:
        self.middle = np.nanmedian(train.X, 0)
        self.slope = np.linalg.lstsq(self.features(train), train.y, rcond=None)[0]
        self.deviation = (train.y - self.features(train) @ self.slope).std()

    def features(self, part: Part) -> np.ndarray:
        X = np.where(np.isnan(part.X), self.middle, part.X) - self.middle
        left, right = np.triu_indices(X.shape[1])
        return np.column_stack([np.ones(len(X)), X, X[:, left] * X[:, right]])

    def predict(self, part: Part) -> Answer:
        return gaussian(part.y, self.features(part) @ self.slope, self.deviation)


class Boosting:
    """CatBoost with magnitudes, colours and log errors and a Gaussian likelihood; or, without it,
    scikit-learn's boosting with one deviation."""

    def __init__(self, train: Part, seed: int) -> None:
        try:
            from catboost import CatBoostRegressor

            self.model: Any = CatBoostRegressor(
                loss_function="RMSEWithUncertainty", thread_count=1, verbose=0, random_seed=seed
            )
        except ImportError:
            from sklearn.ensemble import HistGradientBoostingRegressor

            self.model = HistGradientBoostingRegressor(random_state=seed, early_stopping=True)
        self.model.fit(self.features(train), train.y)
        found = self.model.predict(self.features(train))
        self.deviation = None if found.ndim == 2 else (train.y - found).std()

    def features(self, part: Part) -> np.ndarray:
        return np.hstack([part.X, -np.diff(part.X, axis=1), np.log(part.E)])

    def predict(self, part: Part) -> Answer:
        found = self.model.predict(self.features(part))
        if self.deviation is None:
            return gaussian(part.y, found[:, 0], np.sqrt(found[:, 1]))
        return gaussian(part.y, found, self.deviation)


METHODS = {"nimgp, default": Ours, "quadratic least squares": LeastSquares, "boosting": Boosting}


# ---------------------------------------------------------------- tables


def score(answer: Answer, y: np.ndarray) -> list[float]:
    off = (answer.mean - y) / (1 + y)
    return [
        -np.clip(answer.density, LEAST, None).mean(),
        1.4826 * float(np.median(abs(off - np.median(off)))),
        100 * float((abs(off) > 0.15).mean()),
        float(abs(answer.place - LEVELS).max()),
    ]


def redshifts(folder: Path, name: str, seeds: list[int]) -> list[str]:
    results: dict[str, list[list[float]]] = {}
    for seed in [0] if name == "sdss" and seeds[0] == 0 else seeds:
        train, test = split(folder, name, seed)
        usual = np.nanmedian(train.E, 0)
        for method, make in METHODS.items():
            start = time.process_time()
            model = make(train, seed)
            spent = time.process_time() - start
            scores = [score(model.predict(remeasured(test, usual, k)), test.y) for k in WORSE]
            results.setdefault(method, []).append([*scores[0], scores[1][0], scores[2][0], spent])
            say(f"{name} {seed} {method}: {np.round(results[method][-1], 4)}")
    lines = [
        f"## {TITLES[name]}",
        "",
        "| method | NLL | scatter | outliers | PIT | NLL, errors x 3 | x 10 | CPU s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for method, rows in results.items():
        nll, scatter, far, place, three, ten, spent = np.mean(rows, 0)
        lines.append(
            f"| {method} | {nll:.3f} | {scatter:.4f} | {far:.2f} % | {place:.3f} | {three:.3f} | {ten:.3f} | {spent:.0f} |"
        )
    return [*lines, ""]


def modulus(z: np.ndarray) -> np.ndarray:
    """Of a flat universe with Omega_m = 0.334, up to a constant."""
    distance = [
        integrate.quad(lambda t: (0.334 * (1 + t) ** 3 + 0.666) ** -0.5, 0, end)[0] for end in z
    ]
    return 5 * np.log10((1 + z) * np.array(distance))


def pantheon(folder: Path, seeds: list[int]) -> list[str]:
    table = read(folder, "pantheon")
    table = table[table.zHD > 0.01]
    X = table[["x1", "c", "HOST_LOGMASS"]].to_numpy(float)
    E = table[["x1ERR", "cERR", "HOST_LOGMASS_ERR"]].to_numpy(float)
    lost = X[:, 2] <= 0
    X[lost, 2], E[lost, 2] = np.nan, np.nan
    y = (table.mB - modulus(table.zHD.to_numpy(float))).to_numpy(float)
    usual = np.nanmedian(E, 0)
    covariance = np.where(np.isnan(E), usual, E)[:, :, None] ** 2 * np.eye(3)
    most = 0.99 * np.sqrt(covariance[:, 0, 0] * covariance[:, 1, 1])  # a few are rounded beyond
    covariance[:, 0, 1] = covariance[:, 1, 0] = np.clip(table.COV_x1_c, -most, most)
    fold = np.random.default_rng(seeds[0]).permutation(len(y)) % 10
    left = {"nimgp, default": np.zeros(len(y)), "least squares": np.zeros(len(y))}
    start = time.process_time()
    for k in range(10):
        learn, judge = fold != k, fold == k
        model = NoisyGPRegressor(random_state=0, n_jobs=1).fit(
            X[learn], y[learn], X_err=Errors(cov=covariance[learn])
        )
        left["nimgp, default"][judge] = y[judge] - model.predict(
            X[judge], X_err=Errors(cov=covariance[judge])
        )
    spent = time.process_time() - start
    for k in range(10):
        learn, judge = fold != k, fold == k
        A = np.column_stack([np.ones(len(y)), np.where(np.isnan(X), np.nanmedian(X[learn], 0), X)])
        slope = np.linalg.lstsq(A[learn], y[learn], rcond=None)[0]
        left["least squares"][judge] = y[judge] - A[judge] @ slope
    lines = [
        f"## Pantheon+: {len(y)} supernovae, in ten folds",
        "",
        "The target is the brightness minus that of a flat universe with Omega_m = 0.334; the errors of x1 and c are "
        f"correlated. CPU time of ten fits: {spent:.0f} s.",
        "",
        "| method | deviation of residuals | 1.4826 MAD |",
        "|---|---|---|",
    ]
    for method, rest in left.items():
        mad = 1.4826 * np.median(abs(rest - np.median(rest)))
        lines.append(f"| {method} | {rest.std():.4f} | {mad:.4f} |")
        say(lines[-1])
    return [*lines, ""]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


HEAD = """# Numbers

    build/python-venv/bin/python experiments/redshifts.py ARGUMENTS

Written by this command, from catalogues that are not part of the project. Means over the splits; NLL: of the true
redshift; scatter: 1.4826 MAD of (z - z_true)/(1 + z_true); outliers: share beyond 0.15; PIT: largest difference between
the share of rows below a quantile and its level, of every third row; errors x 3: test magnitudes measured worse by 3
times the median error
of each, and told so; CPU seconds of the fit, by one thread. Boosting is CatBoost with magnitudes, colours, log errors
and a Gaussian likelihood where it is installed, else scikit-learn's. Everything else has its defaults.

## The parts of the default

Where y is a number, a fit is a panel ([views.md](../derivations/views.md#numbers)) of a Gaussian process and four
mixtures of Gaussians over attributes and y. Held-out rows weigh them; where they gain nothing the Gaussian process is
alone. Noise of y that varies and several modes are what one Gaussian around one function cannot say.
"""


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", choices=[*FILES, []])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    folder, sets = options.data / "catalogues", options.sets or list(FILES)
    missing = [str(folder / FILES[name]) for name in sets if not (folder / FILES[name]).exists()]
    if missing:
        say(f"redshifts.py: SKIPPED, nothing measured: no {', '.join(missing)}")
        return
    seeds = [options.first + k for k in range(options.seeds)]
    lines = [HEAD.replace("ARGUMENTS", " ".join(sys.argv[1:]))]
    for name in sets:
        lines += pantheon(folder, seeds) if name == "pantheon" else redshifts(folder, name, seeds)
    text = "\n".join(lines).rstrip() + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
