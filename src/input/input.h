/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_INPUT_INPUT_H
#define NIMGP_INPUT_INPUT_H

/*
 * What an input model is: given measurements x~ with noise variances V, where are the points x at
 * which the latent functions are looked at, and what does believing so cost?
 *
 * A minibatch has B rows, each looked at in S places: row i's are points i S .. i S + S - 1.
 * All inputs are in standard units.
 */

#include "base/arena.h"
#include "base/pool.h"
#include "math/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input_setting {
    size_t attributes;     /* d */
    size_t features;       /* numbers that tell a network what a row is */
    size_t samples;        /* S */
    size_t most_rows;      /* the largest B there will be */
    double prior_variance; /* of p(x) = N(0, prior_variance I) */
    size_t layers, units;  /* hidden layers of the network and their width */
};

/* The rows of one step. `row` names each for its random draws, its copy (augmented) included. */
struct input_batch {
    size_t rows;           /* B */
    const size_t *row;     /* B */
    const size_t *copy;    /* B: 0 for the row itself, 1 .. copies-1 */
    const double *x;       /* B x d: x~ */
    const double *noise;   /* B x d: V */
    const double *feature; /* B x features: what the row is, for a network */
    const double *weight;  /* B: what the row counts in the bound */
    uint64_t seed, step;
    double width; /* factor of the draws: 1, or less while warming up */
    struct pool *pool;
    double *const *scratch; /* a GEMM_SCRATCH for each of the pool's workers */
};

/* Memory between forward and backward: each model takes what it needs. */
struct input_work {
    double *epsilon;   /* B S x d: standard normal draws */
    double *deviation; /* B x d: exp(spread/2), see noise_posterior.h */
    double *root;      /* B x d: sqrt(T) */
    double *d_noise;   /* B x d */
    double *layer[8];  /* B x width: what each layer of the network gives */
    double *d_layer[8];
};

struct input_model {
    const char *name;
    const char *summary;
    size_t copies; /* times each row occurs in an epoch; 1 but for `augmented` */
    bool moves;    /* has parameters that move x, so that the gradient by x is always needed */
    bool widens;   /* input noise widens the latent variance through the slope; excludes `moves` and
                      `samples`, whose adjoints do not look through the slope */
    bool averages; /* prediction averages over where x may be */
    bool samples;  /* draws its inputs, S times a step */

    /* Where learned noise best starts, in units of an attribute's variance. */
    double noise_start;

    /* Parameters of each training row, all zero at the start, and shared ones; NULL for none. */
    size_t (*row_parameters)(const struct input_setting *setting);
    size_t (*shared_parameters)(const struct input_setting *setting);
    void (*start)(const struct input_setting *setting, uint64_t seed, double *shared);

    void (*layout)(struct input_work *work, const struct input_setting *setting,
                   struct arena *arena);

    /*
     * Writes x (B S x d), and to value (B) each row's E log N(x~ | x, V) - KL(q(x) || p(x)).
     * own: B x row_parameters.
     */
    void (*place)(const struct input_setting *setting, const struct input_batch *batch,
                  const double *shared, const double *own, struct input_work *work, double *x,
                  double *value);

    /*
     * From d_x (B S x d, weights included) and the values' own derivatives to the gradient by
     * shared and own (both overwritten) and by the noise variance of each attribute (d_noise: d,
     * added to; NULL when noise is not learned). Without `moves` it is called only when noise is.
     */
    void (*place_backward)(const struct input_setting *setting, const struct input_batch *batch,
                           const double *shared, const double *own, struct input_work *work,
                           const double *d_x, double *d_shared, double *d_own, double *d_noise);

    /* q(x) of the rows: mean and variance, B x d each. NULL: N(x~, V) itself. */
    void (*posterior)(const struct input_setting *setting, const struct input_batch *batch,
                      const double *shared, const double *own, struct input_work *work,
                      double *mean, double *variance);
};

extern const struct input_model input_exact;
extern const struct input_model input_latent;
extern const struct input_model input_amortised;
extern const struct input_model input_first_order;
extern const struct input_model input_augmented;
extern const struct input_model input_resampled;

/* All of them, ended by NULL. A new input model is one file and one line in input.c. */
extern const struct input_model *const input_list[];

/* Random streams, so that no two uses share numbers. */
enum input_stream { STREAM_INPUT_DRAW = 16, STREAM_INPUT_COPY, STREAM_INPUT_NETWORK };

#endif
