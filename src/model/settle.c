/* SPDX-License-Identifier: Apache-2.0 */
/* What the options leave to the library. docs/results/defaults.md says how these were chosen. */
#include "data/noisy_cells.h"
#include "model/options.h"

/* Points a row is looked at in: with `marginal` two where all rows are equally noisy, more where
 * some are spread wider than others, most where points say how noisy rows are. */
enum { LATENT_POINTS = 4, EQUAL_POINTS = 2, OWN_POINTS = 8, LEARNING_POINTS = 16 };

/* Rows in a batch, and rows with several points. */
enum { BATCH_OF_ROWS = 200, BATCH_OF_POINTS = 50 };

/* Where classes overlap, noise and wide latent functions explain it alike. At 0 learned noise comes
 * out too large, at 1 too small. */
#define LEARNING_ALPHA 0.8

/* Numbers, counts and levels have parameters that are read, and at 1 functions take over what is
 * theirs; at 0 functions of latent inputs are far too sure where a curve is steep. */
#define MIDDLE_ALPHA 0.7

/* Few rows of exact inputs mislead less when functions pay in full for leaving their prior, and are
 * fitted to the predicted probabilities only half way. */
#define EXACT_ALPHA 0.5
enum { FEW_ROWS = 2000 };

/* Fitted to the predicted probabilities themselves, functions that pay in full for leaving their
 * prior stay too close to it. */
#define LITTLE_CAUTION 0.3
#define SOME_CAUTION 0.45 /* where rows differ in their errors */

/* Many lengthscales and few rows: without a prior some end where the rows at hand happen to be
 * separated best. */
#define LENGTHSCALE_WIDTH 0.5

static const struct input_model *choose_input(const struct nim_options *options,
                                              const nim_data *data) {
    enum target_kind target = options->likelihood->target;
    bool classes = target == TARGET_CLASS || target == TARGET_LEVEL || target == TARGET_LABELS;
    bool learns = options->noise != NOISE_GIVEN;
    if (learns && target != TARGET_CLASS && target != TARGET_LEVEL)
        return &input_latent;
    size_t noisy = learns ? data->attributes : count_noisy_columns(data);
    if (noisy == 0)
        return &input_exact;
    return classes && noisy <= MOST_INTEGRATED ? &input_marginal : &input_latent;
}

/*
 * Fitted to the predicted probabilities, very smooth functions are too sure where classes meet in
 * corners and steps, and those of latent inputs where a curve is steep. Where each row has errors
 * of its own, the worst are spread over places where no others are, and a linear term says more
 * there than a return to the mean.
 */
static const char *choose_kernel(const struct input_model *input, bool numbers, bool bold,
                                 bool own_errors) {
    if (numbers)
        return input == &input_latent ? "matern52" : "se";
    return !bold ? "se" : own_errors ? "linear+matern32" : "matern32";
}

/* With one draw a row, q(x) that is not quite p(x | x~, y) leaves its misfit to the noise of y,
 * which comes out 12 % too large, and takes it from learned noise of x. With four it is half that.
 */
static size_t choose_samples(const struct input_model *input, bool numbers, bool learns,
                             bool own_errors) {
    if (input == &input_marginal)
        return learns ? LEARNING_POINTS : own_errors ? OWN_POINTS : EQUAL_POINTS;
    return input == &input_latent && numbers ? LATENT_POINTS : 1;
}

static bool few_exact_classes(const struct input_model *input, enum target_kind target,
                              size_t rows) {
    return target == TARGET_CLASS && input == &input_exact && rows < FEW_ROWS;
}

static double choose_alpha(const struct input_model *input, enum target_kind target, bool learns,
                           size_t rows) {
    switch (target) {
    case TARGET_NUMBER:
    case TARGET_COUNT:
        return input == &input_latent ? MIDDLE_ALPHA : 0.0;
    default:
        if (learns)
            return input == &input_marginal ? LEARNING_ALPHA : 0.0;
        if (few_exact_classes(input, target, rows))
            return EXACT_ALPHA;
        return target == TARGET_LEVEL ? MIDDLE_ALPHA : 1.0;
    }
}

/* Functions of classes, levels or sets that are fitted to the predicted probabilities. */
static bool is_bold(const struct nim_options *settled) {
    enum target_kind target = settled->likelihood->target;
    bool numbers = target == TARGET_NUMBER || target == TARGET_COUNT;
    return settled->alpha > 0.0 && !numbers && settled->noise == NOISE_GIVEN;
}

struct nim_options options_settled(const struct nim_options *options, const nim_data *data) {
    struct nim_options settled = *options;
    enum target_kind target = options->likelihood->target;
    bool numbers = target == TARGET_NUMBER || target == TARGET_COUNT;
    if (!settled.input)
        settled.input = choose_input(options, data);
    bool learns = options->noise != NOISE_GIVEN;
    if (settled.alpha == OPTION_AUTO)
        settled.alpha = choose_alpha(settled.input, target, learns, data->rows);
    bool bold = is_bold(&settled), own_errors = bold && !equally_noisy(data);
    if (!settled.kernel)
        settled.kernel = kernel_named(choose_kernel(settled.input, numbers, bold, own_errors));
    if (settled.caution == OPTION_AUTO)
        settled.caution = !bold || few_exact_classes(settled.input, target, data->rows) ? 1.0
                          : own_errors ? SOME_CAUTION
                                       : LITTLE_CAUTION;
    if (settled.lengthscale_prior == OPTION_AUTO)
        settled.lengthscale_prior = bold ? LENGTHSCALE_WIDTH : 0.0;
    if (settled.samples == 0)
        settled.samples = choose_samples(settled.input, numbers, learns, own_errors);
    if (settled.batch == 0)
        settled.batch = settled.input == &input_marginal ? BATCH_OF_POINTS : BATCH_OF_ROWS;
    return settled;
}

/* Enough for the data, few enough to be quick. More of them let functions follow single rows, and
 * the worst measured ones at that. */
size_t options_inducing(const struct nim_options *settled, const nim_data *data) {
    bool bold = is_bold(settled), own_errors = bold && !equally_noisy(data);
    size_t rows = data->rows, wanted = own_errors ? rows / 50 : rows / 20;
    size_t least = own_errors ? 20 : bold && settled->input == &input_marginal ? 50 : 40;
    if (settled->inducing)
        return settled->inducing;
    wanted = wanted < least ? least : wanted < 100 ? wanted : 100;
    return wanted < rows ? wanted : rows;
}

/* A warp bends error bars, and numbers and counts may well be linear in an attribute. */
bool options_warp(const struct nim_options *settled, const nim_data *data) {
    return settled->warp == WARP_AUTO && settled->standardise &&
           settled->likelihood->target == TARGET_CLASS && settled->input == &input_exact &&
           count_noisy_columns(data) == 0;
}
