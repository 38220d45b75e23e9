#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fit: the same bytes, memory, checkpoints, stopping and resuming, outputs. usage: PROGRAM [TEST...]"""
import fcntl
import json
import os
import pty
import random
import signal
import struct
import subprocess
import termios
import time

from cli_check import blobs, check, main
from short_fit import FEWER, QUICK, fit, inspect, train


# ---- the same bits -------------------------------------------------------------------------------


def same_bytes(nimgp):
    """Same table, options and seed: the same file; threads, talk and the file's place are no part of
    it. Another seed: another file."""
    train(nimgp)
    (nimgp.directory / "elsewhere").mkdir()
    fit(nimgp, "train.csv", "a", "--threads", "1", "--validation", "0.2")
    fit(nimgp, "train.csv", "b", "--threads", "3", "--validation", "0.2", "--progress", "json")
    fit(nimgp, "./train.csv", "elsewhere/c", "--quiet", "--validation", "0.2", "--checkpoint", "k",
        "--every", "7")
    check(nimgp.read("a") == nimgp.read("b") == nimgp.read("elsewhere/c"))
    fit(nimgp, "train.csv", "d", "--seed", "1", "--validation", "0.2")
    check(nimgp.read("a") != nimgp.read("d"))


def memory(nimgp):
    """Rows in a temporary file are the same rows, and the file is gone afterwards."""
    train(nimgp, rows=300)
    (nimgp.directory / "rows").mkdir()
    more = ["--validation", "0.2", "--log", "auto", "--class-weight", "balanced"]
    check("temporary file" not in fit(nimgp, "train.csv", "in_memory", *more).err)
    os.environ["TMPDIR"] = str(nimgp.directory / "rows")
    try:
        talk = fit(nimgp, "train.csv", "in_file", *more, "--memory", "2K").err
        check("they are in a temporary file in" in talk, talk)
        check(not list((nimgp.directory / "rows").iterdir()), "a file was left")
        check(nimgp.read("in_file") == nimgp.read("in_memory"), "another model")
        os.environ["TMPDIR"] = str(nimgp.directory / "nowhere")
        nimgp.refuses("fit", "train.csv", "-o", "m", "--memory", "2k", says=["nowhere", "cannot write a temporary file", "TMPDIR"])
    finally:
        del os.environ["TMPDIR"]
    for wrong in ("2Q", "", "G", "-1G", "0M", "1e9T", "nanG"):
        nimgp.refuses("fit", "train.csv", "-o", "m", "--memory", wrong, code=1, says=["--memory", "500M"])


def own_parameters(nimgp):
    """The parameters of rows are in a temporary file if they need more than --memory; the model is the same, also
    after a checkpoint."""
    train(nimgp, rows=200)
    (nimgp.directory / "rows").mkdir()
    os.environ["TMPDIR"] = str(nimgp.directory / "rows")
    own = "the parameters of the rows"
    try:
        for model in ("latent", "narrow"):
            more = ["--input", model, "--epochs", "4", "--stop", "fixed", "--calibrate", "none"]
            check(own not in fit(nimgp, "train.csv", "a", *more).err)
            talk = fit(nimgp, "train.csv", "b", *more, "--memory", "1K", "--checkpoint", "c", "--every", "2").err
            check(talk.count(own) == 1 and "they are in a temporary file" in talk, talk)
            check(nimgp.read("a") == nimgp.read("b"), "another model")
            for memory in ("1K", "1G"):
                talk = nimgp("fit", "train.csv", "-o", "d", "--resume", "c", "--memory", memory).err
                check((own in talk) == (memory == "1K"), talk)
                check(nimgp.read("a") == nimgp.read("d"), "another model after a checkpoint")
        check(own not in fit(nimgp, "train.csv", "a", "--input", "exact", "--memory", "1K").err)
        check(not list((nimgp.directory / "rows").iterdir()), "a file was left")
        nimgp("convert", "train.csv", "train.nimrows", "-q") # rows are mapped, so there is no other file
        os.environ["TMPDIR"] = str(nimgp.directory / "nowhere")
        nimgp.refuses("fit", "train.nimrows", "-o", "m", "--input", "latent", "--memory", "1K", talks=True,
                      says=["nowhere", "cannot write a temporary file", "TMPDIR"])
    finally:
        del os.environ["TMPDIR"]


