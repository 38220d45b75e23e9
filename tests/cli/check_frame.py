#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What all commands of the program have in common: parsing, help, complaints, signals, man pages
and completion.

usage: check_frame.py NIMGP
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from program import main

ALL = {"simulate", "check", "fit", "predict", "evaluate", "suggest", "inspect", "report", "convert"}


def check_overview(nimgp, _):
    assert set(nimgp.commands()) == ALL, nimgp.commands()
    version = nimgp.good("--version").stdout
    assert re.fullmatch(r"nimgp \d+\.\d+\.\d+\n", version), version
    overview = nimgp.good("--help")
    assert nimgp.good("help").stdout == nimgp.good("-h").stdout == overview.stdout
    assert nimgp.good("help", "--help").stdout == overview.stdout
    assert overview.stderr == ""
    for code in ("0", "1", "2", "3", "130"):
        assert re.search(rf"^ +{code}  \w", overview.stdout, re.M), code


def check_help(nimgp, _):
    everything = set().union(*(nimgp.options(command) for command in ALL))
    for command in nimgp.commands():
        text = nimgp.good(command, "--help").stdout
        assert text == nimgp.good("help", command).stdout == nimgp.good(command, "-h").stdout
        assert f"usage: nimgp {command} [options]" in text
        assert re.search(rf"^examples:\n(.*\n)*  .*nimgp {command} ", text, re.M), command
        options = nimgp.options(command)
        assert {"quiet", "help"} <= set(options), options
        for line in text.splitlines():
            assert len(line) < 80 or line.startswith("  "), line
            assert line == line.rstrip()
        # Options in examples and text exist: nothing is promised that is not there.
        for name in re.findall(r"--([a-z][a-z0-9-]*)", text):
            assert name in everything, (command, name)


def check_tiers(nimgp, place):
    """Options for research are set by --set alone; all others are in the help, in two groups."""
    nimgp.good("simulate", "toy", "--rows", "60", "--out", place / "tiers", "-q")
    base = ("fit", place / "tiers" / "train.csv")
    plan = nimgp.good(*base, "--explain", "-q").stdout
    names = [line.split()[0] for line in plan.splitlines()[1:]]
    fit, evaluate = nimgp.options("fit"), nimgp.options("evaluate")
    research = [name for name in names if name.replace("_", "-") not in fit]
    assert len(names) > 30 and 5 < len(research) < 15, (names, research)
    everyday, expert = nimgp.good("fit", "--help").stdout.split("\nFor experts")
    for name in set(names) - set(research):
        assert name.replace("_", "-") in evaluate, name
        line = re.compile(rf"^  --{name.replace('_', '-')}( |$)", re.M)
        assert bool(line.search(everyday)) != bool(line.search(expert)), name
    assert "--kernel" in everyday and "--alpha" in expert
    for name in research:
        nimgp.bad(1, *base, "--" + name.replace("_", "-"), "1", says=f"--set {name}=")
    changed = nimgp.good(*base, "--explain", "-q", "--set", "white-start=0.5", "--set", "whiten=0").stdout
    assert re.search(r"^  white_start +0.5 +given$", changed, re.M), changed
    assert re.search(r"^  whiten +0 +given$", changed, re.M), changed
    for words, says in (("whitn=0", "whitn"), ("whiten=2", "'2'"), ("whiten", "NAME=VALUE"), ("=1", "no such")):
        nimgp.bad(1, *base, "--explain", "--set", words, says=["--set", says])


def check_explain(nimgp, place):
    """Options without effect are said so; nothing is trained or written; reasons reach inspect."""
    nimgp.good("simulate", "toy", "--rows", "60", "--out", place / "why", "-q")
    base = ("fit", place / "why" / "train.csv")
    done = nimgp.good(*base, "--explain", "--degree", "5", "--layers", "1", "--alpha", "0.5")
    for option, why in (("degree", "the kernel is not polynomial"), ("layers", "inputs are not inferred by a network")):
        assert f"nimgp: option {option} has no effect: {why}\n" in done.stderr, done.stderr
        assert re.search(rf"^  {option} +\d +given, but no effect: {why}$", done.stdout, re.M), done.stdout
    assert "alpha has no" not in done.stderr and re.search(r"^  alpha +0.5 +given$", done.stdout, re.M)
    assert re.search(r"^  batch +50 +inputs are marginal$", done.stdout, re.M), done.stdout
    nimgp.good(*base, "-o", place / "m", "-q", "--epochs", "1", "--stop", "fixed", "--calibrate", "none")
    text = nimgp.good("inspect", place / "m").stdout
    assert re.search(r"^  batch +50 +inputs are marginal$", text, re.M), text
    assert '"batch":"inputs are marginal"' in nimgp.good("inspect", place / "m", "--json").stdout.replace('": "', '":"')


