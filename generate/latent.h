/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * C functions drawn from a Gaussian process with a squared exponential kernel, as sums of random
 * cosines that can be evaluated anywhere:
 *
 *     f_c(x) = sqrt(2 s2 / K) sum_k cos(w_ck . x + b_ck),   w ~ N(0, I / lambda^2), b uniform.
 *
 * Only the index of the largest function matters, so the factor in front is omitted.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COSINES = 1000 };

struct latent {
    size_t dims, classes;
    double *term; /* classes x COSINES x (dims + 1): w, then b */
};

/* Advances `state`. False when out of memory. */
bool latent_draw(struct latent *latent, size_t dims, size_t classes, double lambda_square,
                 uint64_t *state);
void latent_free(struct latent *latent);

/* The class of one point: the index of the largest function. */
int32_t latent_label(const struct latent *latent, const double *x);

/* The classes of many points in single precision, ten times as fast: for estimates from draws,
 * where points very close to a boundary do not matter. x is dims x rows. */
void latent_labels(const struct latent *latent, size_t rows, const double *x, int32_t *label);

/*
 * The classes of all sums of a point of `a` (rows x dims) and one of `b` (columns x dims), into
 * label[rows x columns]. With cos(p + q) = cos p cos q - sin p sin q this is a matrix product, so
 * that a grid costs little more than its edges. False when out of memory.
 */
bool latent_cross_labels(const struct latent *latent, size_t rows, const double *a, size_t columns,
                         const double *b, int32_t *label);
