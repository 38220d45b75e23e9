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

struct option {
    nim_option_info info;
    const void *parts; /* the list of those that the choices name, but for "auto"; or NULL */
    size_t offset;
};

/* The names of a list, each after a comma: ", a, b". */
#define COMMA ", "
#define AFTER_COMMA(name) COMMA #name
#define TERM_AFTER_COMMA(term, name, summary) COMMA name
#define SUM_AFTER_COMMA(first, second, name, summary) COMMA name
static const char kernel_values[] = ", auto" KERNEL_LIST(TERM_AFTER_COMMA, SUM_AFTER_COMMA);
static const char likelihood_values[] = LIKELIHOOD_LIST(AFTER_COMMA);
static const char input_values[] = ", auto" INPUT_LIST(AFTER_COMMA);

/* The names themselves. */
#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NAME(name) #name,
#define NAME_TERM(term, name, summary) name,
#define NAME_SUM(first, second, name, summary) name,
static const char *const kernel_names[] = {"auto", KERNEL_LIST(NAME_TERM, NAME_SUM) NULL};
static const char *const likelihood_names[] = {LIKELIHOOD_LIST(NAME) NULL};
static const char *const input_names[] = {"auto", INPUT_LIST(NAME) NULL};

/* The values of an option, for people and for programs. */
#define LIMITS(text, lower, upper)                                                                 \
    .info.values = text, .info.least = (double)(lower), .info.most = (double)(upper)
#define RANGE(lower, upper) LIMITS(#lower " .. " #upper, lower, upper)
#define AUTO_OR(lower, upper)                                                                      \
    LIMITS("auto, or " #lower " .. " #upper, lower, upper), .info.choices = NAMES("auto")
#define ON_OFF LIMITS("0 or 1", 0, 1), .info.choices = NAMES("0", "1")
#define ONE_OF_2(a, b) .info.values = a COMMA b, .info.choices = NAMES(a, b)
#define ONE_OF_3(a, b, c) .info.values = a COMMA b COMMA c, .info.choices = NAMES(a, b, c)
#define ONE_OF_5(a, b, c, d, e)                                                                    \
    .info.values = a COMMA b COMMA c COMMA d COMMA e, .info.choices = NAMES(a, b, c, d, e)
#define PARTS(list)                                                                                \
    .info.values = list##_values + sizeof COMMA - 1, .info.choices = list##_names,                 \
    .parts = list##_list

#define NIM_OPTION_KERNEL NIM_OPTION_CHOICE
#define NIM_OPTION_LIKELIHOOD NIM_OPTION_CHOICE
#define NIM_OPTION_INPUT NIM_OPTION_CHOICE
#define OPTION(kind, option, usual, range, affects, needed, meaning)                               \
    {.info.name = #option,                                                                         \
     .info.fallback = usual,                                                                       \
     .info.help = meaning,                                                                         \
     .info.type = NIM_OPTION_##kind,                                                               \
     .info.role = NIM_OPTION_##affects,                                                            \
     .info.tier = NIM_OPTION_##needed,                                                             \
     range,                                                                                        \
     .offset = offsetof(struct nim_options, option)},
static const struct option option_list[] = {
#include "rules/option_list.h"
};
#undef OPTION

/* Every member has this size but for numbers with fractions. */
_Static_assert(sizeof(void *) == sizeof(size_t), "a part takes the place of a choice");

static size_t size_of(const struct option *option) {
    return option->info.type == NIM_OPTION_REAL ? sizeof(double) : sizeof(size_t);
}

/* The part that a choice names; NULL for "auto". */
static const void *part_named(const struct option *option, size_t choice) {
    const void *part = NULL;
    bool automatic = strcmp(option->info.choices[0], "auto") == 0;
    if (choice || !automatic)
        memcpy(&part, (const char *)option->parts + (choice - automatic) * sizeof part,
               sizeof part);
    return part;
}

static nim_status set_choice(nim_options *options, const struct option *option, const char *value,
                             nim_error *error) {
    const char *const *choices = option->info.choices;
    size_t index = 0;
    while (choices[index] && strcmp(choices[index], value) != 0)
        index++;
    if (!choices[index])
        return option_failure(error, option->info.name, "'%s' is not one of %s", value,
                              option->info.values);
    const void *part = option->parts ? part_named(option, index) : NULL;
    memcpy((char *)options + option->offset,
           option->parts ? (const void *)&part : (const void *)&index, sizeof part);
    return succeed(error);
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
    bool whole = option->info.type != NIM_OPTION_REAL;
    bool automatic = strcmp(option->info.fallback, "auto") == 0;
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
    return (option->info.type == NIM_OPTION_CHOICE ? set_choice : set_number)(options, option,
                                                                              value, error);
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
    const void *place = (const char *)options + option->offset, *part;
    size_t index = 0;
    switch (option->info.type) {
    case NIM_OPTION_CHOICE:
        memcpy(option->parts ? (void *)&part : (void *)&index, place, sizeof part);
        while (option->parts && part_named(option, index) != part)
            index++;
        snprintf(text, VALUE_TEXT, "%s", option->info.choices[index]);
        break;
    case NIM_OPTION_FLAG:
    case NIM_OPTION_WHOLE:
        snprintf(text, VALUE_TEXT, "%zu", *(const size_t *)place);
        break;
    case NIM_OPTION_REAL:
        if (*(const double *)place == OPTION_AUTO && strcmp(option->info.fallback, "auto") == 0)
            snprintf(text, VALUE_TEXT, "auto");
        else
            write_number(*(const double *)place, text, VALUE_TEXT);
        break;
    }
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
        return input->row_parameters > 0;
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
    memcpy((char *)to + option->offset, (const char *)from + option->offset, size_of(option));
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
