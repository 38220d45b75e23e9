#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows of several processes: what dividing the table costs in accuracy, and which pages each process reads.

    build/python-venv/bin/python bench/bench_parts.py [--directory DIR] [nll] [long] [pages]

Prints these measurements, or only those that are named:

- nll: a mock catalogue of 6000 rows, sorted by class, is trained with nimgp, which shuffles all rows together, and with
  nimgp-mpi, which shuffles each part of the table on its own. The difference of the NLL on 20,000 other rows, over seeds.
- long: the same for 2 x 10^6 rows, sorted by class, in a row file; one seed.
- pages: two processes train on that file. How much of it each one reads in an epoch (Referenced in /proc/PID/smaps, after
  it was cleared), and how much it has mapped (RssFile). Needs root.

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
ONE, TWO = ([*MPIRUN, processes, NIMGP + "-mpi"] for processes in "12")  # both give the same model
ENVIRONMENT = dict(os.environ, OMPI_MCA_mpi_yield_when_idle="1")
SEEDS, LONG = 8, 2_000_000
QUICK = ["--input", "first_order", "--population", "flat", "--calibrate", "none", "--inducing", "20", "--batch", "2000",
         "--stop", "fixed"]


def run(*words):
    return subprocess.run(list(map(str, words)), env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout


def score(model, table):
    return json.loads(run(NIMGP, "evaluate", model, table, "--json"))["nll"]


def fit(program, table, model, *words):
    run(*program, "fit", table, "-o", model, "--threads", "1", "-q", *words)


def sorted_catalogue(place):
    """The training rows sorted by class, and the test rows."""
    source = place / "mock"
    run(NIMGP, "simulate", "catalogue", "--rows", 6000, "--test-rows", 20000, "--out", source, "--seed", 1, "-q")
    with open(source / "train.csv", newline="") as file:
        head, *rows = csv.reader(file)
    with open(source / "sorted.csv", "w", newline="") as file:
        csv.writer(file).writerows([head, *sorted(rows, key=lambda row: row[head.index("class")])])
    return source / "sorted.csv", source / "test.csv"


def compare_nll(place):
    train, test = sorted_catalogue(place)
    for name in ("marginal", "latent"):
        words = ["--exclude", "id", "--input", name, "--epochs", 20, "--stop", "fixed", "--inducing", 30]
        found = {"nimgp": [], "nimgp-mpi": []}
        for seed in range(1, SEEDS + 1):
            for program, label in (([NIMGP], "nimgp"), (ONE, "nimgp-mpi")):
                fit(program, train, place / "m", *words, "--seed", seed)
                found[label].append(score(place / "m", test))
        values = {label: [one["value"] for one in scores] for label, scores in found.items()}
        less = [divided - whole for divided, whole in zip(values["nimgp-mpi"], values["nimgp"])]
        print(f"{name}: NLL {statistics.mean(values['nimgp']):.4f} with nimgp, {statistics.mean(values['nimgp-mpi']):.4f} "
              f"with nimgp-mpi, difference {statistics.mean(less):+.4f} +- {statistics.stdev(less) / SEEDS**0.5:.4f} over "
              f"{SEEDS} seeds; error by test rows {found['nimgp'][0]['standard_error']:.4f}", flush=True)


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
    table, test = long_tables(place)
    for program, label in (([NIMGP], "nimgp"), (ONE, "nimgp-mpi")):
        fit(program, table, place / "m", *QUICK, "--epochs", 1)
        found = score(place / "m", test)
        print(f"{LONG} rows, {label}: NLL {found['value']:.4f} +- {found['standard_error']:.4f}", flush=True)


def file_pages(pid, table):
    """MB of the table's file that the process has referenced, and has mapped."""
    sums, inside = {"Referenced:": 0, "Rss:": 0}, False
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
        words = line.split()
        if "-" in words[0]:
            inside = words[-1] == str(table)
        elif inside and words[0] in sums:
            sums[words[0]] += int(words[1])
    return [kilobytes / 1024 for kilobytes in sums.values()]


def measure_pages(place):
    table, _ = long_tables(place)
    table = table.resolve()
    process = subprocess.Popen([*TWO, "fit", table, "-o", place / "m", "--threads", "1", "--progress", "json", *QUICK,
                                "--epochs", "3"], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    epochs = (line for line in process.stderr if line.startswith("{"))
    next(epochs)
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True)
    ranks = [int(pid) for pid in children.stdout.split()]
    for pid in ranks:
        pathlib.Path(f"/proc/{pid}/clear_refs").write_text("1")
    next(epochs)
    for rank, pid in enumerate(ranks):
        referenced, mapped = file_pages(pid, table)
        print(f"process {rank}: of {table.stat().st_size / 2**20:.0f} MB, {referenced:.0f} MB were read in an epoch; "
              f"mapped since the start: {mapped:.0f} MB", flush=True)
    process.communicate()


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
