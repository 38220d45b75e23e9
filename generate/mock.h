/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GENERATE_MOCK_H
#define GENERATE_MOCK_H

/* Tables made up: synthetic.h and catalogue.h behind one face, with names for columns and classes.
 */

#include "synthetic.h"

enum { MOCK_NAME = 32 };

struct mock_attribute {
    char name[MOCK_NAME];
    const char *unit; /* or NULL */
    bool has_error;
};

struct mock {
    size_t attributes, classes;
    struct mock_attribute *attribute;
    char (*class_name)[MOCK_NAME];
    bool has_id; /* rows stand for things with names */
    const struct mock_kind *kind;
    struct synthetic *synthetic;
    struct catalogue *catalogue;
    double noise;
};

/* false when out of memory. Free with mock_free either way. */
bool mock_synthetic(struct mock *mock, const struct synthetic_settings *settings);
bool mock_catalogue(struct mock *mock, uint64_t seed, double noise);
void mock_free(struct mock *mock);

/* The next rows: values and 1-sigma errors, rows x attributes, NaN where there is none; labels. */
void mock_draw(struct mock *mock, size_t rows, double *value, double *error, int32_t *label);

/* Optimal probabilities of drawn rows, rows x classes; false when out of memory. */
bool mock_bayes(struct mock *mock, size_t rows, const double *value, const double *error,
                double *p);

/* The number of draws a row they are estimated from; 0 when they are as good as exact. */
size_t mock_draws(const struct mock *mock);

#endif
