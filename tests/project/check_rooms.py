#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a module of the Python package imports a room that it must not, or if modules import each other in a circle.

usage: check_rooms.py ROOT

A module may import its own room and those that ROOMS lists; each entry lists only rooms before it. Modules beside the rooms
(nimgp.plot, nimgp.lsdb, ...) may import any room, and no room imports them. Imports in functions count too; those for
annotations alone (if TYPE_CHECKING) do not.
"""
import ast
import pathlib
import sys

ROOMS = {
    "_base": set(),
    "_native": {"_base"},
    "tables": {"_base", "_native"},
    "_estimators": {"_base", "_native", "tables"},
    "datasets": {"_base", "_native"},
}


def imported(tree, package):
    """Modules of nimgp that a syntax tree imports, as tuples below nimgp; `package` is where it lies."""
    if isinstance(tree, ast.If) and getattr(tree.test, "id", "") == "TYPE_CHECKING":
        return
    if isinstance(tree, ast.Import):
        for name in tree.names:
            first, *rest = name.name.split(".")
            if first == "nimgp":
                yield tuple(rest)
    if isinstance(tree, ast.ImportFrom):
        words = tree.module.split(".") if tree.module else []
        if tree.level:
            base = package[: len(package) - tree.level + 1]
        elif words and words[0] == "nimgp":
            base, words = (), words[1:]
        else:
            return
        for name in tree.names:  # a module of the package, or a name in one
            yield (*base, *words, name.name)
    for node in ast.iter_child_nodes(tree):
        yield from imported(node, package)


def modules_of(root):
    """The source of every module, by its place below nimgp."""
    base = root / "python" / "nimgp"
    found = {}
    for path in sorted(base.rglob("*.py")):
        place = path.relative_to(base).with_suffix("").parts
        found[place] = path.read_text(encoding="utf-8")
    return found


def edges_of(modules):
    """The modules that each imports."""
    edges = {}
    for place, text in modules.items():
        edges[place] = set()
        for name in imported(ast.parse(text), place[:-1]):
            target = next((whole for whole in (name, (*name, "__init__"), name[:-1], (*name[:-1], "__init__"))
                           if whole in modules), None)
            if target is None:
                raise LookupError(f"{'/'.join(place)}.py: there is no module {'.'.join(name)}")
            edges[place].add(target)
    return edges


def wrong_rooms(edges):
    for place, targets in edges.items():
        if len(place) == 1:
            continue
        room = place[0]
        if room not in ROOMS:
            yield f"{'/'.join(place)}.py: no rule for the room {room}"
            continue
        for target in sorted(targets):
            if len(target) == 1 or target[0] not in ROOMS[room] | {room}:
                yield f"{'/'.join(place)}.py: {room} must not import {'.'.join(target)}"


def circles(edges):
    """Modules that import each other; what only leads to them is left out too."""
    left = {place: set(targets) - {place} for place, targets in edges.items()}
    while True:
        done = {place for place, targets in left.items() if not targets & left.keys()}
        if not done:
            break
        left = {place: targets for place, targets in left.items() if place not in done}
    return [f"{'/'.join(place)}.py: imports what imports it" for place in sorted(left)]


def complaints(modules):
    edges = edges_of(modules)
    return [*wrong_rooms(edges), *circles(edges)]


def check_the_checker():
    """What must be found is found, so that an empty list means something."""
    before = set()
    for room, below in ROOMS.items():
        assert below <= before, room
        before.add(room)
    two = {("_base", "a"): "", ("_native", "b"): ""}
    bad = [
        two | {("_base", "a"): "from .._native import b"},
        two | {("_base", "a"): "def f():\n    from .._native.b import x"},
        two | {("_base", "a"): "import nimgp._native.b"},
        two | {("plot",): "", ("_native", "b"): "from ..plot import x"},
        two | {("plot",): "", ("_native", "b"): "from nimgp.plot import x"},
        two | {("attic", "c"): ""},
        two | {("_base", "c"): "from .a import x", ("_base", "a"): "def f():\n    from .c import x"},
    ]
    good = [
        two | {("_native", "b"): "from .._base.a import x\nimport os"},
        two | {("_native", "b"): "from .._base import a"},
        two | {("plot",): "from ._native.b import x"},
        two | {("_base", "a"): "if TYPE_CHECKING:\n    from .._native.b import x"},
    ]
    for modules in bad:
        assert complaints(modules), modules
    for modules in good:
        assert not complaints(modules), modules


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    check_the_checker()
    modules = modules_of(pathlib.Path(sys.argv[1]))
    if not modules:
        sys.exit("no modules")
    found = complaints(modules)
    print("\n".join(found) if found else f"{len(modules)} modules keep to their rooms")
    sys.exit(1 if found else 0)


main()
