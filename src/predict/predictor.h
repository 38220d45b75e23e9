/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_PREDICT_PREDICTOR_H
#define NIMGP_PREDICT_PREDICTOR_H

/* What predictions are made with, shared by the questions asked of them. */

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
    TILE = 192,  /* points looked at together: whole blocks of gp/quick.h */
    COARSE = 64, /* rows looked at together, and points for one node (remeasure.c) */
    GROUPS = 32, /* that points are joined in to find quantiles (numbers.c) */
    FIXED = 256, /* points where rows do not choose */
};

/* The tolerance from which on points to average over may be looked at in single precision, and
 * their probabilities may be off by 1e-5. */
#define QUICK_FROM 2e-4

/* What one thread works with. */
struct prediction_work {
    double *row_x, *row_noise;    /* COARSE x d: the rows at hand, in standard units */
    double *row_shape;            /* COARSE x shape_size(d): of their measurements; or NULL */
    double *x, *x_square, *noise; /* TILE x d: the points */
    double *root;                 /* COARSE x d x d: how uncertain they are, first order; or NULL.
                                     Of use where rows are `joined`, see nim_predictor */
    /* p(x | x~) of one row, see predictor_locate. */
    struct conditioner conditioner;
    double *share, *centre, *width; /* K, K x d, d */
    double *merged, *merged_root;   /* d, d x d: that row's as one Gaussian; or NULL */
    double *slope;                  /* d: see remeasure.c */
    double *x_norm;                 /* F T x TILE */
    double *mean, *variance;        /* F x TILE */
    double *probability;            /* TILE x C */
    double *label_entropy;          /* TILE: E H[p(y|f)] */
    double *sum;                    /* 2 x F + C + 2: see predictor.c */
    double *node_sum, *total;       /* C: see remeasure.c */
    double *target;                 /* what the row is, or what is asked about it */
    /* Where y is a number: f at all points of a row, room for as many answers, and the points
     * joined in groups; see numbers.c. */
    double *all_mean, *all_variance, *answer, *second_answer;
    double group_mean[GROUPS], group_variance[GROUPS], group_share[GROUPS];
    struct ladder_work ladder;
    struct novelty_work novelty; /* where the model knows what is usual */
    struct gp_tile tile;
    double *scratch, *likelihood_scratch;
    float *single; /* d x GP_BLOCK of points and of their squares, and scratch: see gp/quick.h */
    bool coarse;   /* points at hand are for averages that may be off by much more than 1e-5 */
    size_t row[COARSE];
    bool failed; /* some row's answer was not a finite number */
};

struct nim_predictor {
    const struct nim_model *model;
    struct pool *pool;
    struct gp_factor *factor;     /* F */
    struct gp_form *form;         /* F: for the factors that allow it */
    bool *formed;                 /* F */
    struct gp_quick *quick;       /* F: where rows choose their points */
    bool quickly;                 /* whether they will do */
    struct gp_parameters *theta;  /* F */
    double *q;                    /* F x d: 1 / lambda^2 */
    size_t coordinates;           /* of a quasi-random point: d, and one to choose a component */
    size_t points;                /* where all rows have as many; 0 where a row is one point */
    double *normal;               /* points x coordinates; or NULL */
    double *coarse;               /* COARSE x coordinates: fewer; NULL where a row is one point */
    struct ladder ladder;         /* where rows choose their points */
    bool reshares;                /* classes have other shares than in training (shares.c) */
    double *ratio;                /* C: new share / share in training, then */
    struct prediction_work *work; /* threads */
    struct arena arena;
    struct watch watch;
    /* The call under way. */
    const nim_data *data;
    bool joined, shaped; /* its rows have priors with correlated attributes; shapes */
    const nim_prediction *wanted;
    double *gain;
};

/* Rows first .. first+count-1 (at most COARSE) of the data, in standard units with all their noise.
 */
void predictor_take_rows(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t first, size_t count);

/* Latent means and variances, and where there are classes their probabilities, at the first
 * `count` points. */
void predictor_look(const struct nim_predictor *predictor, struct prediction_work *work,
                    size_t count);

/*
 * Where the true inputs of row k at hand may be, p(x | x~), kept in `work`: a Gaussian for
 * each attribute (centre, width) or, where they are correlated, a mixture (share, centre,
 * conditioner.root).
 */
void predictor_locate(const struct nim_predictor *predictor, struct prediction_work *work,
                      size_t k);

/* `count` points of it at work->x, from as many quasi-random ones. */
void predictor_spread(const struct nim_predictor *predictor, struct prediction_work *work,
                      const double *normal, size_t count);

/* Of a mixture, the one Gaussian with its mean (d) and covariance root root' (d x d). */
void predictor_merge(struct prediction_work *work, double *centre, double *root);

/* Before a call asks threads for answers, and after it: whether it was not stopped, and all answers
 * were finite numbers. */
void predictor_begin(struct nim_predictor *predictor, const nim_data *data);
nim_status predictor_finish(const struct nim_predictor *predictor, nim_error *error);

/* Whether all of them are finite; notes it in `work` where not. */
bool predictor_finite(struct prediction_work *work, const double *values, size_t count);

/* Entropy of one row's y: -sum p log p, or, of sets of labels, the sum of each label's own. */
double predictor_entropy(const struct nim_predictor *predictor, const double *probability);

/* One row's probabilities in place, for the shares of classes that were set (shares.c). */
void predictor_reshare(const struct nim_predictor *predictor, double *probability);

/* Calibrates one row's probabilities in place, for the shares of classes that were set; returns
 * their entropy as a share of what it was. */
double predictor_calibrate(const struct nim_predictor *predictor, double *probability);

/*
 * A row's sums over its points: F of mean, F of second moment, C of probability, and where parts of
 * the entropy are wanted H[p(y|x)] and E H[p(y|f,x)]. How many that is, where the probabilities
 * are, adding point p at hand, and what was asked for from the sums over `count` points.
 */
size_t predictor_sums(const struct nim_model *model);
const double *predictor_probability_sum(const struct nim_predictor *predictor, const double *sum);
void predictor_add_point(const struct nim_predictor *predictor, const struct prediction_work *work,
                         size_t p, double weight, double *sum);
void predictor_write_row(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t row, size_t count);

/* Where y is a number: what is asked of data row `row`, whose f is N(all_mean, all_variance) at
 * one of `count` equally likely points (numbers.c). */
void predictor_write_numbers(const struct nim_predictor *predictor, struct prediction_work *work,
                             size_t row, size_t count);

#endif
