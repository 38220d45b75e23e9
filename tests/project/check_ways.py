#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if docs/architecture.md leaves out a room, names one that is none, or a function that is not where it says; or if
a file has no first comment to be listed with.

usage: check_ways.py ROOT
"""
import pathlib
import re
import subprocess
import sys

from check_layers import ROOMS


def rooms_missing(text):
    """Differences between the rooms of the picture and those that have rules."""
    picture = text[text.index("## The house"):text.index("## Ideas")]
    named = {name.rstrip("/") for name in re.findall(r"`((?:src|cli|include|table|report|score|generate|measure)/[a-z/]*)`", picture)}
    return [f"the picture of the house lacks {room}" for room in sorted(set(ROOMS) - named)] + \
           [f"{room} is in the picture, but has no rules" for room in sorted(named - set(ROOMS))]


def steps(text, title):
    """(room, file, function) of each row of a way's table."""
    part = text[text.index(f"## {title}\n") + 4:].split("\n## ")[0]
    return re.findall(r"^\| `([a-z/]+)/` \| `(\w+\.c)` \| `(\w+)` \|", part, re.MULTILINE)


def is_defined(source, function):
    """Whether a definition, and not only a call or declaration, is there."""
    return re.search(rf"^[A-Za-z][\w *()]*\b{function}\([^;{{]*\)\s*{{", source, re.MULTILINE) is not None


def step_problems(root, title, way):
    problems = [] if len(way) > 8 else [f"{title}: only {len(way)} steps were understood"]
    for room, name, function in way:
        path = root / room / name
        if room not in ROOMS:
            problems.append(f"{title}: there is no room {room}/")
        elif not path.exists():
            problems.append(f"{title}: there is no {room}/{name}")
        elif not is_defined(path.read_text(encoding="utf-8"), function):
            problems.append(f"{title}: {room}/{name} does not define {function}")
    return problems


def main():
    root = pathlib.Path(sys.argv[1])
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert not is_defined("static int a(int b);\nint c = a(1);\n", "a") and is_defined("static int a(int b) {", "a")
    problems = rooms_missing(text)
    for title in ("The way of a cell", "The way back"):
        problems += step_problems(root, title, steps(text, title))
    listed = subprocess.run([sys.executable, root / "scripts" / "files.py", "--check"], capture_output=True, text=True)
    problems += listed.stdout.splitlines() if listed.returncode else []
    print(*problems, sep="\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
