/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/special.h"

enum { N = 20011 };

static double input[N], value[N], hazard[N];

/* input = N equidistant points from low to high. */
static void grid(double low, double high) {
    for (size_t i = 0; i < N; i++)
        input[i] = low + (high - low) * (double)i / (N - 1);
}

static void check_relative(double computed, long double exact, double tolerance) {
    long double error = fabsl((long double)computed - exact);
    if (!(error <= (long double)tolerance * fabsl(exact)))
        fail_msg("%.17g instead of %.20Lg", computed, exact);
}

static void check_absolute(double computed, long double exact, double tolerance) {
    if (!(fabsl((long double)computed - exact) <= (long double)tolerance))
        fail_msg("%.17g instead of %.20Lg", computed, exact);
}

static long double cdf_reference(long double z) {
    return 0.5L * erfcl(-z * sqrtl(0.5L));
}

static long double density_reference(long double z) {
    return expl(-0.5L * z * z) / sqrtl(2.0L * acosl(-1.0L));
}

static long double log_cdf_reference(long double z) {
    return z > 0.0L ? log1pl(-cdf_reference(-z)) : logl(cdf_reference(z));
}

static void test_exp(void **state) {
    (void)state;
    const double ranges[][2] = {{-1.0, 1.0}, {-30.0, 30.0}, {-708.0, 709.78}};
    for (size_t r = 0; r < 3; r++) {
        grid(ranges[r][0], ranges[r][1]);
        exp_array(N, input, value);
        for (size_t i = 0; i < N; i++)
            check_relative(value[i], expl((long double)input[i]), 4e-16);
    }
}

static void test_exp_special_values(void **state) {
    (void)state;
    const double x[] = {0.0,   -0.0,   INFINITY, -INFINITY, 710.0,
                        1e308, -1e308, -709.0,   NAN,       709.782712893384};
    double y[10];
    exp_array(10, x, y);
    assert_true(y[0] == 1.0 && y[1] == 1.0);
    assert_true(isinf(y[2]) && isinf(y[4]) && isinf(y[5]));
    assert_true(y[3] == 0.0 && y[6] == 0.0 && y[7] == 0.0);
    assert_true(isnan(y[8]));
    assert_true(isfinite(y[9]));
}

static void test_exp_scaled(void **state) {
    (void)state;
    grid(0.0, 1400.0);
    exp_scaled_array(N, 3.0, -0.5, input, value);
    for (size_t i = 0; i < N; i++)
        check_relative(value[i], 3.0L * expl(-0.5L * (long double)input[i]), 6e-16);
}

static void test_log(void **state) {
    (void)state;
    grid(-708.0, 709.0);
    for (size_t i = 0; i < N; i++)
        input[i] = exp(input[i]);
    log_array(N, input, value);
    for (size_t i = 0; i < N; i++)
        check_relative(value[i], logl((long double)input[i]), 4e-16);
    grid(0.3, 3.0); /* through log 1 = 0, where the relative error is delicate */
    log_array(N, input, value);
    for (size_t i = 0; i < N; i++)
        check_relative(value[i], logl((long double)input[i]), 4e-16);
}

static void test_log_special_values(void **state) {
    (void)state;
    const double x[] = {1.0, 0.0, -0.0, INFINITY, -1.0, -INFINITY, NAN, 4e-320, DBL_MIN, DBL_MAX};
    double y[10];
    log_array(10, x, y);
    assert_true(y[0] == 0.0);
    assert_true(y[1] == -INFINITY && y[2] == -INFINITY && y[3] == INFINITY);
    assert_true(isnan(y[4]) && isnan(y[5]) && isnan(y[6]));
    for (size_t i = 7; i < 10; i++)
        check_relative(y[i], logl((long double)x[i]), 4e-16);
}

static void test_normal_cdf(void **state) {
    (void)state;
    grid(-37.4, 37.4);
    normal_cdf_array(N, input, value, hazard);
    for (size_t i = 0; i < N; i++) {
        long double z = (long double)input[i], cdf = cdf_reference(z);
        check_relative(value[i], cdf, 4e-15);
        check_relative(hazard[i], density_reference(z) / cdf, 4e-15);
    }
}

static void test_log_normal_cdf(void **state) {
    (void)state;
    grid(-100.0, 37.0);
    log_normal_cdf_array(N, input, value, hazard);
    for (size_t i = 0; i < N; i++) {
        long double z = (long double)input[i];
        check_relative(value[i], log_cdf_reference(z), 4e-15);
        check_relative(hazard[i], density_reference(z) / cdf_reference(z), 4e-15);
    }
}

