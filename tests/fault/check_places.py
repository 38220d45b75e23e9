#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Outputs in odd places, and signals: a full disk, a pipe with a name, two writers, SIGHUP, SIGPIPE.
usage: PROGRAM [TEST...]"""
import os
import signal
import subprocess
import threading

from cli_check import blobs, check, main

QUICK = ["--calibrate", "none", "--epochs", "2", "--stop", "fixed", "--inducing", "4", "-q"]
LONG = ["--calibrate", "none", "--epochs", "100000", "--stop", "fixed", "--inducing", "4"]


def good_model(nimgp):
    nimgp.write_rows("t.csv", *blobs(40))
    nimgp("fit", "t.csv", "-o", "m", *QUICK)


def full_disk(nimgp):
    """The old file stays as it was, and nothing lies beside it."""
    good_model(nimgp)
    small = nimgp.directory / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", small], capture_output=True)
    if mounted.returncode:
        print("        SKIPPED: no small disk can be mounted here")
        return
    try:
        (small / "m").write_bytes(b"old")
        (small / "p.csv").write_bytes(b"old")
        (small / "rest").write_bytes(b"x" * 8000)
        nimgp.write_rows("many.csv", *blobs(2000))
        for words in (["fit", "t.csv", "-o", "small/m", *QUICK, "--inducing", "30"],
                      ["predict", "m", "many.csv", "-o", "small/p.csv", "-q"],
                      ["convert", "many.csv", "small/new.fits", "-q"]):
            nimgp.refuses(*words, says=["small/", "No space left"])
        check(sorted(path.name for path in small.iterdir()) == ["m", "p.csv", "rest"])
        check((small / "m").read_bytes() == (small / "p.csv").read_bytes() == b"old")
    finally:
        subprocess.run(["umount", small], check=True)


def named_pipes(nimgp):
    """Written straight away, and still a pipe afterwards."""
    good_model(nimgp)
    for words, expected in ((["predict", "m", "t.csv", "-q"], None), (["fit", "t.csv", *QUICK], nimgp.read("m"))):
        pipe = nimgp.directory / f"pipe-{words[0]}.csv"
        os.mkfifo(pipe)
        got = []
        reader = threading.Thread(target=lambda pipe=pipe, got=got: got.append(pipe.read_bytes()))
        reader.start()
        nimgp(*words, "-o", pipe.name)
        reader.join()
        check(pipe.is_fifo(), words, "replaced a pipe")
        check(got == [nimgp("predict", "m", "t.csv", "-q").out.encode() if expected is None else expected], words)


def two_writers(nimgp):
    """One of them wins, and its file is whole."""
    good_model(nimgp)
    wanted = [nimgp("predict", "m", "t.csv", "-q", "--where", where).out for where in ("x1 > 0", "x1 <= 0")]
    for _ in range(5):
        both = [nimgp.start("predict", "m", "t.csv", "-q", "--where", where, "-o", "same.csv")
                for where in ("x1 > 0", "x1 <= 0")]
        for process in both:
            check(process.wait() == 0, process.stderr.read())
            process.stderr.close(), process.stdout.close()
        check(nimgp.read("same.csv").decode() in wanted, "a mixture of two")
    check(not [path for path in nimgp.directory.iterdir() if path.name.startswith(".nimgp")])


def signals(nimgp):
    """SIGHUP and SIGTERM end a training after its step, with a checkpoint; a second one ends it at once."""
    good_model(nimgp)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever is under nohup ignores it, and so would the program
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        process = nimgp.start("fit", "t.csv", "-o", "s", *LONG, "--progress", "json")
        process.stderr.readline()
        while b'"epoch": 3,' not in process.stderr.readline():
            pass
        process.send_signal(number)
        said = process.communicate()[1]
        check(process.returncode == 130 and b"to continue" in said, number, process.returncode, said)
        check((nimgp.directory / "s.checkpoint").exists() and not (nimgp.directory / "s").exists())
        (nimgp.directory / "s.checkpoint").unlink()


def closed_pipe(nimgp):
    """Whoever reads and has enough ends us without a word."""
    good_model(nimgp)
    nimgp.write_rows("many.csv", *blobs(5000))
    process = nimgp.start("predict", "m", "many.csv", "-q")
    process.stdout.read(10)
    process.stdout.close()
    check(process.wait() in (0, -signal.SIGPIPE) and process.stderr.read() == b"", process.returncode)
    process.stderr.close()


if __name__ == "__main__":
    main([full_disk, named_pipes, two_writers, signals, closed_pipe])
