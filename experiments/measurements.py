#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Correlated and lopsided errors and limits: what it is worth to use them.

    measurements.py [--seeds N] [--out FILE] [--program NIMGP]

Mock catalogues (`nimgp simulate catalogue --measured`) of which the best possible answers are known. A model
learns from the table as it is; others from the same table with what is known of the measurements left out, in
training and in prediction.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
SIMULATE = ["--rows", "600", "--test-rows", "4000", "--noise-var", "4"]
FIRST_SEED = 3100  # for reporting only
Row = dict[str, str]


def as_it_is(row: Row) -> Row:
    return row


def independent(row: Row) -> Row:
    return {name: cell for name, cell in row.items() if not name.endswith("_corr")}


def symmetric(row: Row) -> Row:
    """The mean of both halves in place of them."""
    plain = {name: cell for name, cell in row.items() if name[-5:] not in ("_err1", "_err2")}
    for name in row:
        if name.endswith("_err1"):
            upper, lower = row[name], row[name[:-1] + "2"]
            plain[name[:-1]] = str((float(upper) - float(lower)) / 2) if upper else ""
    return plain


def measured(row: Row) -> Row:
    """Limits as if they were values."""
    return {name: cell for name, cell in row.items() if not name.endswith("_limit")}


def missing(row: Row) -> Row:
    """Limits as if nothing were known."""
    limits = {name[: -len("_limit")] for name, cell in row.items() if name.endswith("_limit") and cell}
    return {name: "" if name in limits else cell for name, cell in measured(row).items()}


KINDS: dict[str, dict[str, Callable[[Row], Row]]] = {
    "correlated": {"used": as_it_is, "as independent": independent},
    "lopsided": {"used": as_it_is, "as the mean of both halves": symmetric},
    "limits": {"used": as_it_is, "as values": measured, "as missing": missing},
}


def rewrite(source: Path, target: Path, change: Callable[[Row], Row]) -> None:
    with source.open(newline="") as file:
        rows = [change(row) for row in csv.DictReader(file)]
    with target.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def run(program: Path, *words: object) -> str:
    done = subprocess.run([str(word) for word in (program, *words)], check=True, text=True,
                          capture_output=True)  # fmt: skip
    return done.stdout


def nlls(program: Path, kind: str, seed: int) -> dict[str, float]:
    """Mean NLL of the test rows by what was used, and the best possible."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(program, "simulate", "catalogue", "--measured", kind, *SIMULATE, "--seed", seed, "--out", folder)
        for label, change in KINDS[kind].items():
            for part in ("train", "test"):
                rewrite(folder / f"{part}.csv", folder / f"{part}-now.csv", change)
            run(program, "fit", folder / "train-now.csv", "--log", "flux", "--threads", 1, "-o", folder / "m")
            told = run(program, "evaluate", folder / "m", folder / "test-now.csv", "--json")
            found[label] = json.loads(told)["nll"]["value"]
        told = run(program, "evaluate", "--probabilities", folder / "bayes.csv", folder / "test.csv", "--json")
        found["best possible"] = json.loads(told)["nll"]["value"]
    return found


def line(kind: str, runs: list[dict[str, float]]) -> str:
    """Means over seeds; what leaving out costs, seed by seed."""
    cells = []
    for label in runs[0]:
        text = f"{statistics.mean(each[label] for each in runs):.3f}"
        if label not in ("used", "best possible"):
            costs = ", ".join(f"{each[label] - each['used']:+.3f}" for each in runs)
            text = f"{label}: {text} ({costs})"
        cells.append(text)
    return f"| `{kind}` | {cells[0]} | {'; '.join(cells[1:-1])} | {cells[-1]} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "measurements.md")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/cli/nimgp")
    chosen = parser.parse_args()
    lines = []
    for kind in KINDS:
        runs = []
        for seed in range(FIRST_SEED, FIRST_SEED + chosen.seeds):
            runs.append(nlls(chosen.program, kind, seed))
            print(kind, seed, {label: round(value, 4) for label, value in runs[-1].items()}, flush=True)
        lines.append(line(kind, runs))
    chosen.out.write_text(
        "# Correlated errors, lower and upper errors, limits\n\n    python experiments/measurements.py\n\n"
        f"Mock catalogues, `nimgp simulate catalogue --measured KIND {' '.join(SIMULATE)} --seed S` with "
        f"{chosen.seeds} seeds from {FIRST_SEED} on; `nimgp fit train.csv --log flux`. Mean NLL of the test rows. "
        "\"Left out\" means, in training and prediction: correlations are ignored, lower and upper errors are "
        "replaced by their mean, or limits count as values or as missing cells. In parentheses: the increase of "
        "the NLL for each seed.\n\n"
        "| `--measured` | used | left out | best possible |\n|---|---|---|---|\n" + "\n".join(lines) + "\n"
    )  # fmt: skip


if __name__ == "__main__":
    main()
