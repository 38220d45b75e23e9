# SPDX-License-Identifier: Apache-2.0
"""Predicts a HATS catalogue of mock rows with two workers, is killed once and goes on, and compares with the
program. Says how fast it is, against two plain processes, and how much memory a worker takes.

usage: killed_sky.py [--rows N] [--work DIRECTORY]
"""

from __future__ import annotations

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import lsdb
import nimgp
import nimgp.lsdb
import pandas as pd
import psutil
from conftest import PROGRAM, place_on_the_sky, same_as
from dask.distributed import Client
from nimgp import NoisyGPClassifier, from_table
from nimgp._estimators.partition import Reading, SentModel, predict_partition
from nimgp.datasets import make_catalogue

PARTS = 40


def make_sky(work: pathlib.Path, rows: int) -> None:
    """A HATS catalogue, the same table as CSV, and a model."""
    print(f"making {rows} rows", flush=True)
    made = make_catalogue(rows + 1000, 0, seed=11).train
    learn, table = made[:1000], place_on_the_sky(made[1000:].drop(columns="class").reset_index(drop=True))
    X, y, X_err, _ = from_table(learn, label="class", log=["flux"])
    NoisyGPClassifier(random_state=0).fit(X, y, X_err=X_err).save(work / "sky.nimgp")
    table.to_csv(work / "sky.csv", index=False)
    made = lsdb.from_dataframe(table, ra_column="ra", dec_column="dec", partition_rows=max(rows // PARTS, 50))
    made.write_catalog(work / "hats", catalog_name="sky", progress_bar=False)


def work_on(work: pathlib.Path) -> None:
    """One worker a process; goes on where another was killed."""
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None):
        found = nimgp.lsdb.predict(lsdb.open_catalog(work / "hats"), work / "sky.nimgp", novelty=True)
        found.write_catalog(work / "found", catalog_name="found", as_collection=False, resume=True, progress_bar=False)


def written(work: pathlib.Path) -> int:
    return len(list((work / "found").rglob("Npix=*.parquet")))


def watched(work: pathlib.Path, until: int | None = None) -> tuple[float, dict[int, list[float]]]:
    """Runs work_on in a process of its own, and kills it and its workers after `until` files. Seconds between the first
    and the last file, and the memory of the workers in MB, once a second."""
    child = subprocess.Popen([sys.executable, __file__, "--work", work, "--child"], start_new_session=True)
    memory: dict[int, list[float]] = {}
    first = last = time.monotonic()
    before = seen = written(work)
    while child.poll() is None:
        time.sleep(0.25)
        now = written(work)
        if now != seen:
            first = time.monotonic() if seen == before else first
            last, seen = time.monotonic(), now
        for process in psutil.Process(child.pid).children(recursive=True) if child.poll() is None else ():
            try:
                memory.setdefault(process.pid, []).append(process.memory_info().rss / 1e6)
            except psutil.NoSuchProcess:
                pass
        if until is not None and seen >= until:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return last - first, memory
    assert child.returncode == 0 and until is None, "the work ended before it was killed, or failed"
    return last - first, memory


def plain(work: pathlib.Path) -> float:
    """Seconds that two processes without an engine take for the same files, without their start."""
    begun = [subprocess.Popen([sys.executable, __file__, "--work", work, "--plain", str(k)], stdout=subprocess.PIPE) for k in range(2)]
    return max(float(process.communicate()[0].split()[-1]) for process in begun)


def plainly(work: pathlib.Path, k: int) -> None:
    files = sorted(path for path in (work / "hats").rglob("Npix=*.parquet") if "margin" not in str(path))[k::2]
    sent = SentModel.of(work / "sky.nimgp")
    sent.estimator()
    start = time.monotonic()
    for path in files:
        frame = pd.read_parquet(path)
        frame.assign(**predict_partition(frame, sent, Reading(novelty=True))).to_parquet(work / f"plain-{path.name}")
    print(time.monotonic() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--child", action="store_true")
    parser.add_argument("--plain", type=int)
    chosen = parser.parse_args()
    if chosen.child:
        return work_on(chosen.work)
    if chosen.plain is not None:
        return plainly(chosen.work, chosen.plain)
    with tempfile.TemporaryDirectory() as place:
        work = pathlib.Path(chosen.work or place)
        make_sky(work, chosen.rows)
        watched(work, until=5)
        killed_at = written(work)
        seconds, memory = watched(work)
        kept = lsdb.open_catalog(work / "found")
        done = len(kept.get_healpix_pixels())
        print(f"killed after {killed_at} of {done} files, and gone on")
        rows_of_rest = chosen.rows * (done - killed_at - 1) / done
        print(f"{rows_of_rest / seconds:.0f} rows a second with two workers; {chosen.rows / plain(work):.0f} with two plain processes")
        for pid, values in memory.items():
            if len(values) > 20 and max(values) > 200:
                half = len(values) // 2
                print(f"memory of process {pid}: at most {max(values[:half]):.0f} MB in the first half, {max(values[half:]):.0f} MB in the second")
        subprocess.run([PROGRAM, "predict", work / "sky.nimgp", work / "sky.csv", "--keep-only", "id", "--novelty",
                        "-o", work / "found.csv", "-q"], check=True)  # fmt: skip
        expected = pd.read_csv(work / "found.csv").set_index("id").sort_index()
        assert same_as(kept.compute(), expected)
        print(f"all {len(expected)} rows are equal to the program's, to the last bit")


if __name__ == "__main__":
    main()
