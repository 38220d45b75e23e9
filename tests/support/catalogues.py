# SPDX-License-Identifier: Apache-2.0
"""The headers of tests/measure/catalogues.txt, and small tables that have them."""
import pathlib
import random
import re

FILE = pathlib.Path(__file__).resolve().parent.parent / "measure" / "catalogues.txt"


def read():
    """{title: ({column: errors}, others)}: measurements, with the columns of their errors as --errors has them
    (or None), and the columns that are no attributes. Columns that only their cells tell of are left out."""
    found, title = {}, None
    for line in map(str.strip, FILE.read_text().splitlines()):
        if line.startswith("["):
            title = line[1:-1]
            found[title] = ({}, [])
        elif line and not line.startswith("#"):
            measured, others = found[title]
            mark, rest = (line[0], line[1:]) if line[0] in "!@?\"" else ("", line)
            name, _, errors = rest.partition(" = ")
            if errors:
                measured[name.strip()] = errors.strip()
                others += [side for side in re.split(r"[\[\]:]", errors.strip()) if side]
            elif mark == "!":
                others += [name.strip() for name in rest.split(",")]
            elif mark != '"':
                measured.update((name.strip(), None) for name in rest.split(","))
    return found


def table(measured, others, rows=60, seed=1):
    """The columns, and rows of numbers: an error bar ends at either side of its value."""
    make = random.Random(seed)
    lower = {e[1:-1].split(":")[0] for e in measured.values() if e and e[0] == "["}
    upper = {e[1:-1].split(":")[1] for e in measured.values() if e and e[0] == "["}
    head = [*measured, *dict.fromkeys(name for name in others if name not in measured), "class"]
    sign = {name: -1 if name in lower else 5 if name in upper else 1 if name in others else 0 for name in head}
    lines = []
    for i in range(rows):
        row = [f"{sign[name] or 2 + make.random():.9g}" if abs(sign[name]) != 1 else
               f"{sign[name] * (0.01 + 0.2 * make.random()):.9g}" for name in head[:-1]]
        row = ["" if name.lower().endswith("lim") else cell for name, cell in zip(head, row)]  # no limit
        lines.append([*row, "ab"[i % 2]])
    return head, lines
