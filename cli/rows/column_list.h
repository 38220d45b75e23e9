/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_COLUMN_LIST_H
#define CLI_ROWS_COLUMN_LIST_H

/* Lists of columns as typed by users: names, and patterns such as *mag and flux_?, where * matches
 * any characters and ? matches one. Case is ignored. */

#include "cli/rows/columns.h"

/* Whether it is a pattern and not the name of a column. */
bool column_is_pattern(const struct table *table, const char *text);
bool column_matches(const char *pattern, const char *name);

/* Complains that no column matches; false. */
bool column_complain_unmatched(const struct table *table, const char *pattern,
                               struct complaint *complaint);

/* Marks the columns that an item of such a list names or matches; fails if there are none. */
bool column_mark(const struct table *table, const char *item, bool *marked,
                 struct complaint *complaint);

/* The indices of the columns of a list, each once, those of a pattern in the order of the table;
 * all columns if `text` is NULL. To be freed. NULL and a complaint if a column does not exist. */
size_t *column_list(const struct table *table, const char *text, const char *what, size_t *count,
                    struct complaint *complaint);

#endif
