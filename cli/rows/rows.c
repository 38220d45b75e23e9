/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/rows.h"

#include "cli/terminal/interrupt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The error if there is no column of errors. */
static double error_without_column(const struct rows *rows, const struct feature *feature) {
    return rows->lost_is_unknown && feature->lost ? (double)NAN : 0.0;
}

bool rows_have_errors(const struct rows *rows) {
    for (size_t j = 0; j < rows->columns->count; j++)
        if (feature_has_errors(&rows->columns->feature[j]) ||
            isnan(error_without_column(rows, &rows->columns->feature[j])))
            return true;
    return false;
}

nim_data rows_data(const struct rows *rows) {
    nim_data data = NIM_DATA(.rows = rows->count, .attributes = rows->columns->count, .x = rows->x,
                             .sigma = rows_have_errors(rows) ? rows->sigma : NULL,
                             .sigma_rows = rows_have_errors(rows) ? rows->count : 0);
    target_values_show(&rows->targets, &data);
    row_shapes_show(&rows->shapes, 0, &data);
    return data;
}

nim_data rows_stretch(const struct rows *rows, size_t first, size_t end) {
    nim_data data = rows_data(rows);
    data.rows = end - first;
    data.x += first * data.attributes;
    if (data.sigma) {
        data.sigma += first * data.attributes;
        data.sigma_rows = data.rows;
    }
    if (data.labels)
        data.labels += first;
    if (data.targets)
        data.targets += first * data.outputs;
    if (data.exposure)
        data.exposure += first;
    if (data.target_sigma)
        data.target_sigma += first;
    row_shapes_show(&rows->shapes, first, &data);
    return data;
}

struct row_shapes rows_shapes(const struct columns *columns) {
    struct row_shapes shapes = {.attributes = columns->count,
                                .correlated = columns->correlations > 0};
    for (size_t j = 0; j < columns->count; j++) {
        const struct feature *feature = &columns->feature[j];
        bool logarithm = feature->form == FORM_LOG || feature->form == FORM_LOG10;
        bool pairs =
            feature->value.errors.upper != NO_COLUMN || feature->minus.errors.upper != NO_COLUMN;
        shapes.lopsided = shapes.lopsided || pairs || (logarithm && feature_has_errors(feature));
        shapes.limited = shapes.limited || feature->value.limit != NO_COLUMN ||
                         feature->minus.limit != NO_COLUMN;
    }
    return shapes;
}

static bool readings_create(struct readings *readings) {
    readings->value = calloc(ROWS_BLOCK, sizeof *readings->value);
    readings->lower = calloc(ROWS_BLOCK, sizeof *readings->lower);
    readings->upper = calloc(ROWS_BLOCK, sizeof *readings->upper);
    readings->limit = calloc(ROWS_BLOCK, sizeof *readings->limit);
    return readings->value && readings->lower && readings->upper && readings->limit;
}

static void readings_free(struct readings *readings) {
    free(readings->value);
    free(readings->lower);
    free(readings->upper);
    free(readings->limit);
    *readings = (struct readings){0};
}

size_t rows_of_block(size_t columns) {
    enum { MOST_CELLS = 1 << 22 };
    size_t rows = MOST_CELLS / (columns + 1);
    return rows > ROWS_BLOCK ? ROWS_BLOCK : rows ? rows : 1;
}

