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
};

#define AT(member) offsetof(struct nim_options, member)

/* The names of a list, each after a bar: "|a|b". */
#define BAR(name) "|" #name
#define BAR_TERM(term, name, summary) "|" name
#define BAR_SUM(first, second, name, summary) "|" name

/* The names themselves. */
#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NAME(name) #name,
#define NAME_TERM(term, name, summary) name,
#define NAME_SUM(first, second, name, summary) name,
static const char *const kernel_names[] = {"auto", KERNEL_LIST(NAME_TERM, NAME_SUM) NULL};
static const char *const likelihood_names[] = {LIKELIHOOD_LIST(NAME) NULL};
static const char *const input_names[] = {"auto", INPUT_LIST(NAME) NULL};

/* clang-format off */
static const struct option option_list[] = {
    {{"kernel", "auto",
      "auto" KERNEL_LIST(BAR_TERM, BAR_SUM),
      "How smooth the boundaries are; a sum starts from planes and departs from them; auto means "
      "matern32 for classes, levels and labels where alpha is above 0 and noise given, "
      "linear+matern32 where rows then differ in their errors, matern52 for numbers and counts with "
      "latent inputs, otherwise se.",
      NIM_OPTION_CHOICE, kernel_names, 0, 0, NIM_OPTION_SHAPES},
     KERNEL, AT(kernel)},
    {{"degree", "3",
      "1 .. 64",
      "Degree of the polynomial kernel.",
      NIM_OPTION_WHOLE, NULL, 1, 64, NIM_OPTION_SHAPES},
     WHOLE, AT(degree)},
    {{"likelihood", "robust_max",
      &LIKELIHOOD_LIST(BAR)[1],
      "What y is and how it follows from the latent functions.",
      NIM_OPTION_CHOICE, likelihood_names, 0, 0, NIM_OPTION_SHAPES},
     LIKELIHOOD, AT(likelihood)},
    {{"input", "auto",
      "auto" INPUT_LIST(BAR),
      "How the inputs' error bars are used.",
      NIM_OPTION_CHOICE, input_names, 0, 0, NIM_OPTION_SHAPES},
     INPUT, AT(input)},
    {{"noise", "given",
      "given|learned|both",
      "Input noise: the error bars as given, one learned variance per attribute, or their sum.",
      NIM_OPTION_CHOICE, NAMES("given", "learned", "both"), 0, 0, NIM_OPTION_SHAPES},
     CHOICE, AT(noise)},
    {{"noise_start", "0",
      "0 .. 100",
      "Where a learned noise variance starts, in units of the attribute's variance; 0 leaves it to "
      "the input model.",
      NIM_OPTION_REAL, NULL, 0, 100, NIM_OPTION_SHAPES},
     REAL, AT(noise_start)},
    {{"classes", "0",
      "0, or 2 .. 10000",
      "Number of classes; 0 means one more than the largest label.",
      NIM_OPTION_WHOLE, NULL, 0, 10000, NIM_OPTION_SHAPES},
     WHOLE, AT(classes)},
    {{"functions", "0",
      "0 .. 1000",
      "Latent functions that sets of labels share (multilabel); 0 means one a label, 8 at most.",
      NIM_OPTION_WHOLE, NULL, 0, 1000, NIM_OPTION_SHAPES},
     WHOLE, AT(functions)},
    {{"inducing", "0",
      "0 .. 10000",
      "Inducing inputs per latent function; 0 chooses from the number of rows.",
      NIM_OPTION_WHOLE, NULL, 0, 10000, NIM_OPTION_SHAPES},
     WHOLE, AT(inducing)},
    {{"alpha", "auto",
      "auto, or 0 .. 1",
      "Power of the divergence: 0 is the evidence lower bound, 1 fits the predicted probabilities "
      "themselves; auto means 1 for classes and labels, 0.7 for levels and, with latent inputs, "
      "numbers and counts, 0.8 where noise is learned with marginal inputs, otherwise 0.",
      NIM_OPTION_REAL, NAMES("auto"), 0, 1, NIM_OPTION_SHAPES},
     REAL, AT(alpha)},
    {{"caution", "auto",
      "auto, or 0.001 .. 1",
      "Weight of the latent functions' divergence from their prior: less than 1 trusts the data "
      "more; auto means 0.3 for classes, levels and labels where alpha is above 0 and noise given, "
      "0.45 where rows then differ in their errors, otherwise 1.",
      NIM_OPTION_REAL, NAMES("auto"), 0.001, 1, NIM_OPTION_SHAPES},
     REAL, AT(caution)},
    {{"lengthscale_prior", "auto",
      "auto, or 0 .. 10",
      "Width of a log-normal prior of lengthscales around 1.6 times the root of the number of "
      "attributes; 0 means none; auto means 0.5 for classes, levels and labels where alpha is above "
      "0 and noise given, otherwise none.",
      NIM_OPTION_REAL, NAMES("auto"), 0, 10, NIM_OPTION_SHAPES},
     REAL, AT(lengthscale_prior)},
    {{"epsilon", "0.001",
      "1e-9 .. 0.5",
      "Share of wrong labels.",
      NIM_OPTION_REAL, NULL, 1e-9, 0.5, NIM_OPTION_SHAPES},
     REAL, AT(epsilon)},
    {{"learn_epsilon", "0",
      "0|1",
      "Whether that share is learned, starting from epsilon.",
      NIM_OPTION_FLAG, NAMES("0", "1"), 0, 1, NIM_OPTION_SHAPES},
     WHOLE, AT(learn_epsilon)},
    {{"epochs", "0",
      "0 .. 1000000",
      "Passes over the data: the most with stop=auto, exactly so many with stop=fixed; 0 means "
      "1000 steps, but at least 15 passes, where alpha is above 0 and inputs are not latent or "
      "amortised, otherwise 10000 steps, but at least 100 passes.",
      NIM_OPTION_WHOLE, NULL, 0, 1e6, NIM_OPTION_TRAINS},
     WHOLE, AT(epochs)},
    {{"warm_up", "1000",
      "0 .. 1000000000",
      "Steps in which the draws of noisy inputs grow to their full width; with marginal and resampled "
      "inputs 300 at most.",
      NIM_OPTION_WHOLE, NULL, 0, 1e9, NIM_OPTION_TRAINS},
     WHOLE, AT(warm_up)},
    {{"stop", "auto",
      "auto|fixed",
      "Stop when the bound has settled, or after all epochs at a constant rate.",
      NIM_OPTION_CHOICE, NAMES("auto", "fixed"), 0, 0, NIM_OPTION_TRAINS},
     CHOICE, AT(stop)},
    {{"batch", "0",
      "0 .. 1000000",
      "Rows in a minibatch; 0 means 50 with marginal inputs, otherwise 200.",
      NIM_OPTION_WHOLE, NULL, 0, 1e6, NIM_OPTION_TRAINS},
     WHOLE, AT(batch)},
    {{"rate", "0.02",
      "1e-8 .. 1",
      "Step size of Adam.",
      NIM_OPTION_REAL, NULL, 1e-8, 1, NIM_OPTION_TRAINS},
     REAL, AT(rate)},
    {{"calibrate", "auto",
      "auto|none",
      "Whether class probabilities are sharpened or softened by what rows kept aside say; not for "
      "numbers, counts and sets.",
      NIM_OPTION_CHOICE, NAMES("auto", "none"), 0, 0, NIM_OPTION_TRAINS},
     CHOICE, AT(calibrate)},
    {{"novelty", "auto",
      "auto|always",
      "Whether the model learns how unlike its training rows a row is: where it learns the population "
      "of true inputs anyway, or always.",
      NIM_OPTION_CHOICE, NAMES("auto", "always"), 0, 0, NIM_OPTION_TRAINS},
     CHOICE, AT(novelty)},
    {{"samples", "0",
      "0 .. 1000",
      "Places each row is looked at in a training step; 0 means 4 with marginal inputs, 16 "
      "where noise is learned with them, 4 with latent ones for numbers and counts, "
      "otherwise 1.",
      NIM_OPTION_WHOLE, NULL, 0, 1000, NIM_OPTION_SHAPES},
     WHOLE, AT(samples)},
    {{"points", "0",
      "0 .. 65536",
      "Quasi-random points a noisy row is averaged over in prediction; 0 means as many as it needs "
      "for tolerance, and 256 for numbers, counts and more than 64 attributes.",
      NIM_OPTION_WHOLE, NULL, 0, 65536, NIM_OPTION_PREDICTS},
     WHOLE, AT(points)},
    {{"tolerance", "0.002",
      "0.0001 .. 0.1",
      "How far predicted probabilities of noisy rows may be from the average over all true inputs "
      "they may have, where points is 0: nearly all are within it.",
      NIM_OPTION_REAL, NULL, 0.0001, 0.1, NIM_OPTION_PREDICTS},
     REAL, AT(tolerance)},
    {{"layers", "2",
      "1 .. 6",
      "Hidden layers of the amortised model's network.",
      NIM_OPTION_WHOLE, NULL, 1, 6, NIM_OPTION_SHAPES},
     WHOLE, AT(layers)},
    {{"units", "50",
      "1 .. 4096",
      "Width of each hidden layer.",
      NIM_OPTION_WHOLE, NULL, 1, 4096, NIM_OPTION_SHAPES},
     WHOLE, AT(units)},
    {{"population", "auto",
      "auto|flat|gaussian|mixture",
      "What is assumed of true inputs before they are measured: nothing (flat), or how they are "
      "spread and hang together, learned as one Gaussian or a mixture of several; auto chooses.",
      NIM_OPTION_CHOICE, NAMES("auto", "flat", "gaussian", "mixture"), 0, 0, NIM_OPTION_SHAPES},
     CHOICE, AT(population)},
    {{"prior_variance", "1000",
      "1e-3 .. 1e9",
      "Variance of a flat population, in standard units.",
      NIM_OPTION_REAL, NULL, 1e-3, 1e9, NIM_OPTION_SHAPES},
     REAL, AT(prior_variance)},
    {{"missing", "auto",
      "auto|ignore",
      "Whether the model sees which cells are missing: auto shows it the columns where enough are.",
      NIM_OPTION_CHOICE, NAMES("auto", "ignore"), 0, 0, NIM_OPTION_SHAPES},
     CHOICE, AT(missing)},
    {{"jitter", "1e-6",
      "1e-12 .. 1e-2",
      "Added to the diagonal of covariances, in units of the kernel's variance.",
      NIM_OPTION_REAL, NULL, 1e-12, 1e-2, NIM_OPTION_SHAPES},
     REAL, AT(jitter)},
    {{"standardise", "1",
      "0|1",
      "Whether attributes are brought to mean 0 and deviation 1.",
      NIM_OPTION_FLAG, NAMES("0", "1"), 0, 1, NIM_OPTION_SHAPES},
     WHOLE, AT(standardise)},
    {{"seed", "0",
      "0 .. 2^53",
      "Same seed, same result.",
      NIM_OPTION_WHOLE, NULL, 0, 9007199254740992.0, NIM_OPTION_SHAPES},
     WHOLE, AT(seed)},
    {{"threads", "0",
      "0 .. 1024",
      "Threads; 0 means one per processor. Results do not depend on it.",
      NIM_OPTION_WHOLE, NULL, 0, 1024, NIM_OPTION_RUNS},
     WHOLE, AT(threads)},
};
/* clang-format on */

