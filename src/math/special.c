/* SPDX-License-Identifier: Apache-2.0 */
#include "math/special.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "math/simd.h"

/*
 * One scalar `..._element` function per array function; each is branch-free and inlined into its
 * loop, which the compiler turns into vector code. All polynomial tables come from
 * tools/fit_mills.py. Exactness arguments below hold with and without fused multiply-add.
 */

#define COUNT(table) (sizeof(table) / sizeof(table)[0])
#define HALF_LOG_TWO_PI 0x1.d67f1c864beb5p-1
#define INV_SQRT_TWO_PI 0x1.9884533d43651p-2

/* sum_k c[k] x^k for an even count: even and odd powers as two independent Horner chains. */
SIMD_INLINE double polynomial(const double *c, size_t count, double x) {
    double x2 = x * x, even = c[count - 2], odd = c[count - 1];
    for (size_t k = count - 2; k > 0; k -= 2) {
        even = even * x2 + c[k - 2];
        odd = odd * x2 + c[k - 1];
    }
    return even + x * odd;
}

/* log 2 in two parts: the first has 33 bits, so its product with any exponent is exact. */
#define LOG2_HIGH 0x1.62e42feep-1
#define LOG2_LOW 0x1.a39ef35793c76p-33

#define EXP_LOWEST (-708.0)
#define EXP_HIGHEST 0x1.62e42fefa39efp+9 /* log DBL_MAX */

/*
 * exp(x + dx) = 2^k exp(r), r = x + dx - k log 2, |r| <= log(2)/2, for a small correction dx.
 * Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits, from where it is shifted
 * into the exponent. Meaningful for EXP_LOWEST <= x <= EXP_HIGHEST, zero below that.
 */
SIMD_INLINE double exp_in_range(double x, double dx) {
    static const double q[] = {0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d68p-5,
                               0x1.11111111109b5p-7,  0x1.6c16c17889ef1p-10, 0x1.a01a01a7c2efep-13,
                               0x1.a019b9149a41cp-16, 0x1.71de0db2f6b19p-19, 0x1.28917c89a43a7p-22,
                               0x1.af389ecfc4b9cp-26};
    const double shifter = 0x1.8p52;
    double shifted = x * 0x1.71547652b82fep+0 + shifter;
    double k = shifted - shifter;
    double r = ((x - k * LOG2_HIGH) - k * LOG2_LOW) + dx;
    double e = 1.0 + (r + r * r * polynomial(q, COUNT(q), r));
    double y = double_of(bits_of(e) + (bits_of(shifted) << 52));
    return x < EXP_LOWEST ? 0.0 : y;
}

SIMD_INLINE double exp_element(double x) {
    double y = exp_in_range(x, 0.0);
    return x <= EXP_HIGHEST ? y : x + INFINITY; /* NaN fails the comparison and stays NaN */
}

/*
 * log(x) - shift * log 2 = (k - shift) log 2 + log(1 + f) for normal x > 0, with x = 2^k (1 + f),
 * sqrt(1/2) <= 1 + f < sqrt(2). With s = f / (2 + f), log(1 + f) = 2 atanh(s) = 2s + s^3 R(s^2).
 * Exponent and mantissa are separated by adding 1 - sqrt(1/2) to the bits; the biased exponent
 * becomes a double as the low bits of 2^52 + exponent.
 */