/* Both routines must agree on the hazard, and exp of the one value must be the other. */
static void test_cdf_against_log_cdf(void **state) {
    (void)state;
    static double logarithm[N], other[N];
    grid(-37.0, 10.0);
    normal_cdf_array(N, input, value, hazard);
    log_normal_cdf_array(N, input, logarithm, other);
    for (size_t i = 0; i < N; i++) {
        check_relative(hazard[i], (long double)other[i], 1e-15);
        check_relative(value[i], expl((long double)logarithm[i]), 3e-13);
    }
}

static void test_reflection(void **state) {
    (void)state;
    static double mirrored[N];
    grid(-40.0, 40.0);
    normal_cdf_array(N, input, value, hazard);
    for (size_t i = 0; i < N; i++)
        input[i] = -input[i];
    normal_cdf_array(N, input, mirrored, hazard);
    for (size_t i = 0; i < N; i++)
        check_absolute(value[i] + mirrored[i], 1.0L, 2.3e-16);
}

static void test_hazard_is_derivative(void **state) {
    (void)state;
    const double step = 1e-4; /* central difference: truncation step^2 |h''| / 6, rounding 1e-11 */
    for (double z = -60.0; z < 6.0; z += 0.37) {
        double points[] = {z - step, z, z + step}, log_cdf[3], h[3];
        log_normal_cdf_array(3, points, log_cdf, h);
        check_absolute((log_cdf[2] - log_cdf[0]) / (2.0 * step), (long double)h[1],
                       1e-8 + 1e-11 * z * z);
    }
}

/*
 * As x = -z grows, hazard = x + 1/x - 2/x^3 + ... and
 * log Phi(z) = -x^2/2 - log(x sqrt(2 pi)) - 1/x^2 + ...
 */
static void test_asymptotics(void **state) {
    (void)state;
    for (double x = 1e3; x < 1e150; x *= 7.3) {
        double z = -x, log_cdf, h;
        long double y = (long double)x, root = sqrtl(2.0L * acosl(-1.0L));
        log_normal_cdf_array(1, &z, &log_cdf, &h);
        check_relative(h, y + 1.0L / y - 2.0L / (y * y * y), 4e-15);
        check_relative(log_cdf, -0.5L * y * y - logl(y * root) - 1.0L / (y * y), 1e-15);
    }
}

static void test_normal_special_values(void **state) {
    (void)state;
    const double z[] = {0.0, INFINITY, -INFINITY, NAN, 1e300, -1e300, -39.0, 50.0};
    double cdf[8], h[8], log_cdf[8], g[8];
    normal_cdf_array(8, z, cdf, h);
    log_normal_cdf_array(8, z, log_cdf, g);
    assert_true(memcmp(h, g, 3 * sizeof *h) == 0);
    check_relative(cdf[0], 0.5L, 1e-15);
    assert_true(cdf[1] == 1.0 && h[1] == 0.0 && log_cdf[1] == 0.0);
    assert_true(cdf[2] == 0.0 && h[2] == INFINITY && log_cdf[2] == -INFINITY);
    assert_true(isnan(cdf[3]) && isnan(h[3]) && isnan(log_cdf[3]) && isnan(g[3]));
    assert_true(cdf[4] == 1.0 && h[4] == 0.0 && log_cdf[4] == 0.0);
    assert_true(cdf[5] == 0.0 && log_cdf[5] == -INFINITY);
    check_relative(h[5], 1e300L, 1e-14);
    assert_true(cdf[6] == 0.0 && log_cdf[6] > -770.0);
    assert_true(cdf[7] == 1.0 && h[7] == 0.0);
}

static void test_quantile_inverts_cdf(void **state) {
    (void)state;
    grid(-37.0, 6.0);
    normal_cdf_array(N, input, value, hazard);
    normal_quantile_array(N, value, value);
    for (size_t i = 0; i < N; i++) {
        /* Rounding Phi by eps Phi moves its inverse by eps / hazard: large only for z > 0. */
        double tolerance = 1e-14 * fmax(fabs(input[i]), 0.3) + 2.3e-16 / hazard[i];
        check_absolute(value[i], (long double)input[i], tolerance);
    }
}

