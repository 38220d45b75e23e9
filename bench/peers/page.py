# SPDX-License-Identifier: Apache-2.0
"""The page of results."""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import subprocess
from pathlib import Path

from cases import LIBRARIES, ROOT, THREADS
from measure import Report

TOO_BUSY = 0.1  # share of the machine that others may use before the page warns


def table(report: Report) -> str:
    lines = [
        "| shape | kernel | precision | library | likelihood | run as | ms per step | min..max "
        "| ratio |",
        "|---|---|---|---|---|---|---:|---:|---:|",
    ]
    for case, runners in report.results:
        base = next((runner.ms for runner in runners if runner.library == "nimgp"), None)
        for runner in runners:
            ratio = f"{runner.ms / base:.1f}" if base else "-"
            spread = f"{min(runner.rounds):.2f}..{max(runner.rounds):.2f}"
            cells = [case.shape, case.kernel, case.precision, runner.library, runner.likelihood]
            cells += [runner.variant or "-", f"{runner.ms:.2f}", spread, ratio]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def versions(venv: Path) -> str:
    header = (ROOT / "include" / "nimgp.h").read_text(encoding="utf-8")
    number = re.search(r'NIM_VERSION "([^"]+)"', header)
    ask = "import sys, importlib.metadata as m; print(*map(m.version, sys.argv[1:]))"
    lines = [f"- nimgp {number[1] if number else 'of unknown version'}"]
    for library in LIBRARIES:
        if not (venv / f".installed-{library.module}").exists():
            lines.append(f"- {library.name}: could not be installed, left out")
            continue
        command = [str(venv / "bin" / "python"), "-c", ask, *library.packages]
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        lines.append("- " + ", ".join(map(" ".join, zip(library.packages, answer, strict=True))))
    lines.append(f"- Python {platform.python_version()}")
    return "\n".join(lines)


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def load_note(report: Report) -> str:
    middle, most = statistics.median(report.other_load), max(report.other_load)
    note = f"Between turns, other work kept {middle:.0%} of the machine busy ({most:.0%} at most)."
    if middle > TOO_BUSY:
        note += " That is too much to trust the figures: measure again when it is quiet."
    return note


def failure_notes(report: Report) -> str:
    return "".join(
        f"- {library} could not be run as \"{variant}\": {why.replace('`', '')[:160]}\n"
        for (library, variant), why in report.failures.items()
    )


PAGE = """# One training step, next to GPflow and GPyTorch

Made by `make bench-peers`; do not edit. Ratios are relative to nimgp: 2.0 means that a step takes twice as long.

{table}

Processor: {processor}, {cores} cores; {threads} threads each, unless stated.
{load}

## What is timed

One step: the bound, its gradient with respect to all parameters, and an Adam update. The model is
sparse variational multi-class classification with exact inputs: C latent processes, each with its
own kernel (one scale for each attribute) and its own inducing inputs, and whitened q(u) with full
covariance. Data and labels are random numbers in memory. The peers use the same batch in every
step; nimgp draws a new batch in every step, from five times as many rows.

{shapes}

The libraries take turns: {rounds} rounds per case, and only one computes at a time. The time of a turn
is the median over its steps; the table gives the median and the range over the rounds.

## What differs

- GPflow has the same likelihood. It uses 20 Gauss-Hermite points; nimgp chooses the points from the
  widths of q(f) (about 20 if the widths are equal, more if they differ). GPyTorch uses softmax and
  averages over 10 random samples, which is its default, so its bound is different and noisy.
- In single precision the peers compute everything in single precision, which is the default of
  GPyTorch. nimgp sums, factorises and updates in double precision (docs/derivations/single.md).
- nimgp's kernels have a white-noise variance as an additional parameter; the peers' kernels do not.
- GPflow's polynomial kernel has a learned offset, nimgp's has a learned factor; both give the same
  functions. GPyTorch's polynomial kernel has no scale for each attribute, so it is left out.
- Each peer is run in several ways, and the fastest one counts. GPflow is compiled by `tf.function`,
  with and without XLA; "unrolled" is the same bound with the classes in a Python loop, because XLA
  cannot compile GPflow's own loop. GPyTorch is run without changes; as "diagonal", which does not
  compute the covariance between rows; with one thread; and with threads that sleep instead of spin
  while they wait. `torch.compile` is used for mnist only, because it made the smaller shapes slower
  in a test. Both peers keep freed memory, which saves GPyTorch a tenth of its time for mnist.
{failures}
## Versions

{versions}
"""


def page(report: Report, options: argparse.Namespace) -> str:
    shapes = ["| shape | rows B | classes C | inducing inputs M | attributes d |"]
    shapes.append("|---|---:|---:|---:|---:|")
    for case in dict((case.shape, case) for case, _ in report.results).values():
        cells = [case.batch, case.classes, case.inducing, case.attributes]
        shapes.append(f"| {case.shape} | " + " | ".join(map(str, cells)) + " |")
    return PAGE.format(
        table=table(report),
        processor=processor(),
        cores=os.cpu_count(),
        threads=THREADS,
        load=load_note(report),
        shapes="\n".join(shapes),
        rounds=options.rounds,
        failures=failure_notes(report),
        versions=versions(options.venv),
    )


def write_page(text: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
