/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCORE_PREDICTIONS_H
#define SCORE_PREDICTIONS_H

/* What a model says of a block of rows, and what they are. */

#include "nimgp.h"
#include "score/predicts.h"

/* Central intervals whose coverage is looked at. */
enum { INTERVALS = 3 };
extern const double interval_share[INTERVALS];

enum { QUANTILES = 2 * INTERVALS };

struct predictions {
    enum predicts predicts;
    size_t classes; /* classes, levels or labels */
    size_t rows, room;

    /* Of the caller, or NULL: what the rows are. rows; rows x (classes of sets of labels, else 1).
     */
    const int32_t *label;
    const double *y;
    const double *weight; /* rows: how much each counts in scores; NULL: all alike */

    double *p;           /* rows x classes: their probabilities */
    double *log_density; /* rows: numbers, counts and sets of labels whose targets are there */
    double *mean;        /* rows: numbers and counts, and so the following */
    double *deviation;   /* rows */
    double *quantile;    /* rows x QUANTILES: both ends of the intervals */
    double *place;       /* rows x 2: P(Y < y) and P(Y <= y) of the targets that are there */

    /* Only where asked for. */
    double *entropy, *model_part, *measurement_part; /* rows: where there are classes */
    double *latent_deviation;                        /* rows: where there are none */
    double *novelty, *plausibility; /* rows, rows x classes: see predictions_ask_more; or NULL */
};

/* Room for so many rows of a model, or of so many classes with the model NULL; `parts` asks for
 * what stands below. False when out of memory; free it also then. */
bool predictions_create(struct predictions *predictions, const nim_model *model, size_t classes,
                        size_t room, bool parts);

/* Asks for novelty and plausibility too, where this model knows them; others may not, and then
 * cannot predict. False when out of memory. */
bool predictions_ask_more(struct predictions *predictions, const nim_model *model);
void predictions_free(struct predictions *predictions);

/* Predicts the rows of `data`, at most `room`. Its labels or targets are those the predictions are
 * held against; they must outlive it. */
nim_status predictions_make(struct predictions *predictions, nim_predictor *predictor,
                            const nim_data *data, nim_error *error);

/* Row i of `part` becomes row row[i] of `whole`, which has the same shape; targets are left alone.
 */
void predictions_scatter(const struct predictions *part, const size_t *row,
                         struct predictions *whole);

/* The most probable class; the first of equals. */
size_t most_probable(size_t classes, const double *p);

#endif
