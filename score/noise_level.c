/* SPDX-License-Identifier: Apache-2.0 */
#include "score/noise_level.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bin 0 has the level zero; the others are equal in the logarithm, 64 to a factor of two, from
 * 2^-30 on. */
enum { BINS_PER_OCTAVE = 64, LOWEST_OCTAVE = -30, OCTAVES = 45, BINS = BINS_PER_OCTAVE * OCTAVES };

struct noise_bin {
    double least, most;
    struct tally tally;
};

/* ---------------------------------------------------------------- what is usual --------------- */

/* Standard deviation of an attribute over the rows held. */
static double deviation_of(const struct noise_levels *noise, size_t j) {
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
static double median_error(const struct noise_levels *noise, size_t j, double *scratch) {
    size_t count = 0;
    for (size_t i = 0; i < noise->rows; i++) {
        double sigma = noise->sigma[i * noise->attributes + j];
        if (!isnan(sigma))
            scratch[count++] = sigma;
    }
    qsort(scratch, count, sizeof *scratch, by_size);
    return count ? 0.5 * scratch[(count - 1) / 2] + 0.5 * scratch[count / 2] : 0.0;
}

/* From the rows held. */
static bool settle(struct noise_levels *noise) {
    double *scratch = malloc((noise->rows + 1) * sizeof *scratch);
    noise->deviation = calloc(noise->attributes + 1, sizeof *noise->deviation);
    noise->usual = calloc(noise->attributes + 1, sizeof *noise->usual);
    bool fine = scratch && noise->deviation && noise->usual;
    for (size_t j = 0; fine && j < noise->attributes; j++) {
        noise->deviation[j] = deviation_of(noise, j);
        noise->usual[j] = median_error(noise, j, scratch);
    }
    free(scratch);
    return fine;
}

static double level_of(const struct noise_levels *noise, const double *x, const double *sigma) {
    double total = 0.0;
    for (size_t j = 0; j < noise->attributes; j++) {
        double error = !sigma ? 0.0 : isnan(sigma[j]) ? noise->usual[j] : sigma[j];
        double deviation = noise->deviation[j];
        double level = isnan(x[j]) ? 1.0 : deviation > 0.0 && error > 0.0 ? error / deviation : 0.0;
        total += level / (double)noise->attributes;
    }
    return total;
}

/* ---------------------------------------------------------------- bins ------------------------ */

static void count_row(struct noise_levels *noise, const double *x, const double *sigma,
                      const struct row_figures *figures) {
    double level = level_of(noise, x, sigma);
    double place = level > 0.0 ? floor((log2(level) - LOWEST_OCTAVE) * BINS_PER_OCTAVE) : -1.0;
    size_t index = (size_t)fmin(fmax(place + 1.0, level > 0.0), BINS);
    struct noise_bin *bin = &noise->bin[index];
    bool first = !(bin->tally.moment[0].count > 0.0);
    bin->least = first || level < bin->least ? level : bin->least;
    bin->most = first || level > bin->most ? level : bin->most;
    tally_add(&bin->tally, figures);
}

static void free_held(struct noise_levels *noise) {
    free(noise->x);
    free(noise->sigma);
    free(noise->figures);
    noise->x = noise->sigma = NULL;
    noise->figures = NULL;
    noise->rows = noise->room = 0;
}

/* From rows held to sums. */
static bool begin_bins(struct noise_levels *noise) {
    size_t d = noise->attributes;
    noise->bin = calloc(BINS + 1, sizeof *noise->bin);
    if (!noise->bin || !settle(noise))
        return false;
    for (size_t i = 0; i < noise->rows; i++)
        count_row(noise, noise->x + i * d, noise->sigma + i * d, &noise->figures[i]);
    free_held(noise);
    return true;
}

/* ---------------------------------------------------------------- rows ------------------------ */

static size_t most_held(const struct noise_levels *noise) {
    size_t rows = HELD_CELLS / (noise->attributes + 1) + 1;
    return rows < HELD_ROWS ? rows : HELD_ROWS;
}

static bool grow(struct noise_levels *noise, size_t more) {
    if (noise->rows + more <= noise->room)
        return true;
    size_t room = noise->rows + more + noise->room, cells = room * noise->attributes + 1;
    double *x = realloc(noise->x, cells * sizeof *x);
    noise->x = x ? x : noise->x;
    double *sigma = realloc(noise->sigma, cells * sizeof *sigma);
    noise->sigma = sigma ? sigma : noise->sigma;
    struct row_figures *figures = realloc(noise->figures, room * sizeof *figures);
    noise->figures = figures ? figures : noise->figures;
    if (!x || !sigma || !figures)
        return false;
    noise->room = room;
    return true;
}

bool noise_add(struct noise_levels *noise, size_t rows, const double *x, const double *sigma,
               bool shared, const struct row_figures *figures) {
    size_t d = noise->attributes, at = noise->rows, stride = shared ? 0 : d;
    if (!noise->bin && at + rows > most_held(noise) && at > 0 && !begin_bins(noise))
        return false;
    for (size_t i = 0; noise->bin && i < rows; i++)
        count_row(noise, x + i * d, sigma ? sigma + i * stride : NULL, &figures[i]);
    if (noise->bin)
        return true;
    if (!rows || !grow(noise, rows))
        return !rows;
    memcpy(noise->figures + at, figures, rows * sizeof *figures);
    for (size_t i = 0; i < rows * d; i++) {
        noise->x[at * d + i] = x[i];
        noise->sigma[at * d + i] = sigma ? sigma[shared ? i % d : i] : 0.0;
    }
    noise->rows += rows;
    return true;
}

void noise_free(struct noise_levels *noise) {
    free_held(noise);
    free(noise->deviation);
    free(noise->usual);
    free(noise->bin);
    *noise = (struct noise_levels){0};
}

/* ---------------------------------------------------------------- parts ----------------------- */

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

static struct ranked *rank(struct noise_levels *noise) {
    size_t d = noise->attributes;
    struct ranked *ranked = malloc((noise->rows + 1) * sizeof *ranked);
    if (!ranked || !settle(noise)) {
        free(ranked);
        return NULL;
    }
    for (size_t i = 0; i < noise->rows; i++)
        ranked[i] = (struct ranked){level_of(noise, noise->x + i * d, noise->sigma + i * d), i};
    qsort(ranked, noise->rows, sizeof *ranked, by_level);
    return ranked;
}

/* The end of part g = 1 .. parts of the rows by level. */
static size_t part_end(const struct ranked *ranked, size_t rows, size_t g, size_t parts) {
    size_t end = rows * g / parts;
    while (end && end < rows && ranked[end].level <= ranked[end - 1].level)
        end++;
    return end;
}

static bool split_rows(struct noise_levels *noise, size_t parts, struct noise_group *group,
                       size_t *groups) {
    struct ranked *ranked = rank(noise);
    for (size_t start = 0, g = 1; ranked && g <= parts; g++) {
        size_t end = part_end(ranked, noise->rows, g, parts);
        if (end <= start)
            continue;
        struct noise_group *part = &group[(*groups)++];
        *part = (struct noise_group){.least = ranked[start].level, .most = ranked[end - 1].level};
        for (; start < end; start++)
            tally_add(&part->tally, &noise->figures[ranked[start].row]);
    }
    free(ranked);
    return ranked != NULL;
}

static void split_bins(const struct noise_levels *noise, size_t parts, struct noise_group *group,
                       size_t *groups) {
    double total = 0.0, seen = 0.0;
    for (size_t b = 0; b <= BINS; b++)
        total += noise->bin[b].tally.moment[0].count;
    for (size_t b = 0, g = 1; b <= BINS; b++) {
        const struct noise_bin *bin = &noise->bin[b];
        double rows = bin->tally.moment[0].count;
        if (!(rows > 0.0))
            continue;
        if (!*groups || seen >= total * (double)g / (double)parts) {
            while (seen >= total * (double)g / (double)parts)
                g++;
            group[(*groups)++] = (struct noise_group){.least = bin->least};
        }
        group[*groups - 1].most = bin->most;
        tally_merge(&group[*groups - 1].tally, &bin->tally);
        seen += rows;
    }
}

bool noise_split(struct noise_levels *noise, size_t parts, struct noise_group *group,
                 size_t *groups) {
    *groups = 0;
    if (!noise->attributes)
        return true;
    if (!noise->bin)
        return split_rows(noise, parts, group, groups);
    split_bins(noise, parts, group, groups);
    return true;
}
