#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FITS against an independent reader and writer, tests/support/fits_file.py.

usage: check_fits.py TABLE_TOOL
"""
import gzip
import math
import os
import pathlib
import random
import struct
import sys
import tempfile

import fits_file
from program import data_directory
from table_dump import Tool


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def expected_columns(keys):
    """Names as the manual has them, with (column, element)."""
    for column in fits_file.columns(keys):
        name, _, kind, repeat, _, number = column
        if kind == "A" and repeat:
            yield name, column, None
        elif kind in fits_file.CODES and repeat == 1:
            yield name, column, 0
        elif kind in fits_file.CODES and repeat <= 64:
            shape = [int(n) for n in keys.get(f"TDIM{number}", f"({repeat})").strip("() ").split(",")]
            for element in range(repeat):
                index, rest = [], element
                for length in shape:
                    index.insert(0, rest % length + 1)
                    rest //= length
                yield name + "".join(f"_{i}" for i in index), column, element


def assert_reads(tool, path, keys, data, rows=4096):
    got = tool.dump(path, "any", rows)
    wanted = list(expected_columns(keys))
    assert got.names == [name for name, _, _ in wanted], got.names
    assert len(got.rows) == keys["NAXIS2"]
    for i, (name, column, element) in enumerate(wanted):
        assert got.units[i] == column[1], name
        for row, cell in zip(got.rows, fits_file.cells(keys, data, column)):
            text, number = row[i]
            if element is None:
                assert text == cell, (name, text, cell)
                continue
            value = cell[element]
            assert same(number, float(value)), (name, number, value)
            if math.isnan(value):
                assert text == b"", (name, text)
            elif isinstance(value, int):
                assert int(text) == value or float(text) == value, (name, text, value)
            else:
                assert float(text) == value, (name, text, value)


def binary_table(dice, rows, heap=b""):
    """Columns of every type, random bytes in them; strings are kept to letters."""
    forms = ["1L", "L", "1B", "B", "1I", "1I", "1J", "1K", "E", "1D", "7A", "0A", "3E", "6D", "65B", "9X",
             "1PE(3)", "1QD(3)", "1C", "2M", "12A", "4J", "1J", "1K", "1I"]
    cards, data, width = [], b"", 0
    for i, form in enumerate(forms, 1):
        cards += [(f"TTYPE{i}", f"col {i}'s"), (f"TFORM{i}", form)]
        repeat, kind = fits_file.split_format(form)
        width += (repeat + 7) // 8 if kind == "X" else repeat * fits_file.SIZES[kind]
    cards += [("TDIM14", "(2,3)"), ("TDIM22", "(2, 2) "), ("TDIM13", "(7)"), ("TUNIT9", "erg / s"),
              ("TNULL4", 17), ("TNULL5", -1), ("TNULL7", 0), ("TNULL8", -(2**63)),
              ("TSCAL6", 0.25), ("TZERO6", -3), ("TSCAL10", -2.5),
              ("TZERO23", 2147483648), ("TZERO25", 32768), ("EXTNAME", "MIXED")]
    for _ in range(rows):
        row = b""
        for form in forms:
            repeat, kind = fits_file.split_format(form)
            size = (repeat + 7) // 8 if kind == "X" else repeat * fits_file.SIZES[kind]
            if kind == "A":
                row += dice.choice([b"bll", b" fsrq", b"a,b\0xx", b"", b"123456789012"])[:size].ljust(
                    size, dice.choice([b" ", b"\0"]))
            elif kind == "L":
                row += dice.choice([b"T", b"F", b"\0"])
            elif kind == "K":
                row += struct.pack(">q", dice.choice([0, -1, 2**53, -(2**63), 12345]))
            elif kind == "J":
                row += b"".join(struct.pack(">i", dice.choice([0, -1, 7, 2**31 - 1, -(2**31)]))
                                for _ in range(repeat))
            elif dice.random() < 0.2:
                row += bytes([0xff] * size)
            else:
                row += dice.randbytes(size)
        data += row
    return fits_file.table("BINTABLE", width, rows, data, cards, heap)


def check_every_type(tool, place):
    dice = random.Random(1)
    for rows in (0, 1, 50, 3000):
        part = binary_table(dice, rows, heap=b"heap" * 1000)
        files = {"plain": fits_file.PRIMARY + part,
                 "later": fits_file.PRIMARY + fits_file.image(7, 11) + part + fits_file.image(1),
                 "special": fits_file.PRIMARY + part + b"trailing records".ljust(2880)}
        keys, _, data = next(p for p in fits_file.parts(files["plain"]) if "TFIELDS" in p[0])
        for name, content in files.items():
            (place / "t.fits").write_bytes(content)
            for most in (1, 7, 4096) if rows < 100 else (4096,):
                assert_reads(tool, place / "t.fits", keys, data, most)
            (place / "t.fits.gz").write_bytes(gzip.compress(content))
            assert_reads(tool, place / "t.fits.gz", keys, data)


def check_parts(tool, place):
    first = fits_file.table("BINTABLE", 1, 2, b"\1\2", [("TTYPE1", "a"), ("TFORM1", "B"),
                                                       ("EXTNAME", "ONE")])
    second = fits_file.table("BINTABLE", 1, 3, b"\3\4\5", [("TTYPE1", "b"), ("TFORM1", "B"),
                                                          ("EXTNAME", "Two")])
    content = fits_file.PRIMARY + first + fits_file.image(3, 3) + second
    (place / "t.fits").write_bytes(content)
    (place / "t.fits.gz").write_bytes(gzip.compress(content))
    for name in ("t.fits", "t.fits.gz"):
        for part, column, rows in (("", "a", 2), ("[1]", "a", 2), ("[3]", "b", 3), ("[one]", "a", 2),
                                   ("[TWO]", "b", 3)):
            got = tool.dump(f"{place / name}{part}")
            assert got.names == [column] and len(got.rows) == rows
        for part in ("[0]", "[2]", "[4]", "[three]", "[]", "[1000000000000]"):
            done = tool.run("dump", f"{place / name}{part}", "any", 1)
            assert done.returncode == 2 and f"{name}{part}: FITS: ".encode() in done.stderr, done


def check_ascii(tool, place):
    cards = [("TTYPE1", "name"), ("TFORM1", "A8"), ("TBCOL1", 1), ("TTYPE2", "i"), ("TFORM2", "I6"),
             ("TBCOL2", 10), ("TTYPE3", "f"), ("TFORM3", "F8.3"), ("TBCOL3", 17), ("TTYPE4", "d"),
             ("TFORM4", "D12.4"), ("TBCOL4", 26), ("TNULL2", "****"), ("TSCAL3", 10), ("TZERO3", 1),
             ("TUNIT3", "s")]
    rows = [("bll", "42", "1.500", "1.5D+03"), ("", "****", "1500", ""),
            (" psr", "-7", "-.5", "-2.5E-1")]
    # F8.3 without a point: 1500 is 1.500.
    wanted = [(b"bll", 42, 1.5, 1500), (b"", math.nan, 1.5, math.nan), (b"psr", -7, -0.5, -0.25)]
    body = b"".join(f"{n:8} {i:>6} {f:>8} {d:>12} ".encode() for n, i, f, d in rows)
    content = fits_file.PRIMARY + fits_file.table("TABLE", 38, 3, body, cards)
    (place / "t.fits").write_bytes(content)
    got = tool.dump(place / "t.fits")
    assert got.names == ["name", "i", "f", "d"] and got.kinds == ["t", "n", "n", "n"]
    assert got.units[2] == "s"
    for row, (name, i, f, d) in zip(got.rows, wanted):
        assert row[0][0] == name
        assert same(row[1][1], i) and same(row[2][1], 1 + 10 * f) and same(row[3][1], d), row
    bad = body.replace(b"    -7", b"   x-7")
    (place / "bad.fits").write_bytes(fits_file.PRIMARY + fits_file.table("TABLE", 38, 3, bad, cards))
    done = tool.run("dump", place / "bad.fits", "any", 10)
    assert done.returncode == 2 and b"row 3: column i: expected a number, found 'x-7'" in done.stderr


def check_names_in_64_bits(tool, place):
    """Integers a double would change are text, digit for digit; unsigned ones too."""
    values = [5853498713190525696, 5853498713190525697, 1]
    data = b"".join(struct.pack(">qqq", v, v - 2**63, 5) for v in values)
    cards = [("TTYPE1", "id"), ("TFORM1", "K"), ("TTYPE2", "u"), ("TFORM2", "K"), ("TZERO2", 2**63),
             ("TTYPE3", "n"), ("TFORM3", "K")]
    (place / "t.fits").write_bytes(fits_file.PRIMARY + fits_file.table("BINTABLE", 24, 3, data, cards))
    got = tool.dump(place / "t.fits")
    assert got.kinds == ["t", "t", "n"]
    for row, value in zip(got.rows, values):
        assert row[0][0] == row[1][0] == str(value).encode() and row[2][0] == b"5"


def check_sums_are_checked(tool, place):
    for kind, data, fill, cards in (
            ("BINTABLE", bytes(range(200)), b"\0", [("TTYPE1", "a"), ("TFORM1", "2B")]),
            ("TABLE", b"12" * 100, b" ", [("TTYPE1", "a"), ("TFORM1", "A2"), ("TBCOL1", 1)])):
        right = fits_file.checksum(fits_file.filled(data, fill))
        for value, code in ((right, 0), (right + 1, 2), (right - 1, 2)):
            part = fits_file.table(kind, 2, 100, data, cards + [("DATASUM", str(value))])
            (place / "t.fits").write_bytes(fits_file.PRIMARY + part)
            done = tool.run("dump", place / "t.fits", "any", 1000)
            assert done.returncode == code, (kind, value, done)
            assert code == 0 or b"DATASUM" in done.stderr


def check_unusable(tool, place):
    good = [("TTYPE1", "a"), ("TFORM1", "J")]

    def refused(content, *says):
        (place / "bad.fits").write_bytes(content)
        done = tool.run("dump", place / "bad.fits", "any", 10)
        assert done.returncode == 2 and done.stderr.count(b"\n") == 1, done
        for word in ("bad.fits: FITS: ", *says):
            assert word.encode() in done.stderr, (word, done.stderr)

    refused(fits_file.PRIMARY, "no table")
    refused(fits_file.PRIMARY + fits_file.image(5), "no table")
    refused(fits_file.PRIMARY[:2000], "ends within a header")
    refused(fits_file.PRIMARY[:80] + b" " * 2800 * 2, "header")
    refused(fits_file.PRIMARY + fits_file.image(5000)[:4000], "truncated")
    for form in ("5J", "0Z", "", "99999999999999999999J", "?"):
        part = fits_file.table("BINTABLE", 4, 1, b"1234", [("TTYPE1", "a"), ("TFORM1", form)])
        refused(fits_file.PRIMARY + part, "column 1 a")
    part = fits_file.table("BINTABLE", 4, 1, b"1234", good + [("ZTABLE", True)])
    refused(fits_file.PRIMARY + part, "compressed")
    refused(fits_file.PRIMARY + fits_file.table("BINTABLE", 8, 1, b"12345678", [("TFORM1", "1PE")]),
            "no column")
    part = fits_file.table("BINTABLE", 4, 1, b"1234", good)
    for old, new in ((b"NAXIS2  =                    1", b"NAXIS2  =                   -1"),
                     (b"NAXIS1  =                    4", b"NAXIS1  = 99999999999999999999"),
                     (b"NAXIS1  =                    4", b"NAXIS1  =           2000000000"),
                     (b"TFIELDS =                    1", b"TFIELDS =                 1000"),
                     (b"TFIELDS =                    1", b"TFIELDS =              1000000"),
                     (b"PCOUNT  =                    0", b"PCOUNT  =                    x"),
                     (b"BITPIX  =                    8", b"BITPIX  =                  -32")):
        assert old in part
        refused(fits_file.PRIMARY + part.replace(old, new))


def check_written(tool, place):
    """What the program writes, by the book: shape, sums, values."""
    dice = random.Random(2)
    texts = ["bll", "", "it's", 'a,"b"', "é", "x" * 70]
    for rows in (0, 1, 2000):
        table = [[dice.choice([repr(dice.gauss(0, 1)), "", "1e300", "-inf"]),
                  dice.choice(texts), repr(dice.random())] for _ in range(rows)]
        lines = ["x,it's,z z"] + [",".join([a, '"' + b.replace('"', '""') + '"', c]) for a, b, c in table]
        (place / "t.csv").write_text("\n".join(lines) + "\n")
        tool.copy(place / "t.csv", place / "o.fits")
        content = (place / "o.fits").read_bytes()
        assert len(content) % 2880 == 0
        (primary, _, empty), (keys, head, data) = fits_file.parts(content)
        assert primary["SIMPLE"] is True and primary["NAXIS"] == 0 and not empty
        assert keys["XTENSION"] == "BINTABLE" and keys["NAXIS2"] == rows and keys["TFIELDS"] == 3
        assert [keys[f"TTYPE{i}"] for i in (1, 2, 3)] == ["x", "it's", "z z"]
        assert int(keys["DATASUM"]) == fits_file.checksum(data)
        assert fits_file.checksum(head + data) == 0xffffffff
        columns = list(fits_file.columns(keys))
        if not rows:
            continue
        assert [column[2] for column in columns] == ["D", "A", "D"]
        x, name, z = (list(fits_file.cells(keys, data, column)) for column in columns)
        for i, (a, b, c) in enumerate(table):
            assert same(x[i][0], float(a or "nan")) and name[i].decode() == b and z[i][0] == float(c)


def check_units_are_carried(tool, place):
    part = fits_file.table("BINTABLE", 12, 1, b"123456789abc", [
        ("TTYPE1", "a"), ("TFORM1", "J"), ("TUNIT1", "erg/s"), ("TTYPE2", "b"), ("TFORM2", "8A")])
    (place / "t.fits").write_bytes(fits_file.PRIMARY + part)
    tool.copy(place / "t.fits", place / "o.fits")
    got = tool.dump(place / "o.fits")
    assert got.units == ["erg/s", ""]


def check_real_catalogue(tool, place):
    if "NIMGP_FEWER_ROWS" in os.environ:
        return  # sanitizers look on in cli_4fgl
    directory = data_directory()
    path = directory / "astro" / "gll_psc_v27.fit.gz" if directory else None
    if not path or not path.exists():
        print("SKIPPED: the 4FGL catalogue is not here (NIMGP_DATA)")
        return
    content = gzip.decompress(path.read_bytes())
    keys, head, data = list(fits_file.parts(content))[1]
    assert keys["NAXIS2"] == 5788
    assert fits_file.checksum(head + data) == 0xffffffff
    assert_reads(tool, path, keys, data)
    got = tool.dump(path)
    beta, kind = got.names.index("Unc_LP_beta"), got.names.index("CLASS1")
    assert sum(math.isnan(row[beta][1]) for row in got.rows) == 101
    classes = [row[kind][0].decode().lower() for row in got.rows]
    assert (classes.count("bll"), classes.count("fsrq"), classes.count("psr")) == (1308, 744, 271)
    tool.copy(path, place / "o.csv")
    tool.copy(place / "o.csv", place / "o.fits")
    back = tool.dump(place / "o.fits")
    assert back.names == got.names
    for one, other in zip(got.rows, back.rows):
        for i, name in enumerate(got.names):
            if got.kinds[i] == back.kinds[i] == "n":
                assert same(one[i][1], other[i][1]), name
            else:
                assert one[i][0] == other[i][0], (name, one[i], other[i])


def main():
    tool = Tool(sys.argv[1])
    for check in (check_every_type, check_parts, check_ascii, check_names_in_64_bits,
                  check_sums_are_checked, check_unusable, check_written, check_units_are_carried,
                  check_real_catalogue):
        with tempfile.TemporaryDirectory() as directory:
            check(tool, pathlib.Path(directory))
            print(f"ok {check.__name__}", flush=True)


if __name__ == "__main__":
    main()
