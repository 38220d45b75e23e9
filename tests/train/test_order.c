/* SPDX-License-Identifier: Apache-2.0 */
/* The order of an epoch's rows: each once, well mixed, and in windows where there are many; the
 * same for any number of processes, each of which has its own part of the table. */
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
    struct order *order = order_create(total, shards_alone(), portion, 7);
    size_t *rows = malloc(total * sizeof *rows);
    assert_non_null(order);
    order_start(order, epoch);
    for (size_t start = 0; start < total; start += portion) {
        size_t count = total - start < portion ? total - start : portion, got;
        memcpy(rows + start, order_rows(order, start, count, &got), count * sizeof *rows);
        assert_int_equal(got, count);
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
    struct order *order = order_create(MANY, shards_alone(), PORTION, 7);
    order_start(order, 2);
    size_t start = 2 * ORDER_WINDOW - PORTION / 2, got;
    assert_memory_equal(one + start, order_rows(order, start, PORTION, &got),
                        PORTION * sizeof *one);
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

/* ---------------------------------------------------------------- many processes -------------- */

/* An epoch in steps of `batch` rows; in each step the rows of the processes one after the other. */
static size_t *divided_epoch(size_t total, size_t shards, size_t processes, size_t batch,
                             uint64_t epoch) {
    size_t *rows = malloc(total * sizeof *rows),
           *end_of = calloc(total / batch + 1, sizeof *end_of);
    for (size_t rank = 0; rank < processes; rank++) {
        const struct shards mine = shards_of(shards, rank, processes);
        struct order *order = order_create(total, mine, batch, 7);
        assert_non_null(order);
        order_start(order, epoch);
        for (size_t step = 0; step * batch < total; step++) {
            size_t start = step * batch, left = total - start, got;
            size_t count = left < batch ? left : batch, most = count / shards + 1;
            const size_t *drawn = order_rows(order, start, count, &got);
            assert_true(got <= (mine.end - mine.first) * most);
            assert_true(got >= (mine.end - mine.first) * (count / shards));
            assert_true(end_of[step] + got <= count);
            memcpy(rows + start + end_of[step], drawn, got * sizeof *rows);
            end_of[step] += got;
            for (size_t i = 0; i < got; i++)
                assert_true(drawn[i] >= shard_part_start(total, mine.first, shards) &&
                            drawn[i] < shard_part_start(total, mine.end, shards));
        }
        order_free(order);
    }
    free(end_of);
    return rows;
}

/* Steps have as many rows as alone, each process's rows are in its own part of the table and each
 * shard has its share of them (asserted above), each row comes once, and the rows of a step do not
 * depend on the number of processes. */
static void divided_for_any_processes(void **state) {
    (void)state;
    static const size_t totals[] = {1, 3, 64, 65, 1000, ORDER_WINDOW + 1, MANY};
    static const size_t batches[] = {1, 3, 130, 4096};
    static const size_t processes[] = {2, 3, 64, 70};
    for (size_t shards = 4; shards <= 64; shards *= 4)
        for (size_t t = 0; t < sizeof totals / sizeof *totals; t++)
            for (size_t b = totals[t] > ORDER_WINDOW ? 3 : 0; b < 4; b++) {
                size_t total = totals[t], *one = divided_epoch(total, shards, 1, batches[b], 3);
                uint8_t *seen = calloc(total, 1);
                for (size_t i = 0; i < total; i++)
                    assert_int_equal(seen[one[i]]++, 0);
                for (size_t p = 0; p < (total > ORDER_WINDOW ? 2 : 4); p++) {
                    size_t *many = divided_epoch(total, shards, processes[p], batches[b], 3);
                    assert_memory_equal(one, many, total * sizeof *one);
                    free(many);
                }
                free(seen);
                free(one);
            }
}

/* Each part has its own order, a new one in each epoch. */
static void parts_differ(void **state) {
    (void)state;
    enum { SHARDS = 4, EACH = ORDER_WINDOW, TOTAL = SHARDS * EACH };
    struct order *order = order_create(TOTAL, shards_of(SHARDS, 0, 1), TOTAL, 7);
    size_t *before = malloc(TOTAL * sizeof *before), got, same[SHARDS] = {0}, again = 0;
    order_start(order, 0);
    memcpy(before, order_rows(order, 0, TOTAL, &got), TOTAL * sizeof *before);
    for (size_t s = 1; s < SHARDS; s++)
        for (size_t i = 0; i < EACH; i++)
            same[s] += before[i] + s * EACH == before[s * EACH + i];
    for (size_t s = 1; s < SHARDS; s++)
        assert_true(same[s] < 40); /* one is expected */
    order_start(order, 1);
    const size_t *after = order_rows(order, 0, TOTAL, &got);
    for (size_t i = 0; i < TOTAL; i++)
        again += before[i] == after[i];
    assert_true(again < 40);
    free(before);
    order_free(order);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_once),
        cmocka_unit_test(any_portions),
        cmocka_unit_test(other_epochs_differ),
        cmocka_unit_test(windows_are_stretches),
        cmocka_unit_test(sorted_tables_are_mixed),
        cmocka_unit_test(divided_for_any_processes),
        cmocka_unit_test(parts_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
