/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SCORE_NOISE_LEVEL_H
#define CLI_SCORE_NOISE_LEVEL_H

/* How noisy rows are, and their order by that. */

#include <stdbool.h>
#include <stddef.h>

struct noise {
    size_t rows, room, attributes;
    double *x, *sigma; /* rows x attributes */
    double *level;     /* rows, once it is known */
    size_t *order;     /* rows, by level */
};

/* Makes room for so many rows more, and adds them. False when out of memory. */
bool noise_grow(struct noise *noise, size_t more);
void noise_add(struct noise *noise, size_t rows, const double *x, const double *sigma);

/*
 * A row's level of noise: the mean over attributes of error / deviation of the attribute in these
 * rows. A missing value counts as 1, as far off as any; an unknown error as the median of those
 * that are known.
 */
bool noise_rank(struct noise *noise);

/* The end of part g = 1 .. parts of the rows by level. Rows of the same level stay together, so
 * that there is one part when all are alike, and the others are empty. */
size_t noise_part_end(const struct noise *noise, size_t g, size_t parts);

void noise_free(struct noise *noise);

#endif
