/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The predictor and its memory, shared by the files of predict/. */

#include "math/linalg.h"
#include "base/pool.h"
#include "gp/quick.h"
#include "model/model.h"
#include "predict/ladder.h"
#include "predict/watch.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    TILE = 192,  /* points evaluated together: whole blocks of gp/quick.h */
    COARSE = 64, /* rows evaluated together, and points for one node (remeasure.c) */
    GROUPS = 32, /* groups of points to find quantiles (numbers.c) */
};

/* From this tolerance on, points of averages may be evaluated in single precision, with an error of
 * 1e-5 in probabilities. */
#define QUICK_FROM 2e-4

/* The memory of one thread. */
struct prediction_work {
    double *row_x, *row_noise;    /* COARSE x d: the current rows, in standard units */
    double *row_shape;            /* COARSE x shape_size(d): of their measurements; or NULL */
    double *x, *x_square, *noise; /* TILE x d: the points */
    double *root;                 /* COARSE x d x d: how uncertain they are, first order; or NULL.
                                     Of use where rows are `correlated`, see nim_predictor */
    /* p(x | x~) of one row, see predictor_locate. */
    struct conditioner conditioner;
    double *share, *centre, *width; /* K, K x d, d */
    double *merged, *merged_root;   /* d, d x d: that row's as one Gaussian; or NULL */
    double *slope;                  /* d: see remeasure.c */
    double *x_norm;                 /* F T x TILE */
    double *mean, *variance;        /* F x TILE */
    double *probability;            /* TILE x C */
    double *sum;                    /* 2 x F + C + 2: see results.c */
    double *node_sum, *total;       /* C: see remeasure.c */
    double *target;                 /* the row's target */
    /* If y is a number: f at all points of a row, space for as many results, and groups of points;
     * see numbers.c. */
    double *all_mean, *all_variance, *answer, *second_answer;
    double group_mean[GROUPS], group_variance[GROUPS], group_share[GROUPS];
    struct ladder_work ladder;
    struct novelty_work novelty; /* if the model can compute novelty */
    struct joint_work joint;     /* if the model's panel has mixtures over attributes and y */
    struct gp_tile tile;
    double *scratch, *likelihood_scratch;
    float *single; /* d x GP_BLOCK of points and of their squares, and scratch: see gp/quick.h */
    bool coarse;   /* the current points are for averages with errors much larger than 1e-5 */
    size_t row[COARSE];
    bool failed; /* a result was not finite */
};

/* A part of the model's panel: its predictor, and its table, in which every thread has COARSE rows.
 */
struct looker {
    struct nim_predictor *predictor;
    nim_data data;
    nim_prediction wanted;
    double *x, *sigma, *probability;
    double *scratch; /* of views, for each thread */
};

struct nim_predictor {
    const struct nim_model *model;
    struct pool *pool;
    bool owns_pool;
    struct gp_factor *factor;    /* F */
    struct gp_form *form;        /* F: for the factors that allow it */
    bool *formed;                /* F */
    struct gp_quick *quick;      /* F: if rows have different numbers of points */
    bool quickly;                /* whether they are accurate enough */
    struct gp_parameters *theta; /* F */
    double *q;                   /* F x d: 1 / lambda^2 */
    size_t coordinates;          /* of a quasi-random point: d, and one to choose a component */
    size_t points;               /* if all rows have the same number; 0 if a row is one point */
    double *normal;              /* points x coordinates; or NULL */
    double *coarse;              /* COARSE x coordinates: fewer; NULL if a row is one point */
    struct ladder ladder;        /* if rows have different numbers of points */
    bool reshares;               /* classes have other shares than in training (shares.c) */
    size_t lookers; /* parts of the model's panel, and its gate if there is one; used only if
                       `mixes` */
    struct looker looker[PANEL_MOST_PARTS + 1];
    bool mixes;    /* probabilities are wanted, and combined with those of the parts */
    double own;    /* the plain fit's weight beside mixtures over attributes and y; 1: there are
                      none */
    double *ratio; /* C: new share / share in training, if `reshares` */
    struct prediction_work *work; /* threads */
    struct arena arena;
    struct watch watch;
    /* The current call. */
    const nim_data *data;
    bool correlated, shaped; /* its rows have priors with correlated attributes; shapes */
    const nim_prediction *wanted;
    double *gain;
};

