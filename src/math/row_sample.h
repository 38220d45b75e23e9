/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A sample of at most `most` rows of a table, for computations that need many rows but not all: the
 * rows are divided into `most` parts of nearly equal length, and one row is drawn from each. If
 * there are at most `most` rows, it is all of them, in order.
 */

#include "math/random.h"

struct row_sample {
    struct random_key key;
    uint64_t step;
    size_t rows, count; /* of the table; of the sample */
};

static inline struct row_sample row_sample(struct random_key key, uint64_t step, size_t rows,
                                           size_t most) {
    return (struct row_sample){key, step, rows, rows < most ? rows : most};
}

/* The k-th row of the sample. */
static inline size_t row_sample_at(const struct row_sample *sample, size_t k) {
    if (sample->count == sample->rows)
        return k;
    /* In two parts, to avoid overflow. */
    size_t each = sample->rows / sample->count, more = sample->rows % sample->count;
    size_t first = each * k + more * k / sample->count;
    size_t next = each * (k + 1) + more * (k + 1) / sample->count;
    return first + random_below(sample->key, sample->step, k, next - first);
}
