#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nimgp-mpi: real processes that mpirun starts. usage: NIMGP NIMGP_MPI MPI_MODELS [TEST...]"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from cli_check import blobs, check, main
from program import skip

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--quiet"]
MANY = str(pathlib.Path(sys.argv.pop(2)).resolve())
MODELS = str(pathlib.Path(sys.argv.pop(2)).resolve())
# More processes than processors give way to each other.
ENVIRONMENT = dict(os.environ, OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl="self,vader,tcp")
QUICK = ["--epochs", "2", "--stop", "fixed", "--inducing", "8", "--warm-up", "5", "--points", "16", "--batch", "40",
         "--threads", "1"]

if not shutil.which("mpirun"):
    skip("no mpirun")


def run(nimgp, ranks, *words, program=MANY, **settings):
    return subprocess.run([*MPIRUN, "-n", str(ranks), program, *words], cwd=nimgp.directory, env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **settings)


def good(nimgp, ranks, *words):
    done = run(nimgp, ranks, *words)
    check(done.returncode == 0, words, done.returncode, done.stderr)
    return done


def lines_of_ours(text):
    return [line for line in text.splitlines() if line.startswith("nimgp: ")]


def same_file(nimgp):
    """1, 2 and 4 processes leave the same bytes, in the model and in the checkpoint, and say what they do once."""
    nimgp.write_rows("train.csv", *blobs(120))
    for more in (["--novelty", "always", "--class-weight", "balanced"], ["--input", "latent", "--calibrate", "none"]):
        fit = ["fit", "train.csv", *QUICK, "--validation", "0.2", *more, "--every", "1"]
        talk = good(nimgp, 1, *fit, "-o", "one", "--checkpoint", "c1").stderr
        for ranks in (2, 4):
            done = good(nimgp, ranks, *fit, "-o", f"of{ranks}", "--checkpoint", f"c{ranks}")
            check(nimgp.read(f"of{ranks}") == nimgp.read("one"), more, ranks, "processes: another model")
            check(nimgp.read(f"c{ranks}") == nimgp.read("c1"), more, ranks, "processes: another checkpoint")
            check(len(lines_of_ours(done.stderr)) == len(lines_of_ours(talk)), done.stderr)


def every_model(nimgp):
    """The same bytes by 1, 2 and 4 processes for every input model with three likelihoods, also where 4 began and
    1 goes on."""
    def files(name):
        found = {path.name: path.read_bytes() for path in (nimgp.directory / name).iterdir()}
        check(len(found) >= 20, "only", sorted(found))
        return found

    def models(task, ranks, directory):
        (nimgp.directory / directory).mkdir(exist_ok=True)
        done = run(nimgp, ranks, task, directory, program=MODELS)
        check(done.returncode == 0, task, ranks, done.returncode, done.stderr)
        return files(directory)

    whole = {ranks: models("whole", ranks, f"of{ranks}") for ranks in (1, 2, 4)}
    part = models("part", 4, "part")
    resumed = models("resume", 1, "part")
    for name, bytes_of in whole[1].items():
        for ranks in (2, 4):
            check(whole[ranks][name] == bytes_of, name, "by", ranks, "processes: another model")
        check(part[name] != bytes_of, name, "was not stopped")
        check(resumed[name] == bytes_of, name, "begun by 4, ended by 1: another model")


def row_files(nimgp):
    """All processes map one row file."""
    for name in ("text", "rows"):
        (nimgp.directory / name).mkdir()
    nimgp.write_rows("text/train.csv", *blobs(120))
    nimgp("convert", "text/train.csv", "rows/train.csv", "--to", "rows", "-q")
    good(nimgp, 1, "fit", "text/train.csv", "-o", "one", *QUICK)
    for ranks in (1, 2, 4):
        talk = good(nimgp, ranks, "fit", "rows/train.csv", "-o", "m", *QUICK).stderr
        check(talk.count("are mapped from") == 1, talk)
        check(nimgp.read("m") == nimgp.read("one"), ranks, "processes: another model")


