# SPDX-License-Identifier: Apache-2.0
"""The data sets: files of the data folder, and problems made up by `nimgp simulate`."""

from __future__ import annotations

import csv
import functools
import gzip
import importlib.util
import itertools
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .experiment import ROOT, Experiment, Problem

PROBLEMS = ROOT / "build" / "problems"  # what was made up, kept
FIRST_SEED = 3000  # seeds from here on are for reporting only; settings are chosen on others


def default_folder() -> Path:
    return Path(os.environ.get("NIMGP_DATA", ROOT.parent / "shared" / "data"))


def missing_files(experiment: Experiment, folder: Path) -> list[Path]:
    return [folder / name for name in experiment.needs if not (folder / name).exists()]


def standardised(X: np.ndarray, train: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By mean and population deviation of the rows `train`; also the deviations, 1 for 0."""
    deviation = X[train].std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    return (X - X[train].mean(axis=0)) / deviation, deviation


# ---------------------------------------------------------------------- made up


def simulated(
    program: Path, kind: str, seed: int, rows: int, test_rows: int, **shape: Any
) -> Problem:
    """kind "toy" or "synthetic"; shape: dims, classes, noise_var, lengthscale."""
    words = [f"--{name.replace('_', '-')}={value}" for name, value in shape.items()]
    name = "_".join([kind, str(seed), str(rows), str(test_rows), *(word[2:] for word in words)])
    kept = PROBLEMS / f"{name}.npz"
    if not kept.exists():
        keep_simulated(program, kept, [kind, f"--seed={seed}", f"--rows={rows}",
                                       f"--test-rows={test_rows}", *words])  # fmt: skip
    with np.load(kept) as part:
        return Problem(part["X"], part["y"], float(part["X_err"]), part["X_test"], part["y_test"],
                       float(part["X_err"]), part["best"].shape[1], part["best"])  # fmt: skip


def keep_simulated(program: Path, kept: Path, words: list[str]) -> None:
    PROBLEMS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PROBLEMS) as folder:
        subprocess.run([program, "simulate", *words, "--quiet", "--out", folder], check=True)
        X, X_err, y = read_simulated(Path(folder, "train.csv"))
        X_test, _, y_test = read_simulated(Path(folder, "test.csv"))
        best = np.loadtxt(Path(folder, "bayes.csv"), delimiter=",", skiprows=1)
        whole = Path(folder, "problem.npz")
        np.savez(whole, X=X, y=y, X_err=X_err, X_test=X_test, y_test=y_test, best=best)
        whole.rename(kept)


def read_simulated(path: Path) -> tuple[np.ndarray, float, np.ndarray]:
    """Columns x1 .., x1_err .. (all the same), class c1 .."""
    with path.open(newline="") as file:
        head, *table = csv.reader(file)
    d = (len(head) - 1) // 2
    numbers = np.array([[float(cell) for cell in row[:-1]] for row in table])
    return numbers[:, :d], numbers[0, d], np.array([int(row[-1][1:]) - 1 for row in table])


# ---------------------------------------------------------------------- UCI


def module_at(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.lru_cache(8)
def uci_table(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    table = np.loadtxt(folder / "uci" / f"{name}.csv", delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(int)


@functools.lru_cache(64)
def uci_noise(folder: Path, shape: tuple[int, int], variance: float, split: int) -> np.ndarray:
    """All hundred draws come from one generator, one after the other: take the split's."""
    published = module_at(folder / "uci" / "splits.py")
    return next(itertools.islice(published.noise(*shape, variance), split, None))[1]


def uci_rows(
    folder: Path, name: str, variance: float, split: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """X standardised by the training rows, then made noisy; y; training rows; test rows."""
    X, y = uci_table(folder, name)
    order = module_at(folder / "uci" / "splits.py").permutations(len(X))[split]
    train, test = np.split(order, [int(0.9 * len(X))])
    return standardised(X, train)[0] + uci_noise(folder, X.shape, variance, split), y, train, test


# ---------------------------------------------------------------------- 4FGL


@functools.lru_cache(1)
def astro_table(folder: Path) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Columns by name; number of the class (bll, fsrq, psr); the published permutations."""
    with (folder / "astro" / "4fgl_paper.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    kinds, y = np.unique([row["class"] for row in table], return_inverse=True)
    if list(kinds) != ["bll", "fsrq", "psr"]:
        raise ValueError(f"{folder}/astro/4fgl_paper.csv: classes are {', '.join(kinds)}")
    columns = {
        name: np.array([float(row[name]) for row in table]) for name in table[0] if name != "class"
    }
    order = np.loadtxt(folder / "astro" / "4fgl_paper_splits.txt", dtype=int)
    return columns, y, order


# ---------------------------------------------------------------------- MNIST


def idx(path: Path, header: int) -> np.ndarray:
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)


@functools.lru_cache(1)
def mnist_rows(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """All 70,000: pixels and digits."""
    parts = [folder / "mnist" / part for part in ("train", "t10k")]
    X = [idx(Path(f"{p}-images-idx3-ubyte.gz"), 16).reshape(-1, 784) for p in parts]
    y = [idx(Path(f"{p}-labels-idx1-ubyte.gz"), 8) for p in parts]
    return np.concatenate(X), np.concatenate(y).astype(int)
