/* SPDX-License-Identifier: Apache-2.0 */
/* Which attributes are warped, and what a warp does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rows/scaling.h"
#include "support/scaling_layout.h"
#include "math/random.h"

#include <stdlib.h>

enum { COUNT = 4000 };

static void assert_near(double got, double wanted, double tolerance) {
    if (!(fabs(got - wanted) <= tolerance))
        print_error("%.17g instead of %.17g\n", got, wanted);
    assert_true(fabs(got - wanted) <= tolerance);
}

static void fill_normal(uint64_t seed, double *value) {
    random_normal((struct random_key){seed, 0}, 0, 0, COUNT, value);
}

/* Student's t with 2 degrees of freedom, a normal variable over the root of an exponential one. */
static void fill_heavy(uint64_t seed, double *value) {
    double uniform[COUNT];
    fill_normal(seed, value);
    random_uniform((struct random_key){seed, 1}, 0, 0, COUNT, uniform);
    for (size_t i = 0; i < COUNT; i++)
        value[i] /= sqrt(-log(1.0 - uniform[i]));
}

static void fill_lognormal(uint64_t seed, double *value) {
    fill_normal(seed, value);
    for (size_t i = 0; i < COUNT; i++)
        value[i] = exp(value[i]);
}

/* Nine of ten values are zero: the quartiles are equal. */
static void fill_mostly_zero(uint64_t seed, double *value) {
    fill_lognormal(seed, value);
    for (size_t i = 0; i < COUNT; i++)
        value[i] = i % 10 ? 0.0 : value[i];
}

static void fill_uniform(uint64_t seed, double *value) {
    random_uniform((struct random_key){seed, 0}, 0, 0, COUNT, value);
}

static void fill_constant(uint64_t seed, double *value) {
    for (size_t i = 0; i < COUNT; i++)
        value[i] = (double)seed;
}

static void fill_largest(uint64_t seed, double *value) {
    fill_heavy(seed, value);
    for (size_t i = 0; i < COUNT; i++)
        value[i] *= 1e306;
}

typedef void fill_function(uint64_t seed, double *value);

static void heavy_tails_alone_are_warped(void **state) {
    (void)state;
    static const struct {
        fill_function *fill;
        bool warped;
    } cases[] = {{fill_normal, false}, {fill_uniform, false},  {fill_constant, false},
                 {fill_heavy, true},   {fill_lognormal, true}, {fill_mostly_zero, true}};
    double value[COUNT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            cases[i].fill(seed, value);
            assert_int_equal(warp_choose(COUNT, value).width > 0.0, cases[i].warped);
        }
    assert_true(warp_choose(0, value).width == 0.0);
    assert_true(warp_choose(1, value).width == 0.0);
}

/* The choice and the warped values do not depend on units. */
static void units_do_not_matter(void **state) {
    (void)state;
    double value[COUNT], other[COUNT];
    fill_heavy(5, value);
    for (size_t i = 0; i < COUNT; i++)
        other[i] = 1e6 - 250.0 * value[i];
    double first = value[0], first_other = other[0];
    struct warp warp = warp_choose(COUNT, value), of_other = warp_choose(COUNT, other);
    assert_near(of_other.centre, 1e6 - 250.0 * warp.centre, 1e-8);
    assert_near(of_other.width, 250.0 * warp.width, 1e-8);
    assert_near(warp_apply(of_other, first_other), -warp_apply(warp, first), 1e-9);
}

static void inverse_and_derivative_are_right(void **state) {
    (void)state;
    const struct warp warp = {-3.0, 0.5};
    for (double x = -40.0; x <= 40.0; x += 1.7) {
        const double step = 1e-5;
        double slope = (warp_apply(warp, x + step) - warp_apply(warp, x - step)) / (2.0 * step);
        assert_near(warp_invert(warp, warp_apply(warp, x)), x, 1e-12 * (1.0 + fabs(x)));
        assert_near(slope * warp_unit(warp, x), 1.0, 1e-6);
    }
    const struct warp none = {0};
    assert_true(warp_apply(none, 7.0) == 7.0 && warp_invert(none, 7.0) == 7.0);
    assert_true(warp_unit(none, 7.0) == 1.0);
}

/* A table with a heavy and a normal column, errors of 0.1, and its scaling. */
struct table {
    double x[2 * COUNT], sigma[2];
    nim_data data;
    struct arena arena;
    struct scaling scaling;
};

