/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/special.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
