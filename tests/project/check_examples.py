#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C session of README.md is examples/session.c; it compiles without a warning and knows what it should.

usage: check_examples.py ROOT LIBRARY SANITIZER COMPILER...
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    root, library, sanitizer, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    source = root / "examples" / "session.c"
    block = re.search(r"```c\n(.*?)```", (root / "README.md").read_text(), re.DOTALL)
    assert block and source.read_text().endswith(block[1]), "README.md and examples/session.c differ"
    if sanitizer != "none":
        print(f"skipped: a library with {sanitizer} needs its run-time in the program")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as place:
        program = pathlib.Path(place, "session")
        subprocess.run([*compiler, "-std=c17", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source,
                        f"-I{root / 'include'}", f"-L{library.parent}", "-lnimgp", f"-Wl,-rpath,{library.parent}", "-o",
                        program], check=True)
        said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print(said, end="")
    sharp, bad, inside = (float(line.rsplit("above ", 1)[1]) for line in said.splitlines()[1:])
    assert sharp > 0.9 and 0.3 < bad < 0.7 and inside > 0.9, (sharp, bad, inside)


if __name__ == "__main__":
    main()
