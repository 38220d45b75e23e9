/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_BOUND_H
#define NIMGP_MODEL_BOUND_H

/*
 * The evidence lower bound of a minibatch and its gradient:
 *
 *     (N/B) sum_{i in batch} w_i [ E_{q(x_i)} E_q log p(y_i | f(x_i))
 *                                  + E_{q(x_i)} log N(x~_i | x_i, V_i) - KL(q(x_i) || p(x_i)) ]
 *     - sum_c KL(q(w^c) || N(0, I)).
 *
 * The options change it: `alpha` what a point says of its label (likelihood.h), several points of a
 * row may be averaged inside a logarithm (input.h), `caution` divides the weights w_i, so that the
 * functions' KL counts that much less, and lengthscales may have a prior.
 */

#include "base/pool.h"
#include "model/model.h"

/* One step's rows, filled by the caller; arrays hold up to `most_rows`. */
struct bound_batch {
    size_t rows;
    size_t step_rows;   /* of all processes; looked at only where there are many */
    double total;       /* rows in the whole data set, copies counted: N */
    size_t *row, *copy; /* B */
    double *x, *noise;  /* B x d: x~ and the given part of V */
    double *shape;      /* B x shape_size(d): of the measurements; or NULL */
    double *target;     /* B x target width */
    double *weight;     /* B: w_i */
    double *own;        /* B x row parameters */
    uint64_t step;
    double width; /* of the draws of inputs: 1, or less while warming up */
};

struct bound;

/* Workspace for batches of up to most_rows of such data. NULL when memory or threads cannot be had.
 */
struct bound *bound_create(struct nim_model *model, const nim_data *data, size_t most_rows,
                           size_t threads);
void bound_free(struct bound *bound);

struct bound_batch *bound_batch(struct bound *bound);
struct pool *bound_pool(struct bound *bound);

/*
 * Which of a step's rows are this process's: `rows` of them from `first` on. All of them unless the
 * model has collectives; then the batch is filled with these, and bound_own_gradient is of all.
 */
void bound_share(const struct bound *bound, size_t step_rows, size_t *first, size_t *rows);

/* Who wants to know, from whichever thread it is, that a function's Z will not be looked at again
 * in this evaluation and that the gradient by it is complete. */
struct bound_listener {
    void (*z_is_done)(void *context, size_t function);
    void *context;
};

/*
 * The bound of the batch at the model's parameters, and the gradient: by the shared parameters
 * (bound_gradient) and by the batch's own (bound_own_gradient). The batch's noise and weight are
 * overwritten by V and by what each row counts. Fails with NIM_NUMERICAL, before any gradient, when
 * a covariance cannot be factorised or the bound is not finite. The listener may be NULL.
 */
nim_status bound_evaluate(struct bound *bound, const struct bound_listener *listener, double *value,
                          nim_error *error);
double *bound_gradient(struct bound *bound);
double *bound_own_gradient(struct bound *bound);

#endif
