/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

static void insist(bool good) {
    if (good)
        return;
    fputs("out of memory\n", stderr);
    abort();
}

static void *get(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    insist(memory != NULL);
    return memory;
}

struct sample sample_create(const struct synthetic_settings *settings, size_t rows,
                            size_t test_rows) {
    struct sample sample = {.dims = settings->dims, .classes = settings->classes};
    sample.rows = rows;
    sample.test_rows = test_rows;
    sample.x = get(rows * sample.dims, sizeof(double));
    sample.clean = get(rows * sample.dims, sizeof(double));
    sample.test_x = get(test_rows * sample.dims, sizeof(double));
    sample.labels = get(rows, sizeof(int32_t));
    sample.test_labels = get(test_rows, sizeof(int32_t));
    sample.bayes = get(test_rows * sample.classes, sizeof(double));
    struct synthetic *synthetic = synthetic_create(settings);
    insist(synthetic != NULL);
    synthetic_draw(synthetic, rows, sample.clean, sample.x, sample.labels);
    synthetic_draw(synthetic, test_rows, NULL, sample.test_x, sample.test_labels);
    insist(synthetic_bayes(synthetic, test_rows, sample.test_x, sample.bayes));
    synthetic_free(synthetic);
    return sample;
}

void sample_free(struct sample *sample) {
    free(sample->x);
    free(sample->clean);
    free(sample->test_x);
    free(sample->labels);
    free(sample->test_labels);
    free(sample->bayes);
}
