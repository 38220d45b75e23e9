#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a directory of C files includes a directory that it must not include.

usage: check_layers.py ROOT

A directory ("room") may include itself and the directories that ROOMS lists for it. Each entry may list
only directories of earlier entries, so that there is no cycle. Includes are written relative to the root
of the tree, or to src/ for files there ("gp/gp.h").
"""
import pathlib
import re
import sys

TOOLS = {"src/base", "src/math"}
PARTS = {"src/rows", "src/kernel", "src/likelihood", "src/input", "src/gp", "src/population"}
BELOW_MODEL = TOOLS | PARTS | {"src/file", "src/text"}
RULES = {"src/rules", "src/plan"}
BELOW_CLI = {"src/text", "table", "measure", "score", "include"}
ROOMS = {
    "include": set(),  # nimgp.h
    "src/text": set(),
    "src/base": {"include"},
    "src/math": {"src/base"},
    "src/file": {"src/base", "src/text", "include"},
    "src/rows": TOOLS | {"include"},
    "src/kernel": TOOLS | {"include"},
    "src/likelihood": TOOLS | {"include"},
    "src/population": TOOLS,
    "src/input": TOOLS | {"src/population", "include"},
    "src/gp": TOOLS | {"src/kernel", "include"},
    "src/view": TOOLS | {"src/rows", "include"},  # what a fit sees of a row
    "src/rules": BELOW_MODEL | {"include"},
    "src/plan": BELOW_MODEL | {"src/rules", "include"},
    "src/model": BELOW_MODEL | RULES | {"src/view", "include"},
    "src/train": BELOW_MODEL | RULES | {"src/view", "src/model", "include"},
    # What only the published protocols need; only lists name it, nobody includes it.
    "src/paper": BELOW_MODEL | RULES | {"src/view", "src/model", "src/train", "include"},
    "src/predict": BELOW_MODEL | RULES | {"src/view", "src/model", "include"},
    "src/fit": BELOW_MODEL | RULES | {"src/view", "src/model", "src/train", "include"},
    "generate": set(),  # independent of the library
    "table": {"src/text", "src/file"},  # of the library only text and files
    "measure": {"src/text", "include"},  # names and values of columns
    "score": {"src/text", "include"},  # predictions of any model
    "report": {"src/text", "score", "include"},
    # The program includes only the public header of the library, and src/text.
    "cli/terminal": BELOW_CLI,
    "cli/model": BELOW_CLI | {"cli/terminal"},
    "cli/rows": BELOW_CLI | {"cli/terminal", "cli/model"},
    "cli/score": BELOW_CLI | {"cli/terminal", "cli/model", "cli/rows"},
    "cli/training": BELOW_CLI | {"cli/terminal", "cli/model", "cli/rows", "cli/score"},
    "cli/command": BELOW_CLI | {"cli/terminal", "cli/model", "cli/rows", "cli/score",
                                "cli/training", "report", "generate"},
    "cli": BELOW_CLI | {"cli/terminal"},  # main.c
}
# Not part of the product: they may include all of it, but not each other.
BESIDE = {"bench", "examples", "experiments", "tests/support", "python/tests"}
TESTS = {"tests/" + name for name in ("api", "base", "cli", "fault", "file", "fit", "fuzz", "generate",
                                      "likelihood", "math", "measure", "model", "population", "predict", "project", "project/consumer", "rows", "score",
                                      "table", "text", "train")}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def allowed(own):
    if own in ROOMS:
        return ROOMS[own] | {own}
    if own in BESIDE:
        return set(ROOMS) | {own}
    if own in TESTS:
        return set(ROOMS) | {own, "tests/support"}
    return None


def room_of(include, own, known):
    """The room an include names; None where there is no such file. `known`: all files."""
    for start in (own, "src", "", "include", "tests"):
        path = f"{start}/{include}".lstrip("/")
        if path in known:
            return path.rpartition("/")[0]
    return None


def complaints(path, text, known):
    own = path.rpartition("/")[0]
    rooms = allowed(own)
    if rooms is None:
        return [f"{path}: no rule for the directory '{own}'; see docs/architecture.md"]
    found = []
    for include in INCLUDE.findall(text):
        target = room_of(include, own, known)
        if target is None:
            found.append(f'{path}: "{include}" is not spelled from the root or src/')
        elif target not in rooms:
            found.append(f'{path}: {own}/ must not include "{include}"')
    return found


def check_the_rules():
    """Each room names only rooms listed before it."""
    before = set()
    for room, below in ROOMS.items():
        assert below <= before, (room, below - before)
        before.add(room)


def check_the_checker(known):
    """What must be found is found, so that an empty list means something."""
    bad = [
        ("src/base", "rows/scaling.h"),
        ("src/base", "math/simd.h"),
        ("src/math", "file/checksum.h"),
        ("src/file", "math/vector.h"),
        ("src/text", "nimgp.h"),
        ("src/kernel", "gp/gp.h"),
        ("src/kernel", "file/checksum.h"),
        ("src/input", "kernel/kernel.h"),
        ("src/gp", "input/input.h"),
        ("src/model", "train/adam.h"),
        ("src/train", "predict/predictor.h"),
        ("src/train", "paper/coast.h"),
        ("src/input", "paper/draws.h"),
        ("src/predict", "train/schedule.h"),
        ("src/predict", "../train/schedule.h"),
        ("src/model", "cli/terminal/command.h"),
        ("src/model", "table/table.h"),
        ("table", "nimgp.h"),
        ("table", "cli/terminal/command.h"),
        ("table", "base/arena.h"),
        ("cli", "model/model.h"),
        ("cli/command", "base/pool.h"),
        ("cli/command", "../src/base/pool.h"),
        ("cli/model", "model/model.h"),
        ("cli/terminal", "cli/rows/columns.h"),
        ("cli/rows", "cli/score/outside_probabilities.h"),
        ("score", "table/table.h"),
        ("score", "model/model.h"),
        ("cli/rows", "generate/mock.h"),
        ("cli/score", "cli/training/progress.h"),
        ("cli/training", "cli/command/carried_columns.h"),
        ("generate", "math/random.h"),
        ("generate", "nimgp.h"),
        ("bench", "support/problem.h"),
        ("src/gp", "support/problem.h"),
        ("attic", "nimgp.h"),
    ]
    good = [
        ("src/base", "nimgp.h"),
        ("src/math", "math/linalg.h"),
        ("src/gp", "kernel/kernel.h"),
        ("src/model", "rows/scaling.h"),
        ("src/train", "model/bound.h"),
        ("src/paper", "train/rules.h"),
        ("table", "text/complaint.h"),
        ("table", "table/table.h"),
        ("cli/terminal", "nimgp.h"),
        ("cli/rows", "table/table.h"),
        ("cli/command", "cli/rows/columns.h"),
        ("cli/command", "generate/mock.h"),
        ("generate", "random.h"),
        ("tests/model", "support/problem.h"),
        ("tests/model", "model/bound.h"),
    ]
    for own, include in bad:
        assert complaints(f"{own}/x.c", f'\n  # include "{include}"\n', known), (own, include)
    for own, include in good:
        assert not complaints(f"{own}/x.c", f'#include "{include}"\n', known), (own, include)


def files_of(root):
    """Every C file of the tree, by its path from the root."""
    for top in ("include", "src", "generate", "table", "measure", "score", "report", "cli", "bench", "examples", "experiments", "tests", "python"):
        for path in sorted((root / top).rglob("*.[ch]")):
            yield path.relative_to(root).as_posix()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    known = set(files_of(root))
    if not known:
        sys.exit(f"no C files under {root}")
    check_the_rules()
    check_the_checker(known)
    found = [line for path in sorted(known)
             for line in complaints(path, (root / path).read_text(), known)]
    print("\n".join(found) if found else f"{len(known)} files keep to their layers")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
