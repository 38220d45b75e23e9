/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEASURE_NAMES_H
#define MEASURE_NAMES_H

/* What names say of each other: struct nim_names. */

#include "measure/measure.h"
#include "measure/name_index.h"

/* Lower and upper errors have the same `family`, which is also the order of preference. */
enum side { ONLY_SIDE, LOWER_SIDE, UPPER_SIDE, LOWER_END, UPPER_END };

struct relation {
    enum nim_column_role role;
    enum side side;
    long of, with;
    int rank; /* the order of preference among errors of one column; of sides, the family */
};

struct nim_names {
    struct name_index index;
    const bool *is_text;
    struct relation *relation; /* of each column */
    long *first, *next;        /* columns about each column, in order */
};

/* Of one column, from its name: all but what depends on other columns' errors. */
struct relation relation_read(const struct nim_names *names, size_t column);

/* Whether a column holds the errors of another as dx does those of x. */
bool relation_is_delta(const struct nim_names *names, size_t column, long *of);

/* A pair of ends holds lengths of error bars instead. */
void names_take_lengths(nim_names *names, const struct nim_sides *sides);

/* Ranks: of dx; from where on pairs have no word for errors, such as x_lo and x_hi. */
enum { DELTA_RANK = 1000, WITHOUT_WORD = 10000 };

#endif
