#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CSV against Python's csv module, in both directions, on random content.

usage: check_csv.py TABLE_TOOL
"""
import csv
import io
import pathlib
import random
import sys
import tempfile

from table_dump import Tool

LETTERS = ['a', 'b', ' ', ',', ';', '\t', '"', '""', "'", '\n', '\r\n', '#', '5', '.', 'é', '|', '\\']
BLANKS = " \t\r"


def random_cell(dice):
    return "".join(dice.choice(LETTERS) for _ in range(dice.randrange(8)))


def random_table(dice, sniffed=False):
    columns = dice.randrange(2 if sniffed else 1, 6)
    # A first letter that keeps the header from being a comment or a line of blanks.
    header = ["c" + random_cell(dice) for _ in range(columns)]
    if sniffed:  # nothing else that may be a separator
        header = [name.replace(",", "").replace("\t", "").replace(";", "") for name in header]
    return [header] + [[random_cell(dice) for _ in range(columns)]
                       for _ in range(dice.randrange(30))]


def text_of(table, dice, separator):
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, lineterminator=dice.choice(["\n", "\r\n"]),
                        quoting=dice.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    for row in table:
        writer.writerow(row)
        if dice.random() < 0.1:
            file.write("\n")  # empty lines do not count
    text = file.getvalue()
    return text.rstrip("\n").rstrip("\r") if dice.random() < 0.2 else text


def stripped(table):
    return [[cell.strip(BLANKS) for cell in row] for row in table]


def check_reading(tool, place, dice):
    """Python is the judge of what a text says. It gives [] for an empty line; of one column, a line
    of blanks is one to us, and a quoted blank cell is none, which Python cannot tell apart."""
    compared = 0
    for number in range(150):
        separator, form = dice.choice([(",", "csv"), ("\t", "tsv"), (";", "any"), (",", "any")])
        text = text_of(random_table(dice, form == "any"), dice, separator)
        (place / "t").write_bytes(text.encode())
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        wanted = stripped(row for row in reader if row)
        got = tool.dump(place / "t", form, dice.choice([1, 7, 4096]))
        assert got.names == wanted[0], (text, got.names)
        cells = [[cell[0].decode() for cell in row] for row in got.rows]
        if len(wanted[0]) == 1:
            cells, wanted = [row for row in cells if row[0]], [row for row in wanted if row[0]]
        assert cells == wanted[1:], (number, text, cells, wanted[1:])
        compared += len(cells)
    assert compared > 500


def check_blanks(tool, place, dice):
    """Any number of blanks between cells, also where the buffer ends, is one separator."""
    word = "abcdefgh-.0123456789"
    for number in range(40):
        columns, rows = dice.randrange(2, 7), dice.choice([1, 5, 3000])
        table = [["c" + str(i) for i in range(columns)]]
        table += [["".join(dice.choice(word) for _ in range(dice.randrange(1, 9))) + "x" for _ in range(columns)]
                  for _ in range(rows)]
        end = dice.choice(["\n", "\r\n"])
        lines = [" " * dice.randrange(3) + "".join(cell + " " * dice.randrange(1, 4) for cell in row) for row in table]
        if dice.random() < 0.5:
            lines = [line.strip(" ") for line in lines]
        (place / "t.dat").write_text(end.join(lines) + dice.choice(["", end]), newline="")
        got = tool.dump(place / "t.dat", "any", dice.choice([1, 7, 4096]))
        assert got.names == table[0], (number, got.names)
        assert [[cell[0].decode() for cell in row] for row in got.rows] == table[1:], number


def check_writing(tool, place, dice):
    for _ in range(60):
        table = random_table(dice, True)
        (place / "t.csv").write_bytes(text_of(table, dice, ",").encode())
        before = tool.dump(place / "t.csv", "csv")
        if not before.rows or "n" in before.kinds:
            continue
        for name, separator in (("o.csv", ","), ("o.tsv", "\t")):
            tool.copy(place / "t.csv", place / name)
            with open(place / name, newline="", encoding="utf-8") as file:
                got = list(csv.reader(file, delimiter=separator, strict=True))
            assert got[0] == before.names
            assert got[1:] == [[cell[0].decode() for cell in row] for row in before.rows]


def check_numbers(tool, place, dice):
    """repr is the shortest that reads back, and so is ours; both read the same."""
    values = [dice.gauss(0, 1) * 10 ** dice.uniform(-300, 300) for _ in range(20000)]
    values += [float(i) for i in range(-500, 500)] + [i / 100 for i in range(1000)]
    (place / "t.csv").write_text("x\n" + "".join(f"{value!r}\n" for value in values))
    got = tool.dump(place / "t.csv")
    assert [row[0][1] for row in got.rows] == values
    tool.copy(place / "t.csv", place / "o.csv")
    lines = (place / "o.csv").read_text().splitlines()[1:]
    for line, value in zip(lines, values):
        wanted = repr(value).removesuffix(".0")
        assert line == wanted, (line, wanted)


def main():
    tool = Tool(sys.argv[1])
    for check in (check_reading, check_blanks, check_writing, check_numbers):
        with tempfile.TemporaryDirectory() as directory:
            check(tool, pathlib.Path(directory), random.Random(1))
            print(f"ok {check.__name__}")


if __name__ == "__main__":
    main()
