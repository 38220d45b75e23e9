#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed and accuracy of predictions of noisy rows, on the mock catalogue.

    python3 bench/bench_predict.py [--rows N] [--compared N] [--turns N] [--old PROGRAM]

Simulates a catalogue, trains on 1000 rows of it and predicts N rows (default 20,000; the 20,000 simulated rows are
repeated if N is larger) with one thread. Prints rows per second of processor time, the median of the turns, and how many
probabilities of the first rows are within the tolerance of those with 65,536 points. --old compares with `nimgp` of an
earlier version: each trains a model with its own defaults, and they predict in turns.
"""
import argparse
import csv
import pathlib
import resource
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
NIMGP = ROOT / "build" / "release" / "cli" / "nimgp"
SIMULATED, TOLERANCE, MOST_POINTS = 20_000, 0.002, "65536"


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(list(map(str, command)), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_rows(simulated, path, rows):
    """The first rows of a simulated table, from its start again where it ends."""
    with open(simulated) as table, open(path, "w") as copy:
        copy.write(next(table))
        lines = list(table)
        copy.writelines(lines[i % len(lines)] for i in range(rows))


def probabilities(path):
    with open(path) as table:
        return [float(row[name]) for row in csv.DictReader(table) for name in row if name.startswith("p_")]


def measure(place, programs, turns):
    """Processor seconds of each program, the median of its turns."""
    seconds = {name: [] for name in programs}
    for _ in range(turns):
        for name, program in programs.items():
            seconds[name].append(processor_seconds(
                [program, "predict", place / f"{name}.nimgp", place / "rows.csv", "-o", place / f"{name}.csv",
                 "--threads", 1, "-q"]))
    return {name: statistics.median(each) for name, each in seconds.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=SIMULATED)
    parser.add_argument("--compared", type=int, default=600)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--old", type=pathlib.Path)
    wanted = parser.parse_args()
    programs = {"old": wanted.old, "new": NIMGP} if wanted.old else {"new": NIMGP}
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        subprocess.run([NIMGP, "simulate", "catalogue", "--out", place, "--rows", "1000", "--test-rows", str(SIMULATED),
                        "--seed", "1"], check=True, stderr=subprocess.DEVNULL)
        for name, program in programs.items():
            subprocess.run([program, "fit", place / "train.csv", "-o", place / f"{name}.nimgp", "-q"], check=True)
        write_rows(place / "unlabelled.csv", place / "rows.csv", wanted.rows)
        write_rows(place / "unlabelled.csv", place / "few.csv", wanted.compared)
        seconds = measure(place, programs, wanted.turns)
        for name in programs:
            subprocess.run([NIMGP, "predict", place / f"{name}.nimgp", place / "few.csv", "-o", place / "right.csv", "-q",
                            "--points", MOST_POINTS], check=True)
            right = probabilities(place / "right.csv")
            errors = [abs(a - b) for a, b in zip(probabilities(place / f"{name}.csv"), right, strict=False)]
            within = sum(error <= TOLERANCE for error in errors) / len(right)
            print(f"{name}: {wanted.rows / seconds[name]:.0f} rows per second; of {len(right)} probabilities "
                  f"{100 * within:.2f} % are within {TOLERANCE}, the largest error is {max(errors):.4f}", flush=True)
        if wanted.old:
            print(f"new / old: {seconds['old'] / seconds['new']:.1f} times as many rows per second")


if __name__ == "__main__":
    main()
