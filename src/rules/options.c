/* SPDX-License-Identifier: Apache-2.0 */
/* Options by their names: values as text, checks, descriptions. */
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

#define OPTION(kind, name, fallback, values, help, type, choices, least, most, role, tier)         \
    {{#name, fallback, values, help, NIM_OPTION_##type, choices, least, most, NIM_OPTION_##role,   \
      NIM_OPTION_##tier},                                                                          \
     kind,                                                                                         \
     offsetof(struct nim_options, name)},
static const struct option option_list[] = {
#include "rules/option_list.h"
};
#undef OPTION

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
    if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0) /* where the range has them */
        *number = text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    else
        return is_bare(text) && number_parse(text, number);
    return true;
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
        if (*(const double *)place == OPTION_AUTO && strcmp(option->info.fallback, "auto") == 0)
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
