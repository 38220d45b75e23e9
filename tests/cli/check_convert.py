#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nimgp convert and the row filter --where.

usage: check_convert.py NIMGP
"""
import csv
import gzip
import io
import math
import random
import sys

from program import data_directory, main, number, rows_of

OPERATORS = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def write_csv(path, header, rows, **settings):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n", **settings)
        writer.writerow(header)
        writer.writerows(rows)


def sample(path, rows=5000):
    """Numbers of all sizes, some missing; names with commas, quotes and blanks, some blank."""
    dice = random.Random(1)
    names = ["bll", "FSRQ", "psr", "a,b", 'say "x"', "two words", "été", ""]
    table = []
    for i in range(rows):
        x = "" if dice.random() < 0.1 else repr(dice.choice([0.5, 1.0, dice.gauss(0, 1),
                                                             dice.gauss(0, 1) * 1e-300, -1e200]))
        table.append([f"S{i}", x, str(dice.randrange(5)), dice.choice(names)])
    header = ["id", "x value", "count", "name"]
    write_csv(path, header, table)
    return header, table


def same(a, b):
    """Cells that mean the same: equal text, or equal numbers."""
    if a == b:
        return True
    try:
        return float(a) == float(b)
    except ValueError:
        return False


def assert_same_table(path, header, table):
    with open(path, newline="") as file:
        got = list(csv.reader(file))
    assert got[0] == header, got[0]
    assert len(got) - 1 == len(table), (len(got) - 1, len(table))
    for i, (mine, theirs) in enumerate(zip(got[1:], table)):
        assert len(mine) == len(theirs) and all(map(same, mine, theirs)), (i, mine, theirs)


def check_round_trips(nimgp, place):
    header, table = sample(place / "in.csv")
    for way in (["a.csv"], ["a.tsv", "b.csv"], ["a.csv.gz", "b.tsv.gz", "c.csv"],
                ["a.fits", "b.csv"], ["a.fits", "b.fits", "c.tsv", "d.csv"],
                ["a.vot", "b.csv"], ["a.ecsv", "b.vot.gz", "c.fits", "d.ecsv", "e.csv"]):
        before = place / "in.csv"
        for name in way:
            nimgp.good("convert", before, place / name, "--quiet")
            before = place / name
        assert_same_table(before, header, table)
    nimgp.good("convert", place / "in.csv", place / "t", "--to", "votable", "--quiet")
    nimgp.good("convert", place / "t", place / "back.csv", "--quiet")
    assert_same_table(place / "back.csv", header, table)
    # What is named .gz is gzip.
    assert gzip.decompress((place / "a.csv.gz").read_bytes()).startswith(b"id,x value,count,name")


def check_pipes_and_formats(nimgp, place):
    sample(place / "in.csv", 50)
    text = (place / "in.csv").read_text()
    plain = nimgp.good("convert", "-", "-", stdin=text).stdout
    tabs = nimgp.good("convert", "-", "-", "--from", "csv", "--to", "tsv", stdin=text).stdout
    assert "\t" in tabs.splitlines()[0]
    assert nimgp.good("convert", "-", "-", "--from", "tsv", "--to=csv", stdin=tabs).stdout == plain
    rows = list(csv.reader(io.StringIO(plain)))
    with open(place / "in.csv", newline="") as file:
        assert all(all(map(same, a, b)) for a, b in zip(rows, csv.reader(file)))


def check_digits_are_kept(nimgp, place):
    """Numbers longer than a double, and text where only numbers came before."""
    text = "id,x\n" + "6028460212945428480,1.50\n" * 5 + "7,1e5\n" * 200000 + "eight,n/k\n"
    done = nimgp.good("convert", "-", "-", stdin=text)
    assert done.stdout == text
    nimgp.bad(2, "convert", "-", place / "out.fits", stdin=text, says=["x", "'n/k'"])
    assert not list(place.iterdir())


def check_columns(nimgp, place):
    header, table = sample(place / "in.csv", 100)
    nimgp.good("convert", place / "in.csv", place / "out.csv", "--columns", "name, x value")
    assert_same_table(place / "out.csv", ["name", "x value"], [[row[3], row[1]] for row in table])
    nimgp.bad(2, "convert", place / "in.csv", "-", "--columns", "name,cont",
              says=["in.csv", "'cont'", "did you mean 'count'?"])
    nimgp.bad(1, "convert", place / "in.csv", "-", "--columns", "name,,count", says="--columns")
    write_csv(place / "comma.csv", ["a,b", "c"], [["1", "2"]])
    done = nimgp.good("convert", place / "comma.csv", "-", "--columns", '"a,b"')
    assert done.stdout == '"a,b"\n1\n'


def kept(nimgp, place, *conditions, extra=()):
    words = [word for condition in conditions for word in ("--where", condition)]
    done = nimgp.good("convert", place / "in.csv", "-", "--columns", "id", *words, *extra)
    return done.stdout.split("\n")[1:-1]


def expected(table, holds):
    return [row[0] for row in table if holds(row)]


def check_where_numbers(nimgp, place):
    _, table = sample(place / "in.csv")
    for sign, operator in OPERATORS.items():
        for value in ("0.5", "1", "-1e200", "1e-301"):
            def holds(row, operator=operator, value=value):
                x = number(row[1])
                return sign == "!=" if math.isnan(x) else operator(x, float(value))
            for spaces in ("{} {} {}", "{}{}{}", "  {}  {}  '{}' "):
                got = kept(nimgp, place, spaces.format("x value", sign, value))
                assert got == expected(table, holds), (sign, value, spaces)
    assert kept(nimgp, place, "x value == 0.5") == kept(nimgp, place, "x value = 0.5")
    assert kept(nimgp, place, "X VALUE = 0.5") == kept(nimgp, place, "x value = 0.5")


def check_where_text(nimgp, place):
    _, table = sample(place / "in.csv")
    for sign, operator in OPERATORS.items():
        for value in ("psr", "a,b", "été", "fsrq", "5"):
            got = kept(nimgp, place, f"name {sign} {value}")
            assert got == expected(table, lambda row, operator=operator, value=value: operator(
                row[3].encode(), value.encode())), (sign, value)
    folded = kept(nimgp, place, "name = fsrq", extra=["--ignore-case"])
    assert folded == expected(table, lambda row: row[3].lower() == "fsrq") and folded
    assert kept(nimgp, place, "name = fsrq") == []
    quoted = kept(nimgp, place, """ 'name' = 'say "x"' """)
    assert quoted == expected(table, lambda row: row[3] == 'say "x"') and quoted


def check_where_missing(nimgp, place):
    """Every row is = or !=, and none is both."""
    _, table = sample(place / "in.csv")
    for column, index in (("x value", 1), ("name", 3)):
        blank = kept(nimgp, place, f"{column} = ''")
        assert blank == expected(table, lambda row, index=index: row[index] == "") and blank
        for value in ("''", '""', "1"):
            yes = kept(nimgp, place, f"{column} = {value}")
            no = kept(nimgp, place, f"{column} != {value}")
            assert sorted(yes + no) == sorted(row[0] for row in table)
            assert not set(yes) & set(no)
    write_csv(place / "odd.csv", ["a<b", "c"], [["1", "x"], ["2", ""], ["", "y"]])
    done = nimgp.good("convert", place / "odd.csv", "-", "--where", "'a<b' < 2")
    assert done.stdout.splitlines()[1:] == ["1,x"]


def check_where_all_must_hold(nimgp, place):
    _, table = sample(place / "in.csv")
    got = kept(nimgp, place, "count >= 2", "count < 4", "name != ''", "x value > 0")
    assert got == expected(table, lambda row: 2 <= int(row[2]) < 4 and row[3]
                           and number(row[1]) > 0) and got
    assert kept(nimgp, place, "count < 0") == []


def check_where_complaints(nimgp, place):
    sample(place / "in.csv", 20)
    words = ["convert", place / "in.csv", place / "out.csv", "--where"]
    for form in ("count", "", "= 3", "count ~ 3", "   "):
        nimgp.bad(1, *words, form, says="COLUMN OP VALUE")
    nimgp.bad(1, *words, "count => 3", says="write >= for =>")
    nimgp.bad(1, *words, "count =< 3", says="write <= for =<")
    for both in ("count > 1 and count < 3", "count > 1 && count < 3", "name = 'a' AND name != 'b'"):
        nimgp.bad(1, *words, both, says="give --where twice")
    nimgp.good("convert", place / "in.csv", "-", "--where", "name = 'a and b = c'")
    nimgp.good("convert", place / "in.csv", "-", "--where", "name = sand and sea")
    nimgp.bad(1, *words, "count =", says="''")
    nimgp.bad(1, *words, "count < ''", says="missing")
    nimgp.bad(2, *words, "cuont = 3", says=["in.csv", "'cuont'", "did you mean 'count'?"])
    nimgp.bad(2, *words, "count = many", says=["in.csv", "count", "numbers"])
    assert not (place / "out.csv").exists()


def check_nothing_half_written(nimgp, place):
    (place / "late.csv").write_text("a,b\n" + "1,2\n" * 20000 + "1,2,3\n")
    (place / "out.csv").write_text("before\n")
    nimgp.bad(2, "convert", place / "late.csv", place / "out.csv", says="late.csv:20002")
    assert (place / "out.csv").read_text() == "before\n"
    nimgp.bad(2, "convert", place / "nothing.csv", place / "new.csv", says="nothing.csv")
    nimgp.bad(2, "convert", "-", place / "no" / "out.csv", says="out.csv", stdin="a\n1\n")
    nimgp.bad(2, "convert", place, "-", says=str(place))
    assert sorted(path.name for path in place.iterdir()) == ["late.csv", "out.csv"]
    # Nor is the table itself overwritten, whatever it is called.
    (place / "late.csv").write_text("a,b\n1,2\n3,4\n")
    nimgp.bad(1, "convert", place / "late.csv", place / "late.csv", "--where", "a > 1",
              says="late.csv")
    nimgp.bad(1, "convert", place / "late.csv", place / ".." / place.name / "late.csv", says="late.csv")
    assert (place / "late.csv").read_text() == "a,b\n1,2\n3,4\n"
    nimgp.bad(2, "convert", place / "late.csv", place / "new.parquet", says=["new.parquet", ".csv"])
    nimgp.good("convert", place / "late.csv", place / "new.ecsv", "--to", "csv")
    # XML has no control characters, however they are spelled.
    (place / "bell.csv").write_text("a,name\n1,one\n2,\x07\n")
    nimgp.bad(2, "convert", place / "bell.csv", place / "bell.vot", says=["row 2", "column 2", "control"])
    assert not (place / "bell.vot").exists()


def header_cards(path):
    """All cards of a FITS file's headers, as they stand."""
    text = path.read_bytes()
    return [text[i:i + 80].decode("latin-1") for i in range(0, len(text), 80)]