static bool allocate(struct rows *rows, struct complaint *complaint) {
    if (rows->place)
        return true;
    rows->block = rows_of_block(rows->columns->count);
    if (rows->block < rows->waiting)
        rows->block = rows->waiting;
    size_t cells = rows->block * rows->columns->count + 1; /* not nothing, even without columns */
    rows->place = calloc(ROWS_BLOCK, sizeof *rows->place);
    rows->keep = calloc(ROWS_BLOCK, sizeof *rows->keep);
    rows->known = calloc(ROWS_BLOCK, sizeof *rows->known);
    bool readings = readings_create(&rows->own) && readings_create(&rows->other);
    rows->x = calloc(cells, sizeof *rows->x);
    rows->sigma = calloc(cells, sizeof *rows->sigma);
    rows->missing = calloc(rows->columns->count + 1, sizeof *rows->missing);
    rows->nonpositive = calloc(rows->columns->count + 1, sizeof *rows->nonpositive);
    rows->exact = calloc(rows->columns->count + 1, sizeof *rows->exact);
    rows->unknown = calloc(rows->columns->count + 1, sizeof *rows->unknown);
    rows->targets = rows->target ? target_shape(rows->target) : (struct target_values){0};
    rows->shapes = rows_shapes(rows->columns);
    return (target_values_grow(&rows->targets, ROWS_BLOCK) &&
            row_shapes_grow(&rows->shapes, rows->block) && readings && rows->place && rows->keep &&
            rows->known && rows->exact && rows->unknown && rows->x && rows->sigma &&
            rows->missing && rows->nonpositive) ||
           complain_of_memory(complaint);
}

void rows_free(struct rows *rows) {
    free(rows->place);
    free(rows->keep);
    free(rows->known);
    readings_free(&rows->own);
    readings_free(&rows->other);
    free(rows->exact);
    free(rows->unknown);
    free(rows->x);
    free(rows->sigma);
    free(rows->missing);
    free(rows->nonpositive);
    target_values_free(&rows->targets);
    row_shapes_free(&rows->shapes);
    rows->place = rows->missing = rows->nonpositive = rows->exact = rows->unknown = NULL;
    rows->keep = rows->known = NULL;
    rows->x = rows->sigma = NULL;
}

static bool advance(struct rows *rows, struct complaint *complaint) {
    if (interrupted())
        return complain(complaint, INTERRUPTED, "interrupted");
    rows->first = rows->seen;
    rows->at_hand = rows->waiting;
    rows->waiting = 0;
    if (!rows->at_hand && !table_next(rows->table, rows->block, &rows->at_hand, complaint))
        return false;
    rows->seen += rows->at_hand;
    return rows->seen || complain(complaint, BAD_INPUT, "%s: no rows; expected at least one",
                                  table_path(rows->table));
}

/* Numbers that mean a missing value become NaN. */
static void drop_missing(const struct rows *rows, size_t column, double *value) {
    if (rows->missing_values)
        missing_values_drop(rows->missing_values, column, value, rows->at_hand);
}

