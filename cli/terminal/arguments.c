/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/arguments.h"

#include "text/nearest.h"
#include "cli/terminal/options.h"
#include "text/number.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct given_option {
    const struct option *option;
    const char *value; /* "" for flags */
};

struct arguments {
    const struct command *command;
    struct option_list options;
    size_t operands, givens;
    const char **operand;
    struct given_option *given;
    bool want_help;
    const char *const *words; /* as they stood */
    size_t word_count;
};

/* ---------------------------------------------------------------- parsing --------------------- */

/* Where parsing is. */
struct cursor {
    char *const *words;
    size_t count, next;
};

static bool complain_of_unknown(const struct arguments *arguments, const char *word, size_t length,
                                struct complaint *complaint) {
    const struct command *command = arguments->command;
    const struct option_list *options = &arguments->options;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name), word);
    struct nearest nearest = {.word = name};
    for (size_t i = 0; i < options->count; i++)
        nearest_try(&nearest, options->option[i].name);
    bool trains = option_named(options, SET, strlen(SET));
    char spelled[sizeof name];
    option_respell(name, '-', '_', spelled, sizeof spelled);
    if (trains && nim_option_named(spelled))
        return complain(complaint, BAD_USAGE,
                        "%s: --%s is an option for research; use --set %s=VALUE", command->name,
                        name, spelled);
    if (nearest.found)
        return complain(complaint, BAD_USAGE, "%s: unknown option --%s; did you mean --%s?",
                        command->name, name, nearest.found);
    return complain(complaint, BAD_USAGE, "%s: unknown option --%s; see nimgp %s --help",
                    command->name, name, command->name);
}

static bool complain_of_choice(const struct command *command, const struct option *option,
                               const char *value, struct complaint *complaint) {
    char list[512], choice[OPTION_CHOICE], best[OPTION_CHOICE + 32] = "";
    struct nearest nearest = {.word = value};
    option_respell(option->values, '_', '-', list, sizeof list);
    for (const char *values = option->values; option_choice(&values, choice);) {
        const char *before = nearest.found;
        size_t slips = nearest.slips;
        nearest_try(&nearest, choice);
        if (nearest.found && (!before || nearest.slips < slips))
            snprintf(best, sizeof best, "; did you mean %s?", choice);
    }
    return complain(complaint, BAD_USAGE, "%s: --%s: '%s' is not one of %s%s", command->name,
                    option->name, value, list, best);
}

static bool set_engine(const struct command *command, const struct option *option,
                       const char *value, nim_options *options, struct complaint *complaint) {
    char spelled[OPTION_CHOICE];
    nim_error error;
    if (!option->value) {
        value = "1"; /* a flag */
    } else if (option->closed) {
        option_respell(value, '-', '_', spelled, sizeof spelled);
        value = spelled;
    }
    if (nim_options_set(options, option->engine, value, &error) == NIM_OK)
        return true;
    /* "option epsilon: ..." is the library's name for what the user called --epsilon. */
    const char *colon = strstr(error.message, ": ");
    return complain(complaint, BAD_USAGE, "%s: --%s: %s", command->name, option->name,
                    colon ? colon + 2 : error.message);
}

/* --set NAME=VALUE */
static bool set_named(const struct command *command, const char *text, nim_options *options,
                      struct complaint *complaint) {
    char name[64];
    size_t length = strcspn(text, "=");
    nim_error error;
    if (!text[length] || length >= sizeof name)
        return complain(complaint, BAD_USAGE, "%s: --set: '%s' is not NAME=VALUE", command->name,
                        text);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    option_respell(name, '-', '_', name, sizeof name);
    return nim_options_set(options, name, text + length + 1, &error) == NIM_OK ||
           complain(complaint, BAD_USAGE, "%s: --set: %s", command->name, error.message);
}

/* Sets what an option of the library, or --set, says. */
static bool set_given(const struct command *command, const struct option *option, const char *value,
                      nim_options *options, struct complaint *complaint) {
    return strcmp(option->name, SET) == 0 ? set_named(command, value, options, complaint)
           : option->engine               ? set_engine(command, option, value, options, complaint)
                                          : true;
}

static bool check_value(const struct command *command, const struct option *option,
                        const char *value, struct complaint *complaint) {
    if (!option_allows(option, value))
        return complain_of_choice(command, option, value, complaint);
    nim_options *scratch = nim_options_create();
    if (!scratch)
        return complain_of_memory(complaint);
    bool good = set_given(command, option, value, scratch, complaint);
    nim_options_free(scratch);
    return good;
}

