/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_RULES_H
#define NIMGP_TRAIN_RULES_H

/* Rules of a training that the published protocols change. Each list has the order of the choices
 * of its option. */

#include "model/row_table.h"

#include <stdint.h>

/* How an epoch is divided into minibatches (option last_batch). */
struct batch_rule {
    /* The number of rows in the first `count` of an epoch's `batches`. batch: the most rows of one.
     */
    size_t (*rows_before)(size_t total, size_t batches, size_t batch, size_t count);
};

/* When the optimiser moves a row's own parameters (option row_steps). */
struct row_rule {
    double rate; /* step size in units of that of shared parameters */

    /* Called before a row is used: makes up for the `steps` there were up to now without it. */
    void (*resume)(struct row_table *table, size_t row, double rate, uint64_t steps);
};

enum { LAST_BATCH_EVEN, LAST_BATCH_REST };
extern const struct batch_rule batch_rule_even, batch_rule_rest;
extern const struct batch_rule *const batch_rule_list[];

enum { ROW_STEPS_VISITED, ROW_STEPS_ALWAYS };
extern const struct row_rule row_rule_visited, row_rule_always;
extern const struct row_rule *const row_rule_list[];

#endif
