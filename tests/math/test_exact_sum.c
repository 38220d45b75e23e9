/* SPDX-License-Identifier: Apache-2.0 */
/* Sums whose bits do not depend on the order, and which are as accurate as sums of doubles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/exact_sum.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

enum { COUNT = 600, TERMS = 7, BLOCKS = (COUNT + EXACT_BLOCK - 1) / EXACT_BLOCK };

static double term[TERMS][COUNT];

/* Terms of very different sizes. */
static void draw_terms(void) {
    for (size_t t = 0; t < TERMS; t++) {
        random_normal((struct random_key){1, 2}, t, 0, COUNT, term[t]);
        for (size_t i = 0; i < COUNT; i++)
            term[t][i] *= exp2((double)((i * 7 + t * 13) % 60) - 30.0);
    }
}

static void add_up(const size_t *order, double *sum) {
    int64_t total[COUNT] = {0}, exponent[BLOCKS];
    for (size_t b = 0; b < BLOCKS; b++)
        exponent[b] = EXACT_LEAST;
    for (size_t k = 0; k < TERMS; k++)
        exact_exponents(COUNT, term[order[k]], exponent);
    for (size_t k = 0; k < TERMS; k++)
        exact_add(COUNT, term[order[k]], exponent, TERMS, total);
    exact_read(COUNT, total, exponent, TERMS, sum);
}

static void any_order(void **state) {
    (void)state;
    size_t order[TERMS];
    double first[COUNT], other[COUNT];
    draw_terms();
    for (size_t turn = 0; turn < 20; turn++) {
        random_permutation((struct random_key){1, 3}, turn, TERMS, order);
        add_up(order, turn ? other : first);
        if (turn)
            assert_memory_equal(first, other, sizeof first);
    }
}

/* Within the rounding error of each term and of the sum itself. */
static void close_to_the_sum(void **state) {
    (void)state;
    size_t order[TERMS];
    double sum[COUNT];
    draw_terms();
    for (size_t k = 0; k < TERMS; k++)
        order[k] = k;
    add_up(order, sum);
    for (size_t i = 0; i < COUNT; i++) {
        long double plain = 0.0L;
        double largest = 0.0;
        size_t block = i / EXACT_BLOCK * EXACT_BLOCK;
        for (size_t t = 0; t < TERMS; t++) {
            plain += (long double)term[t][i];
            for (size_t k = block; k < block + EXACT_BLOCK && k < COUNT; k++)
                largest = fmax(largest, fabs(term[t][k]));
        }
        double tolerance = TERMS * largest * exp2(-58.0) + fabs(sum[i]) * exp2(-52.0);
        assert_true(fabs((double)((long double)sum[i] - plain)) <= tolerance);
    }
}

static void zeros_and_extremes(void **state) {
    (void)state;
    double value[4] = {0.0, -0.0, 0.0, 0.0}, sum[4];
    int64_t exponent = EXACT_LEAST, total[4] = {0};
    exact_exponents(4, value, &exponent);
    exact_add(4, value, &exponent, 64, total);
    exact_read(4, total, &exponent, 64, sum);
    for (size_t i = 0; i < 4; i++)
        assert_true(sum[i] == 0.0);
    const double sizes[] = {1.7e308, 1e-300, 5e-324, 1.0};
    for (size_t i = 0; i < 4; i++) {
        exponent = EXACT_LEAST;
        total[0] = 0;
        exact_exponents(1, &sizes[i], &exponent);
        exact_add(1, &sizes[i], &exponent, 1, total);
        exact_read(1, total, &exponent, 1, sum);
        assert_true(fabs(sum[0] - sizes[i]) <= fmax(1e-15 * sizes[i], exp2(EXACT_LEAST - 60)));
    }
}

static void not_finite(void **state) {
    (void)state;
    const double broken[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t kind = 0; kind < 3; kind++)
        for (size_t at = 0; at < 20; at++) {
            double value[20] = {1e300, -1e300};
            int64_t exponent = EXACT_LEAST;
            value[at] = broken[kind];
            exact_exponents(20, value, &exponent);
            assert_int_equal(exponent, EXACT_BROKEN);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order),
        cmocka_unit_test(close_to_the_sum),
        cmocka_unit_test(zeros_and_extremes),
        cmocka_unit_test(not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
