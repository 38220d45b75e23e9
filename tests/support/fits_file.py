# SPDX-License-Identifier: Apache-2.0
"""FITS files by the book, standard library only: enough to write odd ones and to read any table."""
import math
import struct

RECORD, CARD = 2880, 80
SIZES = {"L": 1, "B": 1, "A": 1, "I": 2, "J": 4, "E": 4, "K": 8, "D": 8, "C": 8, "P": 8, "M": 16,
         "Q": 16}
CODES = {"L": "c", "B": "B", "I": "h", "J": "i", "K": "q", "E": "f", "D": "d"}


def filled(data, byte):
    return data + byte * (-len(data) % RECORD)


def card(key, value=None):
    if value is None:
        return key.ljust(CARD).encode()
    if value is True or value is False:
        text = ("T" if value else "F").rjust(20)
    elif isinstance(value, str):
        text = "'" + value.replace("'", "''").ljust(8) + "'"
    else:
        text = str(value).rjust(20)
    line = f"{key:8}= {text} / a comment"
    return line[:CARD].ljust(CARD).encode()


def header(cards):
    return filled(b"".join(card(*pair) for pair in cards) + card("END"), b" ")


def checksum(data):
    """Ones' complement sum of 32-bit words."""
    total = sum(struct.unpack(f">{len(data) // 4}I", data))
    while total >> 32:
        total = (total & 0xffffffff) + (total >> 32)
    return total


PRIMARY = header([("SIMPLE", True), ("BITPIX", 8), ("NAXIS", 0), ("EXTEND", True)])


def image(*axes):
    cards = [("XTENSION", "IMAGE"), ("BITPIX", -32), ("NAXIS", len(axes))]
    cards += [(f"NAXIS{i + 1}", axis) for i, axis in enumerate(axes)] + [("PCOUNT", 0), ("GCOUNT", 1)]
    return header(cards) + filled(b"\1" * (4 * math.prod(axes)), b"\0")


def table(kind, width, rows, data, cards, heap=b""):
    """kind: BINTABLE or TABLE; data: all rows; cards: those of the columns."""
    fields = sum(key.startswith("TFORM") for key, _ in cards)
    lines = [("XTENSION", kind), ("BITPIX", 8), ("NAXIS", 2), ("NAXIS1", width), ("NAXIS2", rows),
             ("PCOUNT", len(heap)), ("GCOUNT", 1), ("TFIELDS", fields), *cards]
    return header(lines) + filled(data + heap, b" " if kind == "TABLE" else b"\0")


# ---- reading

def value_of(text):
    text = text.strip()
    if text.startswith("'"):
        end = 1
        while text[end] != "'" or text[end + 1:end + 2] == "'":
            end += 2 if text[end] == "'" else 1
        return text[1:end].replace("''", "'").rstrip()
    word = text.split("/")[0].strip()
    if word in ("T", "F"):
        return word == "T"
    try:
        return int(word)
    except ValueError:
        return float(word.replace("D", "E")) if word else None


def parts(data):
    """(keywords, bytes of header, bytes of data) of each part."""
    at = 0
    while at < len(data):
        keys, start, end = {}, at, False
        while not end:
            record = data[at:at + RECORD]
            assert len(record) == RECORD, "truncated"
            for i in range(0, RECORD, CARD):
                line = record[i:i + CARD].decode("ascii")
                assert all(" " <= letter <= "~" for letter in line), line
                if line.startswith("END "):
                    assert record[i + CARD:].strip() == b""
                    end = True
                    break
                if line[8:10] == "= ":
                    keys[line[:8].strip()] = value_of(line[10:])
            at += RECORD
        size = abs(keys["BITPIX"]) // 8 if keys["NAXIS"] else 0
        for i in range(keys["NAXIS"]):
            size *= keys[f"NAXIS{i + 1}"]
        size = (size + keys.get("PCOUNT", 0)) * keys.get("GCOUNT", 1)
        whole = size + -size % RECORD
        assert len(data) >= at + whole, "truncated"
        yield keys, data[start:at], data[at:at + whole]
        at += whole


def split_format(text):
    digits = len(text) - len(text.lstrip("0123456789"))
    return int(text[:digits]) if digits else 1, text[digits]


def columns(keys):
    """(name, unit, type, repeat, offset, keys' number) of a binary table."""
    offset = 0
    for i in range(1, keys["TFIELDS"] + 1):
        repeat, kind = split_format(keys[f"TFORM{i}"])
        yield keys.get(f"TTYPE{i}", ""), keys.get(f"TUNIT{i}", ""), kind, repeat, offset, i
        offset += (repeat + 7) // 8 if kind == "X" else repeat * SIZES[kind]
    assert offset == keys["NAXIS1"]


def cells(keys, data, column):
    """The cells of a column, row after row: bytes of text, or a list of numbers (nan: missing)."""
    _, _, kind, repeat, offset, number = column
    scale, zero = keys.get(f"TSCAL{number}", 1), keys.get(f"TZERO{number}", 0)
    null = keys.get(f"TNULL{number}") if kind in "BIJK" else None
    for row in range(keys["NAXIS2"]):
        start = row * keys["NAXIS1"] + offset
        if kind == "A":
            yield data[start:start + repeat].split(b"\0")[0].strip(b" \t\r")
            continue
        stored = struct.unpack_from(f">{repeat}{CODES[kind]}", data, start)
        if kind == "L":
            yield [{b"T": 1.0, b"F": 0.0}.get(value, math.nan) for value in stored]
        else:
            yield [math.nan if value == null else
                   value if scale == 1 and zero == 0 else zero + scale * value for value in stored]
