# SPDX-License-Identifier: Apache-2.0
"""VOTable and ECSV as the program reads and writes them, with astropy as the judge."""

from __future__ import annotations

import base64
import csv
import io
import resource
import subprocess
import warnings

import numpy as np
import pytest
from astropy.io.votable import from_table as votable_of
from astropy.io.votable import parse
from astropy.table import MaskedColumn, Table

from problems import ROOT

PROGRAM = ROOT / "build" / "release" / "cli" / "nimgp"
VOTABLES = ["tabledata", "binary", "binary2"]
WORDS = ["a", "", 'α <&> "q"', "x,y", "two words", "𝛼", "#", "it's"]


@pytest.fixture(autouse=True)
def program():
    if not PROGRAM.exists():
        pytest.skip(f"NO PROGRAM: {PROGRAM} is not built; run `make build`")


def sample(rows=40):
    """A table with all kinds of columns, missing cells and units."""
    rng = np.random.default_rng(1)
    table = Table()
    table["flux"] = rng.standard_normal(rows) * 10.0 ** rng.integers(-300, 300, rows)
    table["flux"].unit = "Jy"
    table["mag"] = MaskedColumn(rng.standard_normal(rows).astype("f4"), mask=rng.random(rows) < 0.3)
    table["mag"].unit = "mag"
    table["count"] = MaskedColumn(rng.integers(-99, 99, rows), mask=rng.random(rows) < 0.3)
    table["short"] = rng.integers(-(2**15), 2**15, rows).astype("i2")
    table["byte"] = rng.integers(0, 256, rows).astype("u1")
    table["id"] = 2**62 + np.arange(rows)
    table["good"] = rng.random(rows) < 0.5
    table["name"] = [WORDS[i % len(WORDS)] for i in range(rows)]
    table["inf"] = np.where(rng.random(rows) < 0.5, np.inf, -np.inf)
    return table


def read_by_program(path, *more):
    done = subprocess.run(
        [PROGRAM, "convert", path, "-", "--to", "csv", "-q", *more], capture_output=True, check=True
    )
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def expect_same(table, rows):
    """The cells of CSV are those of the table."""
    assert len(rows) == len(table)
    assert list(rows[0]) == table.colnames
    for name in table.colnames:
        for cell, row in zip(table[name], rows, strict=True):
            if np.ma.is_masked(cell):
                assert row[name] == "", name
            elif table[name].dtype.kind in "UO":
                assert row[name] == str(cell).strip()
            elif table[name].dtype.kind == "f":
                assert np.array(row[name] or "nan", dtype=table[name].dtype) == cell, name
            else:
                assert int(row[name]) == int(cell), name


def write_votable(table, path, serialisation):
    document = votable_of(table)
    document.get_first_table().format = serialisation
    for field in document.get_first_table().fields:
        if field.name == "count":
            field.values.null = -9999  # BINARY has no other way to say that a number is missing
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # units that VOTable spells otherwise
        document.to_xml(str(path))


@pytest.mark.parametrize("serialisation", VOTABLES)
def test_votables_of_astropy(tmp_path, serialisation):
    table = sample()
    write_votable(table, tmp_path / "t.vot", serialisation)
    expect_same(table, read_by_program(tmp_path / "t.vot"))


@pytest.mark.parametrize("delimiter", [" ", ","])
def test_ecsv_of_astropy(tmp_path, delimiter):
    table = sample()
    table["flux"].info.description = "a long, 'long' description: " + "with {braces} " * 20
    table["mag"].info.meta = {"nested": {"name": "no column", "list": [1, 2]}}
    table.meta = {"name": "meta", "datatype": [{"name": "x", "datatype": "y"}]}
    table.write(tmp_path / "t.ecsv", delimiter=delimiter)
    expect_same(table, read_by_program(tmp_path / "t.ecsv"))


@pytest.mark.parametrize("form", ["votable", "ecsv"])
def test_what_the_program_writes(tmp_path, form):
    table = sample()
    table.write(tmp_path / "in.ecsv")
    out = tmp_path / "out"
    subprocess.run([PROGRAM, "convert", tmp_path / "in.ecsv", out, "--to", form, "-q"], check=True)
    if form == "ecsv":
        back = Table.read(out, format="ascii.ecsv")
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            back = parse(out, verify="exception").get_first_table().to_table()
    assert back.colnames == table.colnames and len(back) == len(table)
    for name in table.colnames:
        assert back[name].unit == table[name].unit, name
        for cell, other in zip(table[name], back[name], strict=True):
            if np.ma.is_masked(cell):
                assert np.ma.is_masked(other) or np.isnan(other), name
            elif name == "id" or table[name].dtype.kind in "UO":
                assert (str(other) if not np.ma.is_masked(other) else "") == str(cell), name
            else:
                assert table[name].dtype.type(other) == cell, name
    expect_same(
        Table({name: table[name] for name in ("flux", "id")}),
        read_by_program(out, "--columns", "flux,id", "--from", form),
    )


