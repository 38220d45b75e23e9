/* SPDX-License-Identifier: Apache-2.0 */
/* What the options leave to the library. docs/results/defaults.md says how these were chosen. */
#include "model/options.h"

#include <math.h>

/* Points that `marginal` looks at for a row, more where they say how noisy it is, and rows in a
 * batch of theirs. */
enum { POINTS = 4, LEARNING_POINTS = 16, BATCH_OF_POINTS = 50, BATCH_OF_ROWS = 200 };

/* Where classes overlap, noise and wide latent functions explain it alike. At 0 learned noise comes
 * out too large, at 1 too small. */
#define LEARNING_ALPHA 0.8

/* Fitted to the predicted probabilities themselves, functions that pay in full for leaving their
 * prior stay too close to it. */
#define LITTLE_CAUTION 0.3

/* Many lengthscales and few rows: without a prior some end where the rows at hand happen to be
 * separated best. */
#define LENGTHSCALE_WIDTH 0.5

static bool is_noisy(const nim_data *data, size_t i, size_t j) {
    size_t d = data->attributes, from = data->sigma_rows == 1 ? 0 : i;
    return isnan(data->x[i * d + j]) || (data->sigma && !(data->sigma[from * d + j] == 0.0));
}

/* Columns with an error bar or a gap somewhere. */
static size_t count_noisy(const nim_data *data) {
    size_t count = 0;
    for (size_t j = 0; j < data->attributes; j++)
        for (size_t i = 0; i < data->rows; i++)
            if (is_noisy(data, i, j)) {
                count++;
                break;
            }
    return count;
}

static const struct input_model *choose_input(const struct nim_options *options,
                                              const nim_data *data) {
    enum target_kind target = options->likelihood->target;
    bool classes = target == TARGET_CLASS || target == TARGET_LEVEL || target == TARGET_LABELS;
    bool learns = options->noise != NOISE_GIVEN;
    if (learns && target != TARGET_CLASS)
        return &input_latent;
    size_t noisy = learns ? data->attributes : count_noisy(data);
    if (noisy == 0)
        return &input_exact;
    return classes && noisy <= MOST_INTEGRATED ? &input_marginal : &input_latent;
}

struct nim_options options_settled(const struct nim_options *options, const nim_data *data) {
    struct nim_options settled = *options;
    enum target_kind target = options->likelihood->target;
    bool numbers = target == TARGET_NUMBER || target == TARGET_COUNT;
    if (!settled.input)
        settled.input = choose_input(options, data);
    bool points = settled.input == &input_marginal, learns = options->noise != NOISE_GIVEN;
    if (settled.alpha == OPTION_AUTO)
        settled.alpha = numbers ? 0.0 : !learns ? 1.0 : points ? LEARNING_ALPHA : 0.0;
    bool bold = settled.alpha > 0.0 && !learns;
    /* Fitted to the predicted probabilities, very smooth functions are too sure where classes meet
     * in corners and steps. */
    if (!settled.kernel)
        settled.kernel = kernel_named(bold ? "matern32" : "se");
    if (settled.caution == OPTION_AUTO)
        settled.caution = bold ? LITTLE_CAUTION : 1.0;
    if (settled.lengthscale_prior == OPTION_AUTO)
        settled.lengthscale_prior = bold ? LENGTHSCALE_WIDTH : 0.0;
    if (settled.samples == 0)
        settled.samples = !points ? 1 : learns ? LEARNING_POINTS : POINTS;
    if (settled.batch == 0)
        settled.batch = points ? BATCH_OF_POINTS : BATCH_OF_ROWS;
    return settled;
}
