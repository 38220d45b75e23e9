/* SPDX-License-Identifier: Apache-2.0 */
/* The one list of settings. Programs, other languages and the documentation read it from here. */
#include "model/options.h"

#include "base/status.h"
#include "text/ascii.h"
#include "text/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { KERNEL, LIKELIHOOD, INPUT, CHOICE, WHOLE, REAL };

struct option {
    nim_option_info info;
    enum kind kind;
    size_t offset;
    enum option_role role;
    double least, most;
};

#define AT(member) offsetof(struct nim_options, member)

/* The names of a list, each after a bar: "|a|b". */
#define BAR(name) "|" #name
#define BAR_TERM(term, name, summary) "|" name
#define BAR_SUM(first, second, name, summary) "|" name

/* clang-format off */
static const struct option option_list[] = {
    {{"kernel", "auto",
      "auto" KERNEL_LIST(BAR_TERM, BAR_SUM),
      "How smooth the boundaries are; a sum starts from planes and departs from them; auto means "
      "matern32 where alpha is above 0 and noise given, linear+matern32 where "
      "rows then differ in their errors, otherwise se."},
     KERNEL, AT(kernel), SHAPES, 0, 0},
    {{"degree", "3", "1 .. 64",
      "Degree of the polynomial kernel."},
     WHOLE, AT(degree), SHAPES, 1, 64},
    {{"likelihood", "robust_max", &LIKELIHOOD_LIST(BAR)[1],
      "What y is and how it follows from the latent functions."},
     LIKELIHOOD, AT(likelihood), SHAPES, 0, 0},
    {{"input", "auto", "auto" INPUT_LIST(BAR),
      "How the inputs' error bars are used."},
     INPUT, AT(input), SHAPES, 0, 0},
    {{"noise", "given", "given|learned|both",
      "Input noise: the error bars as given, one learned variance per attribute, or their sum."},
     CHOICE, AT(noise), SHAPES, 0, 0},
    {{"noise_start", "0", "0 .. 100",
      "Where a learned noise variance starts, in units of the attribute's variance; 0 leaves it to "
      "the input model."},
     REAL, AT(noise_start), SHAPES, 0, 100},
    {{"classes", "0", "0, or 2 .. 10000",
      "Number of classes; 0 means one more than the largest label."},
     WHOLE, AT(classes), SHAPES, 0, 10000},
    {{"functions", "0", "0 .. 1000",
      "Latent functions that sets of labels share (multilabel); 0 means one a label, 8 at most."},
     WHOLE, AT(functions), SHAPES, 0, 1000},
    {{"inducing", "0", "0 .. 10000",
      "Inducing inputs per latent function; 0 chooses from the number of rows."},
     WHOLE, AT(inducing), SHAPES, 0, 10000},
    {{"alpha", "auto", "auto, or 0 .. 1",
      "Power of the divergence: 0 is the evidence lower bound, 1 fits the predicted probabilities "
      "themselves; auto means 1 for classes, 0.8 where noise is learned with marginal inputs, "
      "otherwise 0."},
     REAL, AT(alpha), SHAPES, 0, 1},
    {{"caution", "auto", "auto, or 0.001 .. 1",
      "Weight of the latent functions' divergence from their prior: less than 1 trusts the data "
      "more; auto means 0.3 where alpha is above 0 and noise given, 0.45 where rows then differ "
      "in their errors, otherwise 1."},
     REAL, AT(caution), SHAPES, 0.001, 1},
    {{"lengthscale_prior", "auto", "auto, or 0 .. 10",
      "Width of a log-normal prior of lengthscales around 1.6 times the root of the number of "
      "attributes; 0 means none; auto means 0.5 where alpha is above 0 and noise given, otherwise "
      "none."},
     REAL, AT(lengthscale_prior), SHAPES, 0, 10},
    {{"epsilon", "0.001", "1e-9 .. 0.5",
      "Share of wrong labels."},
     REAL, AT(epsilon), SHAPES, 1e-9, 0.5},
    {{"learn_epsilon", "0", "0|1",
      "Whether that share is learned, starting from epsilon."},
     WHOLE, AT(learn_epsilon), SHAPES, 0, 1},
    {{"epochs", "0", "0 .. 1000000",
      "Passes over the data: the most with stop=auto, exactly so many with stop=fixed; 0 means "
      "1000 steps, but at least 15 passes, where alpha is above 0 and inputs are not latent or "
      "amortised, otherwise 10000 steps, but at least 100 passes."},
     WHOLE, AT(epochs), TRAINS, 0, 1e6},
    {{"warm_up", "1000", "0 .. 1000000000",
      "Steps in which the draws of noisy inputs grow to their full width; with marginal and resampled "
      "inputs 300 at most."},
     WHOLE, AT(warm_up), TRAINS, 0, 1e9},
    {{"stop", "auto", "auto|fixed",
      "Stop when the bound has settled, or after all epochs at a constant rate."},
     CHOICE, AT(stop), TRAINS, 0, 0},
    {{"batch", "0", "0 .. 1000000",
      "Rows in a minibatch; 0 means 50 with marginal inputs, otherwise 200."},
     WHOLE, AT(batch), TRAINS, 0, 1e6},
    {{"rate", "0.02", "1e-8 .. 1",
      "Step size of Adam."},
     REAL, AT(rate), TRAINS, 1e-8, 1},
    {{"calibrate", "auto", "auto|none",
      "Whether class probabilities are sharpened or softened by what rows kept aside say; not for "
      "numbers, counts and sets."},
     CHOICE, AT(calibrate), TRAINS, 0, 0},
    {{"novelty", "auto", "auto|always",
      "Whether the model learns how unlike its training rows a row is: where it learns the population "
      "of true inputs anyway, or always."},
     CHOICE, AT(novelty), TRAINS, 0, 0},
    {{"samples", "0", "0 .. 1000",
      "Places each row is looked at in a training step; 0 means 4 with marginal inputs, 16 "
      "where noise is learned with them, 4 with latent ones for numbers and counts, "
      "otherwise 1."},
     WHOLE, AT(samples), SHAPES, 0, 1000},
    {{"points", "256", "1 .. 65536",
      "Quasi-random points a noisy row is averaged over in prediction."},
     WHOLE, AT(points), PREDICTS, 1, 65536},
    {{"layers", "2", "1 .. 6",
      "Hidden layers of the amortised model's network."},
     WHOLE, AT(layers), SHAPES, 1, 6},
    {{"units", "50", "1 .. 4096",
      "Width of each hidden layer."},
     WHOLE, AT(units), SHAPES, 1, 4096},
    {{"population", "auto", "auto|flat|gaussian|mixture",
      "What is assumed of true inputs before they are measured: nothing (flat), or how they are "
      "spread and hang together, learned as one Gaussian or a mixture of several; auto chooses."},
     CHOICE, AT(population), SHAPES, 0, 0},
    {{"prior_variance", "1000", "1e-3 .. 1e9",
      "Variance of a flat population, in standard units."},
     REAL, AT(prior_variance), SHAPES, 1e-3, 1e9},
    {{"missing", "auto", "auto|ignore",
      "Whether the model sees which cells are missing: auto shows it the columns where enough are."},
     CHOICE, AT(missing), SHAPES, 0, 0},
    {{"jitter", "1e-6", "1e-12 .. 1e-2",
      "Added to the diagonal of covariances, in units of the kernel's variance."},
     REAL, AT(jitter), SHAPES, 1e-12, 1e-2},
    {{"standardise", "1", "0|1",
      "Whether attributes are brought to mean 0 and deviation 1."},
     WHOLE, AT(standardise), SHAPES, 0, 1},
    {{"seed", "0", "0 .. 2^53",
      "Same seed, same result."},
     WHOLE, AT(seed), SHAPES, 0, 9007199254740992.0},
    {{"threads", "0", "0 .. 1024",
      "Threads; 0 means one per processor. Results do not depend on it."},
     WHOLE, AT(threads), RUNS, 0, 1024},
};
/* clang-format on */