/* As nim_predictor_create. The threads are those of `pool`, or, if it is NULL, the predictor's own.
 */
nim_status predictor_create(const struct nim_model *model, struct pool *pool,
                            struct nim_predictor **predictor, nim_error *error);

/* Predicts rows first .. first+count-1 of the current call, at most COARSE, in one thread. */
void predictor_take_unit(struct nim_predictor *predictor, size_t first, size_t count,
                         size_t worker);

/* The panel (panel.c): how many predictors its parts need, their memory, the predictors themselves;
 * what parts predict for rows of one unit; the combined probabilities of one of these rows, in
 * place of those of the plain fit; and what the gate says of it. */
size_t panel_lookers(const struct nim_model *model);
void looker_layout(struct looker *looker, const struct panelist *part, size_t threads,
                   struct arena *arena);
nim_status panel_predictors_create(struct nim_predictor *predictor, nim_error *error);
void panel_look(struct nim_predictor *predictor, size_t first, size_t count, size_t worker);
void panel_mix(const struct nim_predictor *predictor, const struct prediction_work *work,
               size_t row, double *p);
const double *panel_gate(const struct nim_predictor *predictor, const struct prediction_work *work,
                         size_t row);

/* Rows first .. first+count-1 (at most COARSE) of the data, in standard units with all their noise.
 */
void predictor_take_rows(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t first, size_t count);

/* Latent means and variances and, for classes, their probabilities, at the first `count` points. */
void predictor_look(const struct nim_predictor *predictor, struct prediction_work *work,
                    size_t count);

/*
 * Computes p(x | x~) of row k of `work`: a Gaussian for each attribute (centre, width) or, if
 * attributes are correlated, a mixture (share, centre, conditioner.root).
 */
void predictor_locate(const struct nim_predictor *predictor, struct prediction_work *work,
                      size_t k);

/* Writes `count` points of this distribution to work->x, from quasi-random points. */
void predictor_spread(const struct nim_predictor *predictor, struct prediction_work *work,
                      const double *normal, size_t count);

/* Before and after the threads work on a call. predictor_finish fails if the call was stopped or a
 * result was not finite. */
void predictor_begin(struct nim_predictor *predictor, const nim_data *data);
nim_status predictor_finish(const struct nim_predictor *predictor, nim_error *error);

/* Whether all numbers are finite; sets work->failed if not. */
bool predictor_finite(struct prediction_work *work, const double *values, size_t count);

/* Entropy of one row's y: -sum p log p, or, for sets of labels, the sum over the labels. */
double predictor_entropy(const struct nim_predictor *predictor, const double *probability);

/* What parts of an entropy are multiplied by when calibration turns `plain` into `entropy`: they
 * stay in proportion, but where only the shares of the classes are predicted, inputs tell nothing.
 */
double predictor_part(const struct nim_predictor *predictor, double plain, double entropy);

/* Changes one row's probabilities in place to the class shares that were set (shares.c). */
void predictor_reshare(const struct nim_predictor *predictor, double *probability);

/* Calibrates one row's probabilities in place, with the class shares that were set. share: how much
 * of the calibration applies, from 0 to 1 (temper.h). */
void predictor_calibrate(const struct nim_predictor *predictor, double share, double *probability);

/*
 * A row's sums over its points: F means, F second moments, C probabilities and, for parts of the
 * entropy, H[p(y|x)]. These functions return the number of sums and the position
 * of the probabilities, add point p, and write the requested results from the sums over `count`
 * points.
 */
size_t predictor_sums(const struct nim_model *model);
const double *predictor_probability_sum(const struct nim_predictor *predictor, const double *sum);
void predictor_add_point(const struct nim_predictor *predictor, const struct prediction_work *work,
                         size_t p, double weight, double *sum);
void predictor_write_row(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t row, size_t count);

/* The part of predictor_write_row that is about y and novelty. */
void predictor_write_target(const struct nim_predictor *predictor, struct prediction_work *work,
                            size_t row, size_t count);

/* If y is a number: writes the requested results of data row `row`, whose f is
 * N(all_mean, all_variance) at one of `count` equally likely points (numbers.c); no points where
 * the plain fit has no weight. */
void predictor_write_numbers(const struct nim_predictor *predictor, struct prediction_work *work,
                             size_t row, size_t count);
