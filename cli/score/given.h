/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SCORE_GIVEN_H
#define CLI_SCORE_GIVEN_H

/* Probabilities that somebody else has computed: the columns p_CLASS of a table. */

#include "cli/terminal/command.h"
#include "text/list.h"

struct given {
    struct list classes; /* in the order of the columns */
    size_t rows;
    double *p;        /* rows x classes */
    char *id;         /* the column of the rows' names, or NULL */
    struct list name; /* rows: these names */
};

/* Reads all of the table. A row's probabilities must add up to one. The rows' names are those of
 * the first column that looks like it. */
bool given_read(struct given *given, const char *path, struct complaint *complaint);
void given_free(struct given *given);

#endif
