# SPDX-License-Identifier: Apache-2.0
"""Lists in the notes of a model file, as the program writes them: what holds a comma, a quote or outer blanks is in quotes."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable

_QUOTED = re.compile(r'[,"]|^\s|\s$|^$')


def join(items: Iterable[str]) -> str:
    doubled = ((item, item.replace('"', '""')) for item in items)
    return ",".join(f'"{text}"' if _QUOTED.search(item) else item for item, text in doubled)


def split(text: str | None) -> list[str]:
    return next(csv.reader([text], skipinitialspace=True)) if text else []
