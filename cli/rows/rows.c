/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/rows.h"

#include "cli/terminal/interrupt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands for the error where there is no column of errors. */
static double error_without_column(const struct rows *rows, const struct feature *feature) {
    return rows->lost_is_unknown && feature->lost ? (double)NAN : 0.0;
}

bool rows_have_errors(const struct rows *rows) {
    for (size_t j = 0; j < rows->columns->count; j++)
        if (rows->columns->feature[j].error != NO_COLUMN ||
            rows->columns->feature[j].minus_error != NO_COLUMN ||
            isnan(error_without_column(rows, &rows->columns->feature[j])))
            return true;
    return false;
}

nim_data rows_data(const struct rows *rows) {
    nim_data data = {.rows = rows->count,
                     .attributes = rows->columns->count,
                     .x = rows->x,
                     .sigma = rows_have_errors(rows) ? rows->sigma : NULL,
                     .sigma_rows = rows_have_errors(rows) ? rows->count : 0};
    target_values_show(&rows->targets, &data);
    return data;
}

static bool allocate(struct rows *rows, struct complaint *complaint) {
    size_t cells = ROWS_BLOCK * rows->columns->count + 1; /* not nothing, even without columns */
    if (rows->place)
        return true;
    rows->place = calloc(ROWS_BLOCK, sizeof *rows->place);
    rows->keep = calloc(ROWS_BLOCK, sizeof *rows->keep);
    rows->known = calloc(ROWS_BLOCK, sizeof *rows->known);
    rows->value = calloc(ROWS_BLOCK, sizeof *rows->value);
    rows->error = calloc(ROWS_BLOCK, sizeof *rows->error);
    rows->other = calloc(ROWS_BLOCK, sizeof *rows->other);
    rows->other_error = calloc(ROWS_BLOCK, sizeof *rows->other_error);
    rows->x = calloc(cells, sizeof *rows->x);
    rows->sigma = calloc(cells, sizeof *rows->sigma);
    rows->missing = calloc(rows->columns->count + 1, sizeof *rows->missing);
    rows->nonpositive = calloc(rows->columns->count + 1, sizeof *rows->nonpositive);
    rows->exact = calloc(rows->columns->count + 1, sizeof *rows->exact);
    rows->unknown = calloc(rows->columns->count + 1, sizeof *rows->unknown);
    rows->targets = rows->target ? target_shape(rows->target) : (struct target_values){0};
    return (target_values_grow(&rows->targets, ROWS_BLOCK) && rows->place && rows->keep &&
            rows->known && rows->value && rows->error && rows->other && rows->other_error &&
            rows->exact && rows->unknown && rows->x && rows->sigma && rows->missing &&
            rows->nonpositive) ||
           complain_of_memory(complaint);
}

void rows_free(struct rows *rows) {
    free(rows->place);
    free(rows->keep);
    free(rows->known);
    free(rows->value);
    free(rows->error);
    free(rows->other);
    free(rows->other_error);
    free(rows->exact);
    free(rows->unknown);
    free(rows->x);
    free(rows->sigma);
    free(rows->missing);
    free(rows->nonpositive);
    target_values_free(&rows->targets);
    rows->place = rows->missing = rows->nonpositive = rows->exact = rows->unknown = NULL;
    rows->keep = rows->known = NULL;
    rows->value = rows->error = rows->other = rows->other_error = rows->x = rows->sigma = NULL;
}

static bool advance(struct rows *rows, struct complaint *complaint) {
    if (interrupted())
        return complain(complaint, INTERRUPTED, "interrupted");
    rows->first = rows->seen;
    rows->at_hand = rows->waiting;
    rows->waiting = 0;
    if (!rows->at_hand && !table_next(rows->table, ROWS_BLOCK, &rows->at_hand, complaint))
        return false;
    rows->seen += rows->at_hand;
    return rows->seen || complain(complaint, BAD_INPUT, "%s: no rows; expected one at least",
                                  table_path(rows->table));
}

/* Which of the rows at hand are wanted: `place` and `targets`. */
static bool select_rows(struct rows *rows, struct complaint *complaint) {
    bool filter = rows->where && where_any(rows->where);
    rows->count = 0;
    if ((filter && !where_mask(rows->where, rows->table, rows->at_hand, rows->keep, complaint)) ||
        (rows->target && !target_next(rows->target, rows->table, rows->at_hand, complaint)))
        return false;
    for (size_t i = 0; i < rows->at_hand; i++) {
        bool known = true;
        if (filter && !rows->keep[i]) {
            rows->filtered++;
            continue;
        }
        if (rows->target && !target_take(rows->target, rows->table, i, &rows->targets, rows->count,
                                         &known, complaint))
            return false;
        rows->place[rows->count] = i;
        rows->known[rows->count] = known;
        rows->count += known || target_keeps(rows->target);
    }
    return true;
}

