#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs compiled against an older nimgp.h, whose structures are shorter, run against this library and print the
same numbers; so do those compiled against a newer one, unless they ask for what this library does not know.

usage: check_other_header.py ROOT LIBRARY SANITIZER COMPILER...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# The last member that the older structure has.
OLDER = {"nim_data": "labels;", "nim_prediction": "*probabilities;", "nim_progress": "batch, batches;"}


def body(header, name):
    """Where the members of a structure start and end in the text."""
    found = re.search(rf"typedef struct {name} {{\n(.*?)}} {name};", header, re.DOTALL)
    assert found, name
    return found.span(1)


def shorten(header, name, last):
    start, end = body(header, name)
    cut = header.index(last, start) + len(last)
    comment = re.compile(r"\s*/\*.*?\*/", re.DOTALL).match(header, cut)
    cut = comment.end() if comment else cut
    assert start < cut < end and header[cut:end].strip(), (name, "nothing to cut")
    return header[:cut] + "\n" + header[end:]


def lengthen(header, name):
    _, end = body(header, name)
    return header[:end] + "    double *future;\n" + header[end:]


def main():
    root, library, sanitizer, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    if sanitizer != "none":
        print(f"skipped: a library with {sanitizer} needs its run-time in the program")
        sys.exit(77)
    now = (root / "include" / "nimgp.h").read_text()
    older = newer = now
    for name, last in OLDER.items():
        older, newer = shorten(older, name, last), lengthen(newer, name)

    def run(place, name, header, *flags):
        folder = pathlib.Path(place, name)
        folder.mkdir()
        (folder / "nimgp.h").write_text(header)
        subprocess.run([*compiler, "-std=c17", "-Wall", "-Werror", *flags, f"-I{folder}",
                        root / "tests" / "project" / "consumer" / "other_header.c", f"-L{library.parent}", "-lnimgp",
                        f"-Wl,-rpath,{library.parent}", "-o", folder / "program"], check=True)
        return subprocess.run([folder / "program"], capture_output=True, text=True)

    with tempfile.TemporaryDirectory() as place:
        today = run(place, "today", now)
        assert today.returncode == 0 and len(today.stdout.splitlines()) > 100, today
        for name, header in (("older", older), ("newer", newer)):
            other = run(place, name, header)
            assert other.returncode == 0, (name, other)
            assert other.stdout == today.stdout, f"{name}: other numbers"
        asks = run(place, "asks", newer, "-DREQUEST")
        assert asks.returncode == 1 and "newer version" in asks.stderr, asks
        unset = run(place, "unset", now.replace("{.size = sizeof(nim_data), ", "{"))
        assert unset.returncode == 1 and "NIM_DATA" in unset.stderr, unset
    print("programs of older and newer headers run")


if __name__ == "__main__":
    main()