enum { OPTION_COUNT = sizeof option_list / sizeof *option_list };

/* The choices are in the order of the enumeration. -1: there is no such. */
static int choice_index(const char *const *choices, const char *value) {
    for (int index = 0; choices[index]; index++)
        if (strcmp(choices[index], value) == 0)
            return index;
    return -1;
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
    return option_failure(error, option->info.name, "'%s' is not one of %s", value,
                          option->info.values);
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
        !(number >= option->info.least && number <= option->info.most))
        return option_failure(error, option->info.name, "'%s' is not a%s number in %s", value,
                              whole ? " whole" : "", option->info.values);
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
    option_failure(error, name ? name : "(null)", "there is no such option");
    return NULL;
}

static nim_status set_value(nim_options *options, const struct option *option, const char *value,
                            nim_error *error) {
    if (option->kind == WHOLE || option->kind == REAL)
        return set_number(options, option, value, error);
    if (option->kind != CHOICE)
        return set_part(options, option, value, error);
    int index = choice_index(option->info.choices, value);
    if (index < 0)
        return set_part(options, option, value, error);
    *(size_t *)(void *)((char *)options + option->offset) = (size_t)index;
    return succeed(error);
}

nim_status nim_options_set(nim_options *options, const char *name, const char *value,
                           nim_error *error) {
    const struct option *option = find_option(name, error);
    if (!option)
        return NIM_INVALID_ARGUMENT;
    if (!options || !value)
        return option_failure(error, name, "options or value is NULL");
    return set_value(options, option, value, error);
}

