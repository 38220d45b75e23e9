/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/training/training_set.h"

#include "cli/training/mix.h"
#include "measure/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

nim_data training_set_data(const struct training_set *set) {
    nim_data data =
        NIM_DATA(.rows = set->rows, .attributes = set->attributes, .x = set->x, .sigma = set->sigma,
                 .sigma_rows = set->sigma ? set->rows : 0, .weights = set->weights);
    if (set->mapped.cell)
        mapped_rows_show(&set->mapped, set->rows, &data);
    target_values_show(&set->targets, &data);
    row_shapes_show(&set->shapes, 0, &data);
    return data;
}

size_t training_set_bytes(const struct training_set *set) {
    return set->rows * set->attributes * sizeof(double) * (training_set_has_errors(set) ? 2 : 1);
}

bool training_set_has_errors(const struct training_set *set) {
    return set->sigma || set->mapped.error;
}

bool training_set_in_file(const struct training_set *set) {
    return set->x_store.in_file;
}

static void free_cells(double *cells, struct cell_store *store) {
    store->cell = cells;
    cell_store_free(store);
}

void training_set_free(struct training_set *set) {
    mapped_rows_free(&set->mapped);
    free_cells(set->x, &set->x_store);
    free_cells(set->sigma, &set->sigma_store);
    free(set->weights);
    target_values_free(&set->targets);
    row_shapes_free(&set->shapes);
    *set = (struct training_set){0};
}

/* ---------------------------------------------------------------- reading --------------------- */

/* How many rows there is to be room for, of which `needed` are sure to come, and what they have. */
struct room {
    size_t rows, needed;
    bool errors, weights;
};

static bool out_of_room(const struct training_set *set, struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "out of memory after %zu rows", set->rows);
}

/* For values and errors. */
static bool make_cells(struct training_set *set, const struct room *room,
                       struct complaint *complaint) {
    size_t row = set->attributes * sizeof(double), bytes = 0;
    bool in_file = set->memory && room->needed > set->memory / row / (room->errors ? 2 : 1);
    if (__builtin_mul_overflow(room->rows, row, &bytes))
        return out_of_room(set, complaint);
    if (!cell_store_grow(&set->x_store, bytes, in_file, complaint))
        return false;
    set->x = set->x_store.cell;
    if (room->errors && !cell_store_grow(&set->sigma_store, bytes, in_file, complaint))
        return false;
    set->sigma = set->sigma_store.cell;
    return true;
}

static bool make_room(struct training_set *set, const struct room *room,
                      struct complaint *complaint) {
    if (!set->mapped.cell && !make_cells(set, room, complaint))
        return false;
    double *weights =
        room->weights ? realloc(set->weights, room->rows * sizeof *weights) : set->weights;
    if (room->weights && !weights)
        return out_of_room(set, complaint);
    set->weights = weights;
    return (target_values_grow(&set->targets, room->rows) &&
            row_shapes_grow(&set->shapes, room->rows)) ||
           out_of_room(set, complaint);
}

bool training_set_own_cells(struct training_set *set, struct complaint *complaint) {
    struct mapped_rows mapped = set->mapped;
    const struct room room = {set->rows + 1, set->rows, mapped.error != NULL, false};
    size_t d = set->attributes;
    if (!mapped.cell)
        return true;
    if (!make_cells(set, &room, complaint))
        return false;
    for (size_t i = 0; i < set->rows; i++)
        for (size_t j = 0; j < d; j++) {
            set->x[i * d + j] = mapped_value(&mapped, i, j);
            if (mapped.error)
                set->sigma[i * d + j] = mapped_error(&mapped, i, j);
        }
    mapped_rows_free(&set->mapped);
    return true;
}

/* In memory twice as many rows as before; in a file a few more, which cost no copy. */
static size_t more_room(const struct training_set *set, const struct rows *rows, size_t room) {
    return rows->block + room + (training_set_in_file(set) ? room / 8 : room);
}

