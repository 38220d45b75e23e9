/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PARALLEL_PROBLEM_H
#define TESTS_PARALLEL_PROBLEM_H

/* What is trained by many, with threads (train/test_parallel.c) and with processes
 * (train/mpi_models.c): every input model with three likelihoods. */

#include "input/input.h"
#include "support/calls.h"
#include "support/problem.h"

enum { PARALLEL_LIKELIHOODS = 3 };

static inline struct problem parallel_problem(size_t input, size_t likelihood) {
    static const char *const name[PARALLEL_LIKELIHOODS] = {"robust_max", "softmax", "gaussian"};
    return (struct problem){.classes = 3,
                            .attributes = 2,
                            .inducing = 7,
                            .rows = 70,
                            .kernel = kernel_in_turn(input + likelihood),
                            .input = input_list[input]->name,
                            .noise = (input + likelihood) % 2 ? "given" : "both",
                            .learn_epsilon = likelihood == 0,
                            .likelihood = name[likelihood],
                            .unwhitened = (input + 2 * likelihood) % 4 == 1,
                            .samples = 1 + (input + likelihood) % 3};
}

static inline void parallel_options(nim_options *options) {
    set(options, "batch", "30");
    set(options, "epochs", "2");
    set(options, "stop", "fixed");
}

#endif