/* An option was met; `attached` is the value written with it, or NULL. */
static bool take(struct arguments *arguments, struct cursor *cursor, const struct option *option,
                 const char *attached, struct complaint *complaint) {
    const char *name = arguments->command->name, *value = "";
    if (!option->value && attached)
        return complain(complaint, BAD_USAGE, "%s: --%s takes no value", name, option->name);
    if (option->value && attached)
        value = attached;
    else if (option->value) {
        /* A word that looks like an option is a forgotten value rather than one. */
        if (cursor->next == cursor->count || strncmp(cursor->words[cursor->next], "--", 2) == 0)
            return complain(complaint, BAD_USAGE, "%s: --%s needs a value: --%s %s", name,
                            option->name, option->name, option->value);
        value = cursor->words[cursor->next++];
    }
    if (!check_value(arguments->command, option, value, complaint))
        return false;
    arguments->given[arguments->givens++] = (struct given_option){.option = option, .value = value};
    arguments->want_help = arguments->want_help || strcmp(option->name, "help") == 0;
    return true;
}

static bool take_long(struct arguments *arguments, struct cursor *cursor, const char *word,
                      struct complaint *complaint) {
    size_t length = strcspn(word, "=");
    const struct option *option = option_named(&arguments->options, word, length);
    if (!option)
        return complain_of_unknown(arguments, word, length, complaint);
    return take(arguments, cursor, option, word[length] ? word + length + 1 : NULL, complaint);
}

static bool take_short(struct arguments *arguments, struct cursor *cursor, const char *word,
                       struct complaint *complaint) {
    const struct option *option = option_lettered(&arguments->options, word[0]);
    if (option)
        return take(arguments, cursor, option, word[1] ? word + 1 : NULL, complaint);
    option = option_named(&arguments->options, word, strcspn(word, "="));
    if (option)
        return complain(complaint, BAD_USAGE, "%s: unknown option -%s; did you mean --%s?",
                        arguments->command->name, word, option->name);
    return complain(complaint, BAD_USAGE, "%s: unknown option -%s; see nimgp %s --help",
                    arguments->command->name, word, arguments->command->name);
}

static bool take_all(struct arguments *arguments, struct cursor *cursor,
                     struct complaint *complaint) {
    bool options_over = false;
    while (cursor->next < cursor->count && !arguments->want_help) {
        const char *word = cursor->words[cursor->next++];
        bool good = true;
        if (options_over || word[0] != '-' || !word[1])
            arguments->operand[arguments->operands++] = word;
        else if (strcmp(word, "--") == 0)
            options_over = true;
        else if (word[1] == '-')
            good = take_long(arguments, cursor, word + 2, complaint);
        else
            good = take_short(arguments, cursor, word + 1, complaint);
        if (!good)
            return false;
    }
    return true;
}

static bool check_operands(const struct arguments *arguments, struct complaint *complaint) {
    const struct command *command = arguments->command;
    if (arguments->want_help)
        return true;
    if (arguments->operands > command->most_operands)
        return complain(complaint, BAD_USAGE, "%s: unexpected argument '%s'; usage: nimgp %s %s",
                        command->name, arguments->operand[command->most_operands], command->name,
                        command->operands);
    if (arguments->operands >= command->least_operands)
        return true;
    const char *missing = command->operands; /* words in their order */
    for (size_t i = 0; i < arguments->operands; i++)
        missing += strcspn(missing, " ") + 1;
    return complain(complaint, BAD_USAGE, "%s: %.*s is missing; usage: nimgp %s %s", command->name,
                    (int)strcspn(missing, " "), missing, command->name, command->operands);
}

struct arguments *arguments_parse(const struct command *command, size_t count, char *const *words,
                                  struct complaint *complaint) {
    struct arguments *arguments = calloc(1, sizeof *arguments);
    if (arguments) {
        option_list_make(&arguments->options, command);
        arguments->command = command;
        arguments->words = (const char *const *)words;
        arguments->word_count = count;
        arguments->operand = calloc(count + 1, sizeof *arguments->operand);
        arguments->given = calloc(count + 1, sizeof *arguments->given);
    }
    if (!arguments || !arguments->operand || !arguments->given) {
        complain_of_memory(complaint);
    } else {
        struct cursor cursor = {.words = words, .count = count};
        if (take_all(arguments, &cursor, complaint) && check_operands(arguments, complaint))
            return arguments;
    }
    arguments_free(arguments);
    return NULL;
}

/* A word as it is where no shell would change it, else in single quotes. */
static char *add_word(char *end, const char *word) {
    bool plain =
        *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "-_./,=:+@%") == strlen(word);
    *end++ = ' ';
    if (!plain)
        *end++ = '\'';
    for (; *word; word++)
        if (*word == '\'')
            end = (char *)memcpy(end, "'\\''", 4) + 4;
        else
            *end++ = *word;
    if (!plain)
        *end++ = '\'';
    return end;
}

