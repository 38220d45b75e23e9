/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Numbers in ascending order. */

#include <stdlib.h>

static inline int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static inline void sort_numbers(size_t count, double *values) {
    qsort(values, count, sizeof *values, by_size);
}

/* How many of the sorted numbers are at most `value`. */
static inline size_t count_up_to(size_t count, const double *sorted, double value) {
    size_t low = 0, high = count; /* sorted[low - 1] <= value < sorted[high] */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