def validation(nimgp):
    """Held-out rows are a share of each class, and the figures are those of evaluate."""
    head, rows = blobs(400)
    nimgp.write_rows("train.csv", head, rows)
    result = fit(nimgp, "train.csv", "m", "--validation", "0.25", "--progress", "json",
                 "--epochs", "30")
    known = inspect(nimgp, "m")
    check(known["held_out"] + known["rows"] == 400, known)
    for kind in known["classes"]:
        own = sum(row[4] == kind["name"] for row in rows)
        check(abs(own - kind["rows"] - own / 4) <= 1.5, kind, own)
    lines = [json.loads(line) for line in result.err.splitlines() if line.startswith("{")]
    check([line["epoch"] for line in lines] == list(range(1, 31)), "a line per epoch")
    check(all(line["epochs"] == 30 for line in lines))
    check(lines[0]["validation_nll"] is not None, "the first look is due at once")
    check(f"held out: {known['held_out']} rows" in result.err and "weighted" not in result.err, result.err)
    check(known["validation"] in result.err)
    said = nimgp("fit", "train.csv", "-o", "n", *QUICK, "--validation", "0.25", "--class-weight", "balanced").err
    check("(weighted as in training)" in said, said)
    nimgp.refuses("fit", "train.csv", "-o", "n", "--validation", "0.6", code=1, says=["0.6"])
    nimgp.refuses("fit", "train.csv", "-o", "n", "--validation", "x", code=1, says=["x"])


# ---- stopping and going on -----------------------------------------------------------------------

# Long enough that a signal sent at epoch 20 comes before the end.
LONG = [*QUICK, "--epochs", "100" if FEWER else "400"]


def wait_for(truth, process):
    while process.poll() is None and not truth():
        time.sleep(0.002)


def ctrl_c(nimgp):
    """Exit 130, a checkpoint, and the words to go on with, which end in the same bytes."""
    train(nimgp)
    nimgp("fit", "train.csv", "-o", "whole", *LONG, "--where", "x1 > -3", "--validation", "0.1",
          "--log", "none")
    for number in (signal.SIGINT, signal.SIGTERM):
        words = ["fit", "train.csv", "-o", "a model", *LONG, "--where", "x1 > -3", "--validation",
                 "0.1", "--log", "none", "--progress", "json"]
        process = nimgp.start(*words)
        for line in process.stderr:
            if b'"epoch": 20,' in line:
                process.send_signal(number)
                break
        said = process.stderr.read().decode()
        process.stdout.read()
        check(process.wait() == 130, "ended with", process.returncode, said)
        check(not (nimgp.directory / "a model").exists(), "a model of half a training")
        state = inspect(nimgp, "a model.checkpoint")
        check(state["under_way"] and 20 <= state["epochs"] < int(LONG[-1]), state)
        command = said.rsplit("to continue: nimgp ", 1)[1].strip()
        check(subprocess.run(f"'{nimgp.path}' {command}", shell=True, cwd=nimgp.directory,
                             capture_output=True).returncode == 0, command)
        check(nimgp.read("a model") == nimgp.read("whole"), "going on changed the model")
        check(not (nimgp.directory / "a model.checkpoint").exists(), "the checkpoint stays")
        os.remove(nimgp.directory / "a model")


