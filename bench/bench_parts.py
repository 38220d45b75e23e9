#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows of several processes: what dividing the table costs in accuracy, and which pages each process reads.

    build/python-venv/bin/python bench/bench_parts.py [--directory DIR] [nll] [long] [pages]

Prints these measurements, or only those that are named:

- nll: a mock catalogue of 6000 rows, sorted by class, is trained with nimgp, which shuffles all rows together, and with
  nimgp-mpi, which shuffles each part of the table on its own. The difference of the NLL on 20,000 other rows, over seeds.
- long: the same for 2 x 10^6 rows, sorted by class, in a row file.
- pages: how much of that file each of two processes reads in an epoch (bench_pages).

Files stay in DIR (build/bench-rows) for the next run.
"""
import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess

import bench_rows
import numpy as np

ROOT = bench_rows.ROOT
NIMGP = str(bench_rows.NIMGP)
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--quiet", "-n"]
MANY = [*MPIRUN, 1, NIMGP + "-mpi"]  # the model does not depend on the number of processes
ENVIRONMENT = dict(os.environ, OMPI_MCA_mpi_yield_when_idle="1")
SEEDS, LONG = 8, 2_000_000


def run(*words):
    return subprocess.run(list(map(str, words)), env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout


def sorted_catalogue(place):
    """The training rows sorted by class, and the test rows."""
    source = place / "mock"
    run(NIMGP, "simulate", "catalogue", "--rows", 6000, "--test-rows", 20000, "--out", source, "--seed", 1, "-q")
    with open(source / "train.csv", newline="") as file:
        head, *rows = csv.reader(file)
    with open(source / "sorted.csv", "w", newline="") as file:
        csv.writer(file).writerows([head, *sorted(rows, key=lambda row: row[head.index("class")])])
    return source / "sorted.csv", source / "test.csv"


def compare(what, place, train, test, *words):
    """The NLL with both programs, over seeds."""
    found = {"nimgp": [], "nimgp-mpi": []}
    for seed in range(1, SEEDS + 1):
        for program, label in (([NIMGP], "nimgp"), (MANY, "nimgp-mpi")):
            run(*program, "fit", train, "-o", place / "m", "--threads", 1, "-q", "--seed", seed, "--stop", "fixed", *words)
            found[label].append(json.loads(run(NIMGP, "evaluate", place / "m", test, "--json"))["nll"])
    whole, divided = ([one["value"] for one in scores] for scores in found.values())
    less = [right - left for left, right in zip(whole, divided)]
    print(f"{what}: NLL {statistics.mean(whole):.4f} with nimgp, {statistics.mean(divided):.4f} with nimgp-mpi, difference "
          f"{statistics.mean(less):+.4f} +- {statistics.stdev(less) / SEEDS**0.5:.4f} over {SEEDS} seeds; error by test rows "
          f"{found['nimgp'][0]['standard_error']:.4f}", flush=True)


def compare_nll(place):
    train, test = sorted_catalogue(place)
    for name in ("marginal", "latent"):
        compare(name, place, train, test, "--exclude", "id", "--input", name, "--epochs", 20, "--inducing", 30)


def long_tables(place):
    """Two million rows sorted by class, and the test rows."""
    plain, in_order, test = (place / f"{name}-{LONG}.nimrows" for name in ("whole", "sorted", "test"))
    bench_rows.make(plain, LONG, 1)
    bench_rows.make(test, bench_rows.TEST_ROWS, 2)
    if not in_order.exists():
        rows = np.memmap(plain, float, "r", 64, (LONG, 2 * bench_rows.ATTRIBUTES + 1))
        rows = rows[np.argsort(rows[:, -1], kind="stable")]
        pieces = iter(np.split(rows, range(bench_rows.CHUNK, LONG, bench_rows.CHUNK)))
        bench_rows.make(in_order, LONG, 1, lambda _source, _rows: next(pieces))
    return in_order, test


def compare_long(place):
    compare(f"{LONG} rows", place, *long_tables(place), "--input", "first_order", "--population", "flat", "--calibrate",
            "none", "--inducing", 20, "--batch", 2000, "--epochs", 1)


def measure_pages(place):
    table, _ = long_tables(place)
    print(run(*MPIRUN, 2, bench_rows.STEP.with_name("bench_pages"), table), end="", flush=True)


PARTS = {"nll": compare_nll, "long": compare_long, "pages": measure_pages}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--directory", type=pathlib.Path, default=ROOT / "build" / "bench-rows")
    parser.add_argument("parts", nargs="*", metavar="PART", help="nll, long or pages")
    wanted = parser.parse_args()
    unknown = set(wanted.parts) - set(PARTS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: expected nll, long or pages")
    wanted.directory.mkdir(parents=True, exist_ok=True)
    for name, measure in PARTS.items():
        if name in wanted.parts or not wanted.parts:
            measure(wanted.directory)


if __name__ == "__main__":
    main()
