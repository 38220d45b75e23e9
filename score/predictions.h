/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Predictions of a block of rows, and their targets.
 *
 *     struct predictions predictions = predictions_for(model, 0, rows);
 *     predictions_ask(&predictions, ASK_MEAN | ASK_DEVIATION);
 *     predictions_make(&predictions, predictor, &data, &error);   block by block
 *     predictions_free(&predictions);
 */

#include "nimgp.h"
#include "score/predicts.h"

/* Central intervals whose coverage is computed. */
enum { INTERVALS = 3 };
extern const double interval_share[INTERVALS];

enum { QUANTILES = 2 * INTERVALS };

/* The arrays: ARRAY(identifier, name, nim_prediction's name, numbers in a row). */
#define PREDICTED_LIST(ARRAY)                                                                      \
    ARRAY(P, p, probabilities, CLASSES)                                                            \
    ARRAY(ENTROPY, entropy, entropy, ONE)                                                          \
    ARRAY(MEASUREMENT, measurement_part, measurement_part, ONE)                                    \
    ARRAY(REST, model_part, model_part, ONE)                                                       \
    ARRAY(MEAN, mean, mean, ONE)                                                                   \
    ARRAY(DEVIATION, deviation, deviation, ONE)                                                    \
    ARRAY(QUANTILE, quantile, quantiles, LEVELS)                                                   \
    ARRAY(DENSITY, density, density, POINTS)                                                       \
    ARRAY(LATENT_MEAN, latent_mean, latent_mean, FUNCTIONS)                                        \
    ARRAY(LATENT_DEVIATION, latent_deviation, latent_variance, FUNCTIONS)                          \
    ARRAY(PLAUSIBILITY, plausibility, plausibility, CLASSES)                                       \
    ARRAY(INTERVAL, interval, interval, TWO)                                                       \
    ARRAY(NOVELTY, novelty, novelty, ONE)                                                          \
    ARRAY(TYPICAL, typical, typical, ONE)                                                          \
    ARRAY(FIT_WEIGHT, fit_weight, fit_weights, FITS)                                               \
    /* Of known targets: */                                                                        \
    ARRAY(LOG_DENSITY, log_density, log_density, ONE) /* no single classes */                      \
    ARRAY(PLACE, place, cumulative, TWO)              /* P(Y < y) and P(Y <= y) */                 \
    ARRAY(CRPS, crps, crps, ONE)

enum predicted {
#define PREDICTED_ENUM(id, ...) PREDICTED_##id,
    PREDICTED_LIST(PREDICTED_ENUM)
#undef PREDICTED_ENUM
        PREDICTED_ARRAYS
};

/* Sets of them: ASK_MEAN | ASK_DEVIATION. */
enum {
#define PREDICTED_ASK(id, ...) ASK_##id = 1 << PREDICTED_##id,
    PREDICTED_LIST(PREDICTED_ASK)
#undef PREDICTED_ASK
};

struct predictions {
    enum predicts predicts;
    size_t classes, functions; /* classes, levels or labels */
    size_t fits;               /* of a panel */
    size_t rows, room;

    /* May be set before arrays are asked for. */
    const double *level; /* levels: of quantiles; at first the ends of the intervals */
    size_t levels;
    const double *grid; /* points: of the density */
    size_t points;
    double coverage; /* of `interval` */

    /* The targets, owned by the caller, or NULL: rows; rows x (classes for sets of labels, else 1).
     */
    const int32_t *label;
    const double *y;
    const double *weight; /* rows: weights in scores; NULL: all equal */

    union { /* rows x predictions_width; NULL where they were not asked for */
        struct {
#define PREDICTED_MEMBER(id, name, ...) double *name;
            PREDICTED_LIST(PREDICTED_MEMBER)
#undef PREDICTED_MEMBER
        };
        double *value[PREDICTED_ARRAYS];
    };
};

/* Without arrays; of the classes of the model, or of so many if it is NULL. */
struct predictions predictions_for(const nim_model *model, size_t classes, size_t room);

/* Allocates memory for these arrays. False when out of memory; must be freed then too. */
bool predictions_ask(struct predictions *predictions, unsigned arrays);

/* Both for the arrays that scores need; `parts` also for entropy and its part due to measurement,
 * or the deviation of the latent function. */
bool predictions_create(struct predictions *predictions, const nim_model *model, size_t classes,
                        size_t room, bool parts);

/* Whether the model, which may be NULL, kept any of what an array of nim_model_get holds. */
bool model_knows(const nim_model *model, const char *array);

/* Also requests novelty and plausibility, if this model can compute them. The predictions can then
 * be used only with models that can. False when out of memory. */
bool predictions_ask_more(struct predictions *predictions, const nim_model *model);
void predictions_free(struct predictions *predictions);

size_t predictions_width(const struct predictions *predictions, enum predicted array);

/* Predicts the rows of `data`, at most `room`. Its labels or targets are compared with the
 * predictions, and must exist as long as they are used. */
nim_status predictions_make(struct predictions *predictions, nim_predictor *predictor,
                            const nim_data *data, nim_error *error);

/* Rows first .. first+count-1, without memory of their own. */
struct predictions predictions_stretch(const struct predictions *all, size_t first, size_t count);

/* Copies row i of `part` to row row[i] of `whole`, which has the same shape; targets are not
 * changed.
 */
void predictions_scatter(const struct predictions *part, const size_t *row,
                         struct predictions *whole);

/* The most probable class; the first of equals. */
size_t most_probable(size_t classes, const double *p);
