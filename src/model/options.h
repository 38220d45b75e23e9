/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_OPTIONS_H
#define NIMGP_MODEL_OPTIONS_H

#include "input/input.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "nimgp.h"

#include <stdbool.h>

enum noise_mode { NOISE_GIVEN, NOISE_LEARNED, NOISE_BOTH };
enum missing_rule { MISSING_AUTO, MISSING_IGNORE };
enum warp_rule { WARP_AUTO, WARP_NONE };
enum calibrate_rule { CALIBRATE_AUTO, CALIBRATE_NONE };
enum stop_rule { STOP_AUTO, STOP_FIXED };
enum precision { PRECISION_DOUBLE, PRECISION_SINGLE };

/* All options; options.c has name, default, range and help of each. */
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
    size_t precision;                /* enum precision */
    size_t degree, classes, functions, inducing, samples, points, layers, units;
    size_t epochs, warm_up, batch, seed, threads;
    size_t standardise, learn_epsilon, whiten;
    double rate, alpha, caution, lengthscale_prior, epsilon, jitter, noise_start, prior_variance;
    double tolerance, lengthscale_rate, white_start;
};

/* A number that is left to the library. */
#define OPTION_AUTO (-1.0)

/*
 * The options with values chosen for all that are left to the library, depending on the likelihood,
 * the data and the other options.
 *   input    marginal if classes are predicted and up to MOST_INTEGRATED attributes are noisy;
 *            exact if nothing is noisy or missing; otherwise latent
 *   kernel, alpha, caution, lengthscale_prior, samples, batch, population: see settle.c
 */
enum { MOST_INTEGRATED = 40 };
struct nim_options options_settled(const struct nim_options *options, const nim_data *data);

/* The number of inducing inputs per function. It is not stored in the settled options, so that a
 * continued training knows what the user requested. */
size_t options_inducing(const struct nim_options *settled, const nim_data *data);

/* Whether attributes with heavy tails are warped (rows/warp.h). */
bool options_warp(const struct nim_options *settled, const nim_data *data);

#endif
