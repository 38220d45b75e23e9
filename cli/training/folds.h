/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_FOLDS_H
#define CLI_TRAINING_FOLDS_H

/* Rows dealt out to folds. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fold_plan {
    size_t rows, folds;
    size_t classes;       /* 0: rows have none */
    const int32_t *class; /* rows, or NULL */
    size_t groups;
    const size_t *group; /* rows: 0 .. groups - 1; NULL: each row is a group of its own */
    uint64_t seed;
};

/*
 * fold_of (rows) = 0 .. folds - 1. Rows of a group stay together. Groups come one after the other,
 * the largest first, equal ones as the seed says, and each goes where its classes are rarest so
 * far, so that folds are alike in the shares of classes and in rows as far as groups allow. False
 * when out of memory.
 */
bool folds_deal(const struct fold_plan *plan, size_t *fold_of);

#endif
