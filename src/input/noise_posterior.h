/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Shared by `latent`, `amortised` and `marginal`: a posterior of the measurement noise.
 *
 * Population p(x) and measurement N(x~ | x, V) give p(x | x~) = N(c, R R'). If attributes are
 * independent, p(x_j) = N(m, s), c = m + (x~ - m) s/(s+V) and R is diagonal with R_jj^2 = T =
 * V s/(s+V); otherwise c and R are in the batch (struct input_prior). Write x = c + R xi, so that
 * xi ~ N(0, I) given the measurement alone, and let q(xi) = N(shift, diag exp(spread)). A row of q
 * (B x 2 d) holds the shifts, then the spreads. Then exactly
 *
 *     E log N(x~ | x, V) - KL(q(x) || p(x)) = log p(x~) - KL(q(xi) || N(0, I)),
 *     log p(x_s | x~) - log q(x_s) = sum_j (epsilon^2 - xi^2 + spread)/2,   xi = shift +
 * exp(spread/2) epsilon.
 *
 * q starts at shift = spread = 0, which is p(x | x~). When a learned V changes, q(x) of all rows
 * changes with it, so learned noise does not collapse (docs/noise-learning.md). V = 0 is not a
 * special case: x = x~.
 */

#include "input/input.h"

/* epsilon, deviation, root and d_noise of a batch. */
void noise_posterior_layout(struct input_work *work, const struct input_setting *setting,
                            struct arena *arena);

/* Fills epsilon with random draws, all of component 0. */
void noise_posterior_draw(const struct input_batch *batch);

/* q may be NULL for q(xi) = N(0, I), of which nothing is learned: xi is epsilon.
 *
 * From epsilon: fills the points, value and, with S > 1, log_weight; see input.h. */
void noise_posterior_place(const struct input_batch *batch, const double *q);

/* The adjoint, which uses `work` as noise_posterior_place left it: writes d_q (B x 2 d) and adds to
 * d_noise, unless they are NULL. Noise is learned only if attributes are independent. */
void noise_posterior_backward(const struct input_batch *batch, const double *q, double *d_q);

/* Mean and variance of q(x). */
void noise_posterior_moments(const struct input_batch *batch, const double *q);
