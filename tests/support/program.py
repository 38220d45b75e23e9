# SPDX-License-Identifier: Apache-2.0
"""Running nimgp from the check_*.py scripts, and the few checks they share."""
import csv
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import traceback


class Program:
    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())

    def __call__(self, *words, stdin=None, **settings):
        """Runs nimgp; standard output and error come back as text."""
        settings.setdefault("timeout", 300)
        return subprocess.run([self.path, *map(str, words)], input=stdin, capture_output=True,
                              text=True, **settings)

    def good(self, *words, **settings):
        done = self(*words, **settings)
        assert done.returncode == 0, (words, done.returncode, done.stderr)
        return done

    def bad(self, code, *words, says=(), **settings):
        """Must fail with that code, exactly one line on standard error and nothing on output."""
        done = self(*words, **settings)
        assert done.returncode == code, (words, done.returncode, done.stderr)
        assert done.stdout == "", (words, done.stdout)
        assert re.fullmatch(r"nimgp: [^\n]+\n", done.stderr), (words, done.stderr)
        for piece in [says] if isinstance(says, str) else says:
            assert piece in done.stderr, (words, piece, done.stderr)
        return done.stderr

    def commands(self):
        """Names in the overview, but for help."""
        text = self.good("--help").stdout
        listed = text.split("\ncommands:\n")[1].split("\n\n")[0]
        names = [line.split()[0] for line in listed.splitlines()]
        assert names[-1] == "help", names
        return names[:-1]

    def options(self, command):
        """Long options in a command's help, each with its letter (or None) and value (or None)."""
        found = {}
        for line in self.good(command, "--help").stdout.splitlines():
            match = re.fullmatch(r"  (?:-(\w), )?--([a-z0-9-]+)(?: (\S.*))?", line)
            if match:
                found[match[2]] = (match[1], match[3])
        return found


def rows_of(path):
    """A CSV file as a list of dictionaries of text."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def number(text):
    return float(text) if text else math.nan


def skip(why):
    print(f"SKIPPED: {why}", file=sys.stderr)
    sys.exit(77)


def data_directory():
    """Where the real data lie, or None: NIMGP_DATA, else ../shared/data beside the sources."""
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    path = pathlib.Path(os.environ.get("NIMGP_DATA", root.parent / "shared" / "data"))
    return path if path.is_dir() else None


def processor_seconds():
    """Of this script and the programs it ran."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main(checks):
    """Runs functions of (program, directory), each in a directory of its own; says which failed."""
    program, failed = Program(sys.argv[1]), 0
    for check in checks:
        with tempfile.TemporaryDirectory() as directory:
            started = processor_seconds()
            try:
                check(program, pathlib.Path(directory))
                print(f"ok      {check.__name__} ({processor_seconds() - started:.1f} s)")
            except Exception:  # one failure must not hide the others
                failed += 1
                print(f"FAILED  {check.__name__}\n{traceback.format_exc()}")
    sys.exit(1 if failed else 0)