enum { OPTION_COUNT = sizeof option_list / sizeof *option_list };

/* The names of a choice are its `values`, in the order of the enumeration. */
static int choice_index(const char *values, const char *value) {
    size_t length = strlen(value);
    for (int index = 0; *values; index++) {
        size_t span = strcspn(values, "|");
        if (span == length && strncmp(values, value, span) == 0)
            return index;
        values += span + (values[span] == '|');
    }
    return -1;
}

static const char *choice_name(const char *values, size_t index, int *length) {
    while (index--)
        values += strcspn(values, "|") + 1;
    *length = (int)strcspn(values, "|");
    return values;
}

static nim_status set_part(nim_options *options, const struct option *option, const char *value,
                           nim_error *error) {
    bool found = false;
    switch (option->kind) {
    case KERNEL:
        found = kernel_named(value) || strcmp(value, "auto") == 0;
        if (found)
            options->kernel = kernel_named(value);
        break;
    case LIKELIHOOD:
        for (size_t i = 0; likelihood_list[i] && !found; i++)
            if ((found = strcmp(likelihood_list[i]->name, value) == 0))
                options->likelihood = likelihood_list[i];
        break;
    case INPUT:
        if ((found = strcmp(value, "auto") == 0))
            options->input = NULL;
        for (size_t i = 0; input_list[i] && !found; i++)
            if ((found = strcmp(input_list[i]->name, value) == 0))
                options->input = input_list[i];
        break;
    default:
        break;
    }
    if (found)
        return succeed(error);
    return failure(error, NIM_INVALID_ARGUMENT, "option %s: '%s' is not one of %s",
                   option->info.name, value, option->info.values);
}

