/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_WHERE_H
#define CLI_ROWS_WHERE_H

/*
 * --where 'COLUMN OP VALUE', which can be repeated; a row must satisfy all conditions. OP is one of
 * = != < <= > >=. In a column of numbers, numbers are compared; in a text column, bytes. Column and
 * value may be in single or double quotes. The value '' is a missing or blank cell: `flux = ''`
 * selects the rows without flux. != is the opposite of = for every row; a missing number is never
 * smaller or larger than another.
 *
 *     struct where *where = where_create(&conditions, table, false, &complaint);
 *     while (table_next(table, most, &rows, &complaint) && rows)
 *         where_mask(where, table, rows, keep, &complaint);
 *     where_free(where);
 */

#include "text/name_list.h"
#include "table/table.h"

#include <stdint.h>

/* The option as it stands in a command's table. */
#define WHERE_OPTION                                                                               \
    {                                                                                              \
        .name = "where", .value = "CONDITION",                                                     \
        .help = "Use only rows with COLUMN = VALUE, or !=, <, <=, >, >=; '' is a missing cell. "   \
                "May be given several times; all conditions must hold."                            \
    }

struct where;

/* The conditions, possibly none, for the columns of this table; the list is not used afterwards.
 * NULL and a complaint if one is invalid: BAD_USAGE for its form, BAD_INPUT if the table does not
 * have the column or type. */
struct where *where_create(const struct name_list *conditions, const struct table *table,
                           bool ignore_case, struct complaint *complaint);
void where_free(struct where *where);

/* Whether there is any condition. */
bool where_any(const struct where *where);

/* keep[i] = 1 if row i of the current rows satisfies all conditions, otherwise 0. */
bool where_mask(struct where *where, struct table *table, size_t rows, uint8_t *keep,
                struct complaint *complaint);

#endif
