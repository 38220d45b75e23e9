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

struct mock {
    size_t attributes, classes; /* no classes: the target is a number */
    struct mock_attribute *attribute;
    char (*class_name)[MOCK_NAME];
    const char *target; /* name of its column */
    bool has_id;        /* rows have names */
    bool has_exposure;  /* the target is a count */
    const struct mock_kind *kind;
    struct synthetic *synthetic;
    struct catalogue *catalogue;
    struct wave *wave;
    double noise;
};

/* How the attributes of its rows are measured. */
enum catalogue_measured mock_measured(const struct mock *mock);

/* Rows of a table, in memory of the caller. */
struct mock_rows {
    double *value, *error; /* rows x attributes, 1-sigma errors; NaN where there is none */
    double *upper;         /* rows x attributes: upper errors of catalogues */
    double *correlation;   /* rows x 3: of catalogues, see there */
    int8_t *limit;         /* rows x attributes: of catalogues */
    int32_t *label;        /* rows: classes, */
    double *y, *exposure;  /* or numbers */
};

/* False when out of memory. Free with mock_free in both cases. */
bool mock_synthetic(struct mock *mock, const struct synthetic_settings *settings);
bool mock_catalogue(struct mock *mock, uint64_t seed, double noise, enum catalogue_missing missing,
                    enum catalogue_measured measured);
bool mock_wave(struct mock *mock, enum wave_kind kind, uint64_t seed, double noise);
void mock_free(struct mock *mock);

/* Makes the errors of the following rows of a catalogue `factor` times as large (catalogue.h).
 */
void mock_measure_worse(struct mock *mock, double factor);

/* The next rows. */
void mock_draw(struct mock *mock, size_t rows, struct mock_rows *drawn);

/* The best possible prediction of drawn rows: probabilities, rows x classes, or mean and deviation,
 * rows x 2; and log p of the rows' targets. False when out of memory. */
bool mock_bayes(struct mock *mock, size_t rows, const struct mock_rows *drawn, double *answer,
                double *log_density);

/* The number of draws per row from which they are estimated; 0 if they are practically exact. */
size_t mock_draws(const struct mock *mock);

#endif
