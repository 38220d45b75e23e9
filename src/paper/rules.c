/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the published runs. */
#include "train/rules.h"

#include "paper/coast.h"

/* All minibatches but the last are full, and the last has the remaining rows. */
static size_t rows_before(size_t total, size_t batches, size_t batch, size_t count) {
    return count == batches ? total : batch * count;
}

/* A row's parameters move in every step, with gradient zero if the minibatch does not have the row.
 * `visits` is the last step that moved them. */
static void resume(struct row_table *table, size_t row, double rate, uint64_t steps) {
    size_t each = table->each;
    double *moments = table->moments + row * 2 * each;
    adam_coast(each, rate, (uint64_t)table->visits[row], steps, table->theta + row * each, moments,
               moments + each);
    table->visits[row] = (double)steps;
}

const struct batch_rule batch_rule_rest = {.rows_before = rows_before};
const struct row_rule row_rule_always = {.rate = 1.0, .resume = resume};
