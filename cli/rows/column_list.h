/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_COLUMN_LIST_H
#define CLI_ROWS_COLUMN_LIST_H

/* Lists of columns as people type them: names, and patterns such as *mag and flux_?, where * stands
 * for any letters and ? for one. Upper and lower case are the same. */

#include "cli/rows/columns.h"

/* Whether it is a pattern and not itself a column's name. */
bool column_is_pattern(const struct table *table, const char *text);
bool column_matches(const char *pattern, const char *name);

/* Complains that no column matches; false. */
bool column_complain_unmatched(const struct table *table, const char *pattern,
                               struct complaint *complaint);

/* Marks the column an item of such a list names, or those it matches; complains where there is
 * none. */
bool column_mark(const struct table *table, const char *item, bool *marked,
                 struct complaint *complaint);

/* The indices of the columns a list names, each once, patterns in the order of the table; of all
 * where `text` is NULL. To be freed. NULL and a complaint where there is no such column. */
size_t *column_list(const struct table *table, const char *text, const char *what, size_t *count,
                    struct complaint *complaint);

#endif
