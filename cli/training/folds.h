/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_FOLDS_H
#define CLI_TRAINING_FOLDS_H

/* Assignment of rows to folds. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fold_plan {
    size_t rows, folds;
    size_t classes;       /* 0: rows have none */
    const int32_t *class; /* rows, or NULL */
    size_t groups;
    const size_t *group; /* rows: 0 .. groups - 1; NULL: each row is one group */
    uint64_t seed;
};

/*
 * fold_of (rows) = 0 .. folds - 1. Rows of a group are in one fold. Groups are assigned one after
 * the other, the largest first, equal ones in random order by the seed, each to the fold in which
 * its classes are rarest so far. So folds have similar shares of classes and numbers of rows, as
 * far as the groups allow. False when out of memory.
 */
bool folds_deal(const struct fold_plan *plan, size_t *fold_of);

#endif