SIMD_INLINE double log_shifted(double x, double shift) {
    static const double remainder[] = {
        0x1.5555555555558p-1, 0x1.99999999952e2p-2, 0x1.2492492df148dp-2, 0x1.c71c62e5800a1p-3,
        0x1.7462b4ab2ef6bp-3, 0x1.39fe606542ddep-3, 0x1.2b584aae78a57p-3, 0.0};
    const uint64_t one = 0x3ff0000000000000, sqrt_half = 0x3fe6a09e667f3bcd;
    uint64_t bits = bits_of(x) + (one - sqrt_half);
    double k = double_of((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023.0 + shift);
    double f = double_of((bits & 0x000fffffffffffff) + sqrt_half) - 1.0;
    double s = f / (2.0 + f), s2 = s * s;
    double small = s * s2 * polynomial(remainder, COUNT(remainder), s2) + k * LOG2_LOW;
    return k * LOG2_HIGH + (2.0 * s + small);
}

SIMD_INLINE double log_element(double x) {
    double scale = x < DBL_MIN ? 0x1p54 : 1.0; /* scales subnormal numbers to normal ones */
    double y = log_shifted(x * scale, x < DBL_MIN ? 54.0 : 0.0);
    y = x < INFINITY ? y : x; /* infinity and NaN */
    y = x == 0.0 ? -INFINITY : y;
    return x < 0.0 ? NAN : y;
}

/*
 * The upper tail Q(x) = 1 - Phi(x), x >= 0, is phi(x) m(x) with the Mills ratio m. The function
 * (x + K) m(x) falls smoothly from K sqrt(pi/2) at 0 to 1 at infinity and is a polynomial in
 * t = (x - K) / (x + K) to full precision; the one division 1 / (x + K) serves t and m.
 */
struct mills {
    double numerator, denominator, ratio; /* ratio = numerator / denominator = m(x) */
};

SIMD_INLINE struct mills mills_ratio(double x) {
    static const double scaled[] = {
        0x1.f2d2fd15d616dp+0,   -0x1.c1d5d4c5f37ffp+0,  0x1.6d1b049a2021cp+0,
        -0x1.0999c262fe2dfp+0,  0x1.57ea9ca35a3d5p-1,   -0x1.87e5ceee1457dp-2,
        0x1.81e690aa6aae4p-3,   -0x1.3e21804b19457p-4,  0x1.9be921840c266p-6,
        -0x1.5e2b0c5d42be7p-8,  0x1.5994f86a474f7p-14,  0x1.dcafd71247114p-12,
        -0x1.54636f67046cap-13, 0x1.69778f8112a16p-19,  0x1.1dd4b2132f362p-16,
        -0x1.2e5206272bc78p-18, -0x1.2104b20ec049bp-20, 0x1.9d7d1d5af99b3p-21,
        0x1.2749c2164709dp-26,  -0x1.bb94d2ce4c839p-24, 0x1.e6645a8dfe1f2p-28,
        0x1.97907ffead237p-27,  -0x1.efd2fb57a7b33p-31, -0x1.e4b478efe8a7bp-31};
    const double knot = 6.0;
    double inverse = 1.0 / (x + knot);
    double p = polynomial(scaled, COUNT(scaled), 1.0 - 2.0 * knot * inverse);
    return (struct mills){p, x + knot, p * inverse};
}

/*
 * phi(x) = exp(-x^2/2) / sqrt(2 pi). Rounding x^2 would cost up to x^2/2 units of relative error,
 * so x is split as h + (x - h), where h keeps 26 bits: h^2 is exact, x^2 - h^2 = (x - h)(x + h).
 */
SIMD_INLINE double normal_density(double x) {
    double h = double_of(bits_of(x) & 0xfffffffff8000000);
    return INV_SQRT_TWO_PI * exp_in_range(-0.5 * h * h, -0.5 * (x - h) * (x + h));
}

/* hazard(z) = phi / Phi: 1 / m(-z) in the lower tail, where phi and Phi both underflow. */
SIMD_INLINE double normal_hazard(double z, double density, double upper_tail, struct mills m) {
    double numerator = z < 0.0 ? m.denominator : density;
    return numerator / (z < 0.0 ? m.numerator : 1.0 - upper_tail);
}

SIMD_INLINE void normal_cdf_element(double z, double *cdf, double *hazard) {
    double x = fabs(z), density = normal_density(x);
    struct mills m = mills_ratio(x);
    double upper_tail = density * m.ratio;
    *cdf = z < 0.0 ? upper_tail : 1.0 - upper_tail;
    *hazard = normal_hazard(z, density, upper_tail, m);
}

/*
 * log Phi(z) = log m(x) - x^2/2 - log(2 pi)/2 for z < 0, x = |z|, and log(1 - Q(x)) otherwise,
 * where the rounding error of a = 1 - Q, known exactly as (1 - a) - Q, is added to log a: that
 * keeps the relative accuracy as Q vanishes. Both cases share one logarithm.
 */
SIMD_INLINE void log_normal_cdf_element(double z, double *log_cdf, double *hazard) {
    double x = fabs(z), density = normal_density(x);
    struct mills m = mills_ratio(x);
    double upper_tail = density * m.ratio, a = 1.0 - upper_tail;
    double rest = z < 0.0 ? -0.5 * x * x - HALF_LOG_TWO_PI : (1.0 - a) - upper_tail;
    *log_cdf = log_shifted(z < 0.0 ? m.ratio : a, 0.0) + rest;
    *hazard = normal_hazard(z, density, upper_tail, m);
}

/*
 * Solves log Q(x) = log p for x >= 0 and p <= 1/2, then restores the sign. With y = sqrt(-2 log p)
 * and a polynomial in 1 / (y + 4), the start x = y - polynomial has an error of 3e-6. As
 * (log Q)' = -h and h' = h (h - x) with h = 1/m(x), the residual g gives the Newton step g m and
 * the third-order step g m - (h - x) (g m)^2 / 2, whose error is below 1e-17.
 */
SIMD_INLINE double normal_quantile_element(double p) {
    static const double defect[] = {0x1.c4793ffdec62ep-8,   0x1.5af42832246d2p+2,
                                    -0x1.60187ec8e689dp+5,  0x1.c035706055042p+9,
                                    -0x1.78673e19ed959p+13, 0x1.ce75a41c76a07p+16,
                                    -0x1.8074a0bef2fb6p+19, 0x1.9e590d7a036e2p+21,
                                    -0x1.03bb047916bb2p+23, 0x1.23493c2e4ec0dp+23};
    double tail = p < 0.5 ? p : 1.0 - p, log_tail = log_element(tail);
    double y = sqrt(-2.0 * log_tail);
    double x = y - polynomial(defect, COUNT(defect), 1.0 / (y + 4.0));
    struct mills m = mills_ratio(x);
    double residual = (log_shifted(m.ratio, 0.0) - HALF_LOG_TWO_PI) - (0.5 * x * x + log_tail);
    double newton = residual * m.ratio;
    x += newton - 0.5 * (m.denominator / m.numerator - x) * newton * newton;
    x = tail > 0.0 ? x : -log_tail; /* log 0 = -infinity, NaN outside [0, 1] */
    return p < 0.5 ? -x : x;
}

#define OF_ARRAY(name)                                                                             \
    SIMD_CLONES void name##_array(size_t n, const double *x, double *y) {                          \
        SIMD_LOOP                                                                                  \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = name##_element(x[i]);                                                           \
    }