def check_real_catalogue(nimgp, place):
    data = data_directory()
    source = data / "astro" / "gll_psc_v27.fit.gz" if data else None
    if not source or not source.exists():
        print("SKIPPED: the 4FGL catalogue is not here (NIMGP_DATA)", file=sys.stderr)
        return
    names = "Source_Name,CLASS1,Flux1000,Unc_Flux1000"
    words = ["--columns", names, "--where", "CLASS1 = BLL", "--ignore-case"]
    nimgp.good("convert", source, place / "bll.csv", *words)
    nimgp.good("convert", source, place / "bll.fits", *words)
    nimgp.good("convert", place / "bll.fits", place / "again.csv")
    rows = rows_of(place / "bll.csv")
    assert rows == rows_of(place / "again.csv")
    assert len(rows) > 1000 and {row["CLASS1"].lower() for row in rows} == {"bll"}
    assert len({row["Source_Name"] for row in rows}) == len(rows)
    units = [card for card in header_cards(place / "bll.fits") if card.startswith("TUNIT")]
    assert any("cm" in unit for unit in units), units


if __name__ == "__main__":
    main([check_round_trips, check_pipes_and_formats, check_digits_are_kept, check_columns, check_where_numbers,
          check_where_text, check_where_missing, check_where_all_must_hold,
          check_where_complaints, check_nothing_half_written, check_real_catalogue])