def check_help_wins(nimgp, _):
    """Whatever else stands on the line, unless it is wrong before."""
    for command in nimgp.commands():
        assert nimgp.good(command, "a", "b", "c", "--help", "--nonsense").stdout
    nimgp.bad(1, "convert", "--nonsense", "--help", says="--nonsense")


def check_wrong_words(nimgp, _):
    nimgp.bad(1, says="the command is missing")
    nimgp.bad(1, "evaluat", says="did you mean evaluate?")
    nimgp.bad(1, "zzzzz", says="see nimgp --help")
    nimgp.bad(1, "--nonsense", says="--nonsense")
    nimgp.bad(1, "help", "simulatte", says="did you mean simulate?")
    nimgp.bad(1, "help", "fit", "predict")
    nimgp.bad(1, "", says="unknown command ''")


def check_wrong_options(nimgp, _):
    for command in nimgp.commands():
        for name, (letter, value) in nimgp.options(command).items():
            if len(name) > 3:
                nimgp.bad(1, command, f"--{name[1:]}", says=f"did you mean --{name}?")
            # Prefixes are not accepted, or scripts rot.
            if not any(other == name[:-1] for other in nimgp.options(command)):
                nimgp.bad(1, command, f"--{name[:-1]}", says="unknown option")
            if value:
                nimgp.bad(1, command, f"--{name}", says=f"--{name} needs a value")
                nimgp.bad(1, command, f"--{name}", "--quiet", says=f"--{name} needs a value")
                if letter:
                    nimgp.bad(1, command, f"-{letter}", says=f"--{name} needs a value")
            elif name != "help":
                nimgp.bad(1, command, f"--{name}=yes", says=f"--{name} takes no value")
        nimgp.bad(1, command, "-Z", says="-Z")
        nimgp.bad(1, command, "-quiet", says="--quiet")
        nimgp.bad(1, command, *["operand"] * 20, says="usage: nimgp " + command)
    nimgp.bad(1, "convert", "only-one", says="OUT is missing; usage: nimgp convert IN OUT")
    nimgp.bad(1, "fit", says="TABLE is missing")
    nimgp.bad(1, "predict", says="MODEL is missing")
    nimgp.bad(1, "predict", "m", says="TABLE is missing")
    nimgp.bad(1, "evaluate", "m", says="TABLE is missing")
    nimgp.bad(1, "convert", "--to", "fitz", "a", "b",
              says=["--to: 'fitz'", "csv", "did you mean fits?"])
    nimgp.bad(1, "convert", "--to=", "a", "b", says="--to: ''")


def check_library_options(nimgp, _):
    """Their values are checked before any file is looked at, under the name the user typed."""
    base = ["fit", "/nonexistent/table.csv", "-o", "/nonexistent/model"]
    nimgp.bad(1, *base, "--input", "latnt", says=["--input: 'latnt'", "did you mean latent?"])
    nimgp.bad(1, *base, "--epsilon", "2", says=["--epsilon", "'2'", "0.5"])
    nimgp.bad(1, *base, "--batch", "1.5", says=["--batch", "1.5"])
    for spelled in ("first-order", "first_order"):
        nimgp.bad(2, *base, "--input", spelled, says="/nonexistent/")
    nimgp.bad(2, *base, "--epsilon", "1e-2", says="/nonexistent/")


def check_numbers(nimgp, place):
    out = place / "out"
    for text in ("0", "-1", "1.5", "many", "", "0x10", "nan", "inf", "1e300", "1 2"):
        nimgp.bad(1, "simulate", "toy", "--out", out, f"--rows={text}",
                  says=["--rows", f"'{text}'", "whole number from 1 to"])
    for text in ("-0.1", "nan", "1,5", "x"):
        nimgp.bad(1, "simulate", "toy", "--out", out, f"--noise-var={text}", says="--noise-var")
    nimgp.bad(1, "simulate", "toy", says="--out DIR")
    assert not out.exists()
    # The comma of another language's numbers changes nothing.
    nimgp.good("simulate", "toy", "--out", out, "--rows", "1e1", "--noise-var", "0.25",
               env={**os.environ, "LC_ALL": "de_DE.UTF-8"})
    assert len((out / "train.csv").read_text().splitlines()) == 11
    assert ",0.5," in (out / "train.csv").read_text()


