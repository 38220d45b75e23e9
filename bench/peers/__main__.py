# SPDX-License-Identifier: Apache-2.0
"""Times one training step of the same model in nimgp, GPflow and GPyTorch, and compares them.

A step is the bound, its gradient with respect to all parameters, and an Adam update. The libraries run
in separate processes and alternate, round by round; only one computes at a time. If a library can be
used in several ways, all reasonable ways are measured, and the fastest is reported.

This program needs the standard library only; its workers run in the virtual environment that
setup.sh makes. `make bench-peers` does both.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cases import CASES, LIBRARIES, ROOT, Failure, say
from measure import measure
from page import load_note, page, table, write_page
from worker import serve


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    build, cases = ROOT / "build", [case.name for case in CASES]
    add("--peers-only", action="store_true", help="print the peers' times, without nimgp")
    add("--case", action="append", choices=cases, help="only this, and no page; repeatable")
    add("--rounds", type=int, default=5, help="turns of each library in each case (%(default)s)")
    add("--seconds", type=float, default=1.0, help="length of a peer's turn (%(default)s)")
    add("--bench-step", type=Path, default=build / "release/bench/bench_step", metavar="PROGRAM")
    add("--venv", type=Path, default=build / "peers-venv", metavar="DIRECTORY")
    add("--output", type=Path, default=ROOT / "docs/results/peers.md", metavar="FILE")
    add("--worker", choices=[library.module for library in LIBRARIES], help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    return options


def main() -> int:
    options = parse()
    if options.worker:
        serve(options.worker)
        return 0
    try:
        report = measure(options)
    except Failure as failure:
        say(f"peers: {failure}")
        return 1
    print(table(report))
    print(load_note(report))
    if not options.peers_only and not options.case:
        write_page(page(report, options), options.output)
        say(f"peers: wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
