/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_ECSV_H
#define TABLE_ECSV_H

/*
 * The header of an ECSV file (Astropy's APE 6): comment lines with YAML that give type and unit of
 * each column, before a CSV file. Only the YAML of such headers is supported: the list `datatype`
 * of mappings, in one line or several, and `delimiter`. Everything else, such as meta, is skipped.
 * Start with {.pool}.
 */

#include "table/text_pool.h"
#include "text/complaint.h"

#include <stdbool.h>
#include <stddef.h>

enum ecsv_kind { ECSV_TEXT, ECSV_NUMBER, ECSV_LOGICAL };

struct ecsv_column {
    const char *name, *unit; /* in the pool; unit NULL if there is none */
    enum ecsv_kind kind;
};

struct ecsv {
    struct text_pool *pool;
    bool found;        /* the first line identifies the file as ECSV */
    const char *wrong; /* why the header is not valid; NULL: out of memory */
    char separator;
    size_t columns;
    struct ecsv_column *column;

    /* Internal: the state of the reader. */
    bool in_columns;
    size_t indent; /* of the signs - before the columns */
    char *item;    /* the current column */
    size_t length, size;
};

/* Reads a comment line, from its # on, without the newline. False if the header is not valid. */
bool ecsv_line(struct ecsv *ecsv, const char *line, size_t length);

/* Ends the header; false if it is not valid. */
bool ecsv_end(struct ecsv *ecsv);

void ecsv_free(struct ecsv *ecsv);

#endif
