/* SPDX-License-Identifier: Apache-2.0 */
/* Small random problems for tests, and a bound evaluated on a whole data set at once. */
#ifndef TESTS_PROBLEM_H
#define TESTS_PROBLEM_H

#include "model/bound.h"

#include <stdbool.h>

struct problem {
    size_t classes, attributes, inducing, rows, samples, functions;
    const char *kernel, *input, *noise;
    const char *likelihood; /* NULL: robust_max */
    const char *population; /* NULL: flat; of a mixture, every other row is far from the others */
    bool gaps;              /* some cells are missing, too few for a flag */
    bool correlated, odd;   /* errors are correlated; some are lopsided, some cells limits */
    bool learn_epsilon;
    bool single; /* precision */
    bool unwhitened;
    double alpha;
    double noise_variance; /* of the error bars; 0 means the default of about 0.1, varied by cell */
};

const char *problem_name(const struct problem *problem);

/* The bound of the paper, and predictions as they come: no power, no population, no calibration. */
void set_plain(nim_options *options);

/* The name of one kernel after the other, over and over. */
const char *kernel_in_turn(size_t turn);

/* Calls `check` with every kernel, input model and noise mode at these sizes, numbered from 0. */
typedef void check_function(const struct problem *problem, size_t combination);
void every_combination(size_t classes, size_t attributes, size_t inducing, check_function *check);
void every_unwhitened(size_t classes, size_t attributes, size_t inducing, check_function *check);

/* Calls `check` with every likelihood, input model and noise mode, C classes where it has any. */
void every_likelihood(size_t classes, size_t attributes, size_t inducing, double alpha,
                      check_function *check);

struct fixture {
    size_t rows;
    double *x, *sigma, *correlation, *upper;
    int8_t *limit;
    int32_t *labels;
    double *targets, *exposure; /* where the likelihood wants them: numbers, counts or 0 and 1 */
    nim_data data;
    nim_options *options;
    struct nim_model *model;
    struct bound *bound;
    double *own; /* rows x own parameters */
    uint64_t step;
};

void fixture_create(struct fixture *fixture, const struct problem *problem);
void fixture_free(struct fixture *fixture);

/* Moves every parameter off its start at random. */
void fixture_disturb(struct fixture *fixture);

/* The bound with all rows in the batch, and the gradient with it. */
double fixture_bound(struct fixture *fixture);

#endif
