/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Commands. Each has one table of options, for parsing and --help; from the latter the build makes
 * the man page and the shell completion (tools/pages.py).
 */

#include "cli/terminal/library_error.h"
#include "text/name_list.h"

#include <stdbool.h>
#include <stddef.h>

/* An option with the name "" is a heading: its help is printed above the following options. One
 * with `tier` stands for all options of the library of this tier that the table does not have
 * itself. */
struct option {
    const char *name;     /* without dashes: "label" */
    char letter;          /* 'o' for -o, or 0 */
    const char *value;    /* placeholder of the value in help: "FILE", "N"; NULL for a flag */
    const char *help;     /* one sentence; NULL: the library's own for `engine` */
    const char *fallback; /* the default as text, or NULL; for `engine` the library's own */
    const char *engine;   /* the library's option it sets (nim_option_describe), or NULL */
    const char *values;   /* "a, b, c" where these are all, or NULL; for `engine` the library's */
    enum { NO_TIER, TIER_EVERYDAY, TIER_EXPERT } tier; /* in nim_option_tier's order, from 1 */
    bool borrowed;                                     /* it stands in the table by its tier only */
    bool closed; /* `values` are names, and no others are allowed; found by option_list_make */
};

/* What a command that trains has. */
#define TIER(which)                                                                                \
    { .name = "(library)", .tier = TIER_##which }
#define SET_OPTION                                                                                 \
    {                                                                                              \
        .name = SET, .value = "NAME=VALUE",                                                        \
        .help = "Set any option of the library, also one for research; docs/options.md lists "     \
                "them. May be repeated."                                                           \
    }
#define SET "set"

struct arguments; /* a parsed command line */

struct command {
    const char *name, *summary; /* "fit", "Learns a model from a table" */
    const char *operands;       /* "TABLE", as in usage lines */
    size_t least_operands, most_operands;
    const char *description;      /* paragraphs divided by empty lines; plain text */
    const char *examples;         /* lines of shell, each with a comment line above */
    bool many;                    /* processes may run it together, see team.h */
    const struct option *options; /* up to one whose name is NULL; --quiet and --help
                                     are not listed, every command has them */
    bool (*run)(const struct arguments *arguments, struct complaint *complaint);
};

extern const struct command command_simulate, command_fit, command_predict, command_evaluate,
    command_suggest, command_inspect, command_report, command_convert, command_check;

/* ---------------------------------------------------------------- what a command asks --------- */

const char *argument_command(const struct arguments *arguments); /* its name */

/* The whole command line, or that of other words, quoted for a shell; to be freed. NULL when out of
 * memory. */
char *argument_line(const struct arguments *arguments);
char *shell_line(const char *command, size_t count, const char *const *words);

const char *argument_operand(const struct arguments *arguments, size_t index);

/* The last value given for an option, else its fallback, else NULL. */
const char *argument_text(const struct arguments *arguments, const char *name);

/* Whether the option is on the command line; for flags this is their value. */
bool argument_given(const struct arguments *arguments, const char *name);

/* The name of an option of the library on the command line that its table has by its tier, or NULL.
 */
const char *argument_borrowed(const struct arguments *arguments);

/* How often, and the k-th value, of an option that may be repeated. */
size_t argument_count(const struct arguments *arguments, const char *name);
const char *argument_nth(const struct arguments *arguments, const char *name, size_t k);

/* All of them, added to a list. */
bool argument_all(const struct arguments *arguments, const char *name, struct name_list *list,
                  struct complaint *complaint);

/* The value as a number; fails with BAD_USAGE and names option and range if it is not valid. */
bool argument_real(const struct arguments *arguments, const char *name, double least, double most,
                   double *value, struct complaint *complaint);
bool argument_whole(const struct arguments *arguments, const char *name, size_t least, size_t most,
                    size_t *value, struct complaint *complaint);

/* Sets every engine option that was given; hyphens in values count as underscores. */
bool argument_engine(const struct arguments *arguments, nim_options *options,
                     struct complaint *complaint);

/* ---------------------------------------------------------------- talk ------------------------ */

/* Prints a line on standard error, after "nimgp: "; nothing with --quiet, which every command has.
 */
void say(const struct arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
