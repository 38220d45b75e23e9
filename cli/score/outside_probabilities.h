/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Probabilities from a file: the columns p_CLASS of a table. */

#include "cli/terminal/command.h"
#include "text/name_list.h"

struct outside_probabilities {
    struct name_list classes; /* in the order of the columns */
    size_t rows;
    double *p;             /* rows x classes */
    double *number;        /* rows: the number of each in the other table, from 1; or NULL */
    char *id;              /* the column of the rows' names, or NULL */
    struct name_list name; /* rows: these names */
};

/* Reads the whole table. The probabilities of a row must sum to one. The names of rows are in the
 * first column that looks like names, and their numbers in `row`, as evaluate --folds writes it. */
bool outside_probabilities_read(struct outside_probabilities *outside, const char *path,
                                struct complaint *complaint);

/* The row with the probabilities of row `row`, counted from 0, of the other table; rows if there is
 * none. */
size_t outside_probabilities_find(const struct outside_probabilities *outside, size_t row);

void outside_probabilities_free(struct outside_probabilities *outside);