static struct table *make_table(fill_function *fill, bool warp) {
    struct table *table = calloc(1, sizeof *table);
    double first[COUNT], second[COUNT];
    fill(8, first);
    fill_normal(9, second);
    for (size_t i = 0; i < COUNT; i++) {
        table->x[2 * i] = first[i];
        table->x[2 * i + 1] = second[i];
    }
    table->sigma[0] = table->sigma[1] = 0.1;
    table->data = NIM_DATA(.rows = COUNT, .attributes = 2, .x = table->x);
    scaling_layout(&table->scaling, 2, 0, &table->arena);
    assert_true(arena_allocate(&table->arena));
    scaling_layout(&table->scaling, 2, 0, &table->arena);
    assert_int_equal(scaling_compute(&table->scaling, &table->data, true, warp, NULL), NIM_OK);
    table->data.sigma = table->sigma;
    table->data.sigma_rows = 1;
    return table;
}

static void free_table(struct table *table) {
    arena_free(&table->arena);
    free(table);
}

static void rows_are_warped_and_come_back(void **state) {
    (void)state;
    struct table *table = make_table(fill_heavy, true);
    double sum = 0.0, squares = 0.0;
    assert_true(table->scaling.warp_width[0] > 0.0 && table->scaling.warp_width[1] == 0.0);
    for (size_t i = 0; i < COUNT; i++) {
        double x[2], noise[2];
        scaling_take(&table->scaling, &table->data, true, 1, &i, x, noise, NULL);
        sum += x[0] / COUNT;
        squares += x[0] * x[0] / COUNT;
        for (size_t j = 0; j < 2; j++) {
            double value = table->x[2 * i + j], back = scaling_invert(&table->scaling, j, x[j]);
            double error = 0.1 / scaling_unit(&table->scaling, j, value);
            assert_near(back, value, 1e-10 * (1.0 + fabs(value)));
            assert_near(noise[j], error * error, 1e-12 * error * error);
        }
    }
    assert_near(sum, 0.0, 1e-10);
    assert_near(squares, 1.0, 1e-10);
    free_table(table);
}

/* Rows whose cells are not contiguous, with missing cells and errors. */
static void scattered_rows_are_the_same(void **state) {
    (void)state;
    struct table *table = make_table(fill_lognormal, true);
    static const size_t column[2] = {0, 1};
    nim_data scattered = table->data;
    scattered.x_column = column;
    scattered.x_stride = 2;
    table->x[6] = (double)NAN;
    table->scaling.median_error[0] = table->scaling.median_error[1] = 0.05;
    table->sigma[0] = (double)NAN;
    for (size_t i = 0; i < 10; i++) {
        double x[2], noise[2], other[2], other_noise[2];
        scaling_take(&table->scaling, &table->data, true, 1, &i, x, noise, NULL);
        scaling_take(&table->scaling, &scattered, true, 1, &i, other, other_noise, NULL);
        assert_memory_equal(x, other, sizeof x);
        assert_memory_equal(noise, other_noise, sizeof noise);
        if (i == 3)
            assert_true(isinf(noise[0]) && x[0] == table->scaling.typical[0]);
    }
    free_table(table);
}

static void all_stays_finite(void **state) {
    (void)state;
    struct table *table = make_table(fill_largest, true);
    for (size_t i = 0; i < COUNT; i++) {
        double x[2], noise[2];
        scaling_take(&table->scaling, &table->data, true, 1, &i, x, noise, NULL);
        assert_true(isfinite(x[0]) && isfinite(noise[0]));
        assert_true(isfinite(scaling_invert(&table->scaling, 0, x[0])));
        assert_true(isfinite(scaling_invert(&table->scaling, 0, 1e6)));
    }
    free_table(table);
}

static void nothing_is_warped_unless_wanted(void **state) {
    (void)state;
    struct table *table = make_table(fill_heavy, false);
    assert_false(table->scaling.warps);
    assert_true(scaling_unit(&table->scaling, 0, 100.0) == table->scaling.deviation[0]);
    free_table(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_tails_alone_are_warped),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(inverse_and_derivative_are_right),
        cmocka_unit_test(rows_are_warped_and_come_back),
        cmocka_unit_test(scattered_rows_are_the_same),
        cmocka_unit_test(all_stays_finite),
        cmocka_unit_test(nothing_is_warped_unless_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
