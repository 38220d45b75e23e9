/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MODEL_OPTIONS_H
#define NIMGP_MODEL_OPTIONS_H

#include "input/input.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "nimgp.h"

enum noise_mode { NOISE_GIVEN, NOISE_LEARNED, NOISE_BOTH };
enum missing_rule { MISSING_AUTO, MISSING_IGNORE };
enum stop_rule { STOP_AUTO, STOP_FIXED };

/* What a setting has a say in; a model keeps those that shape it for life. */
enum option_role { SHAPES, TRAINS, PREDICTS, RUNS };

/* SHAPES for a name that is not known. */
enum option_role option_role(const char *name);

/* Every setting, once; options.c gives name, default, range and help of each. */
struct nim_options {
    const struct kernel *kernel;
    const struct likelihood *likelihood;
    const struct input_model *input;
    size_t noise;      /* enum noise_mode */
    size_t stop;       /* enum stop_rule */
    size_t population; /* enum population_kind */
    size_t missing;    /* enum missing_rule */
    size_t degree, classes, functions, inducing, samples, points, layers, units;
    size_t epochs, warm_up, batch, seed, threads;
    size_t standardise, learn_epsilon;
    double rate, alpha, epsilon, jitter, noise_start, prior_variance;
};

#endif
