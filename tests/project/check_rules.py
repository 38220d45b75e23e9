#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a rule (src/rules/rules.c) has no evidence, or evidence that no page has.

usage: check_rules.py ROOT
"""
import pathlib
import re
import sys


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def main():
    root = pathlib.Path(sys.argv[1])
    text = (root / "src/rules/rules.c").read_text()
    table = text[text.index("rule_list[] = {") : text.index("{NULL},")]
    rules = re.findall(r'^    \{"(\w+)"(.*?)\},$', table, re.MULTILINE | re.DOTALL)
    bad = []
    for option, rest in rules:
        found = re.search(r'BY\("([^"]+)", "([^"]+)"\)', rest)
        page = root / "docs" / found[1] if found else None
        headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE) if page and page.exists() else []
        if not found or found[2] not in map(anchor, headings):
            bad.append(f"a rule of {option}: no such section: {found and found[0]}")
    print("\n".join(bad) or f"{len(rules)} rules")
    return 1 if bad or len(rules) < 40 else 0


sys.exit(main())
