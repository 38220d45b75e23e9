/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The evidence lower bound of a minibatch and its gradient:
 *
 *     (N/B) sum_{i in batch} w_i [ E_{q(x_i)} E_q log p(y_i | f(x_i))
 *                                  + E_{q(x_i)} log N(x~_i | x_i, V_i) - KL(q(x_i) || p(x_i)) ]
 *     - sum_c KL(q(w^c) || N(0, I)).
 *
 * The options change it: `alpha` changes the likelihood's term of a point (likelihood.h); several
 * points of a row may be averaged inside a logarithm (input.h); the weights w_i are divided by
 * `caution`, which reduces the relative weight of the functions' KL if caution < 1; and
 * lengthscales may have a prior.
 */

#include "base/pool.h"
#include "model/model.h"
#include "model/row_priors.h"
#include "model/shards.h"

/* One step's rows, filled by the caller; arrays hold up to `most_rows`. */
struct bound_batch {
    size_t rows;
    size_t step_start; /* position in the epoch of the step's first row; with step_rows, the rows */
    size_t step_rows;  /* of all processes. Both are used only if there are several */
    double total;      /* rows in the whole data set, copies counted: N */
    size_t *row, *copy; /* B */
    double *x, *noise;  /* B x d: x~ and the given part of V */
    double *shape;      /* B x shape_size(d): of the measurements; or NULL */
    double *target;     /* B x target width */
    double *weight;     /* B: w_i */
    double *own;        /* B x row parameters */
    uint64_t step;
    double width; /* of the draws of inputs: 1, or less while warming up */
};

/* Memory for `most_rows`; shape only if rows are `shaped` (shapes_taken). */
void bound_batch_layout(struct bound_batch *batch, const struct nim_model *model, bool shaped,
                        size_t most_rows, struct arena *arena);

/* The rows with what is known of them, in the form for input models, which then lacks only their
 * memory, draws and results. feature: as in input.h. */
struct input_batch bound_batch_input(const struct bound_batch *batch, const struct nim_model *model,
                                     const struct row_priors *priors, const double *feature);

struct bound;

/* Workspace for batches of up to most_rows rows of such data. NULL if memory or threads are not
 * available.
 */
struct bound *bound_create(struct nim_model *model, const nim_data *data, size_t most_rows,
                           size_t threads);
void bound_free(struct bound *bound);

struct bound_batch *bound_batch(struct bound *bound);
struct pool *bound_pool(struct bound *bound);

/* The shards of a step that this process evaluates: all unless the model has collectives. The batch
 * is filled with their rows only, shard by shard. */
struct shards bound_shards(const struct bound *bound);

/* The functions whose parameters this process changes, first .. end-1: all unless the model has
 * collectives. bound_evaluate computes the gradient by the parameters of these functions only. */
void bound_functions(const struct bound *bound, size_t *first, size_t *end);

/* Sends the changed parameters of this process's functions, and receives those of the others. */
nim_status bound_share_functions(struct bound *bound, nim_error *error);

/* Takes, in any thread, the gradient (d) by one of a function's inducing inputs, which will not be
 * read again in this evaluation and may be changed. bound_gradient need not have it. */
struct bound_listener {
    void (*take_z_row)(void *context, size_t function, size_t row, const double *gradient);
    void *context;
};

/*
 * The bound of the batch at the model's parameters, and the gradient: by the shared parameters
 * (bound_gradient) and by the parameters of the batch's rows (bound_own_gradient). The batch's
 * noise is overwritten by V, and its weight by the weight of each row in the bound. Fails with
 * NIM_NUMERICAL, before any gradient, if a covariance cannot be factorised or the bound is not
 * finite. The listener may be NULL.
 */
nim_status bound_evaluate(struct bound *bound, const struct bound_listener *listener, double *value,
                          nim_error *error);
double *bound_gradient(struct bound *bound);
double *bound_own_gradient(struct bound *bound);
