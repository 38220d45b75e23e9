# SPDX-License-Identifier: Apache-2.0
"""Derive the polynomial coefficients of src/math/special.c and src/math/random.c.

Every table is the polynomial that interpolates a smooth function at the Chebyshev nodes of its
interval, which is within a small factor of the best uniform approximation. The work is done with
mpmath in 50 digits; the coefficients are rounded to double only when printed, and the printed
error is that of the rounded coefficients, evaluated exactly, on a fine grid.

    exp       (exp(r) - 1 - r) / r^2              for |r| <= log(2)/2
    log       (log(1+f) - 2s) / s^3 in s^2        where s = f/(2+f), sqrt(1/2) <= 1+f <= sqrt(2)
    mills     (x+K) (1 - Phi(x)) / phi(x) in t    where t = (x-K)/(x+K), 0 <= x < infinity, K = 6
    quantile  y + Phi^-1(p) in 1/(y+4)            where y = sqrt(-2 log p), 5e-324 < p <= 1/2
    sin, cos  sin(pi v/2)/v, (cos(pi v/2)-1)/v^2  in v^2, for |v| <= 1/2

Usage: python3 tools/fit_mills.py        (prints C initialisers, lowest degree first)
"""

from mpmath import cos, erfc, exp, log, matrix, lu_solve, mp, mpf, nstr, pi, sin, sqrt

mp.dps = 50


def interpolate(function, low, high, degree):
    """Coefficients (lowest first) of the interpolant at the Chebyshev nodes of [low, high]."""
    count = degree + 1
    angles = [pi * (2 * k + 1) / (2 * count) for k in range(count)]
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(a) for a in angles]
    vandermonde = matrix([[x**j for j in range(count)] for x in nodes])
    return list(lu_solve(vandermonde, matrix([function(x) for x in nodes])))


def evaluate(coefficients, x):
    value = mpf(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def report(name, function, low, high, degree, points=400):
    """Fit, round to double, print the C table and the largest absolute error on a grid."""
    low, high = mpf(low), mpf(high)
    rounded = [float(c) for c in interpolate(function, low, high, degree)]
    grid = [low + (high - low) * (k + mpf(1) / 2) / points for k in range(points)]
    error = max(abs(evaluate(rounded, x) - function(x)) for x in grid)
    print(f"/* {name}: degree {degree}, largest error {nstr(error, 2)} */")
    print(",\n".join("    " + c.hex() for c in rounded) + "\n")


def mills(x):
    """(1 - Phi(x)) / phi(x), by its asymptotic series where erfc would underflow."""
    if x < 200:
        return sqrt(pi / 2) * erfc(x / sqrt(2)) * exp(x * x / 2)
    term, total = 1 / x, mpf(0)
    for k in range(1, 12):
        total += term
        term *= -(2 * k - 1) / x**2
    return total


def upper_quantile(log_p):
    """x >= 0 with log(1 - Phi(x)) = log_p, by Newton's method (the equation is concave)."""
    x = sqrt(-log_p)
    for _ in range(100):
        ratio = mills(x)
        excess = log(ratio) - x * x / 2 - log(2 * pi) / 2 - log_p
        x += excess * ratio
        if abs(excess) < mpf(10) ** -30:
            break
    return x


def scaled_mills(t, knot=mpf(6)):
    x = knot * (1 + t) / (1 - t)
    return (x + knot) * mills(x)


def quantile_defect(u):
    y = 1 / u - 4
    return y - upper_quantile(-y * y / 2)


def log_remainder(s2):
    """(2 atanh(s) - 2 s) / s^3 as a power series in s^2 (s^2 < 0.03: 40 terms are plenty)."""
    return sum(2 * s2**k / mpf(2 * k + 3) for k in range(40))


def exp_remainder(r):
    """(exp(r) - 1 - r) / r^2 as a power series, free of cancellation at r = 0."""
    total, term = mpf(0), mpf(1) / 2
    for k in range(3, 45):
        total += term
        term *= r / k
    return total


def main():
    report("exp", exp_remainder, -log(2) / 2, log(2) / 2, 9)
    report("log", log_remainder, 0, ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2, 6)
    report("mills", scaled_mills, -1, 1, 23)
    report("quantile", quantile_defect, 1 / (sqrt(mpf(1490)) + 4), 1 / (sqrt(2 * log(2)) + 4), 9)
    report("sin", lambda w: sin(pi / 2 * sqrt(w)) / sqrt(w), 0, 0.25, 6)
    report("cos", lambda w: (cos(pi / 2 * sqrt(w)) - 1) / w, 0, 0.25, 6)


if __name__ == "__main__":
    main()
