# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program have in common: running it, and small tables."""
import csv
import io
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent


class Failure(Exception):
    pass


def check(truth, *what):
    if not truth:
        raise Failure(" ".join(str(part) for part in what) or "not so")


def near(a, b, tolerance=1e-9):
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


class Result:
    def __init__(self, command, code, out, err):
        self.command, self.code, self.out, self.err = command, code, out, err

    def rows(self):
        return list(csv.DictReader(io.StringIO(self.out)))

    def json(self):
        return json.loads(self.out)


class Program:
    """The program in a directory of its own."""

    def __init__(self, path, directory):
        self.path, self.directory = str(pathlib.Path(path).resolve()), pathlib.Path(directory)

    def start(self, *words, **more):
        command = [self.path, *map(str, words)]
        return subprocess.Popen(command, cwd=self.directory, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **more)

    def __call__(self, *words, code=0, stdin=None):
        command = [self.path, *map(str, words)]
        done = subprocess.run(command, cwd=self.directory, input=stdin, capture_output=True,
                              timeout=600)
        result = Result(" ".join(command[1:]), done.returncode, done.stdout.decode("utf8", "replace"),
                        done.stderr.decode("utf8", "replace"))
        check(result.code == code, "nimgp", result.command, "ended with", result.code, "not", code,
              "\n" + result.err)
        return result

    def refuses(self, *words, says=(), code=2, stdin=None):
        """One line on standard error, naming all of `says`, nothing else, and no file left."""
        before = sorted(self.directory.rglob("*"))
        result = self(*words, code=code, stdin=stdin)
        lines = [line for line in result.err.splitlines() if line.startswith("nimgp: ")]
        last = lines[-1] if lines else ""
        for part in says:
            check(str(part) in last, f"nimgp {result.command}: no '{part}' in:", last)
        after = sorted(self.directory.rglob("*"))
        check(before == after, f"nimgp {result.command} left", set(after) - set(before))
        return last

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


def data_directory():
    """Where real data are, or None: NIMGP_DATA, else beside the source."""
    named = os.environ.get("NIMGP_DATA")
    place = pathlib.Path(named) if named else SOURCE.parent / "shared" / "data"
    return place if place.is_dir() else None


def main(tests):
    """Runs the functions given, each with a Program in an empty directory; argv[1] is the program,
    what follows is handed on by `options`."""
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} PROGRAM [NAME...]")
    wanted = sys.argv[2:]
    failed = 0
    for test in tests:
        if wanted and test.__name__ not in wanted:
            continue
        with tempfile.TemporaryDirectory() as directory:
            try:
                test(Program(sys.argv[1], directory))
                print(f"ok      {test.__name__}", flush=True)
            except Failure as failure:
                failed += 1
                print(f"FAILED  {test.__name__}: {failure}", flush=True)
    sys.exit(1 if failed else 0)
