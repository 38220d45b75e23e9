#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints include/nimgp.h as a page of Markdown: its comments as text, its declarations as C, by section.

usage: header_page.py HEADER
"""

import pathlib
import re
import sys

SECTION = re.compile(r"-{10,} (.+?) -+$")


def text_of(comment):
    """A comment without its stars; indented lines stay as they are."""
    lines = [re.sub(r"^ ?\*( |$)|^/\*+ ?", "", line) for line in comment.removesuffix("*/").rstrip().split("\n")]
    return re.sub(r"<(?=[A-Za-z/])", "&lt;", "\n".join(lines).strip())


def pieces(header):
    """(text, code) of each piece between blank lines; pieces without a comment have no text."""
    for piece in re.split(r"\n\s*\n(?![ \t]*\*)", header):
        found = re.match(r"\s*(/\*.*?\*/)[ \t]*\n?(.*)", piece, re.DOTALL)
        yield (text_of(found[1]), found[2].strip("\n")) if found else ("", piece.strip("\n"))


def page(header):
    body = re.sub(r"^/\* (SPDX|clang-format).*?\*/\n", "", header, flags=re.MULTILINE)
    start = body.index("#ifndef")
    begin, end = body.index("/* The version"), body.rindex("#ifdef __cplusplus")
    out = ["# C API", "From the header, [nimgp.h](../../include/nimgp.h). [c-api.md](../c-api.md) has a complete program.",
           text_of(body[:start].strip()), "## Version"]  # fmt: skip
    for text, code in pieces(body[begin:end]):
        section = SECTION.match(text)
        if section:
            out.append(f"## {section[1].strip().capitalize()}")
            text = ""
        if text:
            out.append(text)
        if code:
            out.append(f"```c\n{code}\n```")
    return "\n\n".join(out) + "\n"


if __name__ == "__main__":
    print(page(pathlib.Path(sys.argv[1]).read_text()), end="")