static bool complain_of_cell(const struct rows *rows, size_t row, size_t column, const char *what,
                             double value, struct complaint *complaint) {
    char place[256];
    table_place(rows->table, row, place, sizeof place);
    return complain(complaint, BAD_INPUT, "%s: column %s: %g; expected %s", place,
                    table_column_name(rows->table, column), value, what);
}

/* Numbers that stand for nothing become NaN. */
static void drop_sentinels(const struct rows *rows, double *value) {
    for (size_t s = 0; s < rows->sentinels; s++)
        for (size_t i = 0; i < rows->at_hand; i++)
            if (value[i] == rows->sentinel[s])
                value[i] = (double)NAN;
}

/* A column of values and its errors, of the rows at hand; checked where rows are selected. */
static bool read_column(struct rows *rows, size_t column, long error, double usual, double *value,
                        double *sigma, struct complaint *complaint) {
    bool errors = error != NO_COLUMN;
    if (!table_numbers(rows->table, column, value, 1, complaint) ||
        (errors && !table_numbers(rows->table, (size_t)error, sigma, 1, complaint)))
        return false;
    drop_sentinels(rows, value);
    if (errors)
        drop_sentinels(rows, sigma);
    for (size_t i = 0; !errors && i < rows->at_hand; i++)
        sigma[i] = usual;
    for (size_t k = 0; k < rows->count; k++) {
        size_t i = rows->place[k];
        if (isinf(value[i]))
            return complain_of_cell(rows, i, column, "a finite number", value[i], complaint);
        if (sigma[i] < 0.0 || isinf(sigma[i]))
            return complain_of_cell(rows, i, (size_t)error,
                                    "a 1-sigma error, which is finite and not negative", sigma[i],
                                    complaint);
    }
    return true;
}

/* Whether any cell of an attribute has an error from a column. */
static bool has_error_column(const struct feature *feature) {
    return feature->error != NO_COLUMN || feature->minus_error != NO_COLUMN;
}

static void count_cell(struct rows *rows, size_t j, double x, double sigma) {
    bool counts = !isnan(x) && has_error_column(&rows->columns->feature[j]);
    rows->missing[j] += isnan(x) != 0;
    rows->exact[j] += counts && sigma == 0.0;
    rows->unknown[j] += counts && isnan(sigma);
}

/* One attribute of the selected rows. */
static bool read_attribute(struct rows *rows, size_t j, struct complaint *complaint) {
    const struct feature *feature = &rows->columns->feature[j];
    size_t d = rows->columns->count;
    bool difference = feature->minus != NO_COLUMN;
    double usual = error_without_column(rows, feature);
    if (!read_column(rows, feature->value, feature->error, usual, rows->value, rows->error,
                     complaint) ||
        (difference && !read_column(rows, (size_t)feature->minus, feature->minus_error, usual,
                                    rows->other, rows->other_error, complaint)))
        return false;
    for (size_t k = 0; k < rows->count; k++) {
        size_t i = rows->place[k];
        double x = rows->value[i], sigma = rows->error[i];
        if (difference)
            formula_subtract(&x, &sigma, rows->other[i], rows->other_error[i]);
        else if (feature->form != FORM_COLUMN)
            rows->nonpositive[j] += formula_take_log(feature->form, &x, &sigma);
        count_cell(rows, j, x, sigma);
        rows->x[k * d + j] = x;
        rows->sigma[k * d + j] = sigma;
    }
    return true;
}

bool rows_next(struct rows *rows, struct complaint *complaint) {
    if (!allocate(rows, complaint))
        return false;
    do {
        if (!advance(rows, complaint) || !select_rows(rows, complaint))
            return false;
    } while (rows->at_hand && !rows->count);
    for (size_t j = 0; rows->count && j < rows->columns->count; j++)
        if (!read_attribute(rows, j, complaint))
            return false;
    return true;
}

bool rows_all_filtered(const struct rows *rows) {
    return rows->seen > 0 && rows->filtered == rows->seen;
}
