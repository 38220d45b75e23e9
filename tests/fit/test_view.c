/* SPDX-License-Identifier: Apache-2.0 */
/* Views and degraded rows: each step against its formula, computed anew from the same rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "support/calls.h"
#include "support/reference.h"
#include "view/degrade.h"
#include "view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2000, COLUMNS = 3, MOST = VIEW_GROWTH * COLUMNS };

/* Column 1 follows column 0, and so do the sizes of the errors; column 2 is exact, and has gaps. */
static double x[ROWS * COLUMNS], sigma[ROWS * COLUMNS];
static nim_data data;

static int draw(void **state) {
    (void)state;
    double normal[4];
    for (size_t i = 0; i < ROWS; i++) {
        random_normal((struct random_key){11, 1}, 0, i, 4, normal);
        x[i * COLUMNS] = 3.0 + 2.0 * normal[0];
        x[i * COLUMNS + 1] = normal[0] + 0.3 * normal[1];
        x[i * COLUMNS + 2] = i % 10 == 0 ? (double)NAN : normal[2];
        sigma[i * COLUMNS] = 0.2 * exp(0.3 * normal[0] + 0.1 * normal[3]);
        sigma[i * COLUMNS + 1] = 0.1;
        sigma[i * COLUMNS + 2] = 0.0;
    }
    data =
        NIM_DATA(.rows = ROWS, .attributes = COLUMNS, .x = x, .sigma = sigma, .sigma_rows = ROWS);
    return 0;
}

static struct view learned(const char *steps) {
    struct view view;
    nim_error error = {0};
    stop_on(view_learn(&view, steps, &data, &error), &error);
    return view;
}

static void look(const struct view *view, const nim_data *rows, size_t i, double *z, double *e) {
    double *scratch = doubles(view_scratch(view));
    view_row(view, rows, i, z, e, scratch);
    free(scratch);
}

/* Only columns whose errors differ have a size; an unknown error counts as the median one. */
static void sizes(void **state) {
    (void)state;
    struct view view = learned("sizes");
    double z[MOST], e[MOST], row[COLUMNS] = {1.0, 2.0, 3.0},
                             unknown[COLUMNS] = {(double)NAN, 0.1, 0.0};
    assert_int_equal(view_width(&view), COLUMNS + 1);
    look(&view, &data, 5, z, e);
    assert_true(z[0] == x[5 * COLUMNS] && e[0] == sigma[5 * COLUMNS]);
    assert_true(fabs(z[3] - log(sigma[5 * COLUMNS])) < 1e-14 && e[3] == 0.0);
    nim_data one =
        NIM_DATA(.rows = 1, .attributes = COLUMNS, .x = row, .sigma = unknown, .sigma_rows = 1);
    look(&view, &one, 0, z, e);
    size_t below = 0;
    for (size_t i = 0; i < ROWS; i++)
        below += log(sigma[i * COLUMNS]) < z[3];
    assert_true(below > ROWS / 2 - 3 && below < ROWS / 2 + 3);
    view_free(&view);
}

static void gaps(void **state) {
    (void)state;
    struct view view = learned("gaps");
    double z[MOST], e[MOST];
    size_t below = 0, known = 0;
    assert_int_equal(view_width(&view), COLUMNS + 1);
    look(&view, &data, 0, z, e);
    for (size_t i = 0; i < ROWS; i++) {
        known += isnan(x[i * COLUMNS + 2]) ? 0 : 1;
        below += x[i * COLUMNS + 2] < z[2];
    }
    assert_true(z[3] == 1.0 && below + 2 > known / 2 && below < known / 2 + 2);
    look(&view, &data, 1, z, e);
    assert_true(z[3] == 0.0 && z[2] == x[COLUMNS + 2]);
    view_free(&view);
}

/* The squashed value has the slope by which errors are multiplied. */
static void tails(void **state) {
    (void)state;
    struct view view = learned("tails");
    const double h = 1e-5;
    for (double z = -6.0; z < 6.1; z += 1.5) {
        double at[2 * COLUMNS] = {3.0 + 2.0 * z, 0.0, 0.0, 3.0 + 2.0 * z + h, 0.0, 0.0};
        double error[COLUMNS] = {0.7, 0.0, 0.0}, a[MOST], b[MOST], e[MOST];
        nim_data two =
            NIM_DATA(.rows = 2, .attributes = COLUMNS, .x = at, .sigma = error, .sigma_rows = 1);
        look(&view, &two, 0, a, e);
        look(&view, &two, 1, b, e);
        assert_true(fabs(e[0] - 0.7 * (b[0] - a[0]) / h) < 1e-4);
        assert_true(fabs(a[0]) < 2.0 + log(6.0));
        assert_true(z < 2.5 || a[0] < z);
    }
    view_free(&view);
}

