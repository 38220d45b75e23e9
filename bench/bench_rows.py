#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A long table: memory and time of training on a row file, and of prediction from a pipe.

    build/python-venv/bin/python bench/bench_rows.py [--rows N] [--directory DIR] [--quick] [step] [predict] [fit]

Simulates N rows (default 10^7) of six attributes with errors and one of three classes, a row file of 1 GB, and prints
these measurements, or only those that are named:

- step: processor time of a step with mapped rows and with rows in memory, measured alternately (bench_rows);
- predict: memory and processor time of a prediction from a pipe;
- fit: memory without the file (RssAnon) and of the file (RssFile), and processor time of a fit of all mapped rows; the NLL
  of that model and of one trained on a tenth of the rows in memory with the same number of steps, on 10^5 other rows.

--quick uses a cheap model: first_order, no learned population, no calibration. Steps are then short, and reading rows
takes a larger share of the time. Files stay in DIR (build/bench-rows) for the next run.
"""
import argparse
import json
import math
import os
import pathlib
import struct
import subprocess
import time
import zlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
NIMGP = ROOT / "build" / "release" / "cli" / "nimgp"
STEP = ROOT / "build" / "release" / "bench" / "bench_rows"
ATTRIBUTES, CHUNK, TEST_ROWS = 6, 1 << 18, 100_000
BATCH, INDUCING = 2000, 20


def chunk_of(source, rows):
    """True inputs in a box; the largest of three smooth functions is the class, and errors differ."""
    true = source.uniform(-2.5, 2.5, (rows, ATTRIBUTES))
    wave = np.stack([np.sin(true[:, k] + k) + np.cos(true[:, k + 1] * true[:, k + 2] / 2) for k in range(3)])
    errors = source.uniform(0.1, 0.7, true.shape)
    return np.column_stack([source.normal(true, errors), errors, np.argmax(wave, axis=0)])


def make(path, rows, seed, chunk=chunk_of):
    """A row file after docs/row-file.md, piece by piece."""
    if path.exists():
        return
    names = [f"x{k + 1}" for k in range(ATTRIBUTES)]
    columns = [{"name": name} for name in names] + [{"name": name + "_err"} for name in names]
    columns.append({"name": "class", "words": ["a", "b", "c"]})
    text = json.dumps({"columns": columns}).encode()
    text = text.ljust(-(-len(text) // 8) * 8)
    source, total = np.random.default_rng(seed), 0
    with open(path.with_suffix(".part"), "wb") as file:
        def put(data):
            nonlocal total
            total = zlib.crc32(data, total)
            file.write(data)

        put(b"NIMROWS\n" + struct.pack("=3Q", 0x0102030405060708, 1, len(columns)).ljust(56, b"\0"))
        for first in range(0, rows, CHUNK):
            put(chunk(source, min(CHUNK, rows - first)).tobytes())
        put(text)
        put(struct.pack("=2Q", rows, len(text)))
        file.write(struct.pack("=Q", total) + b"NIMROWS\n")
    path.with_suffix(".part").rename(path)


def memory_of(pid):
    """RssAnon and RssFile in MB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return [int(status.split(name)[1].split()[0]) / 1024 for name in ("RssAnon:", "RssFile:")]


def watch(process):
    """The most memory a process has until it ends, and its processor time."""
    most = [0.0, 0.0]
    while True:
        ended, code, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            process.returncode = os.waitstatus_to_exitcode(code)
            break
        try:
            most = [max(pair) for pair in zip(most, memory_of(process.pid))]
        except (OSError, IndexError):
            pass
        time.sleep(0.02)
    assert process.returncode == 0, process.args
    return most, usage.ru_utime + usage.ru_stime


def fit(table, model, epochs, *words):
    command = [NIMGP, "fit", table, "-o", model, "--epochs", epochs, "--stop", "fixed", "--batch", BATCH, "--inducing",
               INDUCING, "--threads", "1", *words]
    most, seconds = watch(subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL))
    return f"RssAnon {most[0]:.0f} MB, RssFile {most[1]:.0f} MB, {seconds:.0f} s of processor time"


def nll(model, table):
    done = subprocess.run([NIMGP, "evaluate", model, table, "--json"], capture_output=True, text=True, check=True)
    score = json.loads(done.stdout)["nll"]
    return f"NLL {score['value']:.4f} +- {score['standard_error']:.4f}"


def predict(place, whole, test, rows):
    fit(test, place / "cheap.nimgp", 1, "--input", "exact")
    writer = subprocess.Popen([NIMGP, "convert", whole, "-", "--to", "csv", "-q"], stdout=subprocess.PIPE)
    words = ["predict", place / "cheap.nimgp", "-", "-o", "/dev/null", "--threads", "1", "-q"]
    reader = subprocess.Popen([NIMGP, *words], stdin=writer.stdout)
    writer.stdout.close()
    most, seconds = watch(reader)
    writer.wait()
    print(f"predict on a pipe: RssAnon {most[0]:.0f} MB, RssFile {most[1]:.0f} MB, {seconds:.0f} s of processor time, "
          f"{rows / seconds:.0f} rows a second", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--directory", type=pathlib.Path, default=ROOT / "build" / "bench-rows")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("parts", nargs="*", metavar="PART", help="step, predict or fit")
    wanted = parser.parse_args()
    unknown = set(wanted.parts) - {"step", "predict", "fit"}
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: expected step, predict or fit")
    place, rows = wanted.directory, wanted.rows
    place.mkdir(parents=True, exist_ok=True)
    whole, part, test = (place / f"{name}-{rows}.nimrows" for name in ("whole", "part", "test"))
    make(whole, rows, 1)
    make(part, rows // 10, 1)  # the first tenth of the same rows
    make(test, TEST_ROWS, 2)
    print(f"{rows} rows, {whole.stat().st_size / 2**20:.0f} MB; {math.ceil(rows / BATCH)} steps of {BATCH} rows",
          flush=True)
    quick = ["--input", "first_order", "--population", "flat", "--calibrate", "none"] if wanted.quick else []
    if "step" in wanted.parts or not wanted.parts:
        subprocess.run([STEP, whole, str(BATCH), str(INDUCING), "20", *quick[1:2]], check=True)
    if "predict" in wanted.parts or not wanted.parts:
        predict(place, whole, test, rows)
    if "fit" in wanted.parts or not wanted.parts:
        print("fit, where they lie:", fit(whole, place / "whole.nimgp", 1, *quick), flush=True)
        print("fit, a tenth in memory:", fit(part, place / "part.nimgp", 10, "--missing-value", "-999", *quick),
              flush=True)
        for name in ("whole", "part"):
            print(f"{name}: {nll(place / f'{name}.nimgp', test)}", flush=True)


if __name__ == "__main__":
    main()
