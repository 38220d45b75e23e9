#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if code asks which part it has, instead of what the part can do, or asks for an option that a rule chooses
whether it is still "auto".

usage: check_parts.py ROOT

Parts (kernels, likelihoods, input models, steps of views) say by their members what they are. The plan decides every
option that rules choose, so only rules/ and plan/ know "auto", and load.c, which completes the plans of older files.
"""
import pathlib
import re
import sys

ROOMS = ["src", "cli", "table", "report", "score", "measure", "generate"]
IDENTITY = re.compile(r"[!=]=\s*&?(kernel|likelihood|input|view|posterior)_\w+\b(?!\()")
NAMED = re.compile(r"strcmp\([^;]*(kernel|likelihood|input)->name")
LEFT = re.compile(r"\b(OPTION|POPULATION|VIEWS|WARP)_AUTO\b")
KNOW_AUTO = ("src/rules/", "src/plan/", "src/model/load.c", "src/population/population.h")


def main():
    root = pathlib.Path(sys.argv[1])
    files = sorted(path for room in ROOMS for path in (root / room).rglob("*.[ch]"))
    wrong = []
    for path in files:
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if IDENTITY.search(line) or NAMED.search(line):
                wrong.append(f"{name}:{number}: identifies a part: {line.strip()}")
            if LEFT.search(line) and not name.startswith(KNOW_AUTO):
                wrong.append(f"{name}:{number}: asks for auto: {line.strip()}")
    print("\n".join(wrong) or f"{len(files)} files ask parts what they can do")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
