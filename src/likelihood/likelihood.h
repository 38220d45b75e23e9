/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a likelihood is: p(y | f) for latent values f in R^F whose posterior is N(mean, variance),
 * independent over the F latent functions.
 *
 * Arrays of latent quantities are F x rows with `stride` doubles from one function to the next.
 * Targets are rows of target_width numbers, see enum target_kind.
 */
#ifndef LIKELIHOOD_H
#define LIKELIHOOD_H

#include "nimgp.h"

#include <stddef.h>

/* What y is, and so what a prediction is; and the numbers of a row's target. */
enum target_kind {
    TARGET_CLASS = NIM_TARGET_CLASS,   /* one of C classes: 0 .. C-1 */
    TARGET_LEVEL = NIM_TARGET_LEVEL,   /* likewise, and their order means something */
    TARGET_LABELS = NIM_TARGET_LABELS, /* any of C labels: C numbers, each 0 or 1 */
    TARGET_NUMBER = NIM_TARGET_NUMBER, /* a real number in standard units */
    TARGET_COUNT = NIM_TARGET_COUNT,   /* 0, 1, 2, ... and the exposure it was gathered over: two
                                          numbers */
};

/* The sizes and settings a likelihood may ask for. */
struct likelihood_setting {
    size_t classes;      /* C: classes, levels or labels; 0 where y is a number or a count */
    size_t functions;    /* F */
    double alpha;        /* power of the divergence, 0 .. 1: see struct expectation */
    double epsilon;      /* where label noise starts */
    int learn_epsilon;   /* whether it is a parameter */
    const double *table; /* what `fill_table` wrote */
    int coarse;          /* prediction: an error of 1e-5 in a probability is small enough */
};

/* What is known of the targets before training, to start from. */
struct target_summary {
    const double *share; /* C: share of the rows that have each class, level or label */
    double rate;         /* counts over exposures */
};

/*
 * A question to a likelihood: for each row r, under f ~ N(mean, variance),
 *
 *     value[r] = (1/alpha) log E p(target_r | f)^alpha,
 *     value[r] = E log p(target_r | f)                    for alpha = 0, its limit,
 *
 * and, all times weight[r], its derivatives. With alpha = 1 it is the log of what is predicted. The
 * value never falls as alpha grows (Jensen). For sets of labels the power is taken label by label,
 * as prediction does: it is the sum over the labels of (1/alpha) log E p(label | f)^alpha.
 *
 * Where input noise is taken to first order it moves f by g ~ N(0, blur), a new draw for every
 * measurement. A likelihood that `blurs` answers as if its p were E_g p(target_r | f + g); for the
 * others blur is part of the variance, and NULL here.
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

/* Something learned that a user may ask for by name. */
struct likelihood_quantity {
    const char *name;
    size_t (*count)(const struct likelihood_setting *setting); /* NULL: one number */
    void (*read)(const struct likelihood_setting *setting, const double *theta, double *values);
    int scales; /* in units of y: to be multiplied by its deviation */
};

struct likelihood {
    const char *name;
    const char *summary;
    enum target_kind target;
    size_t most_classes; /* 0: any number */

    /* How many latent functions; `wanted` is what the user asked for, 0 if nothing. NULL: one. */
    size_t (*functions)(size_t classes, size_t wanted);

    /* How many parameters are learned, where they start (theta: that many), and the range in
     * which they are kept. NULL: none; no limits. */
    size_t (*parameters)(const struct likelihood_setting *setting);
    void (*start)(const struct likelihood_setting *setting, const struct target_summary *summary,
                  double *theta);
    void (*keep_in_range)(const struct likelihood_setting *setting, double *theta);
    const struct likelihood_quantity *quantities; /* ended by one without a name; or NULL */

    /* Constants worked out once, read by all threads; NULL: none. False: no memory. */
    size_t (*table)(const struct likelihood_setting *setting);
    int (*fill_table)(const struct likelihood_setting *setting, double *table);

    /* Doubles of scratch one call needs, whatever the number of rows. NULL: none. */
    size_t (*scratch)(const struct likelihood_setting *setting);

    int blurs; /* see struct expectation */
    void (*expectation)(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question);

    /* Classes, levels and labels. For each row: probability (rows x C) of each, and E H[p(y|f)],
     * the entropy of y that would be left were f known. */
    void (*predict)(const struct likelihood_setting *setting, const double *theta, size_t rows,
                    const double *mean, const double *variance, size_t stride, double *probability,
                    double *label_entropy, double *scratch);

    /* Numbers and counts (F = 1). One target y, as in `expectation`, against each of the rows'
     * f ~ N(mean, variance): E y and E y^2 (of `target` only an exposure is looked at),
     * log E p(y | f), and P(Y <= y). */
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

/* Numbers in a row's target. */
size_t likelihood_target_width(const struct likelihood *likelihood, size_t classes);

/*
 * The one list of likelihoods: name.c has `likelihood_name`, whose name is the same. A new one is
 * one file and one line here; all else follows, as for kernels (kernel/kernel.h). The first of a
 * target is its default.
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

/* All of them, ended by NULL. */
extern const struct likelihood *const likelihood_list[];

#endif
