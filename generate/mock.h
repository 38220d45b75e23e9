/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Simulated tables: one interface to synthetic.h, catalogue.h and wave.h. A mock draws one row
 * after the other into its own memory and lists the columns that show it. */

#include "catalogue.h"
#include "synthetic.h"
#include "wave.h"

enum {
    MOCK_MOST = 100, /* attributes; classes */
    MOCK_COLUMNS = 2 * MOCK_MOST + 2,
    MOCK_NAME = 64
};

/* Its cell of the present row is a number, or else a text. */
struct mock_column {
    char name[MOCK_NAME];
    const char *unit; /* or NULL */
    const double *number;
    const char *const *text;
};

struct mock_table {
    size_t columns;
    struct mock_column column[MOCK_COLUMNS];
};

/* It must stay where it was made: its columns point into it. */
struct mock {
    struct mock_table rows; /* the target is the last column */
    struct mock_table best; /* of mock_bayes: probabilities of the classes, or mean and deviation */
    size_t classes;         /* none: the target is a number */
    const char *class_name[MOCK_MOST];
    bool has_id; /* rows have names */

    /* The present row: its class or number, and what is in the columns. */
    int32_t label;
    double y;
    double answer[MOCK_MOST];
    double lower[CATALOGUE_ATTRIBUTES];
    const char *id, *class, *limit[CATALOGUE_ATTRIBUTES];
    size_t drawn; /* rows so far */
    char id_text[24], class_text[MOCK_MOST][24];

    /* Where it comes from: one of these. */
    struct synthetic *synthetic;
    double x[MOCK_MOST], sigma;
    bool is_wave;
    struct catalogue catalogue;
    struct catalogue_row source;
    struct wave wave;
    struct wave_row point;
};

/* False when out of memory. Free with mock_free in both cases. */
bool mock_synthetic(struct mock *mock, const struct synthetic_settings *settings);
void mock_catalogue(struct mock *mock, uint64_t seed, double noise, enum catalogue_missing missing,
                    enum catalogue_measured measured);
void mock_wave(struct mock *mock, enum wave_kind kind, uint64_t seed, double noise);
void mock_free(struct mock *mock);

/* Draws the next row. */
void mock_next(struct mock *mock);

/* The best possible prediction of the row, and log p of its target. False when out of memory. */
bool mock_bayes(struct mock *mock, double *log_density);

/* The number of draws per row from which they are estimated; 0 if they are practically exact. */
size_t mock_draws(const struct mock *mock);
