#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where two files that fingerprint.c printed differ by more than rounding.

usage: compare_fingerprints.py ONE OTHER

Relative to max(1, |value|), the first bound may differ by 1e-11: sums of a few thousand terms, each rounded. A step of
Adam divides gradients by their own size, so what rounding leaves of a gradient near zero may grow: after steps it is
1e-7.
"""
import pathlib
import sys

FIRST, LATER = 1e-11, 1e-7


def read(path):
    lines = pathlib.Path(path).read_text().splitlines()
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines}


def main():
    one, other = map(read, sys.argv[1:])
    assert one.keys() == other.keys() and len(one) > 100, "not the same numbers"
    worst, failed = {FIRST: 0.0, LATER: 0.0}, 0
    for name in one:
        allowed = FIRST if name.endswith(" bound 0") else LATER
        difference = abs(one[name] - other[name]) / max(1.0, abs(one[name]))
        worst[allowed] = max(worst[allowed], difference)
        if not difference <= allowed:
            failed += 1
            print(f"{name}: {one[name]!r} or {other[name]!r}")
    print(f"{len(one)} numbers; largest difference {worst[FIRST]:.1e} in first bounds, {worst[LATER]:.1e} thereafter")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
