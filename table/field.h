/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What fields of FITS tables and of VOTables have in common: arrays, which become several columns,
 * and numbers as bytes. */

#include "table/reader.h"

#include <stdint.h>

enum { MOST_ELEMENTS = 64, MOST_DIMENSIONS = 4 };

struct elements {
    size_t count;   /* columns that the field becomes */
    int dimensions; /* the fastest first */
    size_t dimension[MOST_DIMENSIONS];
};

/* Adds the columns: "flux"; of three elements flux_1 .. flux_3; of two dimensions flux_2_3, the
 * slowest first. They know that they are of this field of the file. */
bool field_add_columns(struct table *table, struct span name, struct span unit,
                       const struct elements *elements, enum column_kind kind, size_t field);

/* The bytes of an element of one of FITS' types, LBIJKEDACMPQ; 0 of any other. */
size_t field_bytes(char type);

/* An element as a number: B, I, J, K, E, D. */
int64_t field_integer(char type, const unsigned char *bytes);
double field_real(char type, const unsigned char *bytes);

/* A 64-bit integer, which may have more digits than a double; with a sign, or 2^63 added to it. */
bool field_take_long(struct table *table, int64_t value, bool shifted, struct cell *cell,
                     struct complaint *complaint);
