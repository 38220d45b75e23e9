/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- conditions ------------------ */

#define CONDITION(name, clause, expression)                                                        \
    static bool name##_holds(const struct situation *s) {                                          \
        return expression;                                                                         \
    }                                                                                              \
    static const struct condition name = {clause, name##_holds};

static enum target_kind target_of(const struct situation *s) {
    return s->options->likelihood->target;
}

static bool is_number(const struct situation *s) {
    return target_of(s) == TARGET_NUMBER || target_of(s) == TARGET_COUNT;
}

static bool learns_noise(const struct situation *s) {
    return s->options->noise != NOISE_GIVEN;
}

static size_t noisy_columns(const struct situation *s) {
    return learns_noise(s) ? s->facts->attributes : s->facts->noisy_columns;
}

CONDITION(classes, "classes are predicted", target_of(s) == TARGET_CLASS)
CONDITION(levels, "levels are predicted", target_of(s) == TARGET_LEVEL)
CONDITION(numbers, "numbers or counts are predicted", is_number(s))
CONDITION(probabilities, "classes, levels or labels are predicted", !is_number(s))
CONDITION(no_classes, "numbers, counts or labels are predicted",
          target_of(s) != TARGET_CLASS && target_of(s) != TARGET_LEVEL)
CONDITION(one_number, "a number is predicted", target_of(s) == TARGET_NUMBER)
CONDITION(noise_given, "noise is given", !learns_noise(s))
CONDITION(noise_learned, "noise is learned", learns_noise(s))

CONDITION(marginal_inputs, "inputs are marginal", input_integrates(s->options->input))
CONDITION(latent_inputs, "inputs are latent",
          s->options->input->inside && s->options->input->row_parameters)
CONDITION(exact_inputs, "inputs are exact", !s->options->input->uses_errors)
CONDITION(inputs_stay, "inputs are not inferred", !s->options->input->moves)

/* The rules about probabilities and noise: with alpha > 0 training maximises the predicted
 * probabilities themselves. */
CONDITION(alpha_above_0, "alpha is above 0", s->options->alpha > 0.0)
CONDITION(fits_probabilities, "classes, levels or labels are predicted with alpha above 0",
          s->options->alpha > 0.0 && !is_number(s))
CONDITION(is_bold, "classes, levels or labels are predicted with alpha above 0 and given noise",
          fits_probabilities_holds(s) && !learns_noise(s))

CONDITION(errors_seen, "inputs are not taken as exact in spite of errors",
          s->options->input->uses_errors || s->facts->noisy_columns == 0)
CONDITION(nothing_noisy, "no cell has an error or is missing", s->facts->noisy_columns == 0)
CONDITION(few_noisy, "at most 40 attributes are noisy", noisy_columns(s) <= 40)
CONDITION(few_rows, "there are fewer than 2000 rows", s->facts->rows < 2000)
CONDITION(many_rows, "there are at least 20000 rows, 2000 if inputs are exact",
          s->facts->rows >= (s->options->input->uses_errors ? 20000 : 2000))
CONDITION(rows_differ, "errors differ from row to row", !s->facts->equally_noisy)
CONDITION(rows_equal, "all rows are equally noisy", s->facts->equally_noisy)
CONDITION(rows_noisy, "all rows are equally noisy",
          s->facts->equally_noisy && s->facts->noisy_columns > 0)
CONDITION(sizes_differ, "errors differ in 300 to 100000 rows of at most 64 attributes",
          s->facts->errors_differ && s->facts->rows >= 300 && s->facts->rows <= 100000 &&
              s->facts->attributes <= 64)
CONDITION(calibrated, "predictions are calibrated", s->options->calibrate == CALIBRATE_AUTO)
CONDITION(gaps_seen, "missing cells are not ignored", s->options->missing == MISSING_AUTO)
CONDITION(enough_rows, "there are at least 40 rows and 5 for each attribute",
          s->facts->rows >= 40 && s->facts->rows / 5 >= s->facts->attributes)
CONDITION(other_rows, "there are other rows to learn it from", s->facts->others)
CONDITION(few_attributes, "there are at most 64 attributes",
          s->facts->width <= POPULATION_MOST_ATTRIBUTES)
CONDITION(few_columns, "there are fewer than 64 columns",
          s->facts->attributes < POPULATION_MOST_ATTRIBUTES)
CONDITION(standardised, "attributes are standardised", s->options->standardise != 0)
CONDITION(needs_flat, "the input model needs it", s->options->input->flat)
CONDITION(unused, "the input model does not infer inputs",
          !s->options->input->averages && !s->options->input->widens)

CONDITION(not_polynomial, "the kernel is not polynomial", !s->options->kernel->term[0]->uses_degree)
CONDITION(no_labels, "sets of labels are not predicted", target_of(s) != TARGET_LABELS)
CONDITION(not_robust, "the likelihood is not robust_max", !s->options->likelihood->uses_epsilon)
CONDITION(no_network, "inputs are not inferred by a network", !s->options->input->shared_parameters)
CONDITION(nothing_drawn, "inputs are not drawn", !s->options->input->samples)
CONDITION(no_own_rows, "rows have no parameters of their own", !s->options->input->row_parameters)
CONDITION(not_flat, "the population is not flat", s->options->population != POPULATION_FLAT)
CONDITION(not_averaged, "predictions are not averages over inputs", !s->options->input->averages)
CONDITION(fixed_points, "the number of points is fixed", s->options->points != 0)
CONDITION(uncalibrated, "sets of labels are predicted", target_of(s) == TARGET_LABELS)

/* ---------------------------------------------------------------- computed values ------------- */

#define CHOOSE(name)                                                                               \
    static void name(const struct rule *rule, const struct situation *s,                           \
                     struct nim_options *options, struct training_length *length)

/* One for every numbers[0] rows, numbers[1] to numbers[2]. Too many inducing inputs are slow and
 * let the functions follow single rows, the noisiest first. */
CHOOSE(some_inducing) {
    (void)length;
    size_t rows = s->facts->rows, wanted = rows / rule->numbers[0];
    size_t least = rule->numbers[1], most = rule->numbers[2];
    wanted = wanted < least ? least : wanted < most ? wanted : most;
    options->inducing = wanted < rows ? wanted : rows;
}

/* If y has an order, more noise would make the functions start too flat. The variation of y would
 * then be learned as noise of y, which decreases only slowly (docs/noise-learning.md). */
CHOOSE(noise_start) {
    (void)rule, (void)length;
    bool ordered = is_number(s) || target_of(s) == TARGET_LEVEL;
    options->noise_start = fmin(options->input->noise_start, ordered ? 0.03 : 1.0);
}

CHOOSE(white_start) {
    (void)rule, (void)s, (void)length;
    options->white_start = exp(-10.0);
}

/* numbers: steps, passes, and the most steps. */
CHOOSE(training_length) {
    (void)s, (void)options;
    *length = (struct training_length){rule->numbers[0], rule->numbers[1], rule->numbers[2]};
}

CHOOSE(warm_up) {
    (void)s, (void)length;
    options->warm_up = options->warm_up < rule->numbers[0] ? options->warm_up : rule->numbers[0];
}

/* ---------------------------------------------------------------- the table ------------------- */

#define IF(...) .condition = {__VA_ARGS__}
#define BY(page, section) .evidence = page "#" section

/* clang-format off */
const struct rule rule_list[] = {
    {"input", "latent", IF(&noise_learned, &no_classes), BY("results/defaults.md", "learned-noise")},
    {"input", "exact", IF(&noise_given, &nothing_noisy), BY("results/defaults.md", "what-was-tried")},
    {"input", "marginal", IF(&probabilities, &few_noisy), BY("results/defaults.md", "reasons-for-these-choices")},
    {"input", "latent", .reason = "there are errors or missing cells", BY("results/defaults.md", "reasons-for-these-choices")},

    /* Numbers, counts and levels have likelihood parameters that users read. With alpha = 1 the
     * latent functions explain the noise of y, and the learned noise is meaningless. With alpha = 0
     * and latent inputs, predictions are far too certain where a curve is steep. */
    {"alpha", "0.7", IF(&numbers, &latent_inputs), BY("results/defaults.md", "numbers-counts-and-levels")},
    {"alpha", "0", IF(&numbers), BY("results/defaults.md", "numbers-counts-and-levels")},
    /* Where classes overlap, input noise and a wide q(f) are two explanations of the same data.
     * With alpha = 0 the learned noise is too large, with alpha = 1 it is too small. */
    {"alpha", "0.8", IF(&noise_learned, &marginal_inputs), BY("results/defaults.md", "learned-noise")},
    {"alpha", "0", IF(&noise_learned), BY("results/defaults.md", "learned-noise")},
    {"alpha", "0.5", IF(&classes, &exact_inputs, &few_rows), BY("results/defaults.md", "points-batches-and-inducing-inputs-again")},
    {"alpha", "0.7", IF(&levels), BY("results/defaults.md", "numbers-counts-and-levels")},
    {"alpha", "1", .reason = "classes or labels are predicted", BY("results/defaults.md", "reasons-for-these-choices")},

    /* With alpha > 0 the `se` kernel is too certain where class boundaries have corners or steps,
     * and with latent inputs where a curve is steep. If errors differ from row to row, the noisiest
     * rows are spread over regions that have no other rows. A linear term extrapolates better there
     * than a return to the mean. */
    {"kernel", "matern52", IF(&numbers, &latent_inputs), BY("results/defaults.md", "numbers-counts-and-levels")},
    {"kernel", "linear+matern32", IF(&is_bold, &rows_differ), BY("results/defaults.md", "inducing-inputs-caution-and-a-linear-term")},
    {"kernel", "matern32", IF(&fits_probabilities), BY("results/defaults.md", "kernel-points-and-steps")},
    {"kernel", "se", .reason = "numbers or counts are predicted, or alpha is 0", BY("results/defaults.md", "kernel-points-and-steps")},

    /* With alpha = 1 and caution 1 the functions stay too close to their prior, above all where many
     * exact rows say where the borders are. */
    {"caution", "1", IF(&classes, &exact_inputs, &few_rows), BY("results/defaults.md", "points-batches-and-inducing-inputs-again")},
    {"caution", "0.1", IF(&classes, &exact_inputs, &alpha_above_0, &many_rows), BY("results/defaults.md", "many-rows")},
    {"caution", "0.45", IF(&is_bold, &rows_differ), BY("results/defaults.md", "inducing-inputs-caution-and-a-linear-term")},
    {"caution", "0.3", IF(&is_bold), BY("results/defaults.md", "reasons-for-these-choices")},
    {"caution", "1", .reason = "numbers or counts are predicted, noise is learned, or alpha is 0", BY("results/defaults.md", "learned-noise")},

    /* With many lengthscales and few rows, some lengthscales overfit the training rows. */
    {"lengthscale_prior", "0.5", IF(&fits_probabilities), BY("results/defaults.md", "reasons-for-these-choices")},
    {"lengthscale_prior", "0", .text = "no prior", .reason = "numbers or counts are predicted, or alpha is 0", BY("results/defaults.md", "numbers-counts-and-levels")},

    /* With one draw per row, a q(x) that differs from p(x | x~, y) makes the learned noise of y 12 %
     * too large and that of x too small. With four draws the effect is half as large. */
    {"samples", "16", IF(&marginal_inputs, &noise_learned), BY("results/defaults.md", "learned-noise")},
    {"samples", "8", IF(&marginal_inputs, &is_bold, &rows_differ), BY("results/defaults.md", "points-batches-and-inducing-inputs-again")},
    {"samples", "2", IF(&marginal_inputs), BY("results/defaults.md", "points-batches-and-inducing-inputs-again")},
    {"samples", "4", IF(&latent_inputs, &numbers), BY("results/defaults.md", "numbers-counts-and-levels")},
    {"samples", "1", .reason = "inputs are not marginal", BY("results/defaults.md", "kernel-points-and-steps")},

    {"batch", "50", IF(&marginal_inputs), BY("results/defaults.md", "points-batches-and-inducing-inputs-again")},
    {"batch", "200", .reason = "inputs are not marginal", BY("results/defaults.md", "points-batches-and-inducing-inputs-again")},

    {"inducing", NULL, "one for every 50 rows, at least 20 and at most 100", some_inducing,
     {50, 20, 100}, IF(&is_bold, &rows_differ), BY("results/defaults.md", "points-batches-and-inducing-inputs-again")},
    {"inducing", NULL, "one for every 20 rows, at least 50 and at most 100", some_inducing,
     {20, 50, 100}, IF(&is_bold, &marginal_inputs), BY("results/defaults.md", "points-batches-and-inducing-inputs-again")},
    {"inducing", NULL, "one for every 20 rows, at most 150", some_inducing,
     {20, 40, 150}, IF(&classes, &exact_inputs, &alpha_above_0, &many_rows), BY("results/defaults.md", "many-rows")},
    {"inducing", NULL, "one for every 20 rows, at least 40 and at most 100", some_inducing,
     {20, 40, 100}, .reason = "one for every 20 rows, at least 40 and at most 100", BY("results/defaults.md", "inducing-inputs-caution-and-a-linear-term")},

    /* Measurements determine only the sum of the population's variance and the noise. With equally
     * noisy rows the functions learn from inputs as noisy as those of new rows; a flat population
     * ignores that some true inputs are likelier than others, and a mixture that fits badly hides
     * what distinguishes the classes. A wide mixture avoids both, if there are enough rows. */
    {"population", "flat", IF(&noise_learned), BY("results/defaults.md", "the-population-and-missing-cells")},
    {"population", "flat", IF(&needs_flat), BY("results/defaults.md", "the-population-and-missing-cells")},
    {"population", "wide", IF(&rows_noisy, &marginal_inputs, &enough_rows), BY("results/defaults.md", "equally-noisy-rows")},
    {"population", "mixture", IF(&other_rows), BY("results/defaults.md", "the-population-and-missing-cells")},
    {"population", "flat", IF(&unused), BY("results/defaults.md", "the-population-and-missing-cells")},
    {"population", "flat", IF(&rows_equal), BY("results/defaults.md", "the-population-and-missing-cells")},
    {"population", "mixture", .reason = "errors or missing cells differ from row to row", BY("results/defaults.md", "the-population-and-missing-cells")},

    /* A warp would make error bars asymmetric, and numbers and counts may be linear in an
     * attribute. */
    {"warp", "auto", "asinh of attributes with heavy tails",
     IF(&classes, &exact_inputs, &nothing_noisy, &standardised), BY("results/defaults.md", "attributes-with-heavy-tails")},
    {"warp", "none", .reason = "warps are for classes whose attributes are exact", BY("results/defaults.md", "attributes-with-heavy-tails")},

    /* Error sizes tell of the class where they depend on the object, and a kernel with one
     * lengthscale an attribute does not see differences of correlated attributes. Held-out rows
     * must show a gain, or the panel is left out. */
    {"views", "panel", IF(&classes, &noise_given, &marginal_inputs, &sizes_differ, &calibrated, &gaps_seen), BY("results/defaults.md", "views-and-panels")},
    {"views", "panel", IF(&one_number, &noise_given, &errors_seen, &few_columns, &enough_rows), BY("results/numbers.md", "the-parts-of-the-default")},
    {"views", "one", .reason = "usual", BY("results/defaults.md", "views-and-panels")},

    {"noise_start", NULL, "what suits the input model, but at most 0.03 for levels, numbers and counts",
     noise_start, IF(&noise_learned), BY("results/defaults.md", "learned-noise")},
    {"white_start", NULL, "exp(-10)", white_start, .reason = "usual", BY("results/defaults.md", "what-was-tried")},

    /* Where a pass has many small batches, the bound seems settled long before the noise of the steps
     * is averaged out: their number is fixed, and their size falls to zero. Without parameters of
     * inputs that must converge, and with alpha > 0, predictions are good before the kernels have
     * converged. */
    {"epochs", NULL, "25 passes but 1000 to 2000 steps and at least one pass", training_length, {1000, 25, 2000}, IF(&inputs_stay, &alpha_above_0, &many_rows), BY("results/defaults.md", "many-rows")},
    {"epochs", NULL, "1000 steps but at least 15 passes", training_length, {1000, 15}, IF(&inputs_stay, &alpha_above_0), BY("results/defaults.md", "kernel-points-and-steps")},
    {"epochs", NULL, "10000 steps but at least 100 passes", training_length, {10000, 100}, .reason = "inputs are inferred, or alpha is 0", BY("results/defaults.md", "kernel-points-and-steps")},
    /* Where the step size falls to zero, it can be larger at first; inputs that are drawn make the
     * steps too noisy for that. */
    {"rate", "0.05", IF(&classes, &exact_inputs, &alpha_above_0, &many_rows), BY("results/defaults.md", "many-rows")},
    {"rate", "0.02", .reason = "usual", BY("results/defaults.md", "many-rows")},
    {"precision", "single", IF(&probabilities, &inputs_stay, &alpha_above_0, &many_rows), BY("results/defaults.md", "many-rows")},
    {"precision", "double", .reason = "usual", BY("results/defaults.md", "many-rows")},
    {"warm_up", NULL, "200", warm_up, {200}, IF(&inputs_stay), BY("results/defaults.md", "kernel-points-and-steps"), .limits = true},

    {"points", "0", "as many as tolerance requires", IF(&probabilities, &few_attributes), BY("derivations/prediction.md", "the-number-of-points")},
    {"points", "256", .reason = "numbers or counts are predicted, or there are more than 64 attributes", BY("derivations/prediction.md", "the-number-of-points")},
    {NULL},
};
/* clang-format on */

/* When an option has no effect. */
static const struct {
    const char *option;
    const struct condition *if_so;
} idle_list[] = {
    {"degree", &not_polynomial},    {"functions", &no_labels},     {"epsilon", &not_robust},
    {"learn_epsilon", &not_robust}, {"noise_start", &noise_given}, {"layers", &no_network},
    {"units", &no_network},         {"samples", &nothing_drawn},   {"warm_up", &nothing_drawn},
    {"row_steps", &no_own_rows},    {"prior_variance", &unused},   {"prior_variance", &not_flat},
    {"points", &not_averaged},      {"tolerance", &not_averaged},  {"tolerance", &fixed_points},
    {"calibrate", &uncalibrated},
};

const char *option_idle(const char *option, const struct nim_options *options) {
    const struct situation situation = {.options = options};
    for (size_t i = 0; i < sizeof idle_list / sizeof *idle_list; i++)
        if (strcmp(idle_list[i].option, option) == 0 && idle_list[i].if_so->holds(&situation))
            return idle_list[i].if_so->phrase;
    return NULL;
}

static bool applies(const struct rule *rule, const struct situation *situation) {
    for (size_t i = 0; i < RULE_MOST_CONDITIONS && rule->condition[i]; i++)
        if (!rule->condition[i]->holds(situation))
            return false;
    return true;
}

bool rules_choose(const char *option) {
    for (const struct rule *rule = rule_list; rule->option; rule++)
        if (strcmp(rule->option, option) == 0)
            return !rule->limits;
    return false;
}

const struct rule *rule_for(const char *option, const struct situation *situation) {
    for (const struct rule *rule = rule_list; rule->option; rule++)
        if (strcmp(rule->option, option) == 0 && applies(rule, situation))
            return rule;
    return NULL;
}

/* ---------------------------------------------------------------- texts ----------------------- */

/* A text of limited size; `used` counts all of it, as snprintf does. */
struct sentence {
    char *text;
    size_t size, used;
};

static void say(struct sentence *sentence, const char *text) {
    size_t left = sentence->used < sentence->size ? sentence->size - sentence->used : 0;
    snprintf(left ? sentence->text + sentence->used : NULL, left, "%s", text);
    sentence->used += strlen(text);
}

static void say_conditions(struct sentence *sentence, const struct rule *rule, const char *last) {
    for (size_t i = 0; i < RULE_MOST_CONDITIONS && rule->condition[i]; i++) {
        bool final = i + 1 == RULE_MOST_CONDITIONS || !rule->condition[i + 1];
        if (i)
            say(sentence, final ? last : ", ");
        say(sentence, rule->condition[i]->phrase);
    }
}

size_t rule_reason(const struct rule *rule, char *text, size_t size) {
    struct sentence sentence = {text, size, 0};
    if (rule->reason)
        say(&sentence, rule->reason);
    else
        say_conditions(&sentence, rule, ", ");
    return sentence.used;
}

/* "auto: 0.7 if levels are predicted; otherwise 1." */
size_t nim_option_rules(const char *name, char *text, size_t size) {
    struct sentence sentence = {text, size, 0};
    const nim_option_info *info = nim_option_named(name);
    if (size)
        text[0] = '\0';
    for (const struct rule *rule = rule_list; info && rule->option; rule++) {
        if (strcmp(rule->option, name) != 0)
            continue;
        bool first = sentence.used == 0, conditions = rule->condition[0] != NULL;
        say(&sentence, !first ? "; " : rule->limits ? "At most " : info->fallback);
        if (first && !rule->limits)
            say(&sentence, ": ");
        if (!first && !conditions)
            say(&sentence, "otherwise ");
        say(&sentence, rule->text ? rule->text : rule->value);
        if (conditions)
            say(&sentence, " if ");
        say_conditions(&sentence, rule, " and ");
    }
    if (sentence.used)
        say(&sentence, ".");
    return sentence.used;
}
