/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FIT_TEMPERATURE_H
#define NIMGP_FIT_TEMPERATURE_H

/*
 * How probabilities p of held-out rows are corrected (model/temper.h):
 *
 *     q_i(c) proportional to p_i(c)^a exp(b_c),   a = 1 / T.
 *
 * a and b minimise
 *
 *     -sum_i w_i log q_i(y_i) + (log T)^2 / (2 s^2) + sum_c (b_c - m_c(a))^2 / (2 t^2),
 *     m(a) = max(0, 1 - a) log(share of c): softer probabilities go to the shares of the classes,
 *
 * which is convex in b. Then a is multiplied by max(0, 1 - LEAST_GAIN / gain), where gain is by how
 * many nats q makes the labels more probable than the shares do: kernels have seen the labels of
 * held-out rows, so where there is nothing to learn there is still a gain of a few nats. With a
 * gain below that T is infinite, and all predictions are the shares.
 */

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* T and b (classes) for probabilities p (rows x classes) of rows with these labels and weights
 * (NULL: all 1). */
nim_status temperature_learn(size_t rows, size_t classes, const double *p, const int32_t *labels,
                             const double *weights, double *temperature, double *offset,
                             nim_error *error);

#endif