/* One Newton step in long double from the computed value gives the exact one. */
static void test_quantile_accuracy(void **state) {
    (void)state;
    grid(-700.0, -0.7);
    for (size_t i = 0; i < N; i++)
        input[i] = exp(input[i]);
    normal_quantile_array(N, input, value);
    for (size_t i = 0; i < N; i++) {
        long double z = (long double)value[i], p = (long double)input[i];
        long double exact = z - (cdf_reference(z) - p) / density_reference(z);
        check_absolute(value[i], exact, 1e-14 * fmax(fabs(value[i]), 0.3));
    }
}

static void test_quantile_special_values(void **state) {
    (void)state;
    assert_true(normal_quantile(0.0) == -INFINITY);
    assert_true(normal_quantile(1.0) == INFINITY);
    assert_true(isnan(normal_quantile(-0.1)) && isnan(normal_quantile(1.1)));
    assert_true(isnan(normal_quantile(NAN)));
    check_absolute(normal_quantile(0.5), 0.0L, 2e-15);
    check_relative(normal_quantile(0.975), 1.959963984540054235524594L, 1e-14);
    check_relative(normal_quantile(1e-10), -6.361340902404056L, 1e-14);
    check_relative(normal_quantile(0x1p-1074), -38.467405617144344L, 1e-14);
    for (double p = 0x1p-40; p < 0.5; p *= 2.0)
        assert_true(normal_quantile(p) == -normal_quantile(1.0 - p));
}

/* ---------------------------------------------------------------- gamma functions ------------- */

/* log Gamma crosses zero at 1 and 2: there the error is absolute. */
static void test_log_gamma(void **state) {
    (void)state;
    for (double x = 1e-300; x < 1e300; x *= x < 0.01 || x > 1e3 ? 97.3 : 1.00137)
        check_absolute(log_gamma(x), lgammal((long double)x),
                       2e-14 + 4e-16 * (double)fabsl(lgammal((long double)x)));
    for (double n = 2.0, factorial = 1.0; n < 20.0; factorial *= n, n += 1.0)
        check_absolute(log_gamma(n), logl((long double)factorial), 2e-14);
}

/* The recurrence, two known values, and the derivative of log Gamma. */
static void test_digamma(void **state) {
    (void)state;
    const long double euler = 0.57721566490153286060651209L;
    check_relative(digamma(1.0), -euler, 4e-15);
    check_relative(digamma(0.5), -euler - 2.0L * logl(2.0L), 4e-15);
    for (double x = 1e-6; x < 1e12; x *= x < 0.01 || x > 1e3 ? 7.3 : 1.037) {
        double size = fmax(1.0, fabs(digamma(x)));
        check_absolute(digamma(x + 1.0) - digamma(x), 1.0L / (long double)x, 1e-14 * size);
        long double h = 1e-4L * (long double)x, y = (long double)x;
        long double difference = (8.0L * (lgammal(y + h) - lgammal(y - h)) -
                                  (lgammal(y + 2.0L * h) - lgammal(y - 2.0L * h))) /
                                 (12.0L * h);
        check_absolute(digamma(x), difference, 1e-12 * size);
    }
}

/* P(K < a) of a Poisson variable of mean x, from its terms: upwards or downwards from the largest
 * one that counts, on the side where they are fewer. */
static long double poisson_below(long double a, long double x) {
    bool upper = x < a;
    long double k = upper ? a : a - 1.0L, total = 0.0L;
    long double term = expl(k * logl(x) - x - lgammal(k + 1.0L));
    while (term > 1e-25L * total && k >= 0.0L) {
        total += term;
        term *= upper ? x / (k + 1.0L) : k / x;
        k += upper ? 1.0L : -1.0L;
    }
    return upper ? 1.0L - total : total;
}

static void test_gamma_upper(void **state) {
    (void)state;
    for (double a = 1.0; a < 1e8; a = floor(2.7 * a) + 1.0)
        for (double z = -9.0; z < 9.1; z += 0.45) {
            double x = a + z * sqrt(a);
            if (x <= 0.0)
                continue;
            /* lgammal and k log x lose digits with a. */
            double tolerance = (a > 1e4 ? 1e-9 : 2e-13 + 3e-15 * a) + 1e-17 * a;
            check_absolute(gamma_upper(a, x), poisson_below((long double)a, (long double)x),
                           tolerance);
        }
}

/* Beyond what sums can do: the median of Gamma(a) is a - 1/3 + 8/(405 a), the limit is normal. */
static void test_gamma_upper_of_large_counts(void **state) {
    (void)state;
    for (double a = 2e4; a < 1e16; a *= 11.0) {
        check_absolute(gamma_upper(a, a - 1.0 / 3.0), 0.5L, 2e-8 + 1.0 / a);
        for (double z = -5.0; z < 5.1; z += 0.5) /* skewness 2/sqrt(a) moves it by so much */
            check_absolute(gamma_upper(a, a + z * sqrt(a)), cdf_reference(-(long double)z),
                           1.0 / sqrt(a) + 2e-8);
    }
}

