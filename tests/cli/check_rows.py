#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Row files: what is in them, and that every command makes the same of them as of a CSV table.

usage: check_rows.py NIMGP [TEST...]
"""
import gzip
import math
import random
import struct

import row_file
from cli_check import blobs, check, main
from program import number

QUICK = ["--epochs", "2", "--stop", "fixed", "--inducing", "8", "--warm-up", "5", "--points", "16",
         "--threads", "1", "--calibrate", "none"]
IN_PLACE = "are mapped from"


def catalogue(rows=300, gaps=True):
    """Errors for one feature but not the other, gaps, units of text, a column nobody asked for."""
    head, made = blobs(rows)
    source = random.Random(7)
    table = []
    for i, (x1, x2, e1, _, kind) in enumerate(made):
        cell = "" if gaps and source.random() < 0.1 else x1
        table.append([i, math.exp(3 * x2), kind, cell, "" if source.random() < 0.1 else e1, x2])
    return ["id", "flux", "class", "x1", "x1_err", "x2"], table


def both(nimgp, head, table):
    """The same table twice under the same name: here/train.csv is text, there/train.csv a row file."""
    for name in ("here", "there"):
        (nimgp.directory / name).mkdir(exist_ok=True)
    nimgp.write_rows("here/train.csv", head, table)
    nimgp("convert", "here/train.csv", "there/train.csv", "--to", "rows", "-q")


def same_model(nimgp, *words, in_place):
    """Both tables give the same bytes."""
    nimgp("fit", "here/train.csv", "-o", "a", *QUICK, *words)
    talk = nimgp("fit", "there/train.csv", "-o", "b", *QUICK, *words).err
    check((IN_PLACE in talk) == in_place, words, talk)
    check(nimgp.read("a") == nimgp.read("b"), words, "another model")


def content(nimgp):
    """What is written is what the description of the format says, to the bit, and comes back so."""
    source = random.Random(1)
    words = ["a", "b,c", "d \"e\"", "\u00e9t\u00e9", ""]
    rows = [[source.gauss(0, 1) * 10.0 ** source.randrange(-300, 300) if source.random() < 0.9 else "",
             source.choice(words).replace('"', '""'), source.randrange(5)] for _ in range(5000)]
    nimgp.write_rows("t.csv", ["x", "name", "n"], [[x, f'"{word}"', n] for x, word, n in rows])
    nimgp("convert", "t.csv", "t.nimrows", "-q")
    columns, table = row_file.read(nimgp.read("t.nimrows"))
    check([column["name"] for column in columns] == ["x", "name", "n"] and "words" in columns[1], columns)
    for mine, theirs in zip(rows, table):
        wanted = [None if mine[0] == "" else mine[0], mine[1].replace('""', '"') or None, mine[2]]
        check(wanted == theirs, wanted, theirs)
    nimgp("convert", "t.csv", "plain.csv", "-q")
    nimgp("convert", "t.nimrows", "back.csv", "-q")
    back = [[number(cell) for cell in line.split(b",")[:1]] for line in nimgp.read("back.csv").splitlines()[1:]]
    plain = [[number(cell) for cell in line.split(b",")[:1]] for line in nimgp.read("plain.csv").splitlines()[1:]]
    check(all(a == b or (math.isnan(a[0]) and math.isnan(b[0])) for a, b in zip(back, plain)), "other numbers")
    nimgp("convert", "t.nimrows", "again.nimrows", "-q")
    check(nimgp.read("again.nimrows") == nimgp.read("t.nimrows"), "other bytes")


def units(nimgp):
    """Units come along, and no rows are a table too."""
    nimgp.write("t.ecsv", "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: x, unit: arcsec, datatype: float64}\nx\n1\n")
    nimgp("convert", "t.ecsv", "t.nimrows", "-q")
    check(row_file.read(nimgp.read("t.nimrows"))[0] == [{"name": "x", "unit": "arcsec"}])
    nimgp("convert", "t.nimrows", "back.ecsv", "-q")
    check(b'unit: "arcsec"' in nimgp.read("back.ecsv"), nimgp.read("back.ecsv"))
    nimgp("convert", "t.nimrows", "none.nimrows", "-q", "--where", "x > 5")
    check(row_file.read(nimgp.read("none.nimrows"))[1] == [])
    check(nimgp("convert", "none.nimrows", "-", "-q").out == "x\n", "other rows")


def in_place(nimgp):
    """Where all rows and columns are taken as they are, nothing is copied."""
    both(nimgp, *catalogue())
    same_model(nimgp, "--exclude", "id", "--calibrate", "auto", in_place=True)
    same_model(nimgp, "--features", "x2,x1", in_place=True)
    same_model(nimgp, "--features", "x2,flux", "--class-weight", "balanced", in_place=True)
    same_model(nimgp, "--features", "x1,x2", "--input", "latent", "--novelty", "always", in_place=True)
    same_model(nimgp, "--label", "x2", "--task", "regress", "--features", "x1,flux", in_place=True)
    same_model(nimgp, "--features", "flux,x1", "--weights", "x1_err", "--where", "x1_err > 0", in_place=False)


def others(nimgp):
    """Rows that only the population is learned from may be in a row file too."""
    both(nimgp, *catalogue())
    models = []
    for place in ("here", "there"):
        nimgp("fit", "here/train.csv", "-o", "m", *QUICK, "--features", "x1,x2", "--population-from",
              f"{place}/train.csv")
        models.append(nimgp.read("m"))
    check(models[0] == models[1], "another model")


def copied(nimgp):
    """Where not, the rows are copied, and the model is the same."""
    head, table = catalogue()
    both(nimgp, head, table)
    more = ["--features", "x1,x2"]
    same_model(nimgp, *more, "--where", "flux > 1", "--calibrate", "auto", in_place=False)
    same_model(nimgp, *more, "--validation", "0.2", in_place=False)
    same_model(nimgp, *more, "--missing-value", "0.5", in_place=False)
    same_model(nimgp, "--features", "x1,log(flux)", in_place=False)
    same_model(nimgp, "--features", "x1,x2,flux", "--log", "auto", in_place=False)
    for lost in ([150], [299], [0], range(100, 300)): # rows without a label; at the end they only end the table
        both(nimgp, head, [[*row[:2], "" if i in lost else row[2], *row[3:]] for i, row in enumerate(table)])
        same_model(nimgp, *more, in_place=lost != [150] and lost != [0])


def other_order(nimgp):
    """A file of the other byte order is read as well."""
    both(nimgp, *catalogue())
    columns, table = row_file.read(nimgp.read("there/train.csv"))
    swapped = row_file.write(columns, table, order=">" if struct.pack("=H", 1) == b"\1\0" else "<")
    nimgp("convert", "there/train.csv", "native.csv", "-q")
    nimgp.write("there/train.csv", swapped)
    nimgp("convert", "there/train.csv", "swapped.csv", "-q")
    check(nimgp.read("native.csv") == nimgp.read("swapped.csv"))
    same_model(nimgp, "--exclude", "id", in_place=False)


def other_commands(nimgp):
    """predict, evaluate and a training that is resumed with the other kind of file."""
    both(nimgp, *catalogue())
    nimgp("fit", "here/train.csv", "-o", "m", "--exclude", "id", *QUICK)
    for words in (["predict", "m", "--keep"], ["evaluate", "m"], ["suggest", "m"]):
        results = [nimgp(*words[:2], f"{place}/train.csv", *words[2:]).out.replace("there/", "here/") for place in ("here", "there")]
        check(results[0] == results[1], words)
    long = ["--exclude", "id", *QUICK, "--epochs", "4"]
    nimgp("fit", "here/train.csv", "-o", "whole", *long)
    nimgp("fit", "here/train.csv", "-o", "m", *long, "--checkpoint", "c", "--every", "2")
    nimgp("fit", "there/train.csv", "-o", "resumed", "--resume", "c")
    check(nimgp.read("resumed") == nimgp.read("whole"), "another model")


def refusals(nimgp):
    """One line that says what is wrong and where."""
    both(nimgp, *catalogue(gaps=False))
    data = nimgp.read("there/train.csv")
    columns, table = row_file.read(data)
    nimgp.refuses("convert", "-", "o.csv", stdin=data, says=["standard input", "must be a file"])
    nimgp.refuses("convert", nimgp.write("t.gz", gzip.compress(data)), "o.csv", says=["t.gz", "not gzipped"])
    nimgp.refuses("convert", "here/train.csv", "o.nimrows.gz", says=["o.nimrows.gz", "cannot be gzipped"])
    nimgp.refuses("convert", nimgp.write("v", row_file.write(columns, table, version=2)), "o.csv",
                  says=["v: ", "version 2", "version 1"])
    nimgp.refuses("fit", nimgp.write("cut", data[:-1]), "-o", "m", says=["cut: ", "truncated"])
    damaged = bytearray(data)
    damaged[100] ^= 1
    nimgp.refuses("fit", nimgp.write("bit", bytes(damaged)), "-o", "m", says=["bit: ", "check sum"])
    table[16][3] = math.inf
    nimgp.refuses("fit", nimgp.write("far", row_file.write(columns, table)), "-o", "m", "--exclude", "id",
                  says=["far: row 17: column x1: inf"])
    table[16][3] = 0.0
    table[11][4] = -1.0
    nimgp.refuses("fit", nimgp.write("low", row_file.write(columns, table)), "-o", "m", "--exclude", "id",
                  says=["low: row 12: column x1_err: -1"])
    nimgp.write("latin.csv", b"x,name\n1,\xe9t\xe9\n2,b\n")
    nimgp.refuses("convert", "latin.csv", "o.nimrows", says=["column name", "UTF-8"])


def many_names(nimgp):
    """More different texts than there may be."""
    nimgp.write("t.csv", "name\n" + "\n".join(f"S{i}" for i in range((1 << 20) + 1)) + "\n")
    nimgp.refuses("convert", "t.csv", "o.nimrows", says=["row 1048577", "column name", "--columns"])


main([content, units, in_place, others, copied, other_order, other_commands, refusals, many_names])