def check_spellings(nimgp, place):
    """--name value, --name=value, -o value, -ovalue, --; the last one given counts."""
    texts = []
    for i, words in enumerate((["--out", "{}", "--seed", "3"], ["--out={}", "--seed=3"],
                               ["-o", "{}", "--seed", "9", "--seed", "3"],
                               ["-o{}", "--seed", "3", "--"])):
        out = place / str(i)
        nimgp.good("simulate", "--rows", "5", "--test-rows", "5",
                   *[word.format(out) for word in words], "toy")
        texts.append((out / "train.csv").read_text())
    assert len(set(texts)) == 1
    (place / "--odd").write_text("a,b\n1,2\n")
    done = nimgp.good("convert", "--", "--odd", "-", cwd=place)
    assert done.stdout == "a,b\n1,2\n"
    done = nimgp.good("convert", "-", "-", stdin="a,b\n1,2\n")
    assert done.stdout == "a,b\n1,2\n" and "1 of 1 row," in done.stderr
    for quiet in ("--quiet", "-q"):
        assert nimgp.good("convert", "-", "-", quiet, stdin="a,b\n1,2\n").stderr == ""


def check_one_line_whatever_the_name(nimgp, place):
    nimgp.bad(2, "convert", "no\nsuch\tfile\x1b", "-", says="no?such?file?")
    nimgp.bad(1, "convert", "--n\nq", says="--n?q")
    nimgp.bad(2, "convert", "x" * 3000, "-", says="xxx")


