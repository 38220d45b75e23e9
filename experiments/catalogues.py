#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real catalogues: nimgp beside boosting and forests that are told of the errors too.

    catalogues.py [--sets koi 4fgl mock] [--methods NAME ...] [--first 0] [--splits 10] [--data DIR]
                  [--runs FILE] [--out FILE] [--program NIMGP] [--report]

koi: planets and false positives of Kepler; 4fgl: classes of Fermi sources; mock: nimgp simulate catalogue,
with seeds 3000 + split. A split has 1500 training rows and at most 1000 test rows, which are measured in
several ways:

clean    as they are                        medK  with K times the median error, each cell's share random
ownK     each cell's own error times K      one10 one cell of each row as with med10
cleaner  as they are, after training on rows with 3 times the median error
xK       each cell's own error times K; K below 1: training rows have the larger errors (only for nimgp, and
         only in the first 3 splits)

The others are told of the errors by columns of their logarithms (errors), by two degraded copies of each
training row (copies), or average over draws of the test rows within their errors (averaged). They need
experiments/requirements-catalogues.txt. A run is one row of the file of runs, and is not done again. Splits
from 50 on are for development, and seeds of mock there are 50 + split.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from catalogue import ROOT, simulate
from classifiers import mean_nll

# classifiers sets NumPy's number of threads, so it comes first
# isort: split
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from nimgp import NoisyGPClassifier

TRAIN, TEST, DRAWS, REPORTED, SCALED = 1500, 1000, 30, 50, 3
WAYS = ("clean", "med1", "med3", "med10", "own3", "own10", "one10", "cleaner")
SCALES = (0.1, 0.3, 1, 3, 10, 30)


class Rows(NamedTuple):
    X: np.ndarray  # NaN where a cell is missing
    E: np.ndarray  # errors; NaN where one is missing
    y: np.ndarray  # 0, 1, ...


# ---------------------------------------------------------------------- tables


