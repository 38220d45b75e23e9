#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/options.md from the library's own list; run with the Python that has nimgp.

usage: options.py [--check]     --check: only says whether the page is up to date
"""
import pathlib
import re
import sys

import nimgp
from nimgp._estimators.docstrings import option_help
from nimgp._estimators.settings import parameter_of

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "options.md"
HEADINGS = {"everyday": "### For every day", "expert": "### For experts", "research": "### For research"}


def code(text, words):
    """A text with the names of options and of their values as code."""
    return re.sub(r"(?<![\w`])(" + "|".join(map(re.escape, words)) + r")(?![\w`])", r"`\1`", text)


def tables():
    options = nimgp.options()
    words = {option.name for option in options if "_" in option.name}
    words |= {name for option in options for name in option.choices if re.search(r"[_+\d]", name) and name not in "01"}
    text = ""
    for tier, heading in HEADINGS.items():
        text += f"{heading}\n\n| name | values | default | meaning |\n|---|---|---|---|\n"
        for option in options:
            if option.tier == tier:
                values = ", ".join(f"`{name}`" for name in option.choices) if option.type == "choice" else option.values
                text += (f"| `{option.name}` | {values} | `{option.default}` | "
                         f"{code(option_help(option), sorted(words, key=len, reverse=True))} |\n")
        text += "\n"
    return text


def main():
    page = PAGE.read_text()
    start, end = page.index(HEADINGS["everyday"]), page.index("## Accuracy of predictions")
    made = page[:start] + tables() + page[end:]
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if made == page else "docs/options.md is not up to date: run scripts/options.py")
    PAGE.write_text(made)


if __name__ == "__main__":
    main()
