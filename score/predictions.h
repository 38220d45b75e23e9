/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Predictions of a block of rows, and their targets. */

#include "nimgp.h"
#include "score/predicts.h"

/* Central intervals whose coverage is computed. */
enum { INTERVALS = 3 };
extern const double interval_share[INTERVALS];

enum { QUANTILES = 2 * INTERVALS };

struct predictions {
    enum predicts predicts;
    size_t classes; /* classes, levels or labels */
    size_t rows, room;

    /* The targets, owned by the caller, or NULL: rows; rows x (classes for sets of labels, else 1).
     */
    const int32_t *label;
    const double *y;
    const double *weight; /* rows: weights in scores; NULL: all equal */

    double *p;           /* rows x classes: their probabilities */
    double *log_density; /* rows: numbers, counts and sets of labels with known targets */
    double *mean;        /* rows: numbers and counts, and so the following */
    double *deviation;   /* rows */
    double *quantile;    /* rows x QUANTILES: both ends of the intervals */
    double *place;       /* rows x 2: P(Y < y) and P(Y <= y) of known targets */
    double *crps;        /* rows: numbers with known targets; see nimgp.h */

    /* Only if requested. */
    double *entropy, *measurement_part; /* rows: where there are classes */
    double *latent_deviation;           /* rows: where there are none */
    double *novelty, *plausibility; /* rows, rows x classes: see predictions_ask_more; or NULL */
};

/* Allocates memory for this number of rows of a model, or of these classes if the model is NULL;
 * `parts` requests the members below. False when out of memory; must be freed then too. */
bool predictions_create(struct predictions *predictions, const nim_model *model, size_t classes,
                        size_t room, bool parts);

/* Also requests novelty and plausibility, if this model can compute them. The predictions can then
 * be used only with models that can. False when out of memory. */
bool predictions_ask_more(struct predictions *predictions, const nim_model *model);
void predictions_free(struct predictions *predictions);

/* Predicts the rows of `data`, at most `room`. Its labels or targets are compared with the
 * predictions, and must exist as long as they are used. */
nim_status predictions_make(struct predictions *predictions, nim_predictor *predictor,
                            const nim_data *data, nim_error *error);

/* Copies row i of `part` to row row[i] of `whole`, which has the same shape; targets are not
 * changed.
 */
void predictions_scatter(const struct predictions *part, const size_t *row,
                         struct predictions *whole);

/* The most probable class; the first of equals. */
size_t most_probable(size_t classes, const double *p);
