/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a likelihood is: p(y | f) for latent values f in R^C whose posterior is N(mean, variance),
 * independent over the C latent functions.
 *
 * Arrays of latent quantities are C x rows with `stride` doubles from one function to the next.
 */
#ifndef LIKELIHOOD_H
#define LIKELIHOOD_H

#include <stddef.h>

/* The sizes and settings a likelihood may ask for. */
struct likelihood_setting {
    size_t classes;    /* C */
    double epsilon;    /* where label noise starts */
    int learn_epsilon; /* whether it is a parameter */
};

struct likelihood {
    const char *name;
    const char *summary;

    /* How many parameters are learned, and where they start (theta: that many). */
    size_t (*parameters)(const struct likelihood_setting *setting);
    void (*start)(const struct likelihood_setting *setting, double *theta);

    /* The share of wrong labels it believes in; NULL where that has no meaning. */
    double (*label_noise)(const struct likelihood_setting *setting, const double *theta);

    /* Doubles of scratch one call needs, whatever the number of rows. */
    size_t (*scratch)(const struct likelihood_setting *setting);

    /*
     * For each row r: value[r] = E log p(target_r | f) under f ~ N(mean, variance), and, all times
     * weight[r], its derivatives: d_mean and d_variance are written, d_theta (or NULL) is added to.
     */
    void (*expectation)(const struct likelihood_setting *setting, const double *theta, size_t rows,
                        const double *target, const double *weight, const double *mean,
                        const double *variance, size_t stride, double *value, double *d_mean,
                        double *d_variance, double *d_theta, double *scratch);

    /* For each row: probability (rows x C) of each class, summing to one, and E H[p(y|f)], the
     * entropy of the label that would be left were f known. */
    void (*predict)(const struct likelihood_setting *setting, const double *theta, size_t rows,
                    const double *mean, const double *variance, size_t stride, double *probability,
                    double *label_entropy, double *scratch);
};

extern const struct likelihood likelihood_robust_max;

/* All of them, ended by NULL. A new likelihood is one file and one line in likelihood.c. */
extern const struct likelihood *const likelihood_list[];

#endif
