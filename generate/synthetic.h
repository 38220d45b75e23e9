/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The paper's problems: C latent functions drawn from a Gaussian process (latent.h); the class is
 * the index of the largest. Inputs are uniform in a box [-h, h]^d and measured with Gaussian noise
 * of variance V. The functions are known, so the best possible prediction is known:
 *
 *     p(y | x~) = int w(x) 1[y = argmax f(x)] dx / int w(x) dx,   w(x) = N(x; x~, V I) 1[x in box].
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct synthetic_settings {
    uint64_t seed;
    size_t dims, classes;
    double noise;         /* V */
    double half_width;    /* h */
    double lambda_square; /* of the kernel */
    bool every_class;     /* draw functions until every class has its share of the box (1-D only) */
};

/* Section "Synthetic Experiments": two attributes, three classes, lambda^2 = 2, h = 2.5, V = 0.25.
 */
struct synthetic_settings synthetic_paper(uint64_t seed);

/*
 * Section "Illustrative Toy Problem": one attribute, three classes, h = 3, V = 0.1. The paper does
 * not give its kernel: lambda^2 = 1 makes three boundaries on average, which fits the published
 * error of 0.125 to 0.129, and all classes occur.
 */
struct synthetic_settings synthetic_toy(uint64_t seed);

struct synthetic;

/* NULL when out of memory. */
struct synthetic *synthetic_create(const struct synthetic_settings *settings);
void synthetic_free(struct synthetic *synthetic);

/* The next rows: true inputs (or NULL), noisy inputs, both rows x dims, and labels. The rows do not
 * depend on how many are drawn in each call. */
void synthetic_draw(struct synthetic *synthetic, size_t rows, double *clean, double *x,
                    int32_t *labels);

/*
 * Optimal probabilities, rows x classes; false when out of memory. In one or two dimensions they
 * are computed on a grid: the label is exact on points 1/400 (1/4000) of the box apart. Otherwise,
 * and if the noise is too small for the grid, they are estimated from synthetic_draws() draws of
 * the true input of each row, with half a draw added to every class; synthetic_draws() is 0 for the
 * grid. Without noise they are 0 and 1.
 */
bool synthetic_bayes(struct synthetic *synthetic, size_t rows, const double *x, double *p);
size_t synthetic_draws(const struct synthetic *synthetic);