def draw_bar(nimgp, width, until):
    """What a terminal of so many columns is sent by a training that is stopped when that stands there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, width, 0, 0))
    process = subprocess.Popen([nimgp.path, "fit", "train.csv", "-o", "m", *QUICK, "--epochs", "1000000"],
                               cwd=nimgp.directory, stderr=theirs)
    os.close(theirs)
    said = b""
    while until not in said:
        said += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    try:
        while more := os.read(ours, 4096):
            said += more
    except OSError: # the other end is closed
        pass
    os.close(ours)
    check(process.wait() == 130, process.returncode)
    return said.decode().replace("\r\n", "\n").split("\r")[1:]


def bar(nimgp):
    """On a terminal: one line that is drawn over itself, never wider than the window, and gone at the end."""
    train(nimgp)
    for width, until in ((40, b"% ["), (100, b" left")):
        *lines, last = draw_bar(nimgp, width, until)
        check(all(line.endswith("\033[K") and len(line) < width + 3 for line in lines), lines)
        first, *epochs = lines
        check("looking at the rows" in first, first)
        check(all("epoch" in line for line in epochs), epochs)
        shares = [int(line.split("%")[0]) for line in lines]
        check(shares == sorted(shares), shares)
        check(last.startswith("\033[Knimgp: "), "the bar stays before", last)


def killed(nimgp):
    """Killed many times at any moment; what is there is whole, and going on gives the same bytes."""
    train(nimgp, rows=300)
    long = [*QUICK, "--epochs", "40", "--validation", "0.1"]
    started = time.monotonic()
    nimgp("fit", "train.csv", "-o", "whole", *long, "--checkpoint", "whole.ck", "--every", "1")
    length = time.monotonic() - started
    source, kills, runs, resumed = random.Random(6), 0, 0, 0
    while kills < (5 if FEWER else 20):
        runs += 1
        check(runs < 200, "the kills never hit")
        go_on = ["--resume", "ck"] if (nimgp.directory / "ck").exists() else long
        resumed += "--resume" in go_on
        process = nimgp.start("fit", "train.csv", "-o", "m", *go_on, "--checkpoint", "ck", "--every",
                              "1")
        try:
            process.communicate(timeout=source.uniform(0.0, length))
        except subprocess.TimeoutExpired:
            process.kill()
            kills += 1
        said = process.communicate()[1].decode()
        check(process.returncode in (0, -signal.SIGKILL), "a run failed:", said)
        if (nimgp.directory / "ck").exists():
            inspect(nimgp, "ck")
        if (nimgp.directory / "m").exists():
            check(nimgp.read("m") == nimgp.read("whole"), "another model")
            for name in ("m", "ck"):
                (nimgp.directory / name).unlink()
    check(resumed > 0, "no run ever went on from a checkpoint")
    go_on = ["--resume", "ck"] if (nimgp.directory / "ck").exists() else long
    nimgp("fit", "train.csv", "-o", "m", *go_on)
    check(nimgp.read("m") == nimgp.read("whole"), "another model")


def checkpoints(nimgp):
    """--every counts epochs; a checkpoint that was asked for stays; contradictions are refused."""
    train(nimgp)
    fit(nimgp, "train.csv", "m", "--checkpoint", "ck", "--every", "11", "--epochs", "30")
    state = inspect(nimgp, "ck")
    check(state["epochs"] == 22 and state["under_way"], state)
    nimgp("fit", "train.csv", "-o", "n", "--resume", "ck", "--threads", "2")
    check(nimgp.read("m") == nimgp.read("n"))
    check((nimgp.directory / "ck").exists(), "the checkpoint was the user's")
    nimgp("fit", "train.csv", "-o", "n", "--resume", "ck", "--inducing", "10")  # says the same
    for words in (["--rate", "0.1"], ["--inducing", "11"], ["--label", "class"],
                  ["--features", "x1"], ["--classes", "a,b"], ["--where", "x1 > 0"],
                  ["--validation", "0.1"], ["--from", "m"]):
        nimgp.refuses("fit", "train.csv", "-o", "o", "--resume", "ck", *words, code=1,
                      says=[words[0].lstrip("-")])
    nimgp.write_rows("other.csv", *blobs(120, seed=9))
    nimgp.refuses("fit", "other.csv", "-o", "o", "--resume", "ck", says=["other.csv"], talks=True)
    nimgp.write_rows("more.csv", *blobs(121))
    nimgp.refuses("fit", "more.csv", "-o", "o", "--resume", "ck", says=["more.csv"], talks=True)
    nimgp.refuses("fit", "train.csv", "-o", "o", "--from", "ck", says=["ck", "--resume"])
    nimgp.refuses("fit", "train.csv", "-o", "o", "--resume", "other.csv", says=["other.csv"])
    nimgp.refuses("fit", "train.csv", "-o", "o", "--resume", "train.csv", code=1, says=["train.csv"])
    nimgp("fit", "train.csv", "-o", "q", "--epochs", "9", "--calibrate", "none", "--checkpoint", "own",
          "--every", "5")
    nimgp.refuses("fit", "train.csv", "-o", "o", "--resume", "own", "--inducing", "30", code=1,
                  says=["inducing 30", "which chose it itself"])
    nimgp.refuses("fit", "train.csv", "-o", "o", "--resume", "own", "--caution", "0.9", code=1,
                  says=["caution 0.9", "which chose it itself"])
    nimgp.refuses("fit", "m", "-o", "o", says=["m: is a nimgp model, not a table"])
    # A model that is done is what resuming it gives.
    check("already complete" in nimgp("fit", "train.csv", "-o", "p", "--resume", "m").err)
    check(nimgp.read("m") == nimgp.read("p"))


def checkpoints_of_others(nimgp):
    """MODEL.checkpoint may be somebody else's: it is neither overwritten nor removed."""
    train(nimgp)
    nimgp.write("o.checkpoint", "my notes")
    nimgp.refuses("fit", "train.csv", "-o", "o", *QUICK, says=["o.checkpoint", "--checkpoint"])
    fit(nimgp, "train.csv", "o", "--checkpoint", "elsewhere", "--every", "10")
    check(nimgp.read("o.checkpoint") == b"my notes", "another's file was changed")
    fit(nimgp, "train.csv", "p", "--checkpoint", "p.checkpoint", "--every", "10")
    earlier = nimgp.read("p.checkpoint")
    check("p.checkpoint is the checkpoint of an earlier training" in fit(nimgp, "train.csv", "p").err)
    check(nimgp.read("p.checkpoint") == earlier, "another training's checkpoint was changed")
    fit(nimgp, "train.csv", "q", "--every", "10")  # its own, which it removes
    check(not (nimgp.directory / "q.checkpoint").exists())
    nimgp("fit", "train.csv", "-o", "p", "--resume", "p.checkpoint")
    check(not (nimgp.directory / "p.checkpoint").exists(), "a checkpoint that was resumed stays")