static bool is_bare(const char *text) {
    size_t length = strlen(text);
    return length && !ascii_blank(text[0]) && !ascii_blank(text[length - 1]);
}

static bool read_number(const char *text, double *number) {
    return is_bare(text) && number_parse(text, number);
}

static bool read_whole(const char *text, double *number) {
    return is_bare(text) && number_parse_whole(text, number);
}

static void write_number(double number, char *text, size_t size) {
    char shortest[NUMBER_TEXT];
    number_print(number, shortest);
    snprintf(text, size, "%s", shortest);
}

static nim_status set_number(nim_options *options, const struct option *option, const char *value,
                             nim_error *error) {
    double number = OPTION_AUTO;
    bool whole = option->kind == WHOLE, automatic = strcmp(option->info.fallback, "auto") == 0;
    if (automatic && strcmp(value, "auto") == 0) {
        memcpy((char *)options + option->offset, &number, sizeof number);
        return succeed(error);
    }
    if (!(whole ? read_whole : read_number)(value, &number) ||
        !(number >= option->least && number <= option->most))
        return failure(error, NIM_INVALID_ARGUMENT, "option %s: '%s' is not a%s number in %s",
                       option->info.name, value, whole ? " whole" : "", option->info.values);
    void *place = (char *)options + option->offset;
    if (whole)
        *(size_t *)place = (size_t)number;
    else
        *(double *)place = number;
    return succeed(error);
}

static const struct option *find_option(const char *name, nim_error *error) {
    for (size_t i = 0; name && i < OPTION_COUNT; i++)
        if (strcmp(option_list[i].info.name, name) == 0)
            return &option_list[i];
    failure(error, NIM_INVALID_ARGUMENT, "there is no option '%s'", name ? name : "(null)");
    return NULL;
}

nim_status nim_options_set(nim_options *options, const char *name, const char *value,
                           nim_error *error) {
    const struct option *option = find_option(name, error);
    if (!option)
        return NIM_INVALID_ARGUMENT;
    if (!options || !value)
        return failure(error, NIM_INVALID_ARGUMENT, "option %s: no value", name);
    if (option->kind == WHOLE || option->kind == REAL)
        return set_number(options, option, value, error);
    if (option->kind != CHOICE)
        return set_part(options, option, value, error);
    int index = choice_index(option->info.values, value);
    if (index < 0)
        return set_part(options, option, value, error);
    *(size_t *)(void *)((char *)options + option->offset) = (size_t)index;
    return succeed(error);
}

nim_status nim_options_get(const nim_options *options, const char *name, char *value, size_t size,
                           nim_error *error) {
    const struct option *option = find_option(name, error);
    if (!option)
        return NIM_INVALID_ARGUMENT;
    if (!options || !value || !size)
        return failure(error, NIM_INVALID_ARGUMENT, "option %s: nowhere to write its value", name);
    const void *place = (const char *)options + option->offset;
    const char *text;
    int length;
    switch (option->kind) {
    case KERNEL:
        snprintf(value, size, "%s", options->kernel ? options->kernel->name : "auto");
        break;
    case LIKELIHOOD:
        snprintf(value, size, "%s", options->likelihood->name);
        break;
    case INPUT:
        snprintf(value, size, "%s", options->input ? options->input->name : "auto");
        break;
    case CHOICE:
        text = choice_name(option->info.values, *(const size_t *)place, &length);
        snprintf(value, size, "%.*s", length, text);
        break;
    case WHOLE:
        snprintf(value, size, "%zu", *(const size_t *)place);
        break;
    case REAL:
        if (*(const double *)place == OPTION_AUTO)
            snprintf(value, size, "auto");
        else
            write_number(*(const double *)place, value, size);
        break;
    }
    return succeed(error);
}

nim_options *nim_options_create(void) {
    nim_options *options = calloc(1, sizeof *options);
    for (size_t i = 0; options && i < OPTION_COUNT; i++)
        if (nim_options_set(options, option_list[i].info.name, option_list[i].info.fallback,
                            NULL) != NIM_OK)
            abort(); /* a default outside its own range: the list above is wrong */
    return options;
}

void nim_options_free(nim_options *options) {
    free(options);
}

size_t nim_option_count(void) {
    return OPTION_COUNT;
}

nim_option_info nim_option_describe(size_t index) {
    return index < OPTION_COUNT ? option_list[index].info : (nim_option_info){0};
}

const char *nim_likelihood_target(const char *likelihood) {
    for (size_t i = 0; likelihood && likelihood_list[i]; i++)
        if (strcmp(likelihood_list[i]->name, likelihood) == 0)
            return likelihood_target_name(likelihood_list[i]->target);
    return NULL;
}

enum option_role option_role(const char *name) {
    const struct option *option = find_option(name, NULL);
    return option ? option->role : SHAPES;
}
