/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Rows measured worse: what a row could have been with larger errors. Noise is added to its values,
 * and its errors grow. DEGRADE_SIZES is the other way round: values cannot be made better, so only
 * the errors become smaller.
 */

#include "math/random.h"
#include "nimgp.h"

enum degrading {
    DEGRADE_NOT,   /* as it is */
    DEGRADE_ALL,   /* each cell gets noise of its own size, around a factor of the median error */
    DEGRADE_OWN,   /* all errors of the row times one factor */
    DEGRADE_ONE,   /* as ALL, but one cell only */
    DEGRADE_SIZES, /* all errors times one factor below 1 */
    DEGRADE_KINDS
};

/* The median error of each column of a table (attributes). scratch: rows. */
void degrade_usual(const nim_data *data, double *usual, double *scratch);

/* Row i so measured: x and sigma (attributes). Random numbers depend on key, draw, kind and `row`,
 * the row's name. scratch: 4 + 2 attributes. */
void degrade_row(enum degrading kind, struct random_key key, uint64_t draw, uint64_t row,
                 const double *usual, const nim_data *data, size_t i, double *x, double *sigma,
                 double *scratch);
