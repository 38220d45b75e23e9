/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How far predicted means are from the targets, whatever a few outliers do:
 *
 *     scatter   1.4826 times the median of |r - median of r|, r = mean - y: the standard deviation,
 *               if r is normally distributed
 *     outliers  share of the rows with |r - median of r| > 5 scatter
 *
 * Medians are weighted. Of very many rows every second, fourth, ... is kept.
 */

#include "score/moments.h"

#include <stdbool.h>
#include <stddef.h>

struct miss {
    double r, weight;
};

struct scatter {
    size_t rows, stride; /* seen; one in `stride` is kept */
    size_t kept, room;
    struct miss *miss;
};

bool scatter_add(struct scatter *scatter, double r, double weight); /* false: out of memory */
void scatter_find(struct scatter *scatter, struct score *width, struct score *outliers);
void scatter_free(struct scatter *scatter);
