/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LOOKUP_H
#define CLI_LOOKUP_H

/* Columns by name, and lists of names. */

#include "table/table.h"

/* The column of that name. A complaint (EXIT_BAD_INPUT) names the table and the nearest column when
 * there is none, and says so when there are two. */
bool lookup_column(const struct table *table, const char *name, size_t *column,
                   struct complaint *complaint);

/*
 * The next name of a comma-separated list, blanks around it removed; a name with commas or outer
 * blanks stands in double quotes. Moves *list on; false at the end, or when the name does not fit.
 */
enum { LOOKUP_NAME = 1024 };
bool lookup_next(const char **list, char name[LOOKUP_NAME]);

#endif