/* The longest value: a name, or a number with its sign, point and exponent. */
enum { VALUE_TEXT = 64 };

static void write_value(const nim_options *options, const struct option *option, char *text) {
    const void *place = (const char *)options + option->offset;
    const char *name = "auto";
    switch (option->kind) {
    case KERNEL:
        name = options->kernel ? options->kernel->name : name;
        break;
    case LIKELIHOOD:
        name = options->likelihood->name;
        break;
    case INPUT:
        name = options->input ? options->input->name : name;
        break;
    case CHOICE:
        name = option->info.choices[*(const size_t *)place];
        break;
    case WHOLE:
        snprintf(text, VALUE_TEXT, "%zu", *(const size_t *)place);
        return;
    case REAL:
        if (*(const double *)place == OPTION_AUTO)
            break;
        write_number(*(const double *)place, text, VALUE_TEXT);
        return;
    }
    snprintf(text, VALUE_TEXT, "%s", name);
}

nim_status nim_options_get(const nim_options *options, const char *name, char *value, size_t size,
                           nim_error *error) {
    char text[VALUE_TEXT];
    const struct option *option = find_option(name, error);
    if (!option)
        return NIM_INVALID_ARGUMENT;
    if (!options || !value)
        return option_failure(error, name, "options or value is NULL");
    write_value(options, option, text);
    if (strlen(text) >= size)
        return option_failure(error, name, "its value needs %zu bytes, but there is room for %zu",
                              strlen(text) + 1, size);
    strcpy(value, text);
    return succeed(error);
}

nim_options *nim_options_create(void) {
    nim_options *options = calloc(1, sizeof *options);
    for (size_t i = 0; options && i < OPTION_COUNT; i++)
        if (set_value(options, &option_list[i], option_list[i].info.fallback, NULL) != NIM_OK)
            abort(); /* a default outside its own range: the list above is wrong */
    return options;
}

nim_options *nim_options_copy(const nim_options *options) {
    nim_options *copy = options ? malloc(sizeof *copy) : NULL;
    if (copy)
        *copy = *options;
    return copy;
}

void nim_options_free(nim_options *options) {
    free(options);
}

size_t nim_option_count(void) {
    return OPTION_COUNT;
}

const nim_option_info *nim_option_describe(size_t index) {
    return index < OPTION_COUNT ? &option_list[index].info : NULL;
}

const nim_option_info *nim_option_named(const char *name) {
    const struct option *option = find_option(name, NULL);
    return option ? &option->info : NULL;
}
