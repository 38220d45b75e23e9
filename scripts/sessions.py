#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the shell sessions of Markdown files again and replaces the output shown there.

    scripts/sessions.py [--check] [--files DIR]... PROGRAMS FILE...

A session is an indented block with lines `    $ COMMAND`, each followed by its output. The commands of a
file run one after the other in a new directory, with the directory PROGRAMS first in PATH and links to
the files of DIR that they name. A line `...` stands for omitted lines, ` ...` at the end of a line for the rest
of the line. --check changes nothing and prints differences other than seconds.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MARGIN = "    "
PROMPT = MARGIN + "$ "
SECONDS = re.compile(r"\b(in|roughly) \d+(\.\d+)? s\b")


def is_output(line):
    return line.startswith(MARGIN) and not line.startswith(PROMPT)


def sessions(lines):
    """(first line, line behind the last, line behind the output) of each command."""
    at = 0
    while at < len(lines):
        first = at
        at += 1
        if not lines[first].startswith(PROMPT):
            continue
        while lines[at - 1].endswith("\\"):
            at += 1
        behind = end = at
        while end < len(lines) and (is_output(lines[end]) or not lines[end]):
            end += 1
            if is_output(lines[end - 1]):
                behind = end  # not the blank lines below a block
        yield first, at, behind
        at = behind


def without_numbers(line):
    return re.sub(r"[\d.]+", "#", line).split()


def stretches(old):
    """The lines between those that stand for others."""
    found = [[]]
    for line in old:
        if line.strip() == "...":
            found.append([])
        else:
            found[-1].append(line)
    return found


def shortened(old, new):
    """The new output, with as much left out as the old has left out.

    A stretch behind a gap starts where the same words are, whatever the numbers.
    """
    first, *others = stretches(old)
    if others:
        lines, at = new[: len(first)], len(first)
        for stretch in others:
            start = without_numbers(stretch[0]) if stretch else None
            places = (k for k in range(at, len(new)) if without_numbers(new[k]) == start)
            at = next(places, len(new) - len(stretch))
            lines += ["...", *new[at : at + len(stretch)]]
            at += len(stretch)
        new = lines
    cut = max((len(line) for line in old if line.endswith(" ...") and line.strip() != "..."), default=0)
    return [line[: cut - 4] + " ..." if cut and len(line) > cut else line for line in new]


def run(command, place, programs):
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", command], cwd=place, env=os.environ | {"PATH": path}, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    return done.stdout.splitlines()


def bring(command, folders, place):
    """Files of the folders that the command names, as links."""
    for file in (file for folder in folders for file in folder.glob("*")):
        link = pathlib.Path(place, file.name)
        if file.name in command and not link.exists():
            link.symlink_to(file.resolve())


def renewed(text, programs, folders):
    lines = text.split("\n")
    out, done = [], 0
    with tempfile.TemporaryDirectory() as place:
        for first, behind, end in sessions(lines):
            command = "\n".join(line[len(MARGIN) :] for line in lines[first:behind])[2:]
            print(f"  $ {command}", file=sys.stderr)
            bring(command, folders, place)
            old = [line[len(MARGIN) :] for line in lines[behind:end]]
            new = shortened(old, run(command, place, programs))
            out += lines[done:behind] + [(MARGIN + line).rstrip() for line in new]
            done = end
    return "\n".join(out + lines[done:])


def differences(old, new):
    """Lines that differ in more than seconds."""
    pairs = zip(old.split("\n"), new.split("\n"))
    return [f"-{a}\n+{b}" for a, b in pairs if SECONDS.sub("", a) != SECONDS.sub("", b)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--files", type=pathlib.Path, action="append", default=[])
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path, nargs="+")
    chosen = parser.parse_args()
    wrong = False
    for path in chosen.file:
        old = path.read_text()
        new = renewed(old, chosen.programs.resolve(), chosen.files)
        if chosen.check:
            for difference in differences(old, new):
                print(f"{path}:\n{difference}")
                wrong = True
        else:
            path.write_text(new)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
