/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_WHERE_H
#define CLI_ROWS_WHERE_H

/*
 * --where 'COLUMN OP VALUE', as often as wanted; a row must meet them all. OP is one of
 * = != < <= > >=. The column decides: numbers are compared as numbers, text as text (byte by byte).
 * Column and value may stand in quotes, single or double. The value '' is a missing or blank cell:
 * `flux = ''` finds the rows without one. != is the opposite of = for every row; a missing number
 * is never smaller or larger than anything.
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

/* The conditions (perhaps none) for this table's columns; the list is not used afterwards. NULL and
 * a complaint when one makes no sense: BAD_USAGE for its form, BAD_INPUT when the table does not
 * fit. */
struct where *where_create(const struct name_list *conditions, const struct table *table,
                           bool ignore_case, struct complaint *complaint);
void where_free(struct where *where);

/* Whether there is any condition. */
bool where_any(const struct where *where);

/* keep[i] = 1 where row i of the rows at hand meets all conditions, else 0. */
bool where_mask(struct where *where, struct table *table, size_t rows, uint8_t *keep,
                struct complaint *complaint);

#endif