def warm_start(nimgp):
    head, rows = blobs(160)
    nimgp.write_rows("old.csv", head, rows[:120])
    nimgp.write_rows("new.csv", head, rows)
    fit(nimgp, "old.csv", "old", "--validation", "0.1")
    nimgp("fit", "new.csv", "-o", "new", "--from", "old", "--epochs", "5", "--rate", "0.01")
    known = inspect(nimgp, "new")
    check(known["rows"] + known["held_out"] == 160 and known["table"] == "new.csv", known)
    check(known["options"]["rate"] == "0.01", known["options"])
    nimgp.refuses("fit", "new.csv", "-o", "n", "--from", "old", "--features", "x1", code=1,
                  says=["--features"])
    nimgp.refuses("fit", "new.csv", "-o", "n", "--from", "old", "--kernel", "matern52", code=1,
                  says=["kernel"])
    nimgp.write_rows("less.csv", head, rows[:100])
    nimgp.refuses("fit", "less.csv", "-o", "n", "--from", "old", says=["less.csv"], talks=True)


def linked_outputs(nimgp):
    """Models and tables are written alike: links and permissions stay, what was redirected goes on."""
    fit(nimgp, "train.csv", "model")
    predictions = nimgp("predict", "model", "train.csv").out
    written = {"fit": ["fit", "train.csv", *QUICK], "predict": ["predict", "model", "train.csv"]}
    for name, words in written.items():
        target, link = nimgp.directory / f"{name}.csv", nimgp.directory / f"{name}-link.csv"
        target.write_text("old")
        target.chmod(0o604)
        link.symlink_to(target.name)
        nimgp(*words, "-o", link.name)
        check(link.is_symlink(), name, "replaced a link")
        check(target.stat().st_mode & 0o777 == 0o604, name, "changed permissions")
        redirected = nimgp.directory / f"{name}.out"
        redirected.write_bytes(b"before")
        with redirected.open("ab") as stream:
            command = [nimgp.path, *words, "-q", "-o", "/dev/stdout"]
            subprocess.run(command, cwd=nimgp.directory, stdout=stream, check=True)
        check(redirected.read_bytes() == b"before" + target.read_bytes(), name, "to /dev/stdout")
    check((nimgp.directory / "predict.csv").read_text() == predictions)
    check((nimgp.directory / "fit.csv").read_bytes() == (nimgp.directory / "model").read_bytes())


def outputs(nimgp):
    train(nimgp)
    for words in ([], ["-o", ""], ["-o", "-"]):
        nimgp.refuses("fit", "train.csv", *words, code=1, says=["-o"])
    nimgp.refuses("fit", "train.csv", "-o", ".", says=[".", "directory"])
    nimgp.refuses("fit", "train.csv", "-o", "no/such/place", says=["no/such/place"])
    nimgp.refuses("fit", "train.csv", "-o", "train.csv", code=1, says=["train.csv"])
    nimgp.refuses("fit", "train.csv", "-o", "-", code=1, says=["standard output"])
    if os.path.isdir("/proc/self"):  # where root may write, and yet no file can be made
        nimgp.refuses("fit", "train.csv", "-o", "/proc/x", says=["/proc/x"])
    nimgp.refuses("fit", "train.csv", "-o", "m", "--every", "0", code=1, says=["every"])
    linked_outputs(nimgp)
    result = nimgp("fit", "-", "-o", "m", *QUICK, stdin=nimgp.read("train.csv"))
    fit(nimgp, "train.csv", "n")
    a, b = (nimgp("predict", model, "train.csv").out for model in "mn")
    check(a == b, "standard input is another table", result.err)


if __name__ == "__main__":
    main([same_bytes, memory, own_parameters, validation, ctrl_c, bar, killed, checkpoints,
          checkpoints_of_others, warm_start, outputs])