OF_ARRAY(exp)
OF_ARRAY(log)
OF_ARRAY(normal_quantile)

SIMD_CLONES void exp_scaled_array(size_t n, double scale, double rate, const double *x, double *y) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        y[i] = scale * exp_element(rate * x[i]);
}

double normal_cdf(double z) {
    return 0.5 * erfc(-0.70710678118654752440 * z);
}

SIMD_CLONES void normal_cdf_array(size_t n, const double *z, double *cdf, double *hazard) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        normal_cdf_element(z[i], &cdf[i], &hazard[i]);
}

SIMD_CLONES void log_normal_cdf_array(size_t n, const double *z, double *log_cdf, double *hazard) {
    SIMD_LOOP
    for (size_t i = 0; i < n; i++)
        log_normal_cdf_element(z[i], &log_cdf[i], &hazard[i]);
}

double normal_quantile(double p) {
    double z;
    normal_quantile_array(1, &p, &z);
    return z;
}

/* ---------------------------------------------------------------- gamma functions ------------- */

/* Stirling's series is accurate from here on: the first omitted term is 1e-17. */
#define STIRLING_FROM 12.0

/* Increases x until the series is accurate: log Gamma(x) = log Gamma(x+n) - log(x (x+1) ...
 * (x+n-1)). */