def test_arrays_become_columns(tmp_path):
    table = Table({"v": np.arange(6.0).reshape(2, 3), "m": np.arange(8).reshape(2, 2, 2)})
    names = ["v_1", "v_2", "v_3", "m_1_1", "m_1_2", "m_2_1", "m_2_2"]
    for serialisation in VOTABLES:
        write_votable(table, tmp_path / "t.vot", serialisation)
        rows = read_by_program(tmp_path / "t.vot")
        assert list(rows[0]) == names
        wanted = np.column_stack([table["v"], table["m"].reshape(2, 4)])
        assert np.array_equal([[float(cell) for cell in row.values()] for row in rows], wanted)


def test_arrays_of_no_use_are_left_out(tmp_path):
    """Of many dimensions, of variable length, too long, bits and complex numbers."""
    sizes = [("double", "2x1x1x1x1x2"), ("int", "*"), ("int", "2x*"), ("short", "65"), ("bit", "9")]
    fields = "".join(
        f'<FIELD name="f" datatype="{kind}" arraysize="{size}"/>' for kind, size in sizes
    )
    fields += '<FIELD name="z" datatype="doubleComplex"/>' + FIELD
    row = (
        bytes(32)
        + b"\0\0\0\1"
        + bytes(4)
        + b"\0\0\0\2"
        + bytes(8)
        + bytes(130)
        + b"\xff\1"
        + bytes(16)
    )
    data = base64.b64encode((row + np.array([1.5], ">f8").tobytes()) * 2).decode()
    (tmp_path / "t.vot").write_text(document(fields, stream("BINARY", data)))
    assert read_by_program(tmp_path / "t.vot") == [{"x": "1.5"}] * 2
    cells = "<TD>1 2</TD>" * 6 + "<TD>1.5</TD>"
    (tmp_path / "t.vot").write_text(document(fields, f"<TABLEDATA><TR>{cells}</TR></TABLEDATA>"))
    assert read_by_program(tmp_path / "t.vot") == [{"x": "1.5"}]


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "UTF-8", "UTF-16"])
def test_encodings(tmp_path, encoding):
    fields = '<FIELD name="n" datatype="char" arraysize="*"/>'
    text = document(fields, "<TABLEDATA><TR><TD>caf\xe9 &#955;</TD></TR></TABLEDATA>")
    text = text.replace("'1.0'", f"'1.0' encoding='{encoding}'")
    (tmp_path / "t.vot").write_bytes(text.encode(encoding))
    if encoding == "UTF-16":
        done = subprocess.run([PROGRAM, "convert", tmp_path / "t.vot", "-"], capture_output=True)
        assert done.returncode == 2 and b"UTF-16" in done.stderr
    else:
        assert read_by_program(tmp_path / "t.vot") == [{"n": "caf\xe9 \u03bb"}]


def test_a_pipe_and_parts(tmp_path):
    first, second = sample(3), sample(7)
    document = votable_of(first)
    document.resources[0].tables.append(votable_of(second).get_first_table())
    document.resources[0].tables[1].name = "second"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        document.to_xml(str(tmp_path / "t.vot"))
    assert len(read_by_program(f"{tmp_path}/t.vot")) == 3
    assert len(read_by_program(f"{tmp_path}/t.vot[2]")) == 7
    assert len(read_by_program(f"{tmp_path}/t.vot[second]")) == 7
    piped = subprocess.run(
        [PROGRAM, "convert", "-", "-", "-q"],
        input=(tmp_path / "t.vot").read_bytes(), capture_output=True, check=True,
    )  # fmt: skip
    assert piped.stdout.count(b"\n") == 4


# ---------------------------------------------------------------------- hostile files

FIELD = '<FIELD name="x" datatype="double"/>'
BOMB = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))


def document(fields, data, before="", after=""):
    return (
        f"<?xml version='1.0'?>{before}<VOTABLE><RESOURCE><TABLE>{fields}<DATA>{data}</DATA></TABLE>"
        f"{after}</RESOURCE></VOTABLE>"
    )


def stream(kind, base64):
    return f'<{kind}><STREAM encoding="base64">{base64}</STREAM></{kind}>'