def logarithm(value: np.ndarray, error: np.ndarray | float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    value = np.where(value > 0, value, np.nan)
    return np.log(value), error / np.where(np.isfinite(value), value, np.nan) + 0 * value * (np.ndim(error) > 0)


def table(columns: list[tuple[np.ndarray, np.ndarray | float]], labels: np.ndarray) -> Rows:
    X = np.column_stack([value for value, _ in columns])
    E = np.column_stack([np.broadcast_to(error, len(X)) for _, error in columns])
    return Rows(X, E, np.unique(labels, return_inverse=True)[1])


def koi(data: Path) -> Rows:
    k = pd.read_csv(data / "catalogues/koi.csv.gz")
    k = k[k.koi_disposition.isin(("CONFIRMED", "FALSE POSITIVE"))]

    def error(name: str) -> np.ndarray:
        mean = ((k[name + "_err1"].abs() + k[name + "_err2"].abs()) / 2).to_numpy(float)
        return np.where(mean == 0, np.nan, mean)

    names = ["koi_period", "koi_duration", "koi_depth", "koi_prad", "koi_insol", "koi_srad"]
    columns = [logarithm(k[name].to_numpy(float), error(name)) for name in names]
    impact = k.koi_impact.to_numpy(float)
    columns.append((np.log1p(impact), error("koi_impact") / (1 + impact)))
    columns += [(k[name].to_numpy(float), error(name)) for name in ("koi_steff", "koi_slogg")]
    columns.append((logarithm(k.koi_model_snr.to_numpy(float))[0], 0.0))
    columns.append((k.koi_kepmag.to_numpy(float), 0.0))
    return table(columns, k.koi_disposition.to_numpy(str))


def fermi(data: Path) -> Rows:
    """Sources of 4FGL-DR2: bll, fsrq, psr, and remnants, nebulae and clusters together."""
    from astropy.table import Table

    t = Table.read(data / "astro/gll_psc_v27.fit.gz", hdu=1)
    label = np.char.lower(np.char.strip(np.array(t["CLASS1"], dtype="U8")))
    label[np.isin(label, ("snr", "pwn", "spp", "glc"))] = "galactic"
    t, label = (rows[np.isin(label, ("bll", "fsrq", "psr", "galactic"))] for rows in (t, label))

    def column(name: str) -> np.ndarray:
        return np.array(t[name], dtype=float)

    columns = [logarithm(column(name), column(f"Unc_{name}")) for name in ("Flux1000", "Energy_Flux100")]
    columns += [(column(name), column(f"Unc_{name}"))
                for name in ("PL_Index", "LP_Index", "LP_beta", "Frac_Variability")]  # fmt: skip
    columns += [(logarithm(column(name))[0], 0.0) for name in ("Pivot_Energy", "Signif_Avg", "Variability_Index")]
    columns += [(np.sqrt(np.maximum(column("LP_SigCurv"), 0)), 0.0), (np.abs(np.sin(np.radians(column("GLAT")))), 0.0)]
    return table(columns, label)


TABLES: dict[str, Callable[[Path], Rows]] = {"koi": koi, "4fgl": fermi}
NEEDS = {"koi": "catalogues/koi.csv.gz", "4fgl": "astro/gll_psc_v27.fit.gz"}


def split_of(name: str, data: Path, program: Path, split: int) -> tuple[Rows, Rows]:
    if name == "mock":
        seed = split + (3000 if split < REPORTED else REPORTED)
        problem = simulate(program, seed, "few", TRAIN, TEST)
        return Rows(*problem.train), Rows(*problem.test[1])
    rows = TABLES[name](data)
    train, test = train_test_split(np.arange(len(rows.y)), train_size=TRAIN, stratify=rows.y, random_state=split)
    return tuple(Rows(*(part[chosen] for part in rows)) for chosen in (train, test[:TEST]))


# ---------------------------------------------------------------------- ways of measuring


def worse(rows: Rows, usual: np.ndarray, factor: np.ndarray | float, seed: int) -> Rows:
    r = np.random.default_rng(seed)
    size = np.reshape(factor, (-1, 1)) * usual * np.exp(0.7 * r.normal(size=rows.X.shape))
    known = np.where(np.isnan(rows.E), usual, rows.E)
    return Rows(rows.X + size * r.normal(size=rows.X.shape), np.hypot(known, size), rows.y)


def scaled(rows: Rows, usual: np.ndarray, factor: float, seed: int) -> Rows:
    known = np.where(np.isnan(rows.E), usual, rows.E)
    noise = np.random.default_rng(seed).normal(size=rows.X.shape)
    return Rows(rows.X + np.sqrt(factor**2 - 1) * known * noise, factor * rows.E, rows.y)


def one_cell(rows: Rows, usual: np.ndarray, factor: float, seed: int) -> Rows:
    all_cells, r = worse(rows, usual, factor, seed), np.random.default_rng(seed + 1)
    chosen = np.arange(rows.X.shape[1]) == r.integers(0, rows.X.shape[1], (len(rows.X), 1))
    return Rows(*(np.where(chosen, new, old) for new, old in zip(all_cells[:2], rows[:2], strict=True)), rows.y)


def measured(way: str, rows: Rows, usual: np.ndarray, split: int) -> Rows:
    kind, factor = way[:3], float(way[3:]) if way[3:].isdigit() else 1.0
    if kind == "med":
        return worse(rows, usual, factor, 1000 + split)
    if kind == "own":
        return scaled(rows, usual, factor, 2000 + split)
    return one_cell(rows, usual, factor, 3000 + split) if kind == "one" else rows


# ---------------------------------------------------------------------- methods

Predict = Callable[[Rows], np.ndarray]  # probabilities, rows x classes


def ours(errors: bool = True, **settings: object) -> Callable[[Rows, np.ndarray, int], Predict]:
    def fit(train: Rows, usual: np.ndarray, seed: int) -> Predict:
        def given(rows: Rows) -> dict[str, np.ndarray]:
            return {"X_err": rows.E} if errors else {}

        model = NoisyGPClassifier(random_state=seed, n_jobs=1, **settings).fit(train.X, train.y, **given(train))
        return lambda rows: model.predict_proba(rows.X, **given(rows))

    return fit


def catboost(seed: int):
    from catboost import CatBoostClassifier

    return CatBoostClassifier(thread_count=1, verbose=0, random_seed=seed, allow_writing_files=False)


def lightgbm(seed: int):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=300, learning_rate=0.03, num_leaves=15, min_child_samples=10, n_jobs=1,
                          verbose=-1, subsample=0.8, subsample_freq=1, colsample_bytree=0.8, random_state=seed)  # fmt: skip


