#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at random moments of a training that writes checkpoints, from its start to its end. Going on from
what is there ends in the model an undisturbed training gives, to the byte, and no other file is left.

usage: PROGRAM [--kills N] [--seed S]"""
import argparse
import collections
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from cli_check import blobs

# A checkpoint after each of 60 short epochs: most of the time is spent near one being written.
FIT = ["fit", "t.csv", "-o", "m", "--calibrate", "none", "--epochs", "60", "--stop", "fixed", "--inducing", "8",
       "--validation", "0.1", "--warm-up", "20", "-q", "--threads", "1"]
EVERY = ["--checkpoint", "ck", "--every", "1"]


class Place:
    def __init__(self, program, path):
        self.program, self.path = program, path

    def start(self, *words):
        return subprocess.Popen([self.program, *words], cwd=self.path, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)

    def run(self, *words):
        process = self.start(*words)
        said = process.communicate(timeout=300)[1].decode()
        assert process.returncode == 0, (words, process.returncode, said)

    def names(self):
        return {path.name for path in self.path.iterdir()}

    def clear(self):
        for name in self.names() - {"t.csv"}:
            (self.path / name).unlink()


def killed_once(place, moment, whole):
    """Kills one training and goes on; says how far it had come."""
    place.clear()
    process = place.start(*FIT, *EVERY)
    try:
        process.communicate(timeout=moment)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), process.returncode
    left = place.names() - {"t.csv"}
    if "m" in left:
        assert (place.path / "m").read_bytes() == whole, "a model that is not the whole one"
        stage = "done" if process.returncode == 0 else "model written"
    else:
        stage = "under way" if "ck" in left else "before the first checkpoint"
    if "ck" in left:
        place.run("fit", "t.csv", "-o", "m", "--resume", "ck", "-q", "--checkpoint", "ck", "--every", "1")
    else:
        place.run(*FIT, *EVERY)
    assert (place.path / "m").read_bytes() == whole, "going on ended in another model"
    strays = place.names() - {"t.csv", "m", "ck"}
    assert not strays, f"left behind: {strays}"
    return stage, bool(left - {"m", "ck"})


def adapt(length, stage, taken):
    """How long a training takes on a machine that others use too: one that came to its end was shorter, and many
    that had hardly begun are a sign that it is longer."""
    if stage == "done":
        return min(length, taken)
    return length * 1.05 if stage == "before the first checkpoint" else length


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    source = random.Random(given.seed)
    stages, cleaned = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as directory:
        place = Place(str(pathlib.Path(given.program).resolve()), pathlib.Path(directory))
        head, rows = blobs(120)
        lines = [",".join(head)] + [",".join(map(str, row)) for row in rows]
        (place.path / "t.csv").write_text("\n".join(lines) + "\n")
        started = time.monotonic()
        place.run(*FIT, *EVERY)
        length = time.monotonic() - started
        whole = (place.path / "m").read_bytes()
        done = 0
        while done < given.kills:
            started = time.monotonic()
            stage, stray = killed_once(place, source.uniform(0.0, length), whole)
            stages[stage] += 1
            done += stage != "done"
            cleaned += stray
            length = adapt(length, stage, time.monotonic() - started)
            if done % 100 == 0 and stage != "done":
                print(f"{done} kills: {dict(stages)}", flush=True)
    print(f"{done} kills of {done}: {dict(stages)}; {cleaned} times a temporary file was left and then removed")
    sys.exit(0)


if __name__ == "__main__":
    main()
