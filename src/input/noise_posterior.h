/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_INPUT_NOISE_POSTERIOR_H
#define NIMGP_INPUT_NOISE_POSTERIOR_H

/*
 * What `latent` and `amortised` share: a posterior over the measurement noise itself.
 *
 * Prior p(x) = N(0, s) and measurement N(x~ | x, V) give p(x | x~) = N(c, T) with
 * c = x~ s/(s+V) and T = V s/(s+V). Write x = c + sqrt(T) xi, so that xi ~ N(0, 1) before the label
 * is known, and let q(xi) = N(shift, exp(spread)); a row of q (B x 2 d) holds its shifts, then its
 * spreads. Then exactly
 *
 *     E log N(x~ | x, V) - KL(q(x) || p(x)) = log N(x~; 0, s + V) - KL(q(xi) || N(0, 1)).
 *
 * Two things follow. q starts at shift = spread = 0, which is V, and a learned V moves all rows'
 * q(x) along with it instead of waiting for each to follow: that is why learned noise does not
 * collapse (docs/noise-learning.md). And V = 0 is no special case: x = x~.
 */

#include "input/input.h"

/* epsilon, deviation, root and d_noise of a batch. */
void noise_posterior_layout(struct input_work *work, const struct input_setting *setting,
                            struct arena *arena);

/* Draws epsilon and fills x (B S x d) and value (B). */
void noise_posterior_place(const struct input_setting *setting, const struct input_batch *batch,
                           const double *q, struct input_work *work, double *x, double *value);

/* After it, and from what it left in `work`: fills d_q (B x 2 d) and adds to d_noise (d) unless
 * that is NULL. */
void noise_posterior_backward(const struct input_setting *setting, const struct input_batch *batch,
                              const double *q, struct input_work *work, const double *d_x,
                              double *d_q, double *d_noise);

/* Mean and variance of q(x). */
void noise_posterior_moments(const struct input_setting *setting, const struct input_batch *batch,
                             const double *q, double *mean, double *variance);

#endif