/* Uncorrelated, with variance 1; errors are those of the sums. */
static void axes(void **state) {
    (void)state;
    struct view view = learned("gaps tails axes");
    double sum[COLUMNS][COLUMNS] = {{0.0}}, mean[COLUMNS] = {0.0}, z[MOST], e[MOST];
    for (size_t i = 0; i < ROWS; i++) {
        look(&view, &data, i, z, e);
        for (size_t j = 0; j < COLUMNS; j++) {
            mean[j] += z[j] / ROWS;
            for (size_t k = 0; k < COLUMNS; k++)
                sum[j][k] += z[j] * z[k] / ROWS;
        }
    }
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t k = 0; k < COLUMNS; k++)
            assert_true(fabs(sum[j][k] - mean[j] * mean[k] - (j == k)) < 1e-9);
    view_free(&view);
}

static void exact(void **state) {
    (void)state;
    struct view view = learned("sizes gaps tails usual exact");
    double z[MOST], e[MOST];
    look(&view, &data, 3, z, e);
    for (size_t j = 0; j < view_width(&view); j++)
        assert_true(e[j] == 0.0 && isfinite(z[j]));
    view_free(&view);
}

/* Rows with usual errors stay as they are. A value with a far larger error is replaced by what the
 * rest of the row says of it. */
static void unlike_cells_are_replaced(void **state) {
    (void)state;
    struct view usual = learned("sizes gaps tails usual"), plain = learned("sizes gaps tails");
    double row[COLUMNS], error[COLUMNS], z[MOST], e[MOST], was[MOST];
    size_t same = 0;
    for (size_t i = 0; i < ROWS; i++) {
        look(&usual, &data, i, z, e);
        look(&plain, &data, i, was, e);
        same += memcmp(z, was, view_width(&usual) * sizeof *z) == 0;
    }
    assert_true(same > ROWS * 0.97);
    nim_data one =
        NIM_DATA(.rows = 1, .attributes = COLUMNS, .x = row, .sigma = error, .sigma_rows = 1);
    double off = 0.0, before = 0.0;
    for (size_t i = 1; i < 200; i++) {
        memcpy(row, x + i * COLUMNS, sizeof row);
        memcpy(error, sigma + i * COLUMNS, sizeof error);
        look(&plain, &one, 0, was, e);
        double truth = was[0];
        row[0] += 10.0;
        error[0] = 50.0 * error[0] + 10.0;
        look(&plain, &one, 0, was, e);
        look(&usual, &one, 0, z, e);
        assert_true(z[1] == was[1] && z[2] == was[2]);
        off += fabs(z[0] - truth) / 199;
        before += fabs(was[0] - truth) / 199;
    }
    assert_true(off < 0.4 && before > 1.5);
    view_free(&usual);
    view_free(&plain);
}

/* Names come back as views; steps out of order, twice or unknown are refused. */
static void names(void **state) {
    (void)state;
    struct view view = learned("sizes gaps exact"), other;
    char text[64];
    view_name(&view, text, sizeof text);
    assert_string_equal(text, "sizes gaps exact");
    assert_true(view_set_steps(&other, text));
    assert_false(view_set_steps(&other, "gaps sizes"));
    assert_false(view_set_steps(&other, "gaps gaps"));
    assert_false(view_set_steps(&other, "gaps colours"));
    view_free(&view);
}

/* What is added to values has the variance that is added to their errors. */
static void degraded_rows(void **state) {
    (void)state;
    double usual[COLUMNS], z[COLUMNS], e[COLUMNS], scratch[4 + 2 * COLUMNS];
    double *room = doubles(ROWS);
    degrade_usual(&data, usual, room);
    free(room);
    assert_true(fabs(usual[1] - 0.1) < 1e-15 && usual[2] == 0.0);
    for (enum degrading kind = DEGRADE_NOT; kind < DEGRADE_KINDS; kind++) {
        double square = 0.0;
        size_t changed = 0;
        for (size_t i = 0; i < ROWS; i++) {
            degrade_row(kind, (struct random_key){1, 2}, 0, i, usual, &data, i, z, e, scratch);
            double added = e[0] * e[0] - sigma[i * COLUMNS] * sigma[i * COLUMNS];
            double away = z[0] - x[i * COLUMNS];
            assert_true(kind == DEGRADE_SIZES ? added < 0.0 && away == 0.0 : added > -1e-12);
            assert_true(e[2] == 0.0);
            bool other = away != 0.0;
            changed += other;
            square += other ? away * away / added : 0.0;
        }
        bool none = kind == DEGRADE_NOT || kind == DEGRADE_SIZES;
        assert_true(none                  ? !changed
                    : kind == DEGRADE_ONE ? changed > ROWS / 4 && changed < ROWS / 2
                                          : changed == ROWS);
        assert_true(none || fabs(square / (double)changed - 1.0) < 0.2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes), cmocka_unit_test(gaps),
        cmocka_unit_test(tails), cmocka_unit_test(axes),
        cmocka_unit_test(exact), cmocka_unit_test(unlike_cells_are_replaced),
        cmocka_unit_test(names), cmocka_unit_test(degraded_rows),
    };
    return cmocka_run_group_tests(tests, draw, NULL);
}
