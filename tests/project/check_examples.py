#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C program of docs/c-api.md is examples/session.c; it compiles without a warning and knows what it should. The
lines of C in README.md compile too.

usage: check_examples.py ROOT LIBRARY SANITIZER COMPILER...
"""
import pathlib
import re
import subprocess
import sys
import tempfile


WARNINGS = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]

# What the lines in README.md take for granted.
AROUND = """#include <nimgp.h>
void lines(size_t N, size_t d, const double *x, const int32_t *y, const double *s, const nim_options *options,
           nim_data test, nim_model *model, nim_predictor *predictor, double *p, nim_error error);
void lines(size_t N, size_t d, const double *x, const int32_t *y, const double *s, const nim_options *options,
           nim_data test, nim_model *model, nim_predictor *predictor, double *p, nim_error error) {
%s}
"""


def block_of_c(path):
    found = re.search(r"```c\n(.*?)```", path.read_text(), re.DOTALL)
    assert found, f"{path}: no block of C"
    return found[1]


def main():
    root, library, sanitizer, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    source = root / "examples" / "session.c"
    assert source.read_text().endswith(block_of_c(root / "docs" / "c-api.md")), "docs/c-api.md and examples/session.c differ"
    lines = AROUND % block_of_c(root / "README.md")
    subprocess.run([*compiler, *WARNINGS, "-fsyntax-only", f"-I{root / 'include'}", "-xc", "-"], input=lines, text=True,
                   check=True)
    if sanitizer != "none":
        print(f"skipped: a library with {sanitizer} needs its run-time in the program")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as place:
        program = pathlib.Path(place, "session")
        subprocess.run([*compiler, *WARNINGS, "-O2", source, f"-I{root / 'include'}", f"-L{library.parent}", "-lnimgp",
                        f"-Wl,-rpath,{library.parent}", "-o", program], check=True)
        said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print(said, end="")
    sharp, bad, inside = (float(line.rsplit("above ", 1)[1]) for line in said.splitlines()[1:])
    assert sharp > 0.9 and 0.3 < bad < 0.7 and inside > 0.9, (sharp, bad, inside)


if __name__ == "__main__":
    main()
