/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_PREDICT_LADDER_H
#define NIMGP_PREDICT_LADDER_H

/*
 * As many points as a row needs. Each component of p(x | x~) is averaged over by itself, at pairs
 * of points (lattice.h): more of them where these say that probabilities may be further from their
 * limit than the tolerance. What a row does depends on that row alone. See
 * docs/derivations/prediction.md.
 */

#include "base/arena.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

struct nim_predictor;
struct prediction_work;

enum {
    LADDER_LEVELS = 13,
    LADDER_ROWS = 64, /* looked at together, so that their points fill whole tiles */
    LADDER_RANKS = 8, /* pairs of rows with up to so many directions are kept */
};

/* The lattices of all levels but the lowest, pairs x coordinates; and the prior variance of the
 * functions' slopes along each attribute, d: which of a row's directions matter. */
struct ladder {
    size_t coordinates;
    double *normal[LADDER_LEVELS];
    double *slope;
};

/* The pairs of one level, for rows of `rank` directions; 0: none yet. */
struct ladder_pairs {
    size_t rank;
    double *point, *weight; /* pairs x rank, pairs */
};

/* One component of one row on its way up. */
struct climb {
    size_t row;            /* at hand */
    double share;          /* of the component */
    double part;           /* of what the row's average may be off by, the component's */
    double *centre, *root; /* d, d x d: x = centre + root xi */
    size_t rank;           /* columns of root that matter; 0: the row is one point */
    bool exact;            /* looked at in double precision: one point, or far out */
    size_t level, done;    /* pairs of that level already looked at */
    bool settled;
    double *sum;    /* over points, as prediction_work.sum */
    double *square; /* C: over pairs, of the mean probability of the two */
};

/* Some of its pairs in the tile: `pairs` points from `at` on, and then their mirror images. */
struct ladder_stretch {
    struct climb *climb;
    size_t at, pairs;
};

struct ladder_work {
    /* Those of more directions than LADDER_RANKS take turns in the first. */
    struct ladder_pairs level[LADDER_LEVELS][LADDER_RANKS + 1];
    struct climb *climb;            /* LADDER_ROWS x components */
    struct ladder_stretch *stretch; /* TILE */
    double *shift;                  /* TILE x d: root xi */
    double *weight;                 /* TILE: of the pairs, at their first points */
    double *scratch;                /* d x d */
    size_t climbs, stretches, filled;
};

/* Whether rows of this model choose their points. */
bool ladder_serves(const struct nim_model *model);

void ladder_layout(struct ladder *ladder, const struct nim_model *model, struct arena *arena);
void ladder_work_layout(struct ladder_work *work, const struct nim_model *model,
                        struct arena *arena);

/* False when there is no memory. */
bool ladder_fill(struct nim_predictor *predictor);

/* Once the functions are known: which directions matter to them. */
void ladder_weigh(struct nim_predictor *predictor);

/* Predicts the `count` rows at hand, at most LADDER_ROWS. */
void ladder_predict(const struct nim_predictor *predictor, struct prediction_work *work,
                    size_t count);

#endif