HOSTILE = {
    "bomb": (document(FIELD, "", before=f"<!DOCTYPE b [<!ENTITY a0 'x'>{BOMB}]>"), "DOCTYPE"),
    "outside": (document(FIELD, "", before="<!DOCTYPE b [<!ENTITY f SYSTEM '/etc/passwd'>]>"),
                "DOCTYPE"),
    "entity": (document(FIELD, "<TABLEDATA><TR><TD>&a11;</TD></TR></TABLEDATA>"), "entity"),
    "deep": (document("<GROUP>" * 100_000, ""), "64 deep"),
    "tag": ("<?xml version='1.0'?><VOTABLE a='" + "x" * 2_000_000 + "'/>", "1 MiB"),
    "attributes": (document("<FIELD " + " ".join(f"a{i}='1'" for i in range(999)) + "/>", ""), "64"),
    "array": (document('<FIELD name="x" datatype="char" arraysize="99999999999999"/>',
                       stream("BINARY", "AAAA")), "64 MiB"),
    "array of arrays": (document('<FIELD name="x" datatype="double" arraysize="3y2"/>', ""),
                        "arraysize"),
    "length": (document('<FIELD name="x" datatype="char" arraysize="*"/>',
                        stream("BINARY2", "AH////8=")), "64 MiB"),
    "negative": (document('<FIELD name="x" datatype="char" arraysize="*"/>',
                          stream("BINARY", "/////w==")), "negative"),
    "nothing": (document('<FIELD name="x" datatype="char" arraysize="0"/>', stream("BINARY", "AAAA")),
                "fields that have no content"),
    "cut": (document(FIELD, stream("BINARY", "AAAA")), "row 1"),
    "letters": (document(FIELD, stream("BINARY", "A*==")), "not base64"),
    "half": (document(FIELD, stream("BINARY", "AAAAAAAAAAAA=")), "base64"),
    "href": (document(FIELD, '<BINARY><STREAM href="http://example.org/x"/></BINARY>'), "elsewhere"),
    "fits": (document(FIELD, "<FITS/>"), "neither"),
    "cells": (document(FIELD, "<TABLEDATA><TR><TD/><TD/></TR></TABLEDATA>"), "row 1"),
    "text": (document(FIELD, "<TABLEDATA><TR><TD>1</TD></TR><TR><TD>no</TD></TR></TABLEDATA>"),
             "row 2: column x"),
    "truncated": (document(FIELD, "<TABLEDATA><TR><TD>1</TD></TR></TABLEDATA>")[:-20], "truncated"),
    "unclosed": (document(FIELD, "<TABLEDATA><TR></TABLEDATA>"), "last element opened"),
    "service": (document(FIELD, "<TABLEDATA/>",
                         after='<INFO name="QUERY_STATUS" value="ERROR">no such column</INFO>'),
                "no such column"),
    "html": ("<?xml version='1.0'?><html/>", "not a VOTable"),
    "latin": ("<?xml version='1.0' encoding='windows-1252'?><VOTABLE/>", "UTF-8"),
    "ecsv names": ("# %ECSV 1.0\n# ---\n# datatype:\n# - {name: a, datatype: int64}\nb\n1\n", "names"),
    "ecsv braces": ("# %ECSV 1.0\n# ---\n# datatype:\n# - {name: a, meta: [[[[\nb\n1\n", "understood"),
    "ecsv deep": ("# %ECSV 1.0\n# ---\n# meta: " + "[" * 2_000_000 + "\nb\n1\n", "understood"),
    "ecsv tags": ("# %ECSV 1.0\n" + "".join(f"# %TAG !a{i}! b\n" for i in range(100_000)) + "b\n1\n",
                  "directive"),
    "ecsv text": ("# %ECSV 1.0\n# ---\n# datatype:\n# - {name: a, datatype: int64}\na\nno\n", "column a"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(tmp_path, name):
    """One line says what is wrong, within 100 MB and a few seconds."""
    content, says = HOSTILE[name]
    (tmp_path / "t").write_text(content)
    done = subprocess.run(
        [PROGRAM, "convert", "t", "-", "--to", "fits"], cwd=tmp_path, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (100 << 20, 100 << 20)),
        timeout=60,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("nimgp: ") and done.stderr.count("\n") == 1
    assert says in done.stderr, done.stderr


def test_memory_does_not_grow_with_base64(tmp_path):
    """A column nobody can use, 60 MB of base64 in one cell, is passed over within 30 MB."""
    fields = '<FIELD name="long" datatype="int" arraysize="*"/>' + FIELD
    size = 45 << 20
    head = (size // 4).to_bytes(4, "big")

    data = base64.b64encode(head + b"\0" * size + np.array([1.5], ">f8").tobytes()).decode()
    (tmp_path / "t.vot").write_text(document(fields, stream("BINARY", data)))
    done = subprocess.run(
        [PROGRAM, "convert", "t.vot", "-", "--to", "csv", "-q"], cwd=tmp_path, capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (30 << 20, 30 << 20)),
    )  # fmt: skip
    assert done.stdout == b"x\n1.5\n", done.stderr
