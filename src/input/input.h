/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What an input model is: given measurements x~ with noise variances V, it computes the points x at
 * which the latent functions are evaluated, and the term of these points in the bound.
 * A minibatch has B rows, each with S points: those of row i are points i S .. i S + S - 1.
 * All inputs are in standard units.
 */

#include "base/arena.h"
#include "base/pool.h"
#include "math/random.h"
#include "population/population.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input_setting {
    size_t attributes;                   /* d */
    size_t features;                     /* numbers that describe a row's target to a network */
    size_t samples;                      /* S */
    size_t most_rows;                    /* the largest B there will be */
    const struct population *population; /* p(x) */
    size_t layers, units;                /* hidden layers of the network and their width */
};

/*
 * p(x | x~) of each row if the population has correlated attributes: a mixture of `components`
 * Gaussians, or one Gaussian for models that do not `mix`. Otherwise this is empty, and p(x | x~)
 * follows from x~ and V for each attribute.
 */
struct input_prior {
    size_t components;      /* K; 0 if it is empty */
    const double *share;    /* B x K */
    const double *centre;   /* B x K x d */
    const double *root;     /* B x K x d x d */
    const double *evidence; /* B: log p(x~) */
};

/* The rows of one step, and all that the functions of a model read and write, S points a row. `row`
 * and `copy` (augmented) identify the random draws of each. */
struct input_batch {
    const struct input_setting *setting;
    struct input_work *work;
    size_t rows;         /* B */
    const size_t *row;   /* B */
    const size_t *copy;  /* B: 0 for the row itself, 1 .. copies-1 */
    const double *x;     /* B x d: x~ */
    const double *noise; /* B x d: V */
    struct input_prior prior;
    const double *feature; /* B x features: the row's target, for a network */
    const double *weight;  /* B: weight of the row in the bound */
    uint64_t seed, step;
    double width; /* factor of the draws: 1, or less while warming up */
    struct pool *pool;
    double *const *scratch; /* a GEMM_SCRATCH for each of the pool's workers */

    const double *shared, *own;         /* parameters: shared ones, B x d row_parameters */
    double *point, *value, *log_weight; /* B S x d, B, B S: see `place` */
    const double *share, *d_point;      /* B S, B S x d: see `place_backward` */
    double *d_shared, *d_own, *d_noise; /* as the parameters; d */
    double *mean, *variance;            /* B x d: see `posterior` */
};

/* Memory shared by forward and backward; each model uses the members it needs. */
struct input_work {
    double *epsilon;   /* B S x d: standard normal draws */
    size_t *component; /* B S: the component of the prior that a point belongs to; or NULL */
    double *lattice;   /* S x (d+1): see marginal.c */
    double *q;         /* B x 2 d: what the networks of networks.c give */
    double *deviation; /* B x d: exp(spread/2), see noise_posterior.h */
    double *root;      /* B x d: sqrt(T) */
    double *d_noise;   /* B x d */
    double *layer[8];  /* B x width: the inputs of each layer of a network, see network.h */
    double *d_layer[8];
    double *second_layer[8]; /* likewise of a second network */
    double *d_second_layer[8];
    double *d_q; /* B x 2 d: adjoint of q */
};

struct input_model {
    const char *name;
    const char *summary;
    size_t copies;    /* times each row occurs in an epoch; 1 except for `augmented` */
    bool moves;       /* has parameters that move x, so that the gradient by x is always needed */
    bool widens;      /* input noise widens the latent variance through the slope; not together with
                         `moves` and `samples`, whose adjoints ignore the slope */
    bool uses_errors; /* given errors change training or prediction */
    bool joins_errors; /* errors may be correlated */
    bool reads_target; /* the posterior of a row's inputs is computed from its target */
    bool averages;     /* prediction averages over the possible x */
    bool samples;      /* draws its inputs, S times a step */
    bool inside;       /* S > 1 points are averaged inside the logarithm, see `place` */
    bool mixes;        /* uses priors of several components directly */
    bool flat;         /* supports flat populations only */
    bool shrinks;      /* uses the prior's centre, if there is one, instead of x~ */

    /* The default start of learned noise, relative to an attribute's variance. */
    double noise_start;

    double shared_rate; /* step size of shared parameters, relative to the learning rate */

    /* Numbers of parameters of each training row for each attribute, which start at zero, and of
     * shared parameters; NULL for none. */
    size_t row_parameters;
    size_t (*shared_parameters)(const struct input_setting *setting);
    void (*start)(const struct input_setting *setting, uint64_t seed, double *shared);

    void (*layout)(struct input_work *work, const struct input_setting *setting,
                   struct arena *arena);

    /* Computes constants in `work` after its memory was allocated; NULL: none. False when out of
     * memory. */
    bool (*prepare)(struct input_work *work, const struct input_setting *setting, uint64_t seed);

    /*
     * Writes the points x, and to value each row's E log N(x~ | x, V) - KL(q(x) || p(x)). Models
     * that average `inside`, with S > 1, instead write to value log p(x~), and to log_weight
     * log w_s = log p(x_s | x~) - log q(x_s) of each point. The term of a row is then
     * log p(x~) + log (1/S) sum_s w_s exp(v_s), where v_s is the likelihood's term at point s.
     */
    void (*place)(const struct input_batch *batch);

    /*
     * The adjoint: from d_point (weights included) and the derivatives of value, computes the
     * gradient by shared and own parameters (both overwritten) and by the noise variance of each
     * attribute (d_noise: added to; NULL if noise is not learned). Without `moves` it is called
     * only if noise is learned.
     * share: the share of each point in its row's sum, or NULL without `inside` and S > 1. d_point
     * already contains it. The gradient by the parameters of q is then doubly reparametrised
     * (Tucker et al., 2019): unbiased, but not the derivative of the value at fixed draws.
     */
    void (*place_backward)(const struct input_batch *batch);

    /* q(x) of the rows: mean and variance. NULL: N(x~, V) itself. */
    void (*posterior)(const struct input_batch *batch);
};

/*
 * The list of input models: name.c, here or in paper/, defines `input_name` with .name = "name". A
 * new input model is one file and one line here, as for kernels (kernel/kernel.h). The last four
 * are baselines of the published comparison.
 */
#define INPUT_LIST(PART)                                                                           \
    PART(marginal)                                                                                 \
    PART(latent)                                                                                   \
    PART(amortised)                                                                                \
    PART(first_order)                                                                              \
    PART(exact)                                                                                    \
    PART(augmented)                                                                                \
    PART(resampled)                                                                                \
    PART(narrow)                                                                                   \
    PART(networks)

#define INPUT_DECLARE(name) extern const struct input_model input_##name;
INPUT_LIST(INPUT_DECLARE)
#undef INPUT_DECLARE

/* x = x~, or the centre of the row's prior if there is one, with value 0: the place function of
 * models that do not move their inputs. */
void place_as_measured(const struct input_batch *batch);

/* Whether the model averages over the true inputs inside the logarithm, without inferring them. */
static inline bool input_integrates(const struct input_model *input) {
    return input->inside && !input->moves;
}

/* All input models, terminated by NULL. */
extern const struct input_model *const input_list[];

/* Random streams, so that no two uses share numbers. */
enum input_stream {
    STREAM_INPUT_DRAW = 16,
    STREAM_INPUT_COPY,
    STREAM_INPUT_NETWORK,
    STREAM_INPUT_SHIFT
};
