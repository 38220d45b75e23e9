/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One attribute x, uniform in [-3, 3], measured as N(x, error^2) with a different error in each
 * row, log-uniform in [0.05, 0.5]; and a target that depends on f(x) = sin 2x:
 *
 *   number   y ~ N(f, 0.1^2)
 *   count    y ~ Poisson(exposure exp(1 + f)), exposures uniform in [0.5, 5]
 *   level    the number of -0.5, 0, 0.5 that are below f + N(0, 0.2^2): 0 .. 3
 */

#include <stddef.h>
#include <stdint.h>

enum wave_kind { WAVE_NUMBER, WAVE_COUNT, WAVE_LEVEL, WAVE_KINDS };

enum { WAVE_LEVELS = 4 };

struct wave {
    enum wave_kind kind;
    double scale; /* of errors */
    uint64_t state;
};

struct wave_row {
    double value, error; /* x as measured */
    double exposure;     /* 1 except for counts */
    double y;
};

/* The best possible prediction of y from the measured value. */
struct wave_answer {
    double mean, deviation;
    double p[WAVE_LEVELS]; /* of levels */
    double log_density;    /* of the row's own y: density, or probability */
};

/* `noise` multiplies the variances of the errors. */
struct wave wave_create(enum wave_kind kind, uint64_t seed, double noise);
struct wave_row wave_next(struct wave *wave);
struct wave_answer wave_bayes(const struct wave *wave, const struct wave_row *row);
