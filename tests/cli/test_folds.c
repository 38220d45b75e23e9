/* SPDX-License-Identifier: Apache-2.0 */
/* Rows dealt out to folds. */
#include "cli/training/folds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 1003, CLASSES = 3, GROUPS = 90, FOLDS = 5 };

static int32_t class[ROWS];
static size_t group[ROWS], fold[ROWS], again[ROWS];

static void make_rows(void) {
    for (size_t i = 0; i < ROWS; i++) {
        class[i] = i % 10 == 0 ? 2 : (int32_t)(i % 2);
        group[i] = i * i % GROUPS; /* of very different sizes */
    }
}

static struct fold_plan plan_of(bool grouped, uint64_t seed) {
    return (struct fold_plan){.rows = ROWS,
                              .folds = FOLDS,
                              .classes = CLASSES,
                              .class = class,
                              .groups = GROUPS,
                              .group = grouped ? group : NULL,
                              .seed = seed};
}

/* Without groups every fold has its share of each class, to one row; the seed chooses which. */
static void test_classes(void **state) {
    (void)state;
    size_t count[FOLDS][CLASSES] = {0}, all[CLASSES] = {0}, same = 0;
    make_rows();
    struct fold_plan plan = plan_of(false, 1), other = plan_of(false, 2);
    assert_true(folds_deal(&plan, fold) && folds_deal(&other, again));
    for (size_t i = 0; i < ROWS; i++) {
        count[fold[i]][class[i]]++;
        all[class[i]]++;
        same += fold[i] == again[i];
    }
    for (size_t f = 0; f < FOLDS; f++)
        for (size_t c = 0; c < CLASSES; c++)
            assert_true(fabs((double)count[f][c] - (double)all[c] / FOLDS) <= 1.0);
    assert_true(same < ROWS / 2);
    assert_true(folds_deal(&plan, again));
    assert_memory_equal(fold, again, sizeof fold);
}

/* A group is in one fold, all folds have rows, and none has many more than another. */
static void test_groups(void **state) {
    (void)state;
    size_t rows[FOLDS] = {0}, where[GROUPS], most = 0, size[GROUPS] = {0};
    make_rows();
    struct fold_plan plan = plan_of(true, 1);
    assert_true(folds_deal(&plan, fold));
    for (size_t i = 0; i < ROWS; i++)
        where[group[i]] = fold[i];
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(where[group[i]], fold[i]);
        rows[fold[i]]++;
        most = ++size[group[i]] > most ? size[group[i]] : most;
    }
    for (size_t f = 0; f < FOLDS; f++)
        assert_true(fabs((double)rows[f] - (double)ROWS / FOLDS) <= (double)most);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes),
                                       cmocka_unit_test(test_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
