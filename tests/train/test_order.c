/* SPDX-License-Identifier: Apache-2.0 */
/* The order of an epoch's rows: each once, well mixed, and in windows where there are many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "train/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 3 * ORDER_WINDOW + 5 * ORDER_BLOCK + 77, PORTION = 1000 };

/* All rows of an epoch, asked for in portions. */
static size_t *epoch_of(size_t total, uint64_t epoch, size_t portion) {
    struct order *order = order_create(total, portion, 7);
    size_t *rows = malloc(total * sizeof *rows);
    assert_non_null(order);
    order_start(order, epoch);
    for (size_t start = 0; start < total; start += portion) {
        size_t count = total - start < portion ? total - start : portion;
        memcpy(rows + start, order_rows(order, start, count), count * sizeof *rows);
    }
    order_free(order);
    return rows;
}

static void each_row_once(void **state) {
    (void)state;
    static const size_t totals[] = {1, 5, ORDER_BLOCK, ORDER_WINDOW, ORDER_WINDOW + 1, MANY};
    for (size_t k = 0; k < sizeof totals / sizeof *totals; k++) {
        size_t *rows = epoch_of(totals[k], 3, PORTION);
        uint8_t *seen = calloc(totals[k], 1);
        for (size_t i = 0; i < totals[k]; i++) {
            assert_true(rows[i] < totals[k]);
            assert_int_equal(seen[rows[i]]++, 0);
        }
        free(seen);
        free(rows);
    }
}

/* A training that goes on in the middle of an epoch asks in other portions, or from there on. */
static void any_portions(void **state) {
    (void)state;
    size_t *one = epoch_of(MANY, 2, PORTION), *other = epoch_of(MANY, 2, 3 * ORDER_BLOCK + 1);
    assert_memory_equal(one, other, MANY * sizeof *one);
    struct order *order = order_create(MANY, PORTION, 7);
    order_start(order, 2);
    size_t start = 2 * ORDER_WINDOW - PORTION / 2;
    assert_memory_equal(one + start, order_rows(order, start, PORTION), PORTION * sizeof *one);
    order_free(order);
    free(one);
    free(other);
}

static void other_epochs_differ(void **state) {
    (void)state;
    size_t *one = epoch_of(MANY, 0, PORTION), *other = epoch_of(MANY, 1, PORTION), same = 0;
    for (size_t i = 0; i < MANY; i++)
        same += one[i] == other[i];
    assert_true(same < 40); /* one is expected */
    free(one);
    free(other);
}

/* A window's rows come from no more blocks than fill it: what is read is in stretches. */
static void windows_are_stretches(void **state) {
    (void)state;
    size_t *rows = epoch_of(MANY, 1, PORTION);
    size_t blocks = (MANY + ORDER_BLOCK - 1) / ORDER_BLOCK;
    uint8_t *met = calloc(blocks, 1);
    size_t count = 0;
    for (size_t i = 0; i < ORDER_WINDOW; i++)
        met[rows[i] / ORDER_BLOCK] = 1;
    for (size_t b = 0; b < blocks; b++)
        count += met[b];
    assert_int_equal(count, ORDER_WINDOW / ORDER_BLOCK);
    free(met);
    free(rows);
}

/* Of a table that is sorted, every portion has rows from all over: the mean row of a portion is
 * that of the table within five standard errors of a portion and of a window's blocks. */
static void sorted_tables_are_mixed(void **state) {
    (void)state;
    size_t *rows = epoch_of(MANY, 5, PORTION);
    double spread = MANY / sqrt(12.0);
    double tolerance =
        5.0 * spread * sqrt(1.0 / PORTION + (double)ORDER_BLOCK / (double)ORDER_WINDOW);
    for (size_t start = 0; start + PORTION < 3 * ORDER_WINDOW; start += PORTION) {
        double mean = 0.0;
        for (size_t i = start; i < start + PORTION; i++)
            mean += (double)rows[i] / PORTION;
        assert_true(fabs(mean - MANY / 2.0) < tolerance);
    }
    free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_once),           cmocka_unit_test(any_portions),
        cmocka_unit_test(other_epochs_differ),     cmocka_unit_test(windows_are_stretches),
        cmocka_unit_test(sorted_tables_are_mixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
