#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Model files that are well formed and mean harm: each is refused with what is wrong, or answers with
finite numbers, and none takes more memory than its size warrants. usage: PROGRAM [TEST...]"""
import math
import os
import subprocess

from cli_check import blobs, check, main
from model_file import ModelFile

QUICK = ["--calibrate", "none", "--epochs", "3", "--stop", "fixed", "--inducing", "6"]
WIDE = 256 << 20  # bytes that a program may use on a file of a few kB; sanitizers need most of it


def good_model(nimgp, *words):
    nimgp.write_rows("t.csv", *blobs(60))
    nimgp("fit", "t.csv", "-o", "good", *QUICK, *words)
    return ModelFile(nimgp.read("good"))


def run(nimgp, *words):
    """Exit code, output, complaint and the most memory it had, in bytes."""
    process = subprocess.Popen([nimgp.path, *words], cwd=nimgp.directory, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    out, said = process.stdout.read(), process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, out.decode(), said.decode(), used.ru_maxrss << 10


def judged(nimgp, file, what):
    """Refused in one line, or answered with numbers; returns whether it was refused."""
    nimgp.write("bad", file.bytes())
    refused = False
    for command in (["predict", "bad", "t.csv"], ["evaluate", "bad", "t.csv"],
                    ["suggest", "bad", "t.csv", "--remeasure"], ["inspect", "bad"]):
        code, out, said, memory = run(nimgp, *command)
        check(code in (0, 2, 3), what, command, "ended with", code, said)
        check(memory < WIDE, what, command, "took", memory >> 20, "MB")
        lines = [line for line in said.splitlines() if line.startswith("nimgp: ")]
        if code:
            check(out == "" and len(lines) == 1 and said.endswith(lines[0] + "\n"), what, command, said)
            refused = True
        elif command[0] == "predict":
            head, *rows = [line.split(",") for line in out.splitlines()]
            numbers = [float(cell) for row in rows for name, cell in zip(head, row) if name != "predicted"]
            check(len(rows) == 60 and all(map(math.isfinite, numbers)), what, "answered", out[:300])
    return refused


def no_jitter(nimgp):
    """A factorisation that asks for more jitter ends, whatever it begins with."""
    for jitter in (0.0, -1.0, -1e-6, 1.0, 1e300):
        file = good_model(nimgp)
        for c in range(3):
            file.set("jitter", c, jitter)
        file.set("kernel.log_white_noise", 0, -600.0)
        file.arrays["inducing.inputs"][1][:] = [0.0] * len(file.arrays["inducing.inputs"][1])
        check(judged(nimgp, file, f"jitter {jitter}"), "jitter", jitter, "was accepted")
        nimgp.refuses("predict", "bad", "t.csv", says=["bad", "jitter"])


def sizes_without_content(nimgp):
    """A size that only the texts have is refused before memory is asked for."""
    file = good_model(nimgp, "--input", "latent")
    file.texts["rows"] = "15000000"
    del file.arrays["rows.parameters"]
    check(judged(nimgp, file, "rows"), "rows without parameters")
    file = good_model(nimgp, "--input", "exact")
    file.texts["rows"] = str(1 << 60)  # a number, not a size, where rows have nothing of their own
    judged(nimgp, file, "many rows")
    file = good_model(nimgp, "--input", "amortised", "--units", "2", "--layers", "1")
    file.texts.update({"option.units": "4096", "option.layers": "6"})
    check(judged(nimgp, file, "units"), "units without parameters")
    file = good_model(nimgp)
    file.texts["inducing"] = "12000"
    file.arrays["inducing.inputs"] = ([3, 12000, 2], [0.5] * 72000)
    check(judged(nimgp, file, "inducing"), "inducing inputs without a factor")
    for key in ("inducing", "rows", "flags"):
        for number in ("18446744073709551615", "9223372036854775808", "-1", "1e9", "4294967296"):
            file = good_model(nimgp, "--input", "latent")
            file.texts[key] = number
            check(judged(nimgp, file, key), key, number)


def impossible_numbers(nimgp):
    """Every array with one absurd number in it."""
    start = good_model(nimgp, "--noise", "both", "--population", "flat").bytes()
    numbers = [math.nan, math.inf, -math.inf, -1.0, 0.0, 1e308, -1e308, 1e-320, 800.0, -800.0]
    refused = tried = 0
    for name in ModelFile(start).arrays:
        for number in numbers:
            file = ModelFile(start)
            if not file.arrays[name][1]:
                continue
            file.set(name, 0, number)
            if name != "counts" and not math.isfinite(number):
                nimgp.write("bad", file.bytes())
                nimgp.refuses("inspect", "bad", says=["bad", "not finite", name])
            elif not os.environ.get("NIMGP_FEWER_ROWS") or number in (1e308, -1.0):
                tried += 1
                refused += judged(nimgp, file, f"{name} {number}")
    check(0 < refused < tried, refused, "of", tried)


def enormous_mean(nimgp):
    """Once blank probabilities, a class and exit code 0."""
    for index in range(3):
        file = good_model(nimgp)
        file.arrays["posterior.mean"][1][6 * index] = 1e308
        nimgp.write("bad", file.bytes())
        nimgp.refuses("predict", "bad", "t.csv", code=3, says=["not a finite number"], talks=True)
        nimgp.refuses("predict", "bad", "t.csv", "-o", "p.csv", code=3, says=["finite"], talks=True)


def a_million_classes(nimgp):
    file = good_model(nimgp)
    names = ",".join(f'"{k}"' for k in range(1000000))
    file.texts["classes"] = f"[{names}]"
    check(judged(nimgp, file, "a million classes"))


if __name__ == "__main__":
    main([no_jitter, sizes_without_content, impossible_numbers, enormous_mean, a_million_classes])