def forest(seed: int):
    return make_pipeline(SimpleImputer(strategy="median", add_indicator=True),
                         RandomForestClassifier(500, min_samples_leaf=2, random_state=seed))  # fmt: skip


def peer(make: Callable, told: str) -> Callable[[Rows, np.ndarray, int], Predict]:
    def fit(train: Rows, usual: np.ndarray, seed: int) -> Predict:
        def columns(rows: Rows) -> np.ndarray:
            size = np.where(np.isnan(rows.E) | (rows.E <= 0), np.where(usual > 0, usual, 1), rows.E)
            return rows.X if told == "averaged" else np.hstack([rows.X, np.log(size)])

        parts = [train]
        for draw in range(2 if told == "copies" else 0):
            key = 500 + 2 * seed + draw
            factor = np.exp(np.random.default_rng(key + 10000).uniform(0, np.log(15), len(train.y)))
            parts.append(worse(train, usual, factor, key))
        X = np.vstack([columns(part) for part in parts])
        model = make(seed).fit(X, np.concatenate([part.y for part in parts]))
        if told != "averaged":
            return lambda rows: model.predict_proba(columns(rows))
        r = np.random.default_rng(seed)

        def average(rows: Rows) -> np.ndarray:
            known = np.where(np.isnan(rows.E), usual, rows.E)
            draws = (rows.X + known * r.normal(size=rows.X.shape) for _ in range(DRAWS))
            return np.mean([model.predict_proba(X) for X in draws], axis=0)

        return average

    return fit


METHODS = {
    "nimgp": ours(),
    "nimgp, views=one": ours(views="one"),
    "nimgp, errors ignored": ours(errors=False),
    **{
        f"{name}, {told}": peer(make, told)
        for name, make in (("CatBoost", catboost), ("LightGBM", lightgbm), ("forest", forest))
        for told in ("errors", "copies", "averaged")
    },
}


def judge(method: str, train: Rows, test: Rows, split: int) -> Iterator[tuple[str, float]]:
    """Figures of a run: NLL by way, and CPU seconds of the fit."""
    usual = np.nanmedian(train.E, axis=0)

    def fit(rows: Rows) -> Predict:
        return METHODS[method](rows, np.nanmedian(rows.E, axis=0), split)

    begin = time.process_time()
    predict = fit(train)
    yield "seconds", time.process_time() - begin
    for way in WAYS[:-1]:
        yield way, mean_nll(predict(measured(way, test, usual, split)), test.y)
    yield WAYS[-1], mean_nll(fit(worse(train, usual, 3, 4000 + split))(test), test.y)
    for factor in SCALES if method.startswith("nimgp") and split % REPORTED < SCALED else ():
        able = predict if factor >= 1 else fit(scaled(train, usual, 1 / factor, 5000 + split))
        rows = scaled(test, usual, factor, 6000 + split) if factor > 1 else test
        yield f"x{factor:g}", mean_nll(able(rows), test.y)


# ---------------------------------------------------------------------- report

Runs = dict[tuple[str, str, int], dict[str, float]]  # by set, method and split


def read_runs(path: Path) -> Runs:
    runs: Runs = {}
    if path.exists():
        with path.open(newline="") as file:
            for name, method, split, figure, value in csv.reader(file):
                runs.setdefault((name, method, int(split)), {})[figure] = float(value)
    return runs


def splits_with(runs: Runs, name: str, methods: list[str], figure: str, chosen: range) -> list[int]:
    return [s for s in chosen if all(figure in runs.get((name, m, s), {}) for m in methods)]


def mean_of(runs: Runs, name: str, method: str, figure: str, splits: list[int]) -> float:
    return float(np.mean([runs[name, method, split][figure] for split in splits]))


