#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the list of all source files, each with its first comment, as a page of the documentation.

usage: files.py            `make site` adds the page, docs/files.md
       files.py --check    fails if a file has no first comment
"""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROOMS = ["include", "src", "generate", "score", "measure", "report", "table", "cli"]
HEAD = """# Files

Each file with its first comment, made by `scripts/files.py`. A source and its header are one entry.
[architecture.md](architecture.md) has the ideas.
"""


def first_comment(path):
    """The first comment above any code, as one line: up to an empty line of it, or its first sentence."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"\A/\* SPDX[^\n]*\n", "", text)
    text = re.sub(r"\A\s*(#ifndef \w+\n#define \w+|#pragma once)\n", "", text)
    text = re.sub(r"\A(\s*#(include|define|undef)[^\n]*\n)*", "", text)
    match = re.match(r"\s*/\*(.*?)\*/", text, re.S)
    if not match:
        return ""
    lines = [re.sub(r"^\s*\* ?", "", line).strip() for line in match[1].strip().splitlines()]
    words = " ".join("\n".join(lines).strip().split("\n\n")[0].split())
    sentence = re.match(r"(.{20,}?[.:;])(?= [A-Z(\"`0-9]|$)", words)
    return (sentence[1] if sentence else words).rstrip(".:;").replace("|", "\\|")


def entries():
    """Directory -> [(names, comment)]."""
    rooms = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.[ch]")):
            folder = path.parent.relative_to(ROOT).as_posix()
            names, comments = rooms.setdefault(folder, {}).setdefault(path.stem, ([], []))
            names.append(path.name)
            comments.append(first_comment(path))
    return rooms


def page(missing):
    lines = [HEAD]
    for folder, stems in sorted(entries().items()):
        lines += [f"## {folder}/", "", "| file | first comment |", "|---|---|"]
        for stem, (names, comments) in sorted(stems.items()):
            comment = next((c for c in reversed(comments) if c), "")
            if not comment:
                missing.append(f"{folder}/{names[0]}")
            shown = f"{stem}.c, .h" if len(names) == 2 else names[0]
            lines.append(f"| `{shown}` | {comment} |")
        lines.append("")
    return "\n".join(lines)


def python_lines():
    lines = ["## python/nimgp/", "", "| file | first line |", "|---|---|"]
    for path in sorted((ROOT / "python" / "nimgp").rglob("*.py")):
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        lines.append(f"| `{path.relative_to(ROOT / 'python' / 'nimgp')}` | {doc.splitlines()[0].rstrip('.') if doc else ''} |")
    return lines


def main():
    missing = []
    text = "\n".join([page(missing), *python_lines(), ""])
    for name in missing:
        print(f"{name} has no first comment")
    if sys.argv[1:] != ["--check"]:
        print(text, end="")
    sys.exit(1 if missing else 0)


main()
