/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Predicts each row at as many points as it needs. Each component of p(x | x~) is averaged
 * separately, at pairs of points (lattice.h). If these show that the error of the probabilities may
 * exceed the tolerance, a level with more pairs is used. The number of points of a row depends on
 * that row only. See docs/derivations/prediction.md.
 */

#include "base/arena.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

struct nim_predictor;
struct prediction_work;

enum {
    LADDER_LEVELS = 13,
    LADDER_ROWS = 64, /* evaluated together, so that their points fill whole tiles */
    LADDER_RANKS = 8, /* pairs are kept for rows with up to this number of directions */
};

struct ladder {
    size_t coordinates;
    double *normal[LADDER_LEVELS]; /* the lattices of all levels except the lowest, pairs x
                                      coordinates */
    double *slope;                 /* d: prior variance of the functions' slopes along each
                                      attribute, which determines the directions that matter */
    double roughness;              /* factor of the error: 1 where probabilities are smooth */
};

/* The pairs of one level, for rows of `rank` directions; 0: none yet. */
struct ladder_pairs {
    size_t rank;
    double *point, *weight; /* pairs x rank, pairs */
};

/* One component of one row. */
struct climb {
    size_t row;            /* of the current rows */
    double share;          /* of the component */
    double part;           /* the component's part of the tolerance of the row */
    double *centre, *root; /* d, d x d: x = centre + root xi */
    size_t rank;           /* columns of root that matter; 0: the row is one point */
    bool exact;            /* evaluated in double precision: one point, or far from the mean */
    size_t level, done;    /* pairs of that level that are completed */
    bool complete;
    double *sum;    /* over points, as prediction_work.sum */
    double *square; /* C: sum over pairs of the squared mean probability of the two */
};

/* Pairs of a component in the tile: `pairs` points from `at` on, and then their mirror images. */
struct ladder_stretch {
    struct climb *climb;
    size_t at, pairs;
};

struct ladder_work {
    /* Ranks above LADDER_RANKS share the first entry, one after the other. */
    struct ladder_pairs level[LADDER_LEVELS][LADDER_RANKS + 1];
    struct climb *climb;            /* LADDER_ROWS x components */
    struct ladder_stretch *stretch; /* TILE */
    double *shift;                  /* TILE x d: root xi */
    double *weight;                 /* TILE: of the pairs, at their first points */
    double *scratch;                /* d x d */
    size_t climbs, stretches, filled;
};

/* Whether rows of this model have different numbers of points. */
bool ladder_serves(const struct nim_model *model);

void ladder_layout(struct ladder *ladder, const struct nim_model *model, struct arena *arena);
void ladder_work_layout(struct ladder_work *work, const struct nim_model *model,
                        struct arena *arena);

/* False when out of memory. */
bool ladder_fill(struct nim_predictor *predictor);

/* Computes what depends on the functions: slope and roughness. */
void ladder_weigh(struct nim_predictor *predictor);

/* Predicts the `count` rows in `work`, at most LADDER_ROWS. */
void ladder_predict(const struct nim_predictor *predictor, struct prediction_work *work,
                    size_t count);