def check_full_disk(nimgp, _):
    for words in (["--help"], ["help", "fit"], ["--version"], ["convert", "-", "-"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([nimgp.path, *words], input="a\n1\n", stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2, (words, done)
        lines = [line for line in done.stderr.splitlines() if "space" in line]
        assert len(lines) == 1, (words, done.stderr)


def check_closed_pipe(nimgp, _):
    """Who reads our output may have enough: the end is quiet, even if the signal was ignored."""
    for before in (None, lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)):
        child = subprocess.Popen([nimgp.path, "convert", "-", "-", "--quiet"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, preexec_fn=before)
        child.stdout.close()
        try:
            child.stdin.write(b"a,b\n" + b"1,2\n" * 500000)
            child.stdin.close()
        except BrokenPipeError:
            pass
        child.wait(60)
        assert child.stderr.read() == b"", before
        assert child.returncode == -signal.SIGPIPE, child.returncode


def check_interrupt(nimgp, place):
    """Ctrl-C: 130, one line, and nothing left behind."""
    for number in (signal.SIGINT, signal.SIGTERM):
        out = place / str(int(number))
        child = subprocess.Popen([nimgp.path, "simulate", "synthetic", "--rows", "1e8", "--out",
                                  out], stderr=subprocess.PIPE, text=True)
        while not (out.is_dir() and list(out.iterdir())) and child.poll() is None:
            time.sleep(0.01)
        child.send_signal(number)
        assert child.wait(60) == 130, child.returncode
        assert re.fullmatch(r"nimgp: interrupted\n", child.stderr.read())
        assert list(out.iterdir()) == []
    child = subprocess.Popen([nimgp.path, "convert", "-", place / "x.csv"], stdin=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    time.sleep(0.3)  # most likely waiting for its input by now; if not, the outcome is the same
    child.send_signal(signal.SIGINT)
    time.sleep(0.1)
    if child.poll() is None:
        child.send_signal(signal.SIGINT)
    assert child.wait(60) in (130, -signal.SIGINT), child.returncode
    assert not (place / "x.csv").exists()


def rendered(page, place):
    """A man page as plain text, and what the formatter has to say about the source."""
    path = place / "page.1"
    path.write_text(page)
    if shutil.which("mandoc"):
        lint = subprocess.run(["mandoc", "-Tlint", path], capture_output=True, text=True).stdout
        text = subprocess.run(["mandoc", "-Tascii", "-Owidth=200", path], capture_output=True,
                              text=True, check=True).stdout
    elif shutil.which("man") and shutil.which("groff"):
        done = subprocess.run(["man", "--warnings", "-l", path], capture_output=True, text=True,
                              env={**os.environ, "MANWIDTH": "200", "LC_ALL": "C"})
        text, lint = done.stdout, done.stderr
    else:
        print("SKIPPED: neither mandoc nor man with groff is here; man pages are not rendered")
        return None, ""
    lint = [line for line in lint.splitlines() if "missing date" not in line]  # on purpose
    return re.sub(r".\x08", "", text), lint


def pages(nimgp, place, page, *commands):
    """What the build makes of the help of these commands."""
    texts = [place / f"{command}.help" for command in ("", *commands)]
    for command, text in zip(["", *commands], texts):
        text.write_text(nimgp.good("help", *filter(None, [command])).stdout)
    script = pathlib.Path(__file__).parents[2] / "tools" / "pages.py"
    return subprocess.run([sys.executable, script, page, *texts], capture_output=True, text=True, check=True).stdout


def check_manual(nimgp, place):
    overview = pages(nimgp, place, "manual")
    text, lint = rendered(overview, place)
    assert not lint, lint
    for command in nimgp.commands():
        assert re.search(rf"^\.BR nimgp\\-{command} \(1\)", overview, re.M), command
        if text:
            assert re.search(rf"^ +{command}\b", text, re.M), command
        page = pages(nimgp, place, "manual", command)
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"):
            assert f"\n.SH {section}\n" in page, (command, section)
        rendering, lint = rendered(page, place)
        assert not lint, (command, lint)
        for name, (letter, value) in nimgp.options(command).items():
            if rendering:
                line = (f"-{letter}, " if letter else "") + f"--{name}" + (f" {value}" if value
                                                                         else "")
                assert re.search(rf"^ +{re.escape(line)}( .*)?$", rendering, re.M), (command, line)
            assert "\\fB\\-\\-" + name.replace("-", "\\-") + "\\fR" in page, (command, name)
        if rendering:
            words = " ".join(rendering.split())
            help_text = nimgp.good(command, "--help").stdout
            description = help_text.split("\n\n")[2]
            assert " ".join(description.split()) in words, command
            example = help_text.split("\nexamples:\n")[1].splitlines()[0]
            assert example.strip() in rendering, (command, example)


def complete(script, words, place):
    """What bash offers for the last of these words (as bash splits them)."""
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    lines = (f"source '{script}'\nCOMP_WORDS=({quoted})\nCOMP_CWORD={len(words) - 1}\n"
             "_nimgp nimgp\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n")
    done = subprocess.run(["bash", "--norc", "-u", "-c", lines], capture_output=True, text=True,
                          cwd=place, check=True)
    assert done.stderr == "", done.stderr
    return set(done.stdout.split("\n")) - {""}


def check_completion(nimgp, place):
    if not shutil.which("bash"):
        print("SKIPPED: bash is not here; completion is not tried")
        return
    script = place / "script"
    script.write_text(pages(nimgp, place, "completion", *nimgp.commands()))
    area = place / "area"
    (area / "sub dir").mkdir(parents=True)
    (area / "stars and more.csv").write_text("")
    (area / "*.csv").write_text("")

    def offer(*words):
        return complete(script, [nimgp.path, *words], area)

    everything = {"stars and more.csv", "*.csv", "sub dir"}
    assert offer("") == ALL | {"help", "--help", "--version"}
    assert offer("s") == {"simulate", "suggest"}
    assert offer("help", "") == ALL
    for command in ALL:
        assert offer(command, "--") == {f"--{name}" for name in nimgp.options(command)}, command
    assert offer("simulate", "") == {"toy", "synthetic", "catalogue", "sine", "counts", "ordinal"}
    assert offer("simulate", "--out", "") == {"sub dir"}
    assert offer("simulate", "-o", "") == {"sub dir"}
    assert offer("simulate", "--seed", "") == set()
    assert offer("convert", "s") == {"stars and more.csv", "sub dir"}
    assert offer("convert", "") == everything
    formats = {"any", "csv", "tsv", "ecsv", "fits", "votable", "rows"}
    assert offer("convert", "--to", "") == formats
    assert offer("convert", "--to", "=", "f") == {"fits"}
    assert offer("convert", "--to", "=") == formats
    assert offer("convert", "--quiet", "") == everything
    assert offer("convert", "--", "--to", "s") == {"stars and more.csv", "sub dir"}
    for option, known in (("input", "first-order"), ("kernel", "linear+se"), ("likelihood", "student-t")):
        offered = offer("fit", f"--{option}", "")
        listed = re.search(rf"\n  --{option} NAME\n.*?\(([^()]*);\s+default", nimgp.good("fit", "--help").stdout, re.DOTALL)
        assert known in offered and offered == set(re.split(r",\s+", listed[1])), (option, offered, listed[1])
    assert offer("fit", "--input", "=", "la") == {"latent"}
    assert offer("fit", "--task", "") == {"classify", "regress", "count", "ordinal", "multilabel"}
    assert offer("fit", "--likelihood", "s") == {"softmax", "student-t"}
    assert offer("fit", "-o", "") == everything
    (place / "area" / "stars and more.csv").write_text("TIC ID,Period (days),period_err,class\n1,2,3,a\n")
    assert offer("fit", "stars and more.csv", "--label", "") == {"TIC\\ ID", "Period\\ \\(days\\)", "period_err", "class"}
    assert offer("fit", "stars and more.csv", "--features", "class,pe") == {"class,period_err"}
    assert offer("fit", "stars and more.csv", "--exclude", "=", "TIC\\ ") == {"TIC\\ ID"}
    assert offer("report", "no model", "stars and more.csv", "--name", "T") == {"TIC\\ ID"}
    assert offer("fit", "stars and more.csv", "--classes", "") == offer("fit", "--label", "") == set()


if __name__ == "__main__":
    main([check_overview, check_help, check_tiers, check_explain, check_help_wins, check_wrong_words, check_wrong_options,
          check_library_options, check_numbers, check_spellings, check_one_line_whatever_the_name,
          check_full_disk, check_closed_pipe, check_interrupt, check_manual, check_completion])
