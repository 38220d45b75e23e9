/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table as blocks of lanes (batch.h). */
#include "math/vector.h"
#include "population/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AS_GOOD_AS_MISSING 1e30 /* a variance, in standard units */

/* Whether a row needs condition_shaped.c: it has an asymmetric cell or a limit that is not one of
 * several correlated cells, which are taken as normal. cell: d. */
static bool is_odd(const struct measurement *row, size_t d, size_t correlated, const size_t *cell) {
    for (size_t j = 0, a = 0; j < d; j++) {
        bool among = a < correlated && cell[a] == j;
        a += among;
        if (!among && shape_is_tilted(row, d, j))
            return true;
    }
    return false;
}

/* Writes x and the noise of width d or packed. whitened: what conditioner_whiten gives. */
struct whitened {
    size_t count, *cell;
    double *factor, *h, *y;
};

static void write_row(const struct measurement *row, size_t d, bool packed,
                      const struct whitened *whitened, double *x, double *noise) {
    memset(noise, 0, (packed ? packed_at(d, 0) : d) * sizeof *noise);
    for (size_t j = 0; j < d; j++) {
        bool missing = !(row->noise[j] < AS_GOOD_AS_MISSING);
        x[j] = missing ? 0.0 : row->x[j];
        noise[packed ? packed_at(j, j) : j] = missing ? HUGE_VAL : row->noise[j];
    }
    for (size_t a = 0; a < whitened->count; a++) {
        const double *line = whitened->factor + a * d;
        x[whitened->cell[a]] = dot(a + 1, line, whitened->y);
        for (size_t b = 0; b <= a; b++)
            noise[packed_at(whitened->cell[a], whitened->cell[b])] =
                dot(b + 1, line, whitened->factor + b * d);
    }
}

struct entry {
    const double *noise;
    size_t width, row, origin; /* row: of the plain ones; origin: of all */
};

static int by_noise(const void *a, const void *b) {
    const struct entry *one = a, *other = b;
    int order = memcmp(one->noise, other->noise, one->width * sizeof(double));
    return order ? order : one->row < other->row ? -1 : 1;
}

static void batch_layout(struct batch *batch) {
    size_t lanes = batch->blocks * LANES;
    batch->x = arena_doubles(&batch->arena, lanes * batch->attributes);
    batch->noise = arena_doubles(&batch->arena, lanes * batch->width);
    batch->pattern = arena_sizes(&batch->arena, lanes);
    batch->weight = arena_doubles(&batch->arena, lanes);
    batch->origin = arena_sizes(&batch->arena, batch->rows + batch->odd.rows);
}

/* From rows x (n x d) and noise (n x width), in this order, to blocks. Lanes beyond the last row
 * are missing rows. */
static void fill_blocks(struct batch *batch, const struct entry *entry, const double *x) {
    size_t d = batch->attributes, width = batch->width, pattern = 0;
    for (size_t i = 0; i < batch->blocks * LANES; i++) {
        double *to_x = batch->x + i / LANES * d * LANES + i % LANES;
        double *to_noise = batch->noise + i / LANES * width * LANES + i % LANES;
        bool real = i < batch->rows;
        pattern += i == 0 || !real ||
                   memcmp(entry[i].noise, entry[i - 1].noise, width * sizeof(double)) != 0;
        batch->pattern[i] = pattern;
        for (size_t j = 0; j < d; j++)
            to_x[j * LANES] = real ? x[entry[i].row * d + j] : 0.0;
        for (size_t e = 0; e < width; e++)
            to_noise[e * LANES] = real ? entry[i].noise[e] : HUGE_VAL;
    }
}

/* Where the rows come from, and their weights; odd ones are at the end of `entry`, the last first.
 */
static void note_origins(struct batch *batch, const struct entry *entry,
                         const struct population_rows *rows) {
    bool weighted = false;
    batch->total = 0.0;
    for (size_t i = 0; i < rows->rows; i++) {
        size_t at = i < batch->rows ? i : rows->rows - 1 - (i - batch->rows);
        double weight = population_row_weight(rows, batch->origin[i] = entry[at].origin);
        batch->total += weight;
        weighted = weighted || weight != 1.0;
        if (i < batch->rows)
            batch->weight[i] = weight;
    }
    batch->weight = weighted ? batch->weight : NULL;
}

/* Parts the rows in plain ones (x, noise, entry) and odd ones. */
static void sort_out(struct batch *batch, const struct population_rows *rows,
                     struct whitened *whitened, double *x, double *noise, struct entry *entry) {
    size_t d = batch->attributes, width = batch->width, count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        struct measurement row = population_row(rows, i);
        whitened->count = rows->shape
                              ? conditioner_whiten(&row, d, whitened->cell, whitened->factor,
                                                   whitened->h, whitened->y)
                              : 0;
        if (is_odd(&row, d, whitened->count, whitened->cell)) {
            population_rows_append(&batch->odd, rows, i);
            entry[rows->rows - batch->odd.rows].origin = i;
            continue;
        }
        write_row(&row, d, width > d, whitened, x + count * d, noise + count * width);
        entry[count] = (struct entry){noise + count * width, width, count, i};
        count++;
    }
    qsort(entry, count, sizeof *entry, by_noise);
    batch->rows = count;
    batch->blocks = (count + LANES - 1) / LANES;
}

static bool any_correlated(const struct population_rows *rows) {
    size_t d = rows->attributes, each = shape_size(d);
    for (size_t i = 0; rows->shape && i < rows->rows; i++)
        for (size_t e = 2 * d; e < each; e++)
            if (rows->shape[i * each + e] != 0.0)
                return true;
    return false;
}

bool batch_create(struct batch *batch, const struct population_rows *rows) {
    size_t d = rows->attributes, n = rows->rows;
    *batch = (struct batch){.attributes = d};
    batch->width = d > 1 && any_correlated(rows) ? packed_at(d, 0) : d;
    struct arena arena = {0};
    struct whitened whitened = {0};
    double *x = NULL, *noise = NULL;
    struct entry *entry = NULL;
    for (int pass = 0; pass < 2; pass++) {
        x = arena_doubles(&arena, n * d);
        noise = arena_doubles(&arena, n * batch->width);
        entry = arena_bytes(&arena, n + 1, sizeof *entry);
        whitened.cell = arena_sizes(&arena, d);
        whitened.factor = arena_doubles(&arena, d * d);
        whitened.h = arena_doubles(&arena, d * d);
        whitened.y = arena_doubles(&arena, d);
        if (pass == 0 && !arena_allocate(&arena))
            return false;
    }
    bool good = population_rows_create(&batch->odd, d, rows->shape != NULL, rows->shape ? n : 1);
    if (good) {
        sort_out(batch, rows, &whitened, x, noise, entry);
        batch_layout(batch);
        good = arena_allocate(&batch->arena);
    }
    if (good) {
        batch_layout(batch);
        fill_blocks(batch, entry, x);
        note_origins(batch, entry, rows);
    }
    arena_free(&arena);
    if (!good)
        batch_free(batch);
    return good;
}

void batch_free(struct batch *batch) {
    population_rows_free(&batch->odd);
    arena_free(&batch->arena);
    *batch = (struct batch){0};
}
