# SPDX-License-Identifier: Apache-2.0
"""Row files read and written after docs/row-file.md, independently of table/row_file.c."""
import json
import math
import struct
import zlib

MAGIC, ORDER, HEAD, TAIL = b"NIMROWS\n", 0x0102030405060708, 64, 32


def read(data):
    """The columns as the file describes them, and rows of numbers and texts (None where missing)."""
    order = next(order for order in "<>" if struct.unpack_from(order + "Q", data, 8)[0] == ORDER)
    version, columns = struct.unpack_from(order + "2Q", data, 16)
    rows, length, checksum = struct.unpack_from(order + "3Q", data, len(data) - TAIL)
    assert data[:8] == MAGIC == data[-8:] and version == 1
    assert len(data) == HEAD + rows * columns * 8 + length + TAIL
    assert checksum == zlib.crc32(data[:-16])
    described = json.loads(data[len(data) - TAIL - length:len(data) - TAIL])["columns"]
    assert len(described) == columns
    cells = struct.unpack_from(f"{order}{rows * columns}d", data, HEAD)
    table = [list(cells[i * columns:(i + 1) * columns]) for i in range(rows)]
    for row in table:
        for j, column in enumerate(described):
            if math.isnan(row[j]):
                row[j] = None
            elif "words" in column:
                row[j] = column["words"][int(row[j])]
    return described, table


def write(described, table, order="<", version=1):
    """The other way round; order: "<" or ">"."""
    parts = [MAGIC + struct.pack(order + "3Q", ORDER, version, len(described)).ljust(HEAD - 8, b"\0")]
    for row in table:
        cells = [math.nan if cell is None else column["words"].index(cell) if "words" in column else cell
                 for column, cell in zip(described, row)]
        parts.append(struct.pack(f"{order}{len(cells)}d", *cells))
    text = json.dumps({"columns": described}).encode()
    parts.append(text.ljust(-(-len(text) // 8) * 8))
    parts.append(struct.pack(order + "2Q", len(table), len(parts[-1])))
    whole = b"".join(parts)
    return whole + struct.pack(order + "Q", zlib.crc32(whole)) + MAGIC
