#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables and models with very many names in them: what is done with a name must not grow with the number
of names. Work that does would take longer than a test may. usage: PROGRAM [TEST...]"""
from cli_check import blobs, check, main
from model_file import ModelFile

QUICK = ["--calibrate", "none", "--epochs", "1", "--stop", "fixed", "--inducing", "2"]
COLUMNS, KEYS = 60000, 600000


def many_columns(nimgp):
    """Columns with errors and without, of which the model knows all."""
    half = COLUMNS // 2
    head = [f"x{i}" for i in range(half)] + [f"x{i}_err" for i in range(0, half, 10)] + ["class"]
    rows = [[(i * 7 + r * 13) % 11 for i in range(len(head) - 1)] + ["ab"[r % 2]] for r in range(6)]
    nimgp.write_rows("wide.csv", head, rows)
    nimgp("fit", "wide.csv", "-o", "m", *QUICK, "--input", "exact")
    check(len(nimgp("inspect", "m", "--json").json()["features"]) == half)
    check(len(nimgp("predict", "m", "wide.csv").rows()) == 6)
    same = ",".join(["a"] * COLUMNS)
    nimgp.write("same.csv", same + ",class\n" + "1," * COLUMNS + "b\n")
    nimgp.refuses("fit", "same.csv", "-o", "n", says=["two columns are named 'a'"])


def many_keys(nimgp):
    nimgp.write_rows("t.csv", *blobs(20))
    nimgp("fit", "t.csv", "-o", "m", *QUICK)
    file = ModelFile(nimgp.read("m"))
    file.texts.update({f"note.{i}": "x" for i in range(KEYS)})
    nimgp.write("notes", file.bytes())
    nimgp("inspect", "notes")
    file = ModelFile(nimgp.read("m"))
    file.arrays.update({f"a{i}": ([0], []) for i in range(KEYS // 4)})
    nimgp.write("arrays", file.bytes())
    nimgp("inspect", "arrays")
    content = ModelFile(nimgp.read("m")).bytes().replace(b'"written_by"', b'"note.table"')
    nimgp.write("twice", seal(content))
    nimgp.refuses("inspect", "twice", says=["twice", "header"])


def seal(content):
    """The right checksum, whatever was changed."""
    import zlib
    at = content.index(b'"crc32":"') + 9
    content = content[:at] + b"00000000" + content[at + 8:]
    return content[:at] + b"%08x" % zlib.crc32(content) + content[at + 8:]


if __name__ == "__main__":
    main([many_columns, many_keys])
