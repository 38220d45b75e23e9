#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a directory includes one that lies above it or beside it (DESIGN, section 3).

usage: check_layers.py ROOT
"""
import pathlib
import re
import sys

TOOLS = {"base", "math"}
BELOW_MODEL = TOOLS | {"file", "gp", "kernel", "likelihood", "input", "data", "population"}
ALLOWED = {
    "base": set(),
    "math": {"base"},
    "file": {"base"},
    "data": TOOLS,
    "kernel": TOOLS,
    "likelihood": TOOLS,
    "population": TOOLS,
    "input": TOOLS | {"population"},
    "gp": TOOLS | {"kernel"},
    "model": BELOW_MODEL,
    "train": BELOW_MODEL | {"model"},
    "predict": BELOW_MODEL | {"model"},
    "generate": set(),  # nothing of the library, not even the public header
    "cli": {"table", "generate"},  # of the library the public header only
}
PUBLIC = "nimgp.h"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def directory_of(include, own):
    """The directory an include names; without one, the file's own."""
    parts = pathlib.PurePosixPath(include).parts
    if parts[0] in ("..", "src"):  # however it is spelled, it is the same directory
        parts = [part for part in parts if part not in ("..", "src")]
    return parts[0] if len(parts) > 1 else own


def complaints(path, own, text):
    if own not in ALLOWED:
        return [f"{path}: no rule for the directory '{own}'; see DESIGN, section 3"]
    found = []
    for include in INCLUDE.findall(text):
        target = directory_of(include, own)
        public = pathlib.PurePosixPath(include).name == PUBLIC
        bad = own == "generate" if public else target not in ALLOWED[own] | {own}
        if bad:
            found.append(f'{path}: {own}/ must not include "{include}"')
    return found


def files_of(root):
    """Every C file with the name of its directory in the table above."""
    for path in sorted((root / "src").rglob("*.[ch]")):
        below = path.relative_to(root / "src").parts
        yield path, below[0] if len(below) > 1 else "src"
    for name in ("cli", "generate"):
        for path in sorted((root / name).rglob("*.[ch]")):
            yield path, name


def check_the_checker():
    """What must be found is found, so that an empty list means something."""
    bad = [
        ("base", "data/scaling.h"),
        ("kernel", "gp/gp.h"),
        ("input", "kernel/kernel.h"),
        ("gp", "input/input.h"),
        ("model", "train/adam.h"),
        ("train", "predict/predictor.h"),
        ("predict", "train/schedule.h"),
        ("predict", "../train/schedule.h"),
        ("cli", "model/model.h"),
        ("cli", "../src/base/pool.h"),
        ("base", "math/simd.h"),
        ("math", "file/json.h"),
        ("file", "math/vector.h"),
        ("kernel", "file/json.h"),
        ("generate", "math/random.h"),
        ("generate", "nimgp.h"),
    ]
    good = [
        ("base", "nimgp.h"),
        ("math", "linalg.h"),
        ("gp", "kernel/kernel.h"),
        ("model", "data/scaling.h"),
        ("train", "model/bound.h"),
        ("cli", "nimgp.h"),
        ("cli", "commands.h"),
        ("cli", "table/table.h"),
    ]
    for own, include in bad:
        assert complaints("x.c", own, f'\n  # include "{include}"\n'), (own, include)
    for own, include in good:
        assert not complaints("x.c", own, f'#include "{include}"\n'), (own, include)
    assert complaints("x.c", "attic", "")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    check_the_checker()
    root = pathlib.Path(sys.argv[1])
    files = list(files_of(root))
    if not files:
        sys.exit(f"no C files under {root}/src")
    found = [line for path, own in files
             for line in complaints(path.relative_to(root), own, path.read_text())]
    print("\n".join(found) if found else f"{len(files)} files keep to their layers")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