/* Selects from the current rows: `place` and `targets`. */
static bool select_rows(struct rows *rows, struct complaint *complaint) {
    bool filter = rows->where && where_any(rows->where);
    rows->count = 0;
    if ((filter && !where_mask(rows->where, rows->table, rows->at_hand, rows->keep, complaint)) ||
        (rows->target && !target_next(rows->target, rows->table, rows->at_hand, complaint)))
        return false;
    if (rows->target && rows->target->count && !task_has_classes(rows->target->task))
        drop_missing(rows, rows->target->column[0], rows->target->cell);
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

static bool read_numbers(struct rows *rows, long column, double *value,
                         struct complaint *complaint) {
    if (!table_numbers(rows->table, (size_t)column, value, 1, complaint))
        return false;
    drop_missing(rows, (size_t)column, value);
    return true;
}

/* Columns of lower and upper errors, or of where error bars end, become errors. One that is missing
 * is like the other. */
static bool settle_sides(const struct rows *rows, const struct nim_sides *errors,
                         struct readings *readings, struct complaint *complaint) {
    const long column[2] = {errors->lower, errors->upper};
    for (size_t k = 0; k < rows->count; k++) {
        size_t i = rows->place[k];
        double x = readings->value[i], cell[2] = {readings->lower[i], readings->upper[i]};
        double side[2] = {errors->ends ? x - cell[0] : fabs(cell[0]),
                          errors->ends ? cell[1] - x : fabs(cell[1])};
        for (size_t s = 0; s < 2; s++)
            if (isinf(side[s]) || side[s] < 0.0)
                return complain_of_cell(rows, i, (size_t)column[s],
                                        isinf(cell[s]) ? "a finite number"
                                        : s            ? "an upper end, not below the value"
                                                       : "a lower end, not above the value",
                                        cell[s], complaint);
        readings->lower[i] = isnan(side[0]) ? side[1] : side[0];
        readings->upper[i] = isnan(side[1]) ? side[0] : side[1];
    }
    return true;
}

/* Errors of the current rows; `usual` if there is no column of errors. */
static bool read_errors(struct rows *rows, const struct nim_sides *errors, double usual,
                        struct readings *readings, struct complaint *complaint) {
    bool pair = errors->upper != NO_COLUMN, there = errors->lower != NO_COLUMN;
    if ((there && !read_numbers(rows, errors->lower, readings->lower, complaint)) ||
        (pair && !read_numbers(rows, errors->upper, readings->upper, complaint)))
        return false;
    if (pair)
        return settle_sides(rows, errors, readings, complaint);
    for (size_t k = 0; k < rows->count; k++) {
        size_t i = rows->place[k];
        double sigma = there ? readings->lower[i] : usual;
        if (sigma < 0.0 || isinf(sigma))
            return complain_of_cell(rows, i, (size_t)errors->lower,
                                    "a 1-sigma error, which is finite and not negative", sigma,
                                    complaint);
        readings->lower[i] = readings->upper[i] = sigma;
    }
    return true;
}

/* "<" or an upper limit: the truth is below. */
static bool parse_limit(struct span text, int8_t *limit) {
    static const struct {
        const char *text;
        int8_t limit;
    } known[] = {{"", 0},   {"=", 0}, {"0", 0},  {"<", -1},     {"<=", -1}, {"\u2264", -1},
                 {"1", -1}, {">", 1}, {">=", 1}, {"\u2265", 1}, {"-1", 1},  {"~", 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].text) == text.length &&
            memcmp(known[i].text, text.text, text.length) == 0) {
            *limit = known[i].limit;
            return true;
        }
    return false;
}

static bool read_limits(struct rows *rows, long column, int8_t *limit,
                        struct complaint *complaint) {
    if (column == NO_COLUMN)
        memset(limit, 0, rows->at_hand * sizeof *limit);
    for (size_t k = 0; column != NO_COLUMN && k < rows->count; k++) {
        struct span text;
        size_t i = rows->place[k];
        char place[256];
        if (!table_text(rows->table, i, (size_t)column, &text, complaint))
            return false;
        if (parse_limit(text, &limit[i]))
            continue;
        table_place(rows->table, i, place, sizeof place);
        return complain(complaint, BAD_INPUT,
                        "%s: column %s: '%.*s'; expected <, > or an empty cell", place,
                        table_column_name(rows->table, (size_t)column),
                        (int)(text.length < 40 ? text.length : 40), text.text);
    }
    return true;
}

/* The measurements of a column in the current rows, checked in the selected rows. */
static bool read_measured(struct rows *rows, const struct measured *measured, double usual,
                          struct readings *readings, struct complaint *complaint) {
    if (!read_numbers(rows, measured->column, readings->value, complaint))
        return false;
    for (size_t k = 0; k < rows->count; k++) {
        size_t i = rows->place[k];
        if (isinf(readings->value[i]))
            return complain_of_cell(rows, i, (size_t)measured->column, "a finite number",
                                    readings->value[i], complaint);
    }
    return read_errors(rows, &measured->errors, usual, readings, complaint) &&
           read_limits(rows, measured->limit, readings->limit, complaint);
}

static struct reading reading_at(const struct readings *readings, size_t i) {
    return (struct reading){readings->value[i], readings->lower[i], readings->upper[i],
                            readings->limit[i]};
}

static void count_cell(struct rows *rows, size_t j, double x, double sigma) {
    bool counts = !isnan(x) && feature_has_errors(&rows->columns->feature[j]);
    rows->missing[j] += isnan(x) != 0;
    rows->exact[j] += counts && sigma == 0.0;
    rows->unknown[j] += counts && isnan(sigma);
}

