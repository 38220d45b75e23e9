/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_RULES_OPTIONS_H
#define NIMGP_RULES_OPTIONS_H

#include "input/input.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "nimgp.h"

#include <stdbool.h>

enum noise_mode { NOISE_GIVEN, NOISE_LEARNED, NOISE_BOTH };
enum missing_rule { MISSING_AUTO, MISSING_IGNORE };
enum warp_rule { WARP_AUTO, WARP_NONE };
enum views_rule { VIEWS_AUTO, VIEWS_ONE, VIEWS_PANEL };
enum calibrate_rule { CALIBRATE_AUTO, CALIBRATE_NONE };
enum stop_rule { STOP_AUTO, STOP_FIXED };
enum precision { PRECISION_DOUBLE, PRECISION_SINGLE };

/* All options; options.c has name, default, range and help of each. The same structure holds what
 * the user requested and what was planned (plan/plan.h), where nothing is left to the library. */
struct nim_options {
    const struct kernel *kernel; /* NULL: auto */
    const struct likelihood *likelihood;
    const struct input_model *input; /* NULL: auto */
    size_t noise;                    /* enum noise_mode */
    size_t stop;                     /* enum stop_rule */
    size_t last_batch;               /* index in batch_rule_list, train/rules.h */
    size_t row_steps;                /* index in row_rule_list */
    size_t population;               /* enum population_kind */
    size_t missing;                  /* enum missing_rule */
    size_t warp;                     /* enum warp_rule */
    size_t calibrate;                /* enum calibrate_rule */
    size_t novelty;                  /* enum novelty_rule */
    size_t views;                    /* enum views_rule */
    size_t precision;                /* enum precision */
    size_t degree, classes, functions, inducing, samples, points, layers, units;
    size_t epochs, warm_up, batch, seed, threads;
    size_t standardise, learn_epsilon, whiten;
    double rate, alpha, caution, lengthscale_prior, epsilon, jitter, noise_start, prior_variance;
    double tolerance, lengthscale_rate, white_start;
};

/* A number that is left to the library. */
#define OPTION_AUTO (-1.0)

/* What `epochs` means if it is left to the library: at least so many passes over the data, and at
 * least so many steps as fill whole passes. */
struct training_length {
    size_t steps, passes;
};

/* The index of an option in the list, OPTION_COUNT for an unknown name. */
enum { OPTION_COUNT = 41 };
size_t option_index(const char *name);

/* Whether the option has its default value. */
bool option_is_default(const struct nim_options *options, const char *name);

/* Copies the value of one option. */
void option_copy(struct nim_options *to, const struct nim_options *from, const char *name);

#endif