static void append(struct training_set *set, const nim_data *data, const double *weights,
                   const struct row_shapes *shapes, const struct target_values *targets) {
    size_t cells = data->rows * set->attributes, end = set->rows * set->attributes;
    if (set->x)
        memcpy(set->x + end, data->x, cells * sizeof *set->x);
    if (set->sigma)
        memcpy(set->sigma + end, data->sigma, cells * sizeof *set->sigma);
    if (weights)
        memcpy(set->weights + set->rows, weights, data->rows * sizeof *weights);
    target_values_copy(&set->targets, set->rows, targets, 0, data->rows);
    row_shapes_copy(&set->shapes, set->rows, shapes, 0, data->rows);
    set->rows += data->rows;
}

static bool read_all(struct training_set *set, struct rows *rows, struct row_weights *weights,
                     struct complaint *complaint) {
    size_t room = 0;
    while (rows_next(rows, complaint)) {
        if (!rows->count)
            return true;
        if (!row_weights_take(weights, rows, complaint))
            return false;
        if (set->mapped.cell && !mapped_rows_go_on(rows, set->rows)) {
            if (!training_set_own_cells(set, complaint))
                return false;
            room = set->rows;
        }
        if (set->rows + rows->count > room) {
            room = more_room(set, rows, room);
            const struct room wanted = {room, set->rows + rows->count, rows_have_errors(rows),
                                        weights->name != NULL};
            if (!make_room(set, &wanted, complaint))
                return false;
        }
        nim_data data = rows_data(rows);
        append(set, &data, weights->weight, &rows->shapes, &rows->targets);
    }
    return false;
}

bool training_set_read(struct training_set *set, struct rows *rows, const char *weights,
                       struct complaint *complaint) {
    struct row_weights of_rows;
    set->attributes = rows->columns->count;
    set->shapes = rows_shapes(rows->columns);
    if (rows->target)
        set->targets = target_shape(rows->target);
    bool fine = row_weights_open(&of_rows, rows->table, weights, complaint) &&
                (mapped_rows_find(&set->mapped, rows) || complain_of_memory(complaint)) &&
                read_all(set, rows, &of_rows, complaint);
    row_weights_free(&of_rows);
    return fine;
}

bool training_set_weigh(struct training_set *set, const double *of_class) {
    if (!set->weights) {
        set->weights = malloc((set->rows + 1) * sizeof *set->weights);
        for (size_t i = 0; set->weights && i < set->rows; i++)
            set->weights[i] = 1.0;
    }
    for (size_t i = 0; set->weights && i < set->rows; i++)
        set->weights[i] *= of_class[set->targets.class[i]];
    return set->weights != NULL;
}

/* ---------------------------------------------------------------- attributes ------------------ */

static double value_at(const struct training_set *set, size_t i, size_t j) {
    return set->mapped.cell ? mapped_value(&set->mapped, i, j) : set->x[i * set->attributes + j];
}

static double error_at(const struct training_set *set, size_t i, size_t j) {
    return set->mapped.cell ? mapped_error(&set->mapped, i, j)
                            : set->sigma[i * set->attributes + j];
}

bool training_set_skewed(const struct training_set *set, size_t j) {
    const struct mapped_rows *mapped = &set->mapped;
    return mapped->cell ? nim_wants_log(mapped->cell + mapped->value[j], mapped->stride, set->rows)
                        : nim_wants_log(set->x + j, set->attributes, set->rows);
}

bool training_set_take_log(struct training_set *set, size_t j, size_t *lost,
                           struct complaint *complaint) {
    if (!training_set_own_cells(set, complaint))
        return false;
    size_t d = set->attributes, cells = set->rows * d;
    bool new = set->sigma && !set->shapes.lopsided;
    set->shapes.lopsided = set->sigma != NULL;
    set->shapes.attributes = d;
    *lost = 0;
    if (new && !row_shapes_grow(&set->shapes, set->rows))
        return complain_of_memory(complaint);
    if (new)
        memcpy(set->shapes.upper, set->sigma, cells * sizeof(double));
    for (size_t cell = j; cell < cells; cell += d) {
        struct reading reading = {.value = set->x[cell],
                                  .lower = set->sigma ? set->sigma[cell] : 0.0,
                                  .upper = set->sigma ? set->shapes.upper[cell] : 0.0};
        *lost += formula_take_log(FORM_LOG, &reading);
        set->x[cell] = reading.value;
        if (set->sigma) {
            set->sigma[cell] = reading.lower;
            set->shapes.upper[cell] = reading.upper;
        }
    }
    return true;
}