def table_text(runs: Runs, name: str, figures: tuple[str, ...], chosen: range) -> str:
    """A row for each method, over the splits that it has."""
    means = {}
    for method in METHODS:
        splits = splits_with(runs, name, [method], figures[0], chosen)
        if splits:
            means[method, len(splits)] = [mean_of(runs, name, method, f, splits) for f in figures]
    least = [min(column) for column in zip(*means.values(), strict=True)]
    lines = ["| method | splits | " + " | ".join(figures) + " |", "|---" * (len(figures) + 2) + "|"]
    for (method, count), row in means.items():
        cells = [f"{v:.1f}" if f == "seconds" else f"**{v:.3f}**" if v == best else f"{v:.3f}"
                 for v, best, f in zip(row, least, figures, strict=True)]  # fmt: skip
        lines.append(f"| {method} | {count} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n\n"


def verdict(runs: Runs, name: str, chosen: range) -> str:
    """Where others win, on the splits that both have."""
    lost, close = [], []
    for way in WAYS:
        for method in (m for m in METHODS if m != "nimgp"):
            splits = splits_with(runs, name, ["nimgp", method], way, chosen)
            gaps = np.array([runs[name, "nimgp", s][way] - runs[name, method, s][way] for s in splits])
            if len(gaps) < 2 or gaps.mean() <= 0:
                continue
            error = gaps.std(ddof=1) / np.sqrt(len(gaps))
            (lost if gaps.mean() > error else close).append(f"{way}: {method} by {gaps.mean():.3f} ± {error:.3f}")
    text = f"Others win, by more than a standard error of the difference on the same splits: {'; '.join(lost) or 'nowhere'}.\n"
    return text + f"Within a standard error: {'; '.join(close) or 'nowhere'}.\n\n"


def report(runs: Runs, first: int, count: int) -> str:
    text = (
        "# Real catalogues\n\n    make catalogues\n\nMean test NLL of nimgp, and of methods that are told of the errors too; "
        f"bold: the best of a column. `seconds`: CPU time of a fit; runs were made at different times, some beside other work, so ratios are rough. {TRAIN} training rows, at most {TEST} test rows. Tables, ways of "
        "measuring and methods are described in [catalogues.py](../../experiments/catalogues.py); `splits`: how many were measured, "
        f"from {first} on.\n\n"
    )
    chosen = range(first, first + count)
    for name in (*TABLES, "mock"):
        if splits_with(runs, name, ["nimgp"], "clean", chosen):
            text += f"## {name}\n\n" + table_text(runs, name, (*WAYS, "seconds"), chosen) + verdict(runs, name, chosen)
        if splits_with(runs, name, ["nimgp"], "x1", chosen):
            text += "Errors of the test rows K times those of the training rows:\n\n"
            text += table_text(runs, name, tuple(f"x{factor:g}" for factor in SCALES), chosen)
    absent = [f"{name}: {method}" for name in (*TABLES, "mock") for method in METHODS
              if not splits_with(runs, name, [method], "clean", chosen)]  # fmt: skip
    return text + (f"Not measured yet: {'; '.join(absent)}.\n" if absent else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=[*TABLES, "mock"], choices=[*TABLES, "mock"])
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("NIMGP_DATA", ROOT.parent / "shared" / "data")))
    parser.add_argument("--runs", type=Path, default=ROOT / "docs" / "results" / "catalogues.csv")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "catalogues.md")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/cli/nimgp")
    parser.add_argument("--report", action="store_true")
    chosen = parser.parse_args()
    absent = [s for s in chosen.sets if s in NEEDS and not (chosen.data / NEEDS[s]).exists()]
    for name in absent:
        print(f"catalogues: {name}: not measured, {chosen.data / NEEDS[name]} is not there", file=sys.stderr)
    warnings.simplefilter("ignore")
    done = read_runs(chosen.runs)
    for split in range(chosen.first, chosen.first + chosen.splits) if not chosen.report else ():
        for name in (s for s in chosen.sets if s not in absent):
            rows = split_of(name, chosen.data, chosen.program, split)
            for method in (m for m in chosen.methods if (name, m, split) not in done):
                figures = dict(judge(method, *rows, split))
                with chosen.runs.open("a", newline="") as file:
                    csv.writer(file).writerows([name, method, split, f, f"{v:.5g}"] for f, v in figures.items())
                print(name, split, method, *(f"{f} {v:.3f}" for f, v in figures.items()), flush=True)
    chosen.out.write_text(report(read_runs(chosen.runs), chosen.first, chosen.splits))
    return 3 if absent else 0


if __name__ == "__main__":
    sys.exit(main())
