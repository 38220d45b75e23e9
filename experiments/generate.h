/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPERIMENTS_GENERATE_H
#define EXPERIMENTS_GENERATE_H

/*
 * The paper's two-dimensional problems: C latent functions drawn from a Gaussian process (squared
 * exponential, variance 0.5, lambda^2 = 2), the largest names the class; inputs uniform in the box
 * [-2.5, 2.5]^2, seen through Gaussian noise. The functions are sums of random cosines and can be
 * evaluated anywhere, so the best possible prediction is known:
 *
 *     p(y | x~) = int w(x) 1[y = argmax f(x)] dx / int w(x) dx,   w(x) = N(x; x~, V I) 1[x in box].
 */

#include <stddef.h>
#include <stdint.h>

struct synthetic {
    size_t classes, rows, test_rows;
    double noise;       /* V */
    double *x, *test_x; /* noisy inputs, rows x 2 */
    double *clean;      /* true training inputs, rows x 2 */
    int32_t *labels, *test_labels;
    double *bayes; /* test_rows x classes: optimal probabilities */
};

/* Aborts when out of memory: this is for experiments. */
struct synthetic synthetic_create(uint64_t seed, size_t classes, size_t rows, size_t test_rows,
                                  double noise);
void synthetic_free(struct synthetic *problem);

#endif
