/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SCORE_OUTSIDE_PROBABILITIES_H
#define CLI_SCORE_OUTSIDE_PROBABILITIES_H

/* Probabilities from a file: the columns p_CLASS of a table. */

#include "cli/terminal/command.h"
#include "text/name_list.h"

struct outside_probabilities {
    struct name_list classes; /* in the order of the columns */
    size_t rows;
    double *p;             /* rows x classes */
    char *id;              /* the column of the rows' names, or NULL */
    struct name_list name; /* rows: these names */
};

/* Reads the whole table. The probabilities of a row must sum to one. The names of rows are in the
 * first column that looks like names. */
bool outside_probabilities_read(struct outside_probabilities *outside, const char *path,
                                struct complaint *complaint);
void outside_probabilities_free(struct outside_probabilities *outside);

#endif
