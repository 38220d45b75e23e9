#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes python/nimgp/_native/interface.py from the C headers: structures, functions and enumerations for ctypes.

usage: interface.py [--check]     --check: only says whether the module is up to date
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ["include/nimgp.h", "measure/measure.h", "measure/judge.h", "report/report.h"]
MODULE = ROOT / "python" / "nimgp" / "_native" / "interface.py"
SCALARS = {"size_t": "c_size_t", "int": "c_int", "long": "c_long", "double": "c_double", "char": "c_char",
           "nim_status": "c_int"}  # fmt: skip
OUTCOMES = ("size_t", "int", "long")  # written by reference; pointers to other numbers are arrays

HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""Structures, functions and enumerations of the C headers; written by scripts/interface.py, do not edit.

Handles and arrays of numbers are addresses. The headers document all of it.
"""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char, c_char_p, c_double, c_int, c_long, c_size_t, c_void_p
from typing import Any


class Sized(ctypes.Structure):
    """A structure that starts with its size, so that the library knows which members it has."""

    def __init__(self, **members: object) -> None:
        super().__init__(size=ctypes.sizeof(self), **members)
'''


def camel(name):
    return "".join(word.capitalize() for word in name.removeprefix("nim_").split("_"))


class Headers:
    """What the headers declare, as text for the module."""

    def __init__(self, text):
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
        self.numbers = dict(re.findall(r"\b(NIM_\w+) = (\d+)\b", text))
        self.lists = {name: re.findall(r"X\((\w+),", body)
                      for name, body in re.findall(r"#define (NIM_\w+_LIST)\(X\)((?:.*\\\n)*.*)\n", text)}
        self.enums = dict(re.findall(r"enum (nim_\w+) \{(.*?)\}", text, re.DOTALL))
        self.structures = dict(re.findall(r"struct (nim_\w+) \{(.*?)\n\}", text, re.DOTALL))
        self.callbacks = re.findall(r"typedef (\w+) \(\*(nim_\w+)\)\((.*?)\);", text, re.DOTALL)
        self.functions = re.findall(r"NIM_API ([^;(]*?)\b(nim_\w+)\((.*?)\);", text, re.DOTALL)

    def kind(self, base, stars, out=False):
        """The ctypes type of a value of type `base` behind so many stars; out: the function writes there."""
        if base in self.structures and stars == 1:
            return f"POINTER({camel(base)})"
        if base in dict((name, 0) for _, name, _ in self.callbacks):
            return camel(base)
        if stars == 0:
            return SCALARS[base] if base in SCALARS else "None" if base == "void" else "c_int"
        if stars == 1 and out and base in OUTCOMES:
            return f"POINTER({SCALARS[base]})"
        pointer = "c_char_p" if base == "char" else "c_void_p"
        return pointer if stars == 1 else f"POINTER({pointer})"

    def declared(self, text):
        """Of "const double *mean, *deviation" the base type and (stars, name, [size]) of each."""
        words = re.findall(r"\w+|\*|\[\w+\]|,", re.sub(r"\b(const|enum|struct)\b", " ", text))
        base, found = words[0], []
        for part in " ".join(words[1:]).split(","):
            stars, rest = part.count("*"), part.replace("*", " ").split()
            found.append((stars, rest[0] if rest else "", rest[1][1:-1] if len(rest) > 1 else None))
        return base, found

    def parameters(self, text):
        types = []
        for parameter in text.split(",") if text.strip() != "void" else []:
            base, [(stars, _, size)] = self.declared(parameter)
            types.append(self.kind(base, stars + (size is not None), out="const" not in parameter))
        return types

    def function_type(self, result, parameters):
        return f"CFUNCTYPE({', '.join([self.kind(*self.result(result)), *self.parameters(parameters)])})"

    def result(self, text):
        base, [(stars, _, _)] = self.declared(text)
        return base, stars

    def members(self, body):
        for member in filter(None, map(str.strip, body.split(";"))):
            called = re.fullmatch(r"(.*?)\(\*(\w+)\)\((.*)\)", member, re.DOTALL)
            if called:
                yield called[2], self.function_type(called[1], called[3])
                continue
            base, declared = self.declared(member)
            for stars, name, size in declared:
                kind = self.kind(base, stars)
                yield name, f"{kind} * {self.numbers.get(size, size)}" if size else kind

    def structure(self, name):
        members = list(self.members(self.structures[name]))
        parent = "Sized" if members[0][0] == "size" else "ctypes.Structure"
        lines = "".join(f'        ("{member}", {kind}),\n' for member, kind in members)
        return f"\n\nclass {camel(name)}({parent}):\n    _fields_ = [\n{lines}    ]\n"

    def names(self, body):
        """The names of an enumeration, without what all of them start with."""
        made = re.search(r"NIM_\w+_LIST", body)
        words = [name.split("_") for name in
                 (self.lists[made[0]] if made else re.findall(r"\bNIM_(\w+)", body))]  # fmt: skip
        while len({word[0] for word in words}) == 1 and all(len(word) > 1 for word in words):
            words = [word[1:] for word in words]
        return ["_".join(word).lower() for word in words]

    def module(self):
        text = HEAD
        for name in self.structures:
            text += self.structure(name)
            for result, callback, parameters in self.callbacks:  # behind the structure it takes
                if f"const {name} *" in parameters:
                    text += f"\n\n{camel(callback)} = {self.function_type(result, parameters)}\n"
        text += "\n\nENUMERATIONS = {\n"
        for name, body in self.enums.items():
            text += f'    "{name}": ({", ".join(map(repr, self.names(body)))}),\n'.replace("'", '"')
        text += "}\n\n# Result and arguments. Functions that can fail return a status and take an Error last.\n"
        text += "FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {\n"
        for result, name, parameters in self.functions:
            text += f'    "{name}": ({self.kind(*self.result(result))}, [{", ".join(self.parameters(parameters))}]),\n'
        return text + "}\n"


def main():
    made = Headers("".join((ROOT / name).read_text() for name in HEADERS)).module()
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if MODULE.read_text() == made else "python/nimgp/_native/interface.py is not up to date: run scripts/interface.py")
    MODULE.write_text(made)


if __name__ == "__main__":
    main()
