# SPDX-License-Identifier: Apache-2.0
"""Running table_tool, and reading what it dumps."""
import pathlib
import subprocess


class Table:
    """names, kinds, units of columns; rows of (text as bytes, number or None)."""

    def __init__(self, pieces):
        count = int(next(pieces))
        columns = [[next(pieces) for _ in range(3)] for _ in range(count)]
        self.names = [column[0].decode() for column in columns]
        self.kinds = [column[1].decode() for column in columns]
        self.units = [column[2].decode() for column in columns]
        cells = [(text, float.fromhex(next(pieces).decode() or "nan")) for text in pieces]
        assert len(cells) % count == 0
        self.rows = [cells[i:i + count] for i in range(0, len(cells), count)]


def pieces_of(data):
    at = 0
    while at < len(data):
        colon = data.index(b":", at)
        end = colon + 1 + int(data[at:colon])
        assert data[end:end + 1] == b","
        yield data[colon + 1:end]
        at = end + 1


class Tool:
    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())

    def run(self, *words):
        return subprocess.run([self.path, *map(str, words)], capture_output=True, timeout=300)

    def dump(self, path, form="any", rows=4096):
        done = self.run("dump", path, form, rows)
        assert done.returncode == 0, done.stderr
        return Table(pieces_of(done.stdout))

    def copy(self, source, target, form="any", rows=4096):
        done = self.run("copy", source, target, form, rows)
        assert done.returncode == 0, done.stderr