static void squeeze(double *cells, size_t rows, size_t attributes, const bool *wanted) {
    double *out = cells;
    for (size_t i = 0; cells && i < rows * attributes; i++)
        if (wanted[i % attributes])
            *out++ = cells[i];
}

void training_set_keep(struct training_set *set, const bool *wanted) {
    size_t count = 0;
    if (set->mapped.cell)
        mapped_rows_keep(&set->mapped, set->attributes, wanted);
    squeeze(set->x, set->rows, set->attributes, wanted);
    squeeze(set->sigma, set->rows, set->attributes, wanted);
    row_shapes_keep(&set->shapes, set->rows, wanted);
    for (size_t j = 0; j < set->attributes; j++)
        count += wanted[j];
    set->attributes = count;
}

/* ---------------------------------------------------------------- holding out ----------------- */

/* Whether the k-th row of a class is held out. The class's rows are cut into cells of 1 / share
 * rows, two at least, and one row of each cell goes; of the first cell never the first. */
static bool goes(size_t k, double share, uint64_t seed, size_t class) {
    size_t cell = (size_t)((double)k * share);
    while (cell && (size_t)ceil((double)cell / share) > k)
        cell--; /* where the product was rounded up */
    size_t first = (size_t)ceil((double)cell / share);
    size_t end = (size_t)ceil((double)(cell + 1) / share);
    size_t spared = cell == 0;
    return k == first + spared + mix(seed, class, cell) % (end - first - spared);
}

struct training_set training_set_of(const struct rows *rows) {
    return (struct training_set){.rows = rows->count,
                                 .attributes = rows->columns->count,
                                 .x = rows->x,
                                 .sigma = rows->sigma,
                                 .shapes = rows->shapes,
                                 .targets = rows->targets};
}

bool training_set_like(struct training_set *set, const struct training_set *other, size_t rows,
                       struct complaint *complaint) {
    *set = (struct training_set){.attributes = other->attributes,
                                 .memory = other->memory,
                                 .targets = {.classed = other->targets.classed,
                                             .outputs = other->targets.outputs,
                                             .exposed = other->targets.exposed,
                                             .measured = other->targets.measured},
                                 .shapes = {.attributes = other->attributes,
                                            .lopsided = other->shapes.lopsided,
                                            .limited = other->shapes.limited,
                                            .correlated = other->shapes.correlated}};
    /* One more than is needed keeps the arrays from being empty. */
    const struct room room = {rows + 1, rows, training_set_has_errors(other),
                              other->weights != NULL};
    return make_room(set, &room, complaint);
}

void training_set_append_row(struct training_set *to, const struct training_set *from, size_t row) {
    size_t d = from->attributes;
    for (size_t j = 0; j < d; j++) {
        to->x[to->rows * d + j] = value_at(from, row, j);
        if (to->sigma)
            to->sigma[to->rows * d + j] = error_at(from, row, j);
    }
    row_shapes_copy(&to->shapes, to->rows, &from->shapes, row, 1);
    if (from->weights)
        to->weights[to->rows] = from->weights[row];
    target_values_copy(&to->targets, to->rows++, &from->targets, row, 1);
}

bool training_set_hold_out(struct training_set *set, size_t classes, double share, uint64_t seed,
                           struct training_set *held, struct complaint *complaint) {
    size_t *before = calloc(classes + 1, sizeof *before), rows = set->rows;
    bool fine = (before || complain_of_memory(complaint)) &&
                training_set_own_cells(set, complaint) &&
                training_set_like(held, set, rows, complaint);
    struct training_set from = *set;
    set->rows = fine ? 0 : rows;
    for (size_t i = 0; fine && i < rows; i++) {
        size_t class = from.targets.classed ? (size_t)from.targets.class[i] : 0;
        training_set_append_row(goes(before[class]++, share, seed, class) ? held : set, &from, i);
    }
    free(before);
    return fine;
}
