/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GENERATE_MOCK_H
#define GENERATE_MOCK_H

/* Simulated tables: one interface to synthetic.h, catalogue.h and wave.h, with names for columns
 * and classes. */

#include "catalogue.h"
#include "synthetic.h"
#include "wave.h"

enum { MOCK_NAME = 32 };

struct mock_attribute {
    char name[MOCK_NAME];
    const char *unit; /* or NULL */
    bool has_error;
};

/* A row, in memory of its mock. */
struct mock_row {
    const double *value, *error; /* attributes: 1-sigma errors, NaN where there is none */
    const double *upper;         /* attributes: upper errors of catalogues */
    const double *correlation;   /* 3: of catalogues, see there */
    const int8_t *limit;         /* attributes: of catalogues */
    int32_t label;               /* class, */
    double y, exposure;          /* or number */
};

/* It must stay where it was made: its row points into it. */
struct mock {
    size_t attributes, classes; /* no classes: the target is a number */
    struct mock_attribute *attribute;
    char (*class_name)[MOCK_NAME];
    const char *target; /* name of its column */
    bool has_id;        /* rows have names */
    bool has_exposure;  /* the target is a count */
    struct mock_row row;
    struct synthetic *synthetic; /* one of these three, and its row */
    double *x, *sigma;           /* attributes */
    struct catalogue *catalogue;
    struct catalogue_row source;
    struct wave *wave;
    struct wave_row point;
};

/* How the attributes of its rows are measured. */
enum catalogue_measured mock_measured(const struct mock *mock);

/* False when out of memory. Free with mock_free in both cases. */
bool mock_synthetic(struct mock *mock, const struct synthetic_settings *settings);
bool mock_catalogue(struct mock *mock, uint64_t seed, double noise, enum catalogue_missing missing,
                    enum catalogue_measured measured);
bool mock_wave(struct mock *mock, enum wave_kind kind, uint64_t seed, double noise);
void mock_free(struct mock *mock);

/* Draws the next row. */
void mock_next(struct mock *mock);

/* The best possible prediction of the row: probabilities of the classes, or mean and deviation; and
 * log p of its target. False when out of memory. */
bool mock_bayes(struct mock *mock, double *answer, double *log_density);

/* The number of draws per row from which they are estimated; 0 if they are practically exact. */
size_t mock_draws(const struct mock *mock);

#endif
