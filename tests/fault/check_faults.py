#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One call after another is made to fail (fault.c): each allocation, read, write, fsync, rename, open and
thread start of a command, until the command has no further one; and each reading of a clock goes back by a day. Every time the program must end in one line
and the right exit code, free its memory, leave the old output as it was and nothing beside it; or do without,
and give the same bytes as ever.

usage: PROGRAM LIBRARY [--every N] [COMMAND...]    every N-th allocation only; the sweep is complete with 1"""
import argparse
import base64
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from cli_check import blobs

QUICK = ["--calibrate", "none", "--epochs", "2", "--stop", "fixed", "--inducing", "4", "-q"]
KINDS = ["memory", "read", "write", "fsync", "rename", "open", "thread", "clock"]

# What may be said, by what failed. A thread that cannot be started is a lack of memory, too. A clock that goes back
# is no reason to refuse.
CODES = {"memory": {3}, "thread": {3}, "read": {2}, "write": {2}, "fsync": {2}, "rename": {2}, "open": {2},
         "clock": set()}

COMMANDS = {
    "fit": ["fit", "t.csv", "-o", "out", *QUICK],
    "fit_threads": ["fit", "t.csv", "-o", "out", *QUICK, "--threads", "3", "--population", "gaussian"],
    "fit_calibrated": ["fit", "t.csv", "-o", "out", "-q", "--epochs", "2", "--inducing", "4"],
    "regress": ["fit", "r.csv", "-o", "out", "--task", "regress", "--label", "class", *QUICK],
    "warm": ["fit", "t.csv", "-o", "out", "--from", "model", "-q", "--epochs", "1"],
    "fit_memory": ["fit", "t.csv", "-o", "out", *QUICK, "--memory", "1K", "--population-from", "t.csv"],
    "fit_measured": ["fit", "s.csv", "-o", "out", *QUICK],
    "predict_measured": ["predict", "measured", "s.csv", "-o", "out", "-q"],
    "resume": ["fit", "t.csv", "-o", "out", "--resume", "checkpoint", "-q"],
    "predict": ["predict", "model", "t.csv", "-o", "out", "-q"],
    "predict_fits": ["predict", "model", "t.fits", "-o", "out.fits", "-q", "--keep"],
    "predict_sets": ["predict", "calibrated", "t.csv", "-o", "out.vot", "-q", "--prior", "auto", "--coverage", "0.9",
                     "--novelty", "--parts", "--latent"],
    "folds": ["evaluate", "t.csv", "--folds", "2", "--groups", "x2", "-o", "out", "--keep", *QUICK],
    "evaluate_report": ["evaluate", "model", "t.csv", "-q", "--report", "out.html",
                        "--prior", "a=1,b=2,c=3"],
    "evaluate": ["evaluate", "model", "t.csv", "-q"],
    "evaluate_weights": ["evaluate", "model", "t.csv", "-q", "--json", "--weights", "x1_err"],
    "evaluate_json": ["evaluate", "model", "t.csv", "-q", "--json"],
    "suggest": ["suggest", "model", "t.csv", "-o", "out", "-q", "--remeasure"],
    "suggest_json": ["suggest", "model", "t.csv", "-o", "out", "-q", "--json"],
    "report": ["report", "model", "t.csv", "-o", "out.html", "-q"],
    "report_json": ["report", "model", "t.csv", "--json", "-q"],
    "simulate": ["simulate", "toy", "-o", ".", "--rows", "6", "--test-rows", "4"],
    "inspect": ["inspect", "model"],
    "inspect_json": ["inspect", "model", "--json"],
    "columns": ["fit", "t.csv", "-o", "out", *QUICK, "--features", "x1-x2,x*", "--exclude", "x2_*",
                "--missing-value", "-99,-1", "--class-weight", "balanced", "--weights", "x1_err"],
    "votable": ["convert", "t.vot", "out.ecsv", "-q", "--columns", "x*,class"],
    "ecsv": ["convert", "t.ecsv", "out.vot", "-q"],
    "convert": ["convert", "t.csv", "out.fits", "-q"],
    "convert_gzip": ["convert", "t.fits[1]", "out.csv.gz", "-q", "--where", "x1 > 0"],
    "rows": ["convert", "t.csv", "out.nimrows", "-q"],
    "fit_rows": ["fit", "t.nimrows", "-o", "out", *QUICK, "--input", "latent", "--memory", "1K"],
}


def prepare(program, place):
    head, rows = blobs(24)

    def table(name, last):
        lines = [",".join(head)] + [",".join(map(str, [*row[:-1], last(row)])) for row in rows]
        (place / name).write_text("\n".join(lines) + "\n")

    table("t.csv", lambda row: row[-1])
    table("r.csv", lambda row: row[0] ** 2)
    fields = "".join(f'<FIELD name="{name}" datatype="double"/>' for name in head[:-1])
    cells = b"".join(struct.pack(f">{len(row) - 1}dI{len(str(row[-1]))}s", *row[:-1], len(str(row[-1])),
                                 str(row[-1]).encode()) for row in rows)
    (place / "t.vot").write_text(
        f'<VOTABLE><RESOURCE><TABLE>{fields}<FIELD name="{head[-1]}" datatype="char" arraysize="*"/><DATA><BINARY>'
        f'<STREAM encoding="base64">{base64.b64encode(cells).decode()}</STREAM></BINARY></DATA></TABLE></RESOURCE></VOTABLE>')
    odd = [f"{r[0]},{0.1 + i % 3},{-0.2},{'<' if i % 5 == 0 else ''},{r[1]},0.3,{0.1 * (i % 7)},{r[-1]}"
           for i, r in enumerate(rows)]
    (place / "s.csv").write_text("\n".join(["x,x_err1,x_err2,x_limit,y,y_err,x_y_corr,class", *odd]) + "\n")
    (place / "c.csv").write_text("\n".join(",".join(map(str, row)) for row in [head, *blobs(48)[1]]) + "\n")
    for words in (["fit", "t.csv", "-o", "model", *QUICK],
                  ["fit", "t.csv", "-o", "none", *QUICK, "--checkpoint", "checkpoint", "--every", "1"],
                  ["fit", "c.csv", "-o", "calibrated", *QUICK[2:], "--novelty", "always"],
                  ["fit", "s.csv", "-o", "measured", *QUICK],
                  ["convert", "t.csv", "t.fits", "-q"], ["convert", "t.csv", "t.ecsv", "-q"],
                  ["convert", "t.csv", "t.nimrows", "-q"]):
        subprocess.run([program, *words], cwd=place, check=True, capture_output=True)
    (place / "none").unlink()


class Sweep:
    def __init__(self, program, library, place):
        self.program, self.library, self.place = program, library, place
        self.points = self.refused = 0
        self.problems = []

    def run(self, words, fault=None):
        """How it ended, whether the fault came to pass, and what the directory holds."""
        mark, live = self.place.parent / "mark", self.place.parent / "live"
        mark.unlink(missing_ok=True)
        live.unlink(missing_ok=True)
        environment = {**os.environ, "LD_PRELOAD": self.library, "NIMGP_FAULT_MARK": str(mark),
                       "NIMGP_FAULT_LIVE": str(live), "TMPDIR": str(self.place)}
        if fault:
            environment["NIMGP_FAULT"] = fault
        done = subprocess.run([self.program, *words], cwd=self.place, capture_output=True, timeout=120,
                              env=environment)
        done.live = int(live.read_text()) if live.exists() else None  # blocks of memory not freed
        return done, mark.exists(), self.content()

    def content(self):
        return {path.name: path.read_bytes() for path in sorted(self.place.iterdir())}

    def restore(self, before, after):
        for name in after.keys() - before.keys():
            (self.place / name).unlink()
        for name, content in before.items():
            if after.get(name) != content:
                (self.place / name).write_bytes(content)

    def judge(self, kind, done, before, after, good, good_content):
        """What is wrong with how it ended, or None."""
        talk = done.stderr.decode("utf8", "replace")
        if done.live is not None and done.live > good.live:
            return f"{done.live - good.live} blocks of memory more than usual were not freed"
        if done.returncode == 0:
            if after != good_content or done.stdout != good.stdout:
                return "ended well, with another result"
            return None
        self.refused += 1
        if done.returncode not in CODES[kind]:
            return f"exit code {done.returncode}"
        if not re.fullmatch(r"nimgp: [^\n]+\n", talk):
            return "not one line"
        if after != before:
            changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
            return f"changed {changed}"
        return None

    def sweep(self, name, kind, every):
        words = COMMANDS[name]
        for output in words:
            if output.startswith("out"):
                (self.place / output).write_bytes(b"what was there before")
        before = self.content()
        good, _, good_content = self.run(words)
        assert good.returncode == 0, (words, good.stderr)
        self.restore(before, good_content)
        count, number = 0, 1
        while True:
            done, failed, after = self.run(words, f"{kind}:{number}")
            if not failed:
                break
            count += 1
            problem = self.judge(kind, done, before, after, good, good_content)
            if problem:
                self.problems.append(f"{name} {kind}:{number}: {problem}: "
                                     f"{done.stderr.decode('utf8', 'replace')[-600:]}")
            self.restore(before, after)
            number += every if kind == "memory" else 1
        for output in words:
            if output.startswith("out"):
                (self.place / output).unlink()
        self.points += count
        return count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("commands", nargs="*")
    given = parser.parse_args()
    program = str(pathlib.Path(given.program).resolve())
    library = str(pathlib.Path(given.library).resolve())
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory) / "work"
        place.mkdir()
        prepare(program, place)
        sweep = Sweep(program, library, place)
        for name in given.commands or COMMANDS:
            counts = {kind: sweep.sweep(name, kind, given.every) for kind in KINDS}
            assert counts["memory"], f"{name}: no call failed; is {library} loaded?"
            print(f"{name:15}", *(f"{kind} {count}" for kind, count in counts.items() if count), flush=True)
        print(f"{sweep.points} points injected, {sweep.refused} refusals, {len(sweep.problems)} problems")
        for problem in sweep.problems[:40]:
            print(problem)
        sys.exit(1 if sweep.problems else 0)


if __name__ == "__main__":
    main()
