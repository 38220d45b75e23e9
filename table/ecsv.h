/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The header of an ECSV file (Astropy's APE 6): comment lines with YAML, which libyaml reads,
 * before a CSV file. The list `datatype` gives type and unit of each column; `delimiter` is read
 * too, and everything else, such as meta, is skipped. Start with {.pool}.
 */

#include "table/text_pool.h"

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

    char *text; /* internal: the lines so far */
    size_t length, size;
};

/* Takes a comment line, from its # on, without the newline. False if there are too many. */
bool ecsv_line(struct ecsv *ecsv, const char *line, size_t length);

/* Ends the header; false if it is not valid. */
bool ecsv_end(struct ecsv *ecsv);

void ecsv_free(struct ecsv *ecsv);
