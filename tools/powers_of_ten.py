#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes powers_of_ten.c, which the build compiles: the leading 128 bits of 10^k, truncated.

10^k = (high * 2^64 + low + r) * 2^e with 0 <= r < 1, the top bit of high set, and
e = floor(k log2 10) - 127. The smallest subnormal times the longest 19-digit integer needs k = -342;
the shortest decimal of the smallest subnormal needs k = 324.
"""
LEAST, MOST = -342, 324


def leading_bits(k):
    """floor(10^k 2^-e): exact integers throughout."""
    if k >= 0:
        value = 10**k
        shift = 128 - value.bit_length()
        return value << shift if shift >= 0 else value >> -shift
    below = 10**-k
    shift = 127 + below.bit_length()
    value = (1 << shift) // below
    return value >> (value.bit_length() - 128)


def text():
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* Made by tools/powers_of_ten.py in the build. */",
        '#include "text/powers_of_ten.h"',
        "",
        f"_Static_assert(LEAST_POWER == {LEAST} && MOST_POWER == {MOST}, \"the list is of these\");",
        "",
        "const struct power_of_ten powers_of_ten[MOST_POWER - LEAST_POWER + 1] = {",
    ]
    for k in range(LEAST, MOST + 1):
        bits = leading_bits(k)
        assert bits.bit_length() == 128
        assert bits % 2**64 != 2**64 - 1  # so that low + 1 never carries
        lines.append(f"    {{0x{bits >> 64:016x}, 0x{bits % 2**64:016x}}}, /* {k} */")
    lines += ["};", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    print(text(), end="")
