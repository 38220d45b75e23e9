/* SPDX-License-Identifier: Apache-2.0 */
#include "train/rules.h"

/* All minibatches have one size. */
static size_t rows_before(size_t total, size_t batches, size_t batch, size_t count) {
    (void)batch;
    return total * count / batches;
}

/* Steps without the row do not move it. */
static void resume(struct row_table *table, size_t row, double rate, uint64_t steps) {
    (void)table, (void)row, (void)rate, (void)steps;
}

const struct batch_rule batch_rule_even = {.rows_before = rows_before};

/* A row is updated once per epoch, shared parameters in every step; so its rate may be larger. */
const struct row_rule row_rule_visited = {.rate = 3.0, .resume = resume};

const struct batch_rule *const batch_rule_list[] = {
    [LAST_BATCH_EVEN] = &batch_rule_even, [LAST_BATCH_REST] = &batch_rule_rest};
const struct row_rule *const row_rule_list[] = {
    [ROW_STEPS_VISITED] = &row_rule_visited, [ROW_STEPS_ALWAYS] = &row_rule_always};
