#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the overhead of the Python package over the C library: the same fit with and without it.

    bench_python.py [--rows 1000,10000] [--epochs 100,10] [--repeats 7,5] [--out FILE]

Both train the same model on the same arrays, alternately in one process. One is NoisyGPClassifier.fit,
with its checks, conversion of labels, progress callback, history and attributes. The other calls only
nim_model_create and nim_model_train. The script stops if the results differ.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import nimgp
from nimgp import NoisyGPClassifier
from nimgp._native.core import call, library
from nimgp._native.interface import ProgressFunction
from nimgp._native.model import Model
from nimgp._native.table import Table

ATTRIBUTES, CLASSES = 10, 3

Clock = Callable[[], float]


def problem(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(rows, ATTRIBUTES))
    names = np.array(["bll", "fsrq", "psr"])
    y = names[np.digitize(truth[:, 0] + truth[:, 1] ** 2, [0.0, 1.5])]
    sigma = rng.uniform(0.1, 0.5, size=truth.shape)
    return truth + sigma * rng.normal(size=truth.shape), y, sigma


def through_python(
    X: np.ndarray, y: np.ndarray, sigma: np.ndarray, clock: Clock, **options: object
):
    clf = NoisyGPClassifier(stop="fixed", random_state=0, **options)
    begin = clock()
    clf.fit(X, y, X_err=sigma)
    return clock() - begin, clf._model


def through_c(X: np.ndarray, labels: np.ndarray, sigma: np.ndarray, clock: Clock, **wanted: object):
    options = library.nim_options_create()
    call("nim_options_set", options, b"stop", b"fixed")
    for name, value in wanted.items():
        call("nim_options_set", options, {"n_jobs": "threads"}.get(name, name).encode(), str(value).encode())
    table, handle = Table(X, sigma, labels), ctypes.c_void_p()
    nothing = ProgressFunction(0)
    begin = clock()
    call("nim_model_create", options, table.reference, ctypes.byref(handle))
    call("nim_model_train", handle, table.reference, nothing, None)
    seconds = clock() - begin
    library.nim_options_free(options)
    return seconds, Model(handle.value)


def pairs(
    rows: int, repeats: int, clock: Clock, **options: object
) -> tuple[list[float], list[float]]:
    """Seconds through Python and in C, in turn and in alternating order; the first is left out."""
    X, y, sigma = problem(rows)
    labels = np.unique(y, return_inverse=True)[1].astype(np.int32)
    python, c = [], []
    for repeat in range(repeats + 1):
        if repeat % 2:
            (p, ours) = through_python(X, y, sigma, clock, **options)
            (q, theirs) = through_c(X, labels, sigma, clock, **options)
        else:
            (q, theirs) = through_c(X, labels, sigma, clock, **options)
            (p, ours) = through_python(X, y, sigma, clock, **options)
        if ours.bound != theirs.bound:
            raise SystemExit("bench_python: the two sides did not do the same")
        python.append(p)
        c.append(q)
    return python[1:], c[1:]


def difference(python: list[float], c: list[float]) -> float:
    return statistics.median(a - b for a, b in zip(python, c, strict=True))


# A model with so little to compute that what surrounds it can be seen.
TINY = {"input": "exact", "inducing": 1, "n_jobs": 1}


def cost_of_an_epoch() -> float:
    """Seconds of the callback and what it notes down."""
    many = 2000
    return difference(*pairs(10, 9, time.process_time, epochs=many, **TINY)) / many


def measure(rows: int, epochs: int, repeats: int, an_epoch: float) -> dict[str, float]:
    once = difference(*pairs(rows, 15, time.process_time, epochs=1, **TINY))
    python, c = pairs(rows, repeats, time.process_time, epochs=epochs, n_jobs=1)
    base = statistics.median(c)
    return {
        "rows": rows, "epochs": epochs, "c": base, "python": statistics.median(python),
        "extra": difference(python, c) / base, "spread": (max(c) - min(c)) / base,
        "once": once, "an_epoch": an_epoch, "sum": (once + epochs * an_epoch) / base,
    }  # fmt: skip


def report(results: list[dict[str, float]]) -> str:
    lines = [
        "| rows | epochs | C calls, s | their spread | fit, s | fit less C | once a fit | each epoch "
        "| overhead |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for r in results:
        lines.append(
            f"| {r['rows']} | {r['epochs']} | {r['c']:.3f} | {100 * r['spread']:.1f} % | "
            f"{r['python']:.3f} | {100 * r['extra']:+.2f} % | {1e3 * r['once']:.2f} ms | "
            f"{1e6 * r['an_epoch']:.1f} µs | {100 * r['sum']:.4f} % |"
        )
    return "\n".join(lines)


def main() -> None:
    def numbers(text: str) -> list[int]:
        return [int(part) for part in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=numbers, default=[1000, 10000])
    parser.add_argument("--epochs", type=numbers, default=[100, 10])
    parser.add_argument("--repeats", type=numbers, default=[7, 5])
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    each = zip(chosen.rows, chosen.epochs, chosen.repeats, strict=True)
    an_epoch = cost_of_an_epoch()
    table = report([measure(*one, an_epoch) for one in each])
    print(table)
    if chosen.out:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        chosen.out.write_text(f"""# What the Python package costs over the C library

    make bench-python

{ATTRIBUTES} attributes with errors, {CLASSES} classes named by texts, a fixed number of epochs, default settings.
One process alternates between `NoisyGPClassifier.fit` and the C calls `nim_model_create` and `nim_model_train`
alone. Both give the same result. All figures are medians.

All times are processor time of one thread, which other work on the machine affects least. Nevertheless the times
of C trainings vary by more ("their spread") than the package adds ("fit less C"). Therefore the cost of the package
is measured with one inducing input, so that there is almost nothing to compute. The cost of a fit ("once a fit":
checks, labels, the library's checksum of the data, attributes) is measured with a single epoch over all rows, and the
cost of an epoch ("each epoch": the callback) with 2000 epochs over 10 rows. "Overhead" is the cost of a fit
and of all its epochs, divided by the time of the C calls.

nimgp {nimgp.__version__}, Python {platform.python_version()}, NumPy {np.__version__}, {os.cpu_count()} processors.

{table}
""")


if __name__ == "__main__":
    main()
