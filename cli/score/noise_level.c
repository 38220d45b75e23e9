/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/score/noise_level.h"

#include "cli/rows/grow_array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool noise_grow(struct noise *noise, size_t more) {
    if (noise->rows + more <= noise->room)
        return true;
    size_t room = noise->rows + more + noise->room, row = noise->attributes * sizeof(double);
    bool fine = true;
    noise->x = grow_array(noise->x, room, row, &fine);
    noise->sigma = grow_array(noise->sigma, room, row, &fine);
    noise->level = grow_array(noise->level, room, sizeof *noise->level, &fine);
    noise->order = grow_array(noise->order, room, sizeof *noise->order, &fine);
    if (fine)
        noise->room = room;
    return fine;
}

void noise_add(struct noise *noise, size_t rows, const double *x, const double *sigma) {
    size_t cells = rows * noise->attributes, end = noise->rows * noise->attributes;
    if (cells) {
        memcpy(noise->x + end, x, cells * sizeof *noise->x);
        memcpy(noise->sigma + end, sigma, cells * sizeof *noise->sigma);
    }
    noise->rows += rows;
}

void noise_free(struct noise *noise) {
    free(noise->x);
    free(noise->sigma);
    free(noise->level);
    free(noise->order);
    *noise = (struct noise){0};
}

/* Standard deviation of an attribute over the rows. */
static double deviation_of(const struct noise *noise, size_t j) {
    double count = 0.0, mean = 0.0, squares = 0.0;
    for (size_t i = 0; i < noise->rows; i++) {
        double x = noise->x[i * noise->attributes + j], distance = x - mean;
        if (isnan(x))
            continue;
        mean += distance / ++count;
        squares += distance * (x - mean);
    }
    return count > 0.0 ? sqrt(squares / count) : 0.0;
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Median of the errors of an attribute that are known. */
static double median_error(const struct noise *noise, size_t j, double *scratch) {
    size_t count = 0;
    for (size_t i = 0; i < noise->rows; i++) {
        double sigma = noise->sigma[i * noise->attributes + j];
        if (!isnan(sigma))
            scratch[count++] = sigma;
    }
    qsort(scratch, count, sizeof *scratch, by_size);
    return count ? 0.5 * scratch[(count - 1) / 2] + 0.5 * scratch[count / 2] : 0.0;
}

static void measure(struct noise *noise, double *scratch) {
    memset(noise->level, 0, noise->rows * sizeof *noise->level);
    for (size_t j = 0; j < noise->attributes; j++) {
        double deviation = deviation_of(noise, j), usual = median_error(noise, j, scratch);
        for (size_t i = 0; i < noise->rows; i++) {
            size_t cell = i * noise->attributes + j;
            double sigma = isnan(noise->sigma[cell]) ? usual : noise->sigma[cell];
            double level = isnan(noise->x[cell])            ? 1.0
                           : deviation > 0.0 && sigma > 0.0 ? sigma / deviation
                                                            : 0.0;
            noise->level[i] += level / (double)noise->attributes;
        }
    }
}

struct ranked {
    double level;
    size_t row;
};

static int by_level(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

bool noise_rank(struct noise *noise) {
    double *scratch = malloc((noise->rows + 1) * sizeof *scratch);
    struct ranked *ranked = malloc((noise->rows + 1) * sizeof *ranked);
    bool fine = scratch && ranked;
    if (fine)
        measure(noise, scratch);
    for (size_t i = 0; fine && i < noise->rows; i++)
        ranked[i] = (struct ranked){noise->level[i], i};
    if (fine)
        qsort(ranked, noise->rows, sizeof *ranked, by_level);
    for (size_t i = 0; fine && i < noise->rows; i++)
        noise->order[i] = ranked[i].row;
    free(scratch);
    free(ranked);
    return fine;
}

size_t noise_part_end(const struct noise *noise, size_t g, size_t parts) {
    const double *level = noise->level;
    const size_t *order = noise->order;
    size_t end = noise->rows * g / parts;
    while (end && end < noise->rows && level[order[end]] <= level[order[end - 1]])
        end++;
    return end;
}
