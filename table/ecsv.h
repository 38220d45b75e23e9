/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_ECSV_H
#define TABLE_ECSV_H

/*
 * The header of an ECSV file (Astropy's APE 6): lines behind # that are YAML and say what kind and
 * unit each column has; a CSV file follows. Of YAML as much is read as such headers have: the
 * mapping `datatype` of mappings, in one line or in several, and `delimiter`. The rest, meta above
 * all, is passed over. Start with {.pool}.
 */

#include "table/text_pool.h"
#include "text/complaint.h"

#include <stdbool.h>
#include <stddef.h>

enum ecsv_kind { ECSV_TEXT, ECSV_NUMBER, ECSV_LOGICAL };

struct ecsv_column {
    const char *name, *unit; /* in the pool; unit NULL where there is none */
    enum ecsv_kind kind;
};

struct ecsv {
    struct text_pool *pool;
    bool found; /* the first line says that this is ECSV */
    char separator;
    size_t columns;
    struct ecsv_column *column;

    /* Its own: where the lines have got to. */
    bool in_columns;
    size_t indent; /* of the signs - before the columns */
    char *item;    /* the column under way */
    size_t length, size;
};

/* A line of comment, from its # on, without the newline. False without memory, or when the header
 * makes no sense; *what then says so, or is NULL without memory. */
bool ecsv_line(struct ecsv *ecsv, const char *line, size_t length, const char **what);

/* The header is over. */
bool ecsv_end(struct ecsv *ecsv, const char **what);

void ecsv_free(struct ecsv *ecsv);

#endif
