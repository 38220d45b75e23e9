/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all options. Programs, bindings and the documentation read it from here. */
#include "rules/options.h"

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

/* The names of a list, each after a comma: ", a, b". */
#define COMMA ", "
#define AFTER_COMMA(name) COMMA #name
#define TERM_AFTER_COMMA(term, name, summary) COMMA name
#define SUM_AFTER_COMMA(first, second, name, summary) COMMA name

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
      "auto" KERNEL_LIST(TERM_AFTER_COMMA, SUM_AFTER_COMMA),
      "Kernel of the latent functions, which sets how smooth they are; se is the squared exponential; "
      "a sum adds a linear function to a nonlinear one.",
      NIM_OPTION_CHOICE, kernel_names, 0, 0, NIM_OPTION_SHAPES, NIM_OPTION_EVERYDAY},
     KERNEL, AT(kernel)},
    {{"degree", "3",
      "1 .. 64",
      "Degree of the polynomial kernel.",
      NIM_OPTION_WHOLE, NULL, 1, 64, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     WHOLE, AT(degree)},
    {{"likelihood", "robust_max",
      &LIKELIHOOD_LIST(AFTER_COMMA)[sizeof COMMA - 1],
      "What the target is and how it depends on the latent functions.",
      NIM_OPTION_CHOICE, likelihood_names, 0, 0, NIM_OPTION_SHAPES, NIM_OPTION_EVERYDAY},
     LIKELIHOOD, AT(likelihood)},
    {{"input", "auto",
      "auto" INPUT_LIST(AFTER_COMMA),
      "How the error bars of the inputs are used: marginal averages over the possible true inputs; latent "
      "infers the true inputs of each training row; amortised infers them with a network; first order uses "
      "the slope of the functions; exact ignores the error bars; the others are baselines.",
      NIM_OPTION_CHOICE, input_names, 0, 0, NIM_OPTION_SHAPES, NIM_OPTION_EVERYDAY},
     INPUT, AT(input)},
    {{"noise", "given",
      "given, learned, both",
      "Variance of the input noise: from the given errors, one learned variance per attribute, or "
      "the sum of both.",
      NIM_OPTION_CHOICE, NAMES("given", "learned", "both"), 0, 0, NIM_OPTION_SHAPES, NIM_OPTION_EVERYDAY},
     CHOICE, AT(noise)},
    {{"noise_start", "0",
      "0 .. 100",
      "Initial value of a learned noise variance, relative to the attribute's variance.",
      NIM_OPTION_REAL, NULL, 0, 100, NIM_OPTION_SHAPES, NIM_OPTION_RESEARCH},
     REAL, AT(noise_start)},
    {{"classes", "0",
      "0, or 2 .. 10000",
      "Number of classes; 0: one more than the largest label.",
      NIM_OPTION_WHOLE, NULL, 0, 10000, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     WHOLE, AT(classes)},
    {{"functions", "0",
      "0 .. 1000",
      "Number of latent functions that the labels share (multilabel); 0: one per label, at most 8.",
      NIM_OPTION_WHOLE, NULL, 0, 1000, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     WHOLE, AT(functions)},
    {{"inducing", "0",
      "0 .. 10000",
      "Inducing inputs per latent function: the points between which a function is interpolated.",
      NIM_OPTION_WHOLE, NULL, 0, 10000, NIM_OPTION_SHAPES, NIM_OPTION_EVERYDAY},
     WHOLE, AT(inducing)},
    {{"alpha", "auto",
      "auto, or 0 .. 1",
      "What training maximises: 0 is the evidence lower bound, 1 is the log of the predicted "
      "probability, and a number between them is a compromise (a power divergence).",
      NIM_OPTION_REAL, NAMES("auto"), 0, 1, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     REAL, AT(alpha)},
    {{"caution", "auto",
      "auto, or 0.001 .. 1",
      "Weight of the divergence of the latent functions from their prior; a smaller weight trusts "
      "the data more.",
      NIM_OPTION_REAL, NAMES("auto"), 0.001, 1, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     REAL, AT(caution)},
    {{"lengthscale_prior", "auto",
      "auto, or 0 .. 10",
      "Width of a log-normal prior of the lengthscales, centred at 1.6 times the square root of the "
      "number of attributes; 0: no prior.",
      NIM_OPTION_REAL, NAMES("auto"), 0, 10, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     REAL, AT(lengthscale_prior)},
    {{"epsilon", "0.001",
      "1e-9 .. 0.5",
      "Share of wrong labels, for the robust-max likelihood.",
      NIM_OPTION_REAL, NULL, 1e-9, 0.5, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     REAL, AT(epsilon)},
    {{"learn_epsilon", "0",
      "0 or 1",
      "Whether the share of wrong labels is learned, starting at epsilon.",
      NIM_OPTION_FLAG, NAMES("0", "1"), 0, 1, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     WHOLE, AT(learn_epsilon)},
    {{"epochs", "0",
      "0 .. 1000000",
      "Passes over the data: the maximum with stop=auto, the exact number with stop=fixed.",
      NIM_OPTION_WHOLE, NULL, 0, 1e6, NIM_OPTION_TRAINS, NIM_OPTION_EVERYDAY},
     WHOLE, AT(epochs)},
    {{"warm_up", "1000",
      "0 .. 1000000000",
      "Number of first steps in which the random draws of noisy inputs grow to their full width.",
      NIM_OPTION_WHOLE, NULL, 0, 1e9, NIM_OPTION_TRAINS, NIM_OPTION_EXPERT},
     WHOLE, AT(warm_up)},
    {{"stop", "auto",
      "auto, fixed",
      "auto: stop when the bound no longer improves; fixed: stop after the given number of epochs, "
      "with a constant step size.",
      NIM_OPTION_CHOICE, NAMES("auto", "fixed"), 0, 0, NIM_OPTION_TRAINS, NIM_OPTION_EXPERT},
     CHOICE, AT(stop)},
    {{"batch", "0",
      "0 .. 1000000",
      "Rows in a minibatch.",
      NIM_OPTION_WHOLE, NULL, 0, 1e6, NIM_OPTION_TRAINS, NIM_OPTION_EXPERT},
     WHOLE, AT(batch)},
    {{"last_batch", "even",
      "even, rest",
      "even: the minibatches of an epoch have one size; rest: all but the last are full, and the last has "
      "the remaining rows.",
      NIM_OPTION_CHOICE, NAMES("even", "rest"), 0, 0, NIM_OPTION_TRAINS, NIM_OPTION_RESEARCH},
     CHOICE, AT(last_batch)},
    {{"row_steps", "visited",
      "visited, always",
      "When Adam moves the parameters of a single row, with latent inputs. visited: in steps whose minibatch "
      "has the row; always: in every step, with gradient zero if the minibatch does not have the row.",
      NIM_OPTION_CHOICE, NAMES("visited", "always"), 0, 0, NIM_OPTION_TRAINS, NIM_OPTION_RESEARCH},
     CHOICE, AT(row_steps)},
    {{"rate", "0.02",
      "1e-8 .. 1",
      "Step size of Adam.",
      NIM_OPTION_REAL, NULL, 1e-8, 1, NIM_OPTION_TRAINS, NIM_OPTION_EXPERT},
     REAL, AT(rate)},
    {{"precision", "double",
      "double, single",
      "Precision of the large products of matrices in a training step; sums, factorisations and "
      "parameters are always double.",
      NIM_OPTION_CHOICE, NAMES("double", "single"), 0, 0, NIM_OPTION_TRAINS, NIM_OPTION_EXPERT},
     CHOICE, AT(precision)},
    {{"lengthscale_rate", "1",
      "1e-3 .. 1",
      "Step size of the logarithms of lengthscales, relative to rate. 0.5 gives the logarithms of squared "
      "lengthscales the same step size as all other parameters.",
      NIM_OPTION_REAL, NULL, 1e-3, 1, NIM_OPTION_TRAINS, NIM_OPTION_RESEARCH},
     REAL, AT(lengthscale_rate)},
    {{"calibrate", "auto",
      "auto, none",
      "auto: calibrate the probabilities of classes and levels with a temperature and "
      "offsets, found by cross-validation; none: do not.",
      NIM_OPTION_CHOICE, NAMES("auto", "none"), 0, 0, NIM_OPTION_TRAINS, NIM_OPTION_EVERYDAY},
     CHOICE, AT(calibrate)},
    {{"novelty", "auto",
      "auto, always",
      "When the model learns how unusual a row is. auto: if it learns a population of true inputs; "
      "always: in any case.",
      NIM_OPTION_CHOICE, NAMES("auto", "always"), 0, 0, NIM_OPTION_TRAINS, NIM_OPTION_EVERYDAY},
     CHOICE, AT(novelty)},
    {{"samples", "0",
      "0 .. 1000",
      "Points at which each row is evaluated in a training step.",
      NIM_OPTION_WHOLE, NULL, 0, 1000, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     WHOLE, AT(samples)},
    {{"points", "0",
      "0 .. 65536",
      "Quasi-random points over which the prediction of a noisy row is averaged.",
      NIM_OPTION_WHOLE, NULL, 0, 65536, NIM_OPTION_PREDICTS, NIM_OPTION_EXPERT},
     WHOLE, AT(points)},
    {{"tolerance", "0.002",
      "0.0001 .. 0.1",
      "Accuracy of the predicted probabilities of noisy rows if points is 0: nearly all of them differ by "
      "less than this from the average over all possible true inputs. Parts of an entropy are less accurate: "
      "about 0.015 nats at the default.",
      NIM_OPTION_REAL, NULL, 0.0001, 0.1, NIM_OPTION_PREDICTS, NIM_OPTION_EXPERT},
     REAL, AT(tolerance)},
    {{"layers", "2",
      "1 .. 6",
      "Hidden layers of the network of amortised inputs.",
      NIM_OPTION_WHOLE, NULL, 1, 6, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     WHOLE, AT(layers)},
    {{"units", "50",
      "1 .. 4096",
      "Width of each hidden layer of the network of amortised inputs.",
      NIM_OPTION_WHOLE, NULL, 1, 4096, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     WHOLE, AT(units)},
    {{"population", "auto",
      "auto, flat, gaussian, mixture, wide",
      "Distribution of the true inputs before they are measured: flat (no value is much likelier than "
      "another), or learned as one Gaussian, as a mixture of several, or as a wide mixture, with four times "
      "the learned covariances.",
      NIM_OPTION_CHOICE, NAMES("auto", "flat", "gaussian", "mixture", "wide"), 0, 0, NIM_OPTION_SHAPES, NIM_OPTION_EVERYDAY},
     CHOICE, AT(population)},
    {{"prior_variance", "1000",
      "1e-3 .. 1e9",
      "Variance of a flat population, in standard units.",
      NIM_OPTION_REAL, NULL, 1e-3, 1e9, NIM_OPTION_SHAPES, NIM_OPTION_RESEARCH},
     REAL, AT(prior_variance)},
    {{"missing", "auto",
      "auto, ignore",
      "auto: the model sees which cells are missing, in columns with enough of them; ignore: it does "
      "not.",
      NIM_OPTION_CHOICE, NAMES("auto", "ignore"), 0, 0, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     CHOICE, AT(missing)},
    {{"warp", "auto",
      "auto, none",
      "Whether attributes with heavy tails are transformed by asinh.",
      NIM_OPTION_CHOICE, NAMES("auto", "none"), 0, 0, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     CHOICE, AT(warp)},
    {{"views", "auto",
      "auto, one, panel",
      "one: one fit, which sees the rows as they are; panel: more fits that see them in other ways, such as "
      "with the sizes of errors as attributes, and weights that depend on the row.",
      NIM_OPTION_CHOICE, NAMES("auto", "one", "panel"), 0, 0, NIM_OPTION_SHAPES, NIM_OPTION_EXPERT},
     CHOICE, AT(views)},
    {{"jitter", "1e-6",
      "1e-12 .. 1e-2",
      "Added to the diagonal of covariance matrices, relative to the kernel's variance.",
      NIM_OPTION_REAL, NULL, 1e-12, 1e-2, NIM_OPTION_SHAPES, NIM_OPTION_RESEARCH},
     REAL, AT(jitter)},
    {{"whiten", "1",
      "0 or 1",
      "Whether training moves the posterior of the inducing values in units of their prior (1) or as it is "
      "(0). Both describe the same distributions, but Adam's steps are different.",
      NIM_OPTION_FLAG, NAMES("0", "1"), 0, 1, NIM_OPTION_SHAPES, NIM_OPTION_RESEARCH},
     WHOLE, AT(whiten)},
    {{"white_start", "0",
      "0 .. 100",
      "Initial variance of the latent functions' white noise.",
      NIM_OPTION_REAL, NULL, 0, 100, NIM_OPTION_SHAPES, NIM_OPTION_RESEARCH},
     REAL, AT(white_start)},
    {{"standardise", "1",
      "0 or 1",
      "Whether attributes are scaled to mean 0 and standard deviation 1.",
      NIM_OPTION_FLAG, NAMES("0", "1"), 0, 1, NIM_OPTION_SHAPES, NIM_OPTION_RESEARCH},
     WHOLE, AT(standardise)},
    {{"seed", "0",
      "0 .. 2^53",
      "Seed of the random numbers; the same seed gives the same result.",
      NIM_OPTION_WHOLE, NULL, 0, 9007199254740992.0, NIM_OPTION_SHAPES, NIM_OPTION_EVERYDAY},
     WHOLE, AT(seed)},
    {{"threads", "0",
      "0 .. 1024",
      "Number of threads; 0: one per processor. Results do not depend on it.",
      NIM_OPTION_WHOLE, NULL, 0, 1024, NIM_OPTION_RUNS, NIM_OPTION_EVERYDAY},
     WHOLE, AT(threads)},
};
/* clang-format on */

_Static_assert(sizeof option_list / sizeof *option_list == OPTION_COUNT, "the list is complete");

/* The index of a choice, which is its value in the enumeration; -1 if there is none. */
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
    bool fits = (whole ? read_whole : read_number)(value, &number) &&
                number >= option->info.least && number <= option->info.most;
    if (!fits && option->info.type == NIM_OPTION_FLAG)
        return option_failure(error, option->info.name, "'%s' is not 0 or 1", value);
    if (!fits)
        return option_failure(error, option->info.name, "'%s' is %s%s number in %s", value,
                              automatic ? "neither auto nor a" : "not a", whole ? " whole" : "",
                              option->info.values + (automatic ? strlen("auto, or ") : 0));
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
    size_t needed = strlen(text) + 1;
    if (needed > size)
        return option_failure(error, name, "its value needs %zu bytes, but the size is %zu", needed,
                              size);
    memcpy(value, text, needed);
    return succeed(error);
}

int nim_options_can(const nim_options *options, nim_ability what) {
    const struct input_model *input = options->input ? options->input : &input_marginal;
    switch (what) {
    case NIM_USES_ERRORS:
        return input->uses_errors && options->noise != NOISE_LEARNED;
    case NIM_JOINS_ERRORS:
        return input->joins_errors && options->noise != NOISE_BOTH;
    case NIM_LEARNS_NOISE:
        return options->noise != NOISE_GIVEN;
    case NIM_OWNS_ROWS:
        return input->row_parameters != NULL;
    case NIM_READS_TARGET:
        return input->reads_target;
    }
    return false;
}

size_t option_index(const char *name) {
    const struct option *option = find_option(name, NULL);
    return option ? (size_t)(option - option_list) : OPTION_COUNT;
}

bool option_is_default(const struct nim_options *options, const char *name) {
    char value[VALUE_TEXT];
    const struct option *option = find_option(name, NULL);
    if (!option)
        return false;
    write_value(options, option, value);
    return strcmp(value, option->info.fallback) == 0;
}

void option_copy(struct nim_options *to, const struct nim_options *from, const char *name) {
    const struct option *option = find_option(name, NULL);
    size_t size = option->kind == REAL ? sizeof(double) : sizeof(size_t);
    if (option->kind == KERNEL || option->kind == LIKELIHOOD || option->kind == INPUT)
        size = sizeof(void *);
    memcpy((char *)to + option->offset, (const char *)from + option->offset, size);
}

nim_options *nim_options_create(void) {
    nim_options *options = calloc(1, sizeof *options);
    for (size_t i = 0; options && i < OPTION_COUNT; i++)
        if (set_value(options, &option_list[i], option_list[i].info.fallback, NULL) != NIM_OK)
            abort(); /* the list above has a default outside its own range */
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