def one_is_bad(nimgp):
    """Rows that are bad in one process only: its line, and all end."""
    nimgp.write_rows("good.csv", *blobs(60))
    head, rows = blobs(60)
    rows[11][0] = "many"
    nimgp.write_rows("bad.csv", head, rows)
    for tables in (("good.csv", "bad.csv"), ("bad.csv", "good.csv"), ("good.csv", "good.csv", "bad.csv")):
        words = []
        for table in tables:
            words += [":", "-n", "1", MANY, "fit", table, "-o", "m", *QUICK]
        start = time.monotonic()
        done = subprocess.run([*MPIRUN, *words[1:]], cwd=nimgp.directory, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        check(done.returncode == 2, tables, done.returncode, done.stderr)
        wrong = [line for line in lines_of_ours(done.stderr) if "bad.csv" in line and "column" in line]
        check(len(wrong) == 1 and "bad.csv:13: column x1" in wrong[0], tables, done.stderr)
        check(time.monotonic() - start < 60, tables, "took long to end")
        check(not (nimgp.directory / "m").exists(), "a model was left")


def same_predictions(nimgp):
    """In order, in one output, as one process writes them."""
    nimgp.write_rows("train.csv", *blobs(120))
    nimgp.write_rows("test.csv", *blobs(5000, seed=2))
    nimgp("fit", "train.csv", "-o", "m", *QUICK, "--novelty", "always")
    predict = ["predict", "m", "test.csv", "--keep", "--parts", "--coverage", "0.9", "--novelty", "--prior", "auto"]
    alone = nimgp(*predict).out
    check(good(nimgp, 3, *predict).stdout == alone, "other output")
    good(nimgp, 2, *predict, "-o", "p.csv")
    check(nimgp.read("p.csv").decode() == alone, "another file")


def refusals(nimgp):
    """One line of ours, and all end."""
    nimgp.write_rows("train.csv", *blobs(60))
    head, rows = blobs(60)
    rows[11][0] = "many"
    nimgp.write_rows("bad.csv", head, rows)
    for words, code, says in ((["fit", "bad.csv", "-o", "m", *QUICK], 2, "bad.csv:13: column "),
                              (["fit", "-", "-o", "m"], 1, "the table cannot be standard input"),
                              (["fit", "train.csv"], 1, "no output file is given"),
                              (["inspect", "m"], 1, "inspect runs in one process only")):
        done = run(nimgp, 2, *words)
        check(done.returncode == code, words, done.returncode, done.stderr)
        ours = lines_of_ours(done.stderr)
        check(len(ours) == 1 and says in ours[0], words, done.stderr)
    check(not (nimgp.directory / "m").exists(), "a model was left")


def ranks_of(launcher):
    """Processes that mpirun has started."""
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(launcher)], capture_output=True, text=True)
    return [int(pid) for pid in children.stdout.split()]


def killed(nimgp):
    """SIGKILL to one, be it the first or the last: the others end with a code that is not 0, without more than a line
    of theirs and soon, and the checkpoint goes on with another number of them to the same bytes."""
    nimgp.write_rows("train.csv", *blobs(400))
    for victim, model in ((0, "marginal"), (-1, "latent")):
        long = ["fit", "train.csv", *QUICK, "--calibrate", "none", "--input", model, "--epochs", "40"]
        good(nimgp, 1, *long, "-o", "whole")
        kill_one(nimgp, long, victim)
        good(nimgp, 3, "fit", "train.csv", "-o", "m", "--resume", "c", "--threads", "1")
        check(nimgp.read("m") == nimgp.read("whole"), "another model after the kill")
        for name in ("m", "c"):
            (nimgp.directory / name).unlink()


def under_way(nimgp, words):
    """Two processes in a training that has written its checkpoint c."""
    launcher = subprocess.Popen([*MPIRUN, "-n", "2", MANY, *words, "-o", "m", "--checkpoint", "c", "--every", "1"],
                                cwd=nimgp.directory, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (nimgp.directory / "c").exists() and launcher.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    check(launcher.poll() is None, "over before it could be stopped")
    return launcher


def kill_one(nimgp, long, victim):
    launcher = under_way(nimgp, long)
    os.kill(ranks_of(launcher.pid)[victim], signal.SIGKILL)
    start = time.monotonic()
    _, text = launcher.communicate(timeout=60)
    check(time.monotonic() - start < 30, "took long to end")
    wrong = [line for line in lines_of_ours(text) if "lost" in line or "process" in line or "interrupted" in line]
    check(len(wrong) <= 1, text)
    check(launcher.returncode not in (0, None), launcher.returncode, text)
    check(not (nimgp.directory / "m").exists(), "a model was left")


def interrupted(nimgp):
    """Ctrl-C in one process stops all after the same step, also in an epoch; one goes on to the same bytes."""
    nimgp.write_rows("train.csv", *blobs(4000))
    long = ["fit", "train.csv", *QUICK, "--calibrate", "none", "--input", "latent", "--epochs", "20"]
    good(nimgp, 1, *long, "-o", "whole")
    launcher = under_way(nimgp, long)
    os.kill(ranks_of(launcher.pid)[-1], signal.SIGINT)
    _, text = launcher.communicate(timeout=60)
    check(launcher.returncode not in (0, None) and "to continue: " in text, launcher.returncode, text)
    good(nimgp, 1, "fit", "train.csv", "-o", "m", "--resume", "c", "--threads", "1")
    check(nimgp.read("m") == nimgp.read("whole"), "another model after the interrupt")


main([same_file, every_model, row_files, same_predictions, refusals, one_is_bad, killed, interrupted])
