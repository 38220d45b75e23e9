#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small files that would take much memory or time, limits of the system, files that change while they
are read, and what a terminal is shown. usage: PROGRAM [TEST...]"""
import gzip
import os
import pty
import re
import resource
import signal
import subprocess

from cli_check import blobs, check, main

QUICK = ["--calibrate", "none", "--epochs", "3", "--stop", "fixed", "--inducing", "5", "--points", "32",
         "--threads", "1"]
SLOW = "NIMGP_FEWER_ROWS" in os.environ  # a sanitizer
ODD = "a\x1b[31m\x07\x9b2J\u202eb"  # colours, a bell, a C1 control, and a change of direction


def used(process):
    """What it said, its code, and the kilobytes it used at most."""
    out, said = process.communicate(timeout=120)
    return process.returncode, out, said


def peak(nimgp, *words):
    """A program's code, messages, peak of memory in bytes, and time. It may ask for 1.5 GB."""
    def limit():
        if not SLOW:  # a sanitizer asks for terabytes
            resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))
    process = nimgp.start(*words, preexec_fn=limit)
    said = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, said, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime


def many_columns(nimgp):
    """30 kB of gzipped commas."""
    columns = 3_000_000 if SLOW else 30_000_000
    nimgp.write("t.csv.gz", gzip.compress(b"," * columns))
    nimgp.write("t.tsv.gz", gzip.compress(b"x\t" * columns))
    for name in ("t.csv.gz", "t.tsv.gz"):
        code, said, memory, _ = peak(nimgp, "fit", name, "-o", "m")
        check(code == 2 and f"{name}:1: {columns + 1} columns; expected at most" in said, said)
        check(memory < 4e8, memory)


def rows_of_many_columns(nimgp):
    """Buffers of rows shrink as columns grow; names of errors are looked up quickly."""
    names = ",".join(f"a{i}" for i in range(60_000))
    rows = "".join("1," * 60_000 + label + "\n" for label in "aabb")
    nimgp.write("t.csv.gz", gzip.compress(f"{names},class\n{rows}".encode()))
    code, said, memory, seconds = peak(nimgp, "fit", "t.csv.gz", "-o", "m", *QUICK, "--inducing", "4")
    check(code == 0, said)
    check(memory < 5e8 and seconds < 20 * (4 if SLOW else 1), memory, seconds)


def many_classes(nimgp):
    """A training that takes long or much memory says so within seconds."""
    nimgp.write("t.csv", "x,class\n" + "".join(f"{i % 7},k{i % 2500}\n" for i in range(5000)))
    process = nimgp.start("fit", "t.csv", "-o", "m", "--threads", "1")
    said = b""
    while b"training takes" not in said:
        line = process.stderr.readline()
        check(line, said[-500:])
        said += line
    process.kill()
    check(re.search(rb"training takes at most [0-9:]+ more.*--inducing", said), said[-500:])


def limit_on_the_size_of_files(nimgp):
    """A message, and no temporary file."""
    nimgp.write_rows("t.csv", *blobs(3000))
    nimgp("fit", "t.csv", "-o", "m", *QUICK)
    def few():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    before = sorted(nimgp.directory.iterdir())
    for words in (["fit", "t.csv", "-o", "new", *QUICK], ["predict", "m", "t.csv", "-o", "p.csv"],
                  ["convert", "t.csv", "t.nimrows"], ["report", "m", "t.csv", "-o", "r.html"]):
        code, out, said = used(nimgp.start(*words, preexec_fn=few))
        check(code not in (0, -signal.SIGXFSZ) and b"nimgp: " in said and b"File too large" in said, code, said)
        after = sorted(nimgp.directory.iterdir())
        check(after == before, words, set(after) - set(before))


def row_file_that_shrinks(nimgp):
    nimgp.write_rows("t.csv", *blobs(20_000))
    for threads in ("1", "3"):  # a worker's signal is as good as the main thread's
        row_file_shrinks(nimgp, threads)


def row_file_shrinks(nimgp, threads):
    nimgp("convert", "t.csv", "t.nimrows")
    process = nimgp.start("fit", "t.nimrows", "-o", "m", "--progress", "json", "--epochs", "100000", "--stop", "fixed",
                          "--calibrate", "none", "--threads", threads,
                          env={**os.environ, "ASAN_OPTIONS": "handle_sigbus=0"}) # a sanitizer has a message of its own
    process.stderr.readline()
    while b'"epoch": 1,' not in process.stderr.readline():
        pass
    os.truncate(nimgp.directory / "t.nimrows", 4096)
    said = process.stderr.read()
    process.wait(timeout=60)
    check(process.returncode == 2, process.returncode, said[-3000:])
    check(b"a file became shorter while it was read" in said, said[-300:])
    check(not (nimgp.directory / "m").exists())


def shown(nimgp, *words):
    """What a terminal gets."""
    own, other = pty.openpty()
    process = subprocess.Popen([nimgp.path, *words], cwd=nimgp.directory, stdout=other, stderr=other)
    os.close(other)
    text = b""
    while True:
        try:
            piece = os.read(own, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(own)
    check(process.wait(timeout=60) == 0, words, text)
    return text.decode()


def tables_on_a_terminal(nimgp):
    """Nothing that it would obey; files and pipes get the bytes as they are."""
    head, rows = blobs(60)
    for row in rows:
        row[4] = ODD if row[4] == "a" else row[4]
    nimgp.write_rows("t.csv", head, rows)
    nimgp("fit", "t.csv", "-o", "m", *QUICK)
    commands = [["predict", "m", "t.csv", "--keep"], ["evaluate", "m", "t.csv"], ["evaluate", "m", "t.csv", "--json"],
                ["suggest", "m", "t.csv", "--keep"], ["inspect", "m"], ["inspect", "m", "--json"],
                ["convert", "t.csv", "-", "--to", "csv"]]
    told = 0
    for words in commands:
        text = shown(nimgp, *words).replace("\r\n", "\n")
        for bad in "\x1b\x07\x9b\u202e":
            check(bad not in text, words, repr(text[:500]))
        told += "??" in text or "\\u202e" in text
    check(told >= 6, told)
    check(ODD in nimgp("predict", "m", "t.csv", "--keep").out)


def progress_bar(nimgp):
    """It ends at 100 %, tells of the calibration, and shows no bound before there is one."""
    nimgp.write_rows("t.csv", *blobs(500 if SLOW else 3000))
    text = shown(nimgp, "fit", "t.csv", "-o", "m", "--epochs", "2", "--threads", "1")
    shares = [int(share) for share in re.findall(r"(\d+)% \[", text)]
    check(shares and max(shares) <= 100, shares)
    check("nan" not in text and "calibration" in text and "population" in text, repr(text))
    text = shown(nimgp, "fit", "t.csv", "-o", "m", "--epochs", "3000", "--threads", "1")
    check("still improving" not in text, text[-300:])


if __name__ == "__main__":
    main([many_columns, rows_of_many_columns, many_classes, limit_on_the_size_of_files, row_file_that_shrinks,
          tables_on_a_terminal, progress_bar])
