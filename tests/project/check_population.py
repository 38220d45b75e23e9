#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if more files than these name the option `population` or one of its values: what an option means is known
where it is listed, decided and used, and nowhere else.

usage: check_population.py ROOT
"""
import pathlib
import re
import sys

# Why each of them does.
PLACES = {
    "src/rules/option_list.h": "the list of options",
    "src/rules/rules.c": "its rules",
    "src/population/population.h": "its values",
    "src/population/learn.c": "its use",
    "src/model/learn_population.c": "which rows it is learned from",
    "src/model/novelty.c": "a population that was widened is not the usual one",
    "src/model/arrays.c": "the name of its arrays in model files",
    "src/model/load.c": "model files of older versions",
    "cli/command/inspection.c": "what was learned, in words",
    "cli/command/inspect.c": "likewise",
    "cli/command/duration.c": "how long it takes to learn one, apart from the steps",
    "include/nimgp.h": "what it means for missing cells and other rows",
    "python/nimgp/_estimators/docstrings.py": "what was learned, in Python",
}
PRODUCT = ["src", "table", "measure", "score", "cli", "include", "python/nimgp"]
NAMED = re.compile(r'"population"|OPTION\(\w+, population,|options(->|\.)population|"(wide|mixture)"|'
                   r"\bPOPULATION_(AUTO|FLAT|GAUSSIAN|MIXTURE|WIDE)\b")


def main():
    root = pathlib.Path(sys.argv[1])
    found = {path.relative_to(root).as_posix() for folder in PRODUCT for path in (root / folder).rglob("*")
             if path.suffix in (".c", ".h", ".py") and NAMED.search(path.read_text(encoding="utf-8"))}
    for path in sorted(found - set(PLACES)):
        print(f"{path}: names the option population or a value of it; could it ask what was decided instead?")
    for path in sorted(set(PLACES) - found):
        print(f"{path}: no longer names it: PLACES can be shorter")
    print(f"{len(found)} places")
    return found != set(PLACES)


sys.exit(main())
