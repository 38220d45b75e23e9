/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Likelihoods: p(y | f) for latent values f in R^F whose posterior is N(mean, variance),
 * independent over the F latent functions.
 *
 * Arrays of latent quantities are F x rows with `stride` doubles from one function to the next.
 * Targets are rows of target_width numbers, see enum target_kind.
 */
#pragma once

#include "nimgp.h"

#include <stddef.h>

/* The kind of target, which also determines the kind of prediction. */
enum target_kind {
    TARGET_CLASS = NIM_TARGET_CLASS,   /* one of C classes: 0 .. C-1 */
    TARGET_LEVEL = NIM_TARGET_LEVEL,   /* the same, with a meaningful order */
    TARGET_LABELS = NIM_TARGET_LABELS, /* any of C labels: C numbers, each 0 or 1 */
    TARGET_NUMBER = NIM_TARGET_NUMBER, /* a real number in standard units, and the variance of its
                                          measurement error: two numbers */
    TARGET_COUNT = NIM_TARGET_COUNT,   /* 0, 1, 2, ... and its exposure: two numbers */
};

/* The sizes and settings of a likelihood. */
struct likelihood_setting {
    size_t classes;      /* C: classes, levels or labels; 0 if y is a number or a count */
    size_t functions;    /* F */
    double alpha;        /* power of the divergence, 0 .. 1: see struct expectation */
    double epsilon;      /* start of the label noise */
    int learn_epsilon;   /* whether it is a parameter */
    const double *table; /* what `fill_table` wrote */
    int coarse;          /* prediction: an error of 1e-5 in a probability is small enough */
};

/* Statistics of the targets, from which the parameters of a likelihood start. */
struct target_summary {
    const double *share; /* C: share of rows with each class, level or label */
    double rate;         /* counts over exposures */
};

/*
 * The input and output of `expectation`: for each row r, under f ~ N(mean, variance),
 *
 *     value[r] = (1/alpha) log E p(target_r | f)^alpha,
 *     value[r] = E log p(target_r | f)                    for alpha = 0, its limit,
 *
 * and its derivatives times weight[r]. With alpha = 1 it is the log of the predicted probability or
 * density. The value does not fall when alpha grows (Jensen). For sets of labels it is the sum over
 * the labels of (1/alpha) log E p(label | f)^alpha, because predictions treat labels one by one
 * too.
 *
 * With first-order input noise, the noise changes f by g ~ N(0, blur), which differs for every
 * measurement. A likelihood that `blurs` uses E_g p(target_r | f + g) as its p. For the others blur
 * is added to the variance, and is NULL here.
 */
struct expectation {
    size_t rows, stride;
    const double *target, *weight;        /* rows x target_width; rows */
    const double *mean, *variance, *blur; /* F x rows */
    double *value;                        /* rows */
    double *d_mean, *d_variance, *d_blur; /* F x rows, written */
    double *d_theta;                      /* added to; or NULL */
    double *scratch;
};

/* A learned quantity that nim_model_get returns by name. */
struct likelihood_quantity {
    const char *name;
    size_t (*count)(const struct likelihood_setting *setting); /* NULL: one number */
    void (*read)(const struct likelihood_setting *setting, const double *theta, double *values);
    int scales; /* in units of y: is multiplied by its deviation */
};

struct likelihood {
    const char *name;
    const char *summary;
    enum target_kind target;
    size_t most_classes; /* 0: any number */
    int uses_epsilon;    /* some labels are wrong */

    /* The number of latent functions; `wanted` is the option, 0 for the default. NULL: one, or
     * each_class: one for every class. */
    size_t (*functions)(size_t classes, size_t wanted);
    int each_class;

    /* The number of learned parameters, or a function for it, their start (theta) and their range.
     * NULL: no limits. */
    size_t parameter_count;
    size_t (*parameters)(const struct likelihood_setting *setting);
    void (*start)(const struct likelihood_setting *setting, const struct target_summary *summary,
                  double *theta);
    void (*keep_in_range)(const struct likelihood_setting *setting, double *theta);
    const struct likelihood_quantity *quantities; /* terminated by one without a name; or NULL */

    /* Constants that are computed once and read by all threads; NULL: none. False: out of memory.
     */
    size_t (*table)(const struct likelihood_setting *setting);
    int (*fill_table)(const struct likelihood_setting *setting, double *table);

    /* Doubles of scratch for one call with any number of rows, or a function for it. */
    size_t scratch_count;
    size_t (*scratch)(const struct likelihood_setting *setting);

    int blurs; /* see struct expectation */
    void (*expectation)(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question);

    /* Classes, levels and labels: the probability of each (rows x C). */
    void (*predict)(const struct likelihood_setting *setting, const double *theta, size_t rows,
                    const double *mean, const double *variance, size_t stride, double *probability,
                    double *scratch);

    int heavy_tails; /* the deviation of y says little of most values: predictions give half of the
                      * central 68.27 % interval */

    /* Numbers and counts (F = 1). For one target y, as in `expectation`, and each of the rows
     * f ~ N(mean, variance): E y and E y^2 (of `target` only an exposure is used; y is free of
     * measurement error), log E p(y | f), and P(Y <= y) (with the measurement error of y). */
    void (*moments)(const struct likelihood_setting *setting, const double *theta,
                    const double *target, size_t rows, const double *mean, const double *variance,
                    double *first, double *second);
    void (*log_density)(const struct likelihood_setting *setting, const double *theta,
                        const double *target, size_t rows, const double *mean,
                        const double *variance, double *value, double *scratch);
    void (*cumulative)(const struct likelihood_setting *setting, const double *theta,
                       const double *target, size_t rows, const double *mean,
                       const double *variance, double *value, double *scratch);
};

size_t likelihood_functions(const struct likelihood *likelihood, size_t classes, size_t wanted);
size_t likelihood_parameters(const struct likelihood *likelihood,
                             const struct likelihood_setting *setting);
size_t likelihood_scratch(const struct likelihood *likelihood,
                          const struct likelihood_setting *setting);

/* Numbers in a row's target. */
size_t likelihood_target_width(const struct likelihood *likelihood, size_t classes);

/*
 * The list of likelihoods: name.c defines `likelihood_name` with .name = "name". A new likelihood
 * is one file and one line here, as for kernels (kernel/kernel.h). The first likelihood of a target
 * is the default for that target.
 */
#define LIKELIHOOD_LIST(PART)                                                                      \
    PART(robust_max)                                                                               \
    PART(softmax)                                                                                  \
    PART(probit)                                                                                   \
    PART(gaussian)                                                                                 \
    PART(student_t)                                                                                \
    PART(poisson)                                                                                  \
    PART(ordinal)                                                                                  \
    PART(multilabel)

#define LIKELIHOOD_DECLARE(name) extern const struct likelihood likelihood_##name;
LIKELIHOOD_LIST(LIKELIHOOD_DECLARE)
#undef LIKELIHOOD_DECLARE

/* All likelihoods, terminated by NULL. */
extern const struct likelihood *const likelihood_list[];
