/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the options that the caller left to the library. docs/results/defaults.md says how the
 * values were chosen. */
#include "rows/noisy_cells.h"
#include "model/options.h"

/* Points at which each row is evaluated. With `marginal`: EQUAL_POINTS if all rows are equally
 * noisy, OWN_POINTS if errors differ from row to row, LEARNING_POINTS if the noise is learned. */
enum { LATENT_POINTS = 4, EQUAL_POINTS = 2, OWN_POINTS = 8, LEARNING_POINTS = 16 };

/* Rows per batch; BATCH_OF_POINTS for `marginal`, which evaluates several points per row. */
enum { BATCH_OF_ROWS = 200, BATCH_OF_POINTS = 50 };

/* Where classes overlap, input noise and a wide q(f) are two explanations of the same data. With
 * alpha = 0 the learned noise is too large, with alpha = 1 it is too small. */
#define LEARNING_ALPHA 0.8

/* Numbers, counts and levels have likelihood parameters that users read. With alpha = 1 the latent
 * functions explain the noise of y, and the learned noise is meaningless. With alpha = 0 and latent
 * inputs, predictions are far too certain where a curve is steep. */
#define MIDDLE_ALPHA 0.7

/* With exact inputs and fewer than FEW_ROWS rows, classes are predicted better with EXACT_ALPHA and
 * the full weight of the KL divergence (caution 1). */
#define EXACT_ALPHA 0.5
enum { FEW_ROWS = 2000 };

/* With alpha = 1 and caution 1 the functions stay too close to their prior. */
#define LITTLE_CAUTION 0.3
#define SOME_CAUTION 0.45 /* if errors differ from row to row */

/* With many lengthscales and few rows, some lengthscales overfit the training rows. A prior limits
 * this. */
#define LENGTHSCALE_WIDTH 0.5

/* With fewer rows than these, or for each column, a population is flat unless errors differ. */
enum { LEAST_WIDE_ROWS = 40, ROWS_PER_COLUMN = 5 };

static bool is_number(const struct nim_options *options) {
    enum target_kind target = options->likelihood->target;
    return target == TARGET_NUMBER || target == TARGET_COUNT;
}

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
 * With alpha > 0 the `se` kernel is too certain where class boundaries have corners or steps, and
 * with latent inputs where a curve is steep. So a Matern kernel is used there. If errors differ
 * from row to row, the noisiest rows are spread over regions that have no other rows. A linear term
 * extrapolates better there than a return to the mean.
 */
static const char *choose_kernel(const struct nim_options *settled, bool own_errors) {
    if (is_number(settled))
        return settled->input == &input_latent ? "matern52" : "se";
    return settled->alpha == 0.0 ? "se" : own_errors ? "linear+matern32" : "matern32";
}

/* With one draw per row, a q(x) that differs from p(x | x~, y) makes the learned noise of y 12 %
 * too large and that of x too small. With four draws the effect is half as large. */
static size_t choose_samples(const struct nim_options *settled, bool own_errors) {
    if (settled->input == &input_marginal)
        return settled->noise != NOISE_GIVEN ? LEARNING_POINTS
               : own_errors                  ? OWN_POINTS
                                             : EQUAL_POINTS;
    return settled->input == &input_latent && is_number(settled) ? LATENT_POINTS : 1;
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

/* True for classes, levels and sets of labels if alpha > 0. */
static bool fits_probabilities(const struct nim_options *settled) {
    return settled->alpha > 0.0 && !is_number(settled);
}

/* The same if the noise is given. */
static bool is_bold(const struct nim_options *settled) {
    return fits_probabilities(settled) && settled->noise == NOISE_GIVEN;
}

/*
 * With equally noisy rows, a flat population ignores that some true inputs are likelier than
 * others, and a mixture that fits badly hides what distinguishes the classes. A wide mixture avoids
 * both, if there are enough rows to learn it.
 */
static bool wants_wide_population(const struct nim_options *settled, const nim_data *data) {
    bool enough = data->rows >= LEAST_WIDE_ROWS && data->rows / ROWS_PER_COLUMN >= data->attributes;
    return settled->population == POPULATION_AUTO && settled->input == &input_marginal &&
           settled->noise == NOISE_GIVEN && enough && equally_noisy(data) &&
           count_noisy_columns(data) > 0;
}

struct nim_options options_settled(const struct nim_options *options, const nim_data *data) {
    struct nim_options settled = *options;
    enum target_kind target = options->likelihood->target;
    if (!settled.input)
        settled.input = choose_input(options, data);
    bool learns = options->noise != NOISE_GIVEN;
    if (settled.alpha == OPTION_AUTO)
        settled.alpha = choose_alpha(settled.input, target, learns, data->rows);
    bool bold = is_bold(&settled), own_errors = bold && !equally_noisy(data);
    if (!settled.kernel)
        settled.kernel = kernel_named(choose_kernel(&settled, own_errors));
    if (settled.caution == OPTION_AUTO)
        settled.caution = !bold || few_exact_classes(settled.input, target, data->rows) ? 1.0
                          : own_errors ? SOME_CAUTION
                                       : LITTLE_CAUTION;
    if (settled.lengthscale_prior == OPTION_AUTO)
        settled.lengthscale_prior = fits_probabilities(&settled) ? LENGTHSCALE_WIDTH : 0.0;
    if (settled.samples == 0)
        settled.samples = choose_samples(&settled, own_errors);
    if (settled.batch == 0)
        settled.batch = settled.input == &input_marginal ? BATCH_OF_POINTS : BATCH_OF_ROWS;
    if (wants_wide_population(&settled, data))
        settled.population = POPULATION_WIDE;
    return settled;
}

/* The number of inducing inputs. Too many are slow and let the functions follow single rows, the
 * noisiest ones first. */
size_t options_inducing(const struct nim_options *settled, const nim_data *data) {
    bool bold = is_bold(settled), own_errors = bold && !equally_noisy(data);
    size_t rows = data->rows, wanted = own_errors ? rows / 50 : rows / 20;
    size_t least = own_errors ? 20 : bold && settled->input == &input_marginal ? 50 : 40;
    if (settled->inducing)
        return settled->inducing;
    wanted = wanted < least ? least : wanted < 100 ? wanted : 100;
    return wanted < rows ? wanted : rows;
}

/* Warps exact inputs of classes only. A warp would make error bars asymmetric, and numbers and
 * counts may be linear in an attribute. */
bool options_warp(const struct nim_options *settled, const nim_data *data) {
    return settled->warp == WARP_AUTO && settled->standardise &&
           settled->likelihood->target == TARGET_CLASS && settled->input == &input_exact &&
           count_noisy_columns(data) == 0;
}
