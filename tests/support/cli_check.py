# SPDX-License-Identifier: Apache-2.0
"""What the tests of fit, predict, evaluate, suggest and inspect share beyond program.py: the program in
a directory of its own, and small tables."""
import csv
import functools
import io
import json
import math
import pathlib
import random
import re
import subprocess
import sys

import program


def check(truth, *what):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in what) or "not so")


def near(a, b, tolerance=1e-9):
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


class Result:
    def __init__(self, words, done):
        self.command, self.code, self.out, self.err = " ".join(words), *done

    def rows(self):
        return list(csv.DictReader(io.StringIO(self.out)))

    def json(self):
        return json.loads(self.out)


class ProgramInDirectory:
    """The program in a directory."""

    def __init__(self, path, directory):
        self.path, self.directory = path, pathlib.Path(directory)

    def start(self, *words, **more):
        return subprocess.Popen([self.path, *map(str, words)], cwd=self.directory,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def __call__(self, *words, code=0, stdin=None):
        words = [str(word) for word in words]
        done = subprocess.run([self.path, *words], cwd=self.directory, input=stdin,
                              capture_output=True, timeout=600)
        result = Result(words, (done.returncode, done.stdout.decode("utf8", "replace"),
                                done.stderr.decode("utf8", "replace")))
        check(result.code == code, "nimgp", result.command, "ended with", result.code, "not", code,
              "\n" + result.err)
        return result

    def refuses(self, *words, says=(), code=2, stdin=None, talks=False):
        """One line on standard error that has all of `says`, nothing else (but what was understood
        of the table when it `talks`), and no file left."""
        before = sorted(self.directory.rglob("*"))
        result = self(*words, code=code, stdin=stdin)
        check(talks or re.fullmatch(r"nimgp: [^\n]+\n", result.err), f"nimgp {result.command} says\n",
              result.err)
        check(result.out == "", f"nimgp {result.command} writes", result.out)
        for part in says:
            check(str(part) in result.err.splitlines()[-1],
                  f"nimgp {result.command}: no '{part}' in", result.err)
        after = sorted(self.directory.rglob("*"))
        check(before == after, f"nimgp {result.command} left", set(after) - set(before))

    def read(self, name):
        return (self.directory / name).read_bytes()

    def write(self, name, text):
        (self.directory / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def write_rows(self, name, head, rows):
        lines = [",".join(head)] + [",".join(str(cell) for cell in row) for row in rows]
        return self.write(name, "\n".join(lines) + "\n")


def blobs(rows, seed=1, classes=("a", "b", "c"), spread=0.8, error=0.3):
    """Rows [x1, x2, x1_err, x2_err, class] around one centre a class; the head goes before."""
    source = random.Random(seed)
    head = ["x1", "x2", "x1_err", "x2_err", "class"]
    made = []
    for _ in range(rows):
        k = source.randrange(len(classes))
        angle = 2 * math.pi * k / len(classes)
        errors = [error * source.uniform(0.2, 1.5) for _ in range(2)]
        centre = (2 * math.cos(angle), 2 * math.sin(angle))
        cells = [source.gauss(c, spread) + source.gauss(0, e) for c, e in zip(centre, errors)]
        made.append([*cells, *errors, classes[k]])
    return head, made


def main(tests):
    """Runs the functions, each with a ProgramInDirectory; those named on the command line only, if any are."""
    def at_desk(test):
        @functools.wraps(test)
        def run(nimgp, directory):
            test(ProgramInDirectory(nimgp.path, directory))
        return run

    wanted = sys.argv[2:]
    program.main([at_desk(test) for test in tests if not wanted or test.__name__ in wanted])
