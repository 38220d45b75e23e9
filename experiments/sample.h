/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPERIMENTS_SAMPLE_H
#define EXPERIMENTS_SAMPLE_H

/* A synthetic problem (synthetic.h) with its training and test rows in memory, for experiments. */

#include "generate/synthetic.h"

struct sample {
    size_t dims, classes, rows, test_rows;
    double *x, *test_x; /* noisy inputs, rows x dims */
    double *clean;      /* true training inputs, rows x dims */
    int32_t *labels, *test_labels;
    double *bayes; /* test_rows x classes: optimal probabilities */
};

/* Aborts when out of memory. */
struct sample sample_create(const struct synthetic_settings *settings, size_t rows,
                            size_t test_rows);
void sample_free(struct sample *sample);

#endif
