/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A view: what a fit sees of a row. It is a chain of steps, each of which changes the row's values
 * and errors. What a step needs to know of the training rows it learns from them, as they are after
 * the steps before it. A step is one file, with one const table, and a line in VIEW_STEP_LIST.
 *
 * A row is `width` values with their errors. The first `coordinates` of them can be mixed with each
 * other; the rest are flags. NaN is a missing value.
 */

#include "nimgp.h"

#include <stdbool.h>
#include <stddef.h>

/* A row has at most so many values for each column of the table: the column, the size of its error,
 * and their flags. */
enum { VIEW_GROWTH = 4 };

struct view_shape {
    size_t columns; /* of the table, whose values come first */
    size_t coordinates, width;
    const double *sized; /* columns: not 0 where the size of the error is a coordinate too, in the
                            same order after the columns; NULL: there are no sizes */
};

/* A table on its way through a view: rows x stride. */
struct view_rows {
    size_t rows, stride;
    double *x, *sigma;
    double *scratch; /* rows */
};

/* Adds mean (d) and covariance (d x d) of the first d values of the rows, both zero before. */
void view_moments(const struct view_rows *rows, size_t d, double *mean, double *covariance);

struct view_step {
    const char *name, *says; /* in files, and for people */
    /* How many numbers it learns from rows of this shape. */
    size_t (*numbers)(struct view_shape shape);
    /* Learns them. False when out of memory. */
    bool (*learn)(struct view_shape shape, const struct view_rows *rows, double *own);
    /* The shape of rows after it; NULL: the same. */
    struct view_shape (*reshape)(struct view_shape shape, const double *own);
    /* Changes one row in place. There is room for VIEW_GROWTH times the columns. scratch: see
     * view_scratch. */
    void (*apply)(struct view_shape shape, const double *own, double *x, double *sigma,
                  double *scratch);
};

#define VIEW_STEP_LIST(PART) PART(sizes) PART(gaps) PART(tails) PART(usual) PART(exact) PART(axes)
#define VIEW_STEP(name) extern const struct view_step view_##name;
VIEW_STEP_LIST(VIEW_STEP)
#undef VIEW_STEP

enum { VIEW_MOST_STEPS = 6 };

struct view {
    size_t columns, steps;
    const struct view_step *step[VIEW_MOST_STEPS];
    double *own[VIEW_MOST_STEPS];                 /* what each step learned */
    struct view_shape shape[VIEW_MOST_STEPS + 1]; /* before each step, and after the last */
};

/* The view with the steps of this text, "sizes gaps tails", learned from the rows of a table. */
nim_status view_learn(struct view *view, const char *steps, const nim_data *data, nim_error *error);
void view_free(struct view *view);

/* The number of values of a row. */
static inline size_t view_width(const struct view *view) {
    return view->shape[view->steps].width;
}

/* Doubles of scratch that view_row needs. */
static inline size_t view_scratch(const struct view *view) {
    size_t most = VIEW_GROWTH * view->columns;
    return most * (most + 4);
}

/* Row i of a table: x and sigma (view_width each). */
void view_row(const struct view *view, const nim_data *data, size_t i, double *x, double *sigma,
              double *scratch);

/* Row i of a table as views take it: x and sigma (columns). A limit counts as a missing value, and
 * the error of a measurement with two as their mean. */
void view_start_row(const nim_data *data, size_t i, double *x, double *sigma);

/* For files: the names of the steps, and a view from them; false for unknown ones. Steps are in the
 * order of the list. */
void view_name(const struct view *view, char *text, size_t size);
bool view_set_steps(struct view *view, const char *steps);
void view_start(struct view *view, size_t columns);

/* Sets what step k learned, once the steps before it are set. False when out of memory. */
bool view_take_step(struct view *view, size_t k, const double *own);