static void test_gamma_upper_falls(void **state) {
    (void)state;
    static const double shapes[] = {0.5, 1.0, 30.0, 9999.0, 10001.0, 1e7};
    for (size_t n = 0; n < 6; n++) {
        double a = shapes[n], before = 1.0;
        assert_true(gamma_upper(a, 0.0) == 1.0 && gamma_upper(a, INFINITY) == 0.0);
        assert_true(gamma_upper(a, 1e-300) > 1.0 - 1e-15 || a < 1.0);
        assert_true(gamma_upper(a, 100.0 * a + 1000.0) < 1e-100);
        for (double x = a / 3.0; x < 3.0 * a + 10.0; x *= 1.003) {
            double q = gamma_upper(a, x);
            assert_true(q >= 0.0 && q <= 1.0 && q <= before + 1e-8);
            before = q;
        }
    }
    check_relative(gamma_upper(1.0, 3.0), expl(-3.0L), 1e-14);
    check_relative(gamma_upper(0.5, 2.0), erfcl(sqrtl(2.0L)), 1e-13);
}

static void test_one_normal_cdf(void **state) {
    (void)state;
    for (double z = -37.0; z < 9.0; z += 0.0137)
        check_relative(normal_cdf(z), cdf_reference((long double)z),
                       4e-16 * (2.0 + z * z)); /* what rounding z sqrt(1/2) costs */
    assert_true(normal_cdf(0.0) == 0.5 && normal_cdf(INFINITY) == 1.0);
    assert_true(normal_cdf(-INFINITY) == 0.0 && isnan(normal_cdf(NAN)));
}

/* Every element must have the same bits whatever the array length, in place or not. */
static void check_lengths(void (*function)(size_t, const double *, double *)) {
    double whole[N], part[16];
    function(N, input, whole);
    for (size_t n = 0; n < 16; n++)
        for (size_t start = 0; start + 16 <= N; start += 997) {
            memcpy(part, input + start, sizeof part);
            function(n, part, part);
            assert_memory_equal(part, whole + start, n * sizeof *part);
            assert_memory_equal(part + n, input + start + n, (16 - n) * sizeof *part);
        }
}

static void cdf_only(size_t n, const double *z, double *cdf) {
    double unused[N];
    normal_cdf_array(n, z, cdf, unused);
}

static void cdf_hazard_only(size_t n, const double *z, double *h) {
    double unused[N];
    normal_cdf_array(n, z, unused, h);
}

static void log_cdf_only(size_t n, const double *z, double *log_cdf) {
    double unused[N];
    log_normal_cdf_array(n, z, log_cdf, unused);
}

static void log_cdf_hazard_only(size_t n, const double *z, double *h) {
    double unused[N];
    log_normal_cdf_array(n, z, unused, h);
}

static void test_lengths(void **state) {
    (void)state;
    grid(-20.0, 20.0);
    check_lengths(exp_array);
    check_lengths(cdf_only);
    check_lengths(cdf_hazard_only);
    check_lengths(log_cdf_only);
    check_lengths(log_cdf_hazard_only);
    grid(0.001, 0.999);
    check_lengths(log_array);
    check_lengths(normal_quantile_array);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp),
        cmocka_unit_test(test_exp_scaled),
        cmocka_unit_test(test_exp_special_values),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_log_special_values),
        cmocka_unit_test(test_normal_cdf),
        cmocka_unit_test(test_log_normal_cdf),
        cmocka_unit_test(test_cdf_against_log_cdf),
        cmocka_unit_test(test_reflection),
        cmocka_unit_test(test_hazard_is_derivative),
        cmocka_unit_test(test_asymptotics),
        cmocka_unit_test(test_normal_special_values),
        cmocka_unit_test(test_quantile_inverts_cdf),
        cmocka_unit_test(test_quantile_accuracy),
        cmocka_unit_test(test_quantile_special_values),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_one_normal_cdf),
        cmocka_unit_test(test_log_gamma),
        cmocka_unit_test(test_digamma),
        cmocka_unit_test(test_gamma_upper),
        cmocka_unit_test(test_gamma_upper_of_large_counts),
        cmocka_unit_test(test_gamma_upper_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
