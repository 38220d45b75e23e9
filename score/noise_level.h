/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Scores of rows by noise level. The noise level of a row is the mean over attributes of error /
 * deviation of the attribute in the table. A missing value counts as 1, an unknown error as the
 * median of the known ones.
 *
 * Up to HELD_ROWS rows, or HELD_CELLS cells, are kept in memory, and the result is exact. If there
 * are more, deviations and medians are those of the first rows, and only sums are kept, in narrow
 * bins of the level (1 %); the parts then end at bins.
 *
 *     struct noise_levels noise = {.attributes = d};
 *     noise_add(&noise, rows, x, sigma, false, figures);   block by block
 *     groups = noise_split(&noise, group, 3);
 *     noise_free(&noise);
 */

#include "score/tally.h"

enum { HELD_ROWS = 65536, HELD_CELLS = 1 << 22 };

struct noise_bin; /* sums of the rows of nearly the same level */

struct noise_levels {
    size_t attributes;

    /* Internal: the rows in memory, */
    size_t rows, room;
    double *x, *sigma;           /* rows x attributes */
    struct row_figures *figures; /* rows */
    /* and once there are too many of them */
    double *deviation, *usual; /* attributes: of the values; the median error */
    struct noise_bin *bin;
};

/* sigma NULL: all values are exact; `shared`: of all rows. False when out of memory. */
bool noise_add(struct noise_levels *noise, size_t rows, const double *x, const double *sigma,
               bool shared, const struct row_figures *figures);

struct noise_group {
    double least, most; /* levels */
    struct tally tally;
};

/* Divides the rows into parts by level, with numbers of rows as equal as possible; at least one
 * part is not empty. Rows of the same level are in one part, so there is one part if all levels are
 * equal. No rows may be added after that. False when out of memory. */
bool noise_split(struct noise_levels *noise, size_t parts, struct noise_group *group,
                 size_t *groups);

void noise_free(struct noise_levels *noise);
