/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCORE_NOISE_LEVEL_H
#define SCORE_NOISE_LEVEL_H

/*
 * Scores of rows by how noisy they are. A row's level of noise is the mean over attributes of error
 * / deviation of the attribute in the table. A missing value counts as 1, as far off as any; an
 * unknown error as the median of those that are known.
 *
 * Up to HELD_ROWS rows, or HELD_CELLS cells, are held, and then all of this is exact. Of more rows
 * the deviations and medians are those of the first so many; from then on only sums are kept, in
 * bins of the level so narrow (a hundredth) that it hardly matters that parts end where bins do.
 *
 *     struct noise_levels noise = {.attributes = d};
 *     noise_add(&noise, rows, x, sigma, figures);   block by block
 *     groups = noise_split(&noise, group, 3);
 *     noise_free(&noise);
 */

#include "score/tally.h"

enum { HELD_ROWS = 65536, HELD_CELLS = 1 << 22 };

struct noise_bin; /* sums of the rows of nearly the same level */

struct noise_levels {
    size_t attributes;

    /* Its own: rows held, */
    size_t rows, room;
    double *x, *sigma;           /* rows x attributes */
    struct row_figures *figures; /* rows */
    /* and once there are too many of them */
    double *deviation, *usual; /* attributes: of the values; the median error */
    struct noise_bin *bin;
};

/* sigma NULL: all values are exact. False when out of memory. */
bool noise_add(struct noise_levels *noise, size_t rows, const double *x, const double *sigma,
               const struct row_figures *figures);

struct noise_group {
    double least, most; /* levels */
    struct tally tally;
};

/* Into so many parts by level, as equal in rows as can be, at least one of them not empty. Rows of
 * the same level stay together, so that there is one part when all are alike. Ends the adding.
 * False when out of memory. */
bool noise_split(struct noise_levels *noise, size_t parts, struct noise_group *group,
                 size_t *groups);

void noise_free(struct noise_levels *noise);

#endif