double log_gamma(double x) {
    double product = 1.0;
    for (; x < STIRLING_FROM; x += 1.0)
        product *= x;
    double r = 1.0 / x, r2 = r * r;
    double series =
        r * (1.0 / 12.0 -
             r2 * (1.0 / 360.0 - r2 * (1.0 / 1260.0 - r2 * (1.0 / 1680.0 - r2 * (1.0 / 1188.0)))));
    return (x - 0.5) * log(x) - x + 0.91893853320467274178 + series - log(product);
}

double digamma(double x) {
    double below = 0.0;
    for (; x < STIRLING_FROM; x += 1.0)
        below += 1.0 / x;
    double r2 = 1.0 / (x * x);
    double series =
        r2 * (1.0 / 12.0 -
              r2 * (1.0 / 120.0 - r2 * (1.0 / 252.0 - r2 * (1.0 / 240.0 - r2 * (1.0 / 132.0)))));
    return log(x) - 0.5 / x - series - below;
}

/* P(a, x) = x^a e^-x / Gamma(a+1) (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...), for x < a + 1. */
static double gamma_lower_series(double a, double x, double log_factor) {
    double term = 1.0, total = 1.0;
    for (double n = a + 1.0; term > 1e-17 * total; n += 1.0) {
        term *= x / n;
        total += term;
    }
    return total * exp(log_factor) / a;
}

/* Q(a, x) = x^a e^-x / Gamma(a) / (x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ...))), for x > a + 1,
 * evaluated from the first fraction on (Lentz). */
static double gamma_upper_fraction(double a, double x, double log_factor) {
    double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, product = d, change = 0.0;
    for (double n = 1.0; fabs(change - 1.0) > 4e-16 && n < 1e5; n += 1.0) {
        double numerator = n * (a - n);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        change = c * d;
        product *= change;
    }
    return product * exp(log_factor);
}

/* Temme's uniform expansion for large a: Q = Phi(-eta sqrt(a)) + R with l = x/a,
 * eta^2 / 2 = l - 1 - log l, R = exp(-a eta^2 / 2) / sqrt(2 pi a) (1/(l-1) - 1/eta) + ... */
static double gamma_upper_large(double a, double x) {
    double m = (x - a) / a;
    double half = fabs(m) < 1e-3 ? m * m * (0.5 - m * (1.0 / 3.0 - 0.25 * m)) : m - log1p(m);
    double eta = copysign(sqrt(2.0 * half), m);
    double correction = fabs(m) < 1e-3 ? -1.0 / 3.0 + m / 12.0 : 1.0 / m - 1.0 / eta;
    return normal_cdf(-eta * sqrt(a)) +
           exp(-a * half) / sqrt(6.28318530717958647692 * a) * correction;
}

double gamma_upper(double a, double x) {
    if (!(x > 0.0))
        return 1.0;
    if (isinf(x))
        return 0.0;
    if (a > 1e4)
        return fmin(fmax(gamma_upper_large(a, x), 0.0), 1.0);
    double log_factor = a * log(x) - x - log_gamma(a);
    if (log_factor < -750.0) /* its exponential is 0: x is far from a, on one side */
        return x < a + 1.0 ? 1.0 : 0.0;
    return x < a + 1.0 ? 1.0 - gamma_lower_series(a, x, log_factor)
                       : gamma_upper_fraction(a, x, log_factor);
}
