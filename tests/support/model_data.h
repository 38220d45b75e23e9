/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_MODEL_DATA_H
#define TESTS_MODEL_DATA_H

/* A dozen rows of any kind, the same on every machine: what the models that are fuzzed learned from
 * (fuzz/seeds.c) and go on with, and tests that train hundreds of times. */

#include "nimgp.h"

enum { DATA_ROWS = 12, MOST_COLUMNS = 8, MOST_OUTPUTS = 4 };

struct model_data {
    double x[DATA_ROWS * MOST_COLUMNS], sigma[DATA_ROWS * MOST_COLUMNS];
    double targets[DATA_ROWS * MOST_OUTPUTS];
    int32_t labels[DATA_ROWS];
    nim_data data;
};

/* For models of this target ("class", "number", ...) and so many classes. Some cells are missing.
 */
void model_data_make(struct model_data *made, size_t columns, const char *target, size_t classes);

#endif