char *shell_line(const char *command, size_t count, const char *const *words) {
    size_t size = strlen(command) + 8;
    for (size_t i = 0; i < count; i++)
        size += 4 * strlen(words[i]) + 3;
    char *line = malloc(size);
    if (!line)
        return NULL;
    char *end = line + snprintf(line, size, "nimgp %s", command);
    for (size_t i = 0; i < count; i++)
        end = add_word(end, words[i]);
    *end = '\0';
    return line;
}

char *argument_line(const struct arguments *arguments) {
    return shell_line(arguments->command->name, arguments->word_count, arguments->words);
}

void arguments_free(struct arguments *arguments) {
    if (!arguments)
        return;
    free(arguments->operand);
    free(arguments->given);
    free(arguments);
}

bool arguments_want_help(const struct arguments *arguments) {
    return arguments->want_help;
}

/* ---------------------------------------------------------------- what a command asks --------- */

const char *argument_command(const struct arguments *arguments) {
    return arguments->command->name;
}

const char *argument_operand(const struct arguments *arguments, size_t index) {
    return index < arguments->operands ? arguments->operand[index] : NULL;
}

size_t argument_count(const struct arguments *arguments, const char *name) {
    size_t count = 0;
    for (size_t i = 0; i < arguments->givens; i++)
        count += strcmp(arguments->given[i].option->name, name) == 0;
    return count;
}

const char *argument_nth(const struct arguments *arguments, const char *name, size_t k) {
    for (size_t i = 0; i < arguments->givens; i++)
        if (strcmp(arguments->given[i].option->name, name) == 0 && k-- == 0)
            return arguments->given[i].value;
    return NULL;
}

bool argument_given(const struct arguments *arguments, const char *name) {
    return argument_count(arguments, name) > 0;
}

const char *argument_borrowed(const struct arguments *arguments) {
    for (size_t i = 0; i < arguments->givens; i++)
        if (arguments->given[i].option->borrowed)
            return arguments->given[i].option->name;
    return NULL;
}

bool argument_all(const struct arguments *arguments, const char *name, struct name_list *list,
                  struct complaint *complaint) {
    for (size_t k = 0; k < argument_count(arguments, name); k++) {
        const char *text = argument_nth(arguments, name, k);
        if (!name_list_add(list, text, strlen(text), complaint))
            return false;
    }
    return true;
}

const char *argument_text(const struct arguments *arguments, const char *name) {
    size_t count = argument_count(arguments, name);
    if (count)
        return argument_nth(arguments, name, count - 1);
    const struct option *option = option_named(&arguments->options, name, strlen(name));
    assert(option && "a command asks for an option that is not in its table");
    return option ? option->fallback : NULL;
}

static bool complain_of_range(const struct arguments *arguments, const char *name, const char *text,
                              const char *kind, double least, double most,
                              struct complaint *complaint) {
    char from[NUMBER_TEXT], to[NUMBER_TEXT];
    number_print(least, from);
    number_print(most, to);
    return complain(complaint, BAD_USAGE, "%s: --%s: '%s' is not a%s number from %s to %s",
                    arguments->command->name, name, text, kind, from, to);
}

bool argument_real(const struct arguments *arguments, const char *name, double least, double most,
                   double *value, struct complaint *complaint) {
    const char *text = argument_text(arguments, name);
    double number;
    if (!text || !number_parse(text, &number) || number < least || number > most)
        return complain_of_range(arguments, name, text ? text : "", "", least, most, complaint);
    *value = number;
    return true;
}

bool argument_whole(const struct arguments *arguments, const char *name, size_t least, size_t most,
                    size_t *value, struct complaint *complaint) {
    const char *text = argument_text(arguments, name);
    /* Up to 2^53 a double is a whole number exactly, and 1e6 may be written so. */
    double number, from = (double)least, to = fmin((double)most, 0x1p53);
    if (!text || !number_parse_whole(text, &number) || number < from || number > to)
        return complain_of_range(arguments, name, text ? text : "", " whole", from, to, complaint);
    *value = (size_t)number;
    return true;
}

bool argument_engine(const struct arguments *arguments, nim_options *options,
                     struct complaint *complaint) {
    for (size_t i = 0; i < arguments->givens; i++) {
        const struct given_option *given = &arguments->given[i];
        if (!set_given(arguments->command, given->option, given->value, options, complaint))
            return false;
    }
    return true;
}