/* An indicator of the selected rows: exact, and missing where its column is. */
static bool read_level(struct rows *rows, const struct feature *feature,
                       struct complaint *complaint) {
    for (size_t k = 0; k < rows->count; k++) {
        struct span cell;
        size_t i = rows->place[k];
        if (!table_label(rows->table, i, (size_t)feature->value.column, &cell, complaint))
            return false;
        rows->own.value[i] = !cell.length ? (double)NAN : formula_has_level(feature->level, cell);
        rows->own.lower[i] = rows->own.upper[i] = 0.0;
        rows->own.limit[i] = 0;
    }
    return true;
}

/* One attribute of the selected rows. */
static bool read_attribute(struct rows *rows, size_t j, struct complaint *complaint) {
    const struct feature *feature = &rows->columns->feature[j];
    bool level = feature->form == FORM_LEVEL;
    size_t d = rows->columns->count;
    bool difference = feature->form == FORM_DIFFERENCE;
    double usual = error_without_column(rows, feature);
    if (!(level ? read_level(rows, feature, complaint)
                : read_measured(rows, &feature->value, usual, &rows->own, complaint)) ||
        (difference && !read_measured(rows, &feature->minus, usual, &rows->other, complaint)))
        return false;
    for (size_t k = 0; k < rows->count; k++) {
        struct reading cell = reading_at(&rows->own, rows->place[k]);
        struct reading other = difference ? reading_at(&rows->other, rows->place[k]) : cell;
        if (difference)
            formula_subtract(&cell, &other);
        else if (feature->form == FORM_LOG || feature->form == FORM_LOG10)
            rows->nonpositive[j] += formula_take_log(feature->form, &cell);
        count_cell(rows, j, cell.value, cell.lower);
        rows->x[k * d + j] = cell.value;
        rows->sigma[k * d + j] = cell.lower;
        if (rows->shapes.lopsided)
            rows->shapes.upper[k * d + j] = cell.upper;
        if (rows->shapes.limited)
            rows->shapes.limit[k * d + j] = cell.limit;
    }
    return true;
}

/* Errors of the selected targets: of two sides their root mean square, and none where it is
 * missing, as noise is learned beside. */
static bool read_target_errors(struct rows *rows, struct complaint *complaint) {
    memcpy(rows->own.value, rows->target->cell, rows->at_hand * sizeof *rows->own.value);
    if (!read_errors(rows, &rows->columns->target->value.errors, 0.0, &rows->own, complaint))
        return false;
    for (size_t k = 0; k < rows->count; k++) {
        struct reading cell = reading_at(&rows->own, rows->place[k]);
        double error = hypot(cell.lower, cell.upper) / sqrt(2.0);
        rows->targets.error[k] = isnan(error) ? 0.0 : error;
    }
    return true;
}

static bool read_correlation(struct rows *rows, const struct correlation *correlation,
                             struct complaint *complaint) {
    size_t pairs = pair_count(rows->columns->count);
    size_t place = pair_place(correlation->second, correlation->first);
    double *value = rows->own.value;
    if (!read_numbers(rows, (long)correlation->column, value, complaint))
        return false;
    for (size_t k = 0; k < rows->count; k++) {
        size_t i = rows->place[k];
        if (fabs(value[i]) > 1.0)
            return complain_of_cell(rows, i, correlation->column, "a correlation between -1 and 1",
                                    value[i], complaint);
        rows->shapes.correlation[k * pairs + place] = value[i];
    }
    return true;
}

static bool read_correlations(struct rows *rows, struct complaint *complaint) {
    size_t pairs = pair_count(rows->columns->count);
    if (rows->shapes.correlated)
        memset(rows->shapes.correlation, 0, rows->count * pairs * sizeof(double));
    for (size_t c = 0; c < rows->columns->correlations; c++)
        if (!read_correlation(rows, &rows->columns->correlation[c], complaint))
            return false;
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
    return !rows->count || ((!rows->targets.measured || read_target_errors(rows, complaint)) &&
                            read_correlations(rows, complaint));
}

bool rows_all_filtered(const struct rows *rows) {
    return rows->seen > 0 && rows->filtered == rows->seen;
}
