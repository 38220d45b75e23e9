/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nimgp COMMAND ...: finds the command, parses its arguments and runs it. If it fails, prints one
 * line and returns an exit code. Each command is in the file of its name.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/launch.h"
#include "cli/terminal/arguments.h"
#include "cli/terminal/commands.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/grid.h"
#include "cli/terminal/help.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/team.h"
#include "text/nearest.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static bool complain_of_command(const char *name, struct complaint *complaint) {
    struct nearest nearest = {.word = name};
    for (size_t i = 0; command_list[i]; i++)
        nearest_try(&nearest, command_list[i]->name);
    if (nearest.found)
        return complain(complaint, BAD_USAGE, "unknown command '%s'; did you mean %s?", name,
                        nearest.found);
    return complain(complaint, BAD_USAGE, "unknown command '%s'; see nimgp --help", name);
}

static bool run_command(const struct command *command, size_t count, char *const *words,
                        struct complaint *complaint) {
    struct arguments *arguments = arguments_parse(command, count, words, complaint);
    if (!arguments)
        return false;
    bool good = true;
    if (arguments_want_help(arguments))
        help_command(stdout, command);
    else if (team_size() > 1 && !command->many)
        good = complain(complaint, BAD_USAGE,
                        "%s runs in one process only; fit and predict can run in several",
                        command->name);
    else
        good = command->run(arguments, complaint);
    arguments_free(arguments);
    return good;
}

/* help [COMMAND] */
static bool explain(size_t count, char *const *words, struct complaint *complaint) {
    if (count > 2)
        return complain(complaint, BAD_USAGE, "%s: one command at a time", words[0]);
    const struct command *command = count == 2 ? command_named(words[1]) : NULL;
    if (count == 2 && !command)
        return complain_of_command(words[1], complaint);
    if (command)
        help_command(stdout, command);
    else
        help_overview(stdout);
    return true;
}

static bool is(const char *word, const char *a, const char *b) {
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static bool run(size_t count, char *const *words, struct complaint *complaint) {
    if (!count)
        return complain(complaint, BAD_USAGE, "the command is missing; see nimgp --help");
    if (strcmp(words[0], "help") == 0 && count == 2 && is(words[1], "--help", "-h"))
        count = 1;
    if (strcmp(words[0], "help") == 0)
        return explain(count, words, complaint);
    if (is(words[0], "--help", "-h")) {
        help_overview(stdout);
        return true;
    }
    if (strcmp(words[0], "--version") == 0) {
        printf("nimgp %s\n", nim_version());
        return true;
    }
    if (words[0][0] == '-')
        return complain(complaint, BAD_USAGE,
                        "unknown option %s; the command must come first, see nimgp --help",
                        words[0]);
    const struct command *command = command_named(words[0]);
    if (!command)
        return complain_of_command(words[0], complaint);
    return run_command(command, count - 1, words + 1, complaint);
}

/* What is still in the buffer may not find room any more. */
static bool finish_output(struct complaint *complaint) {
    if (grid_missing_from_output())
        return complain_of_memory(complaint);
    errno = 0;
    bool failed = ferror(stdout) != 0;
    if (fflush(stdout) == 0 && !failed)
        return true;
    return complain(complaint, BAD_INPUT, "standard output: %s",
                    errno ? strerror(errno) : "could not be written");
}

/* Prints the error message, in the process that has one. */
static void tell(const struct complaint *complaint) {
    if (complaint->text[0])
        fprintf(stderr, "nimgp: %s\n", complaint->text);
}

static int run_all(int count, char **words) {
    struct complaint complaint = {0};
    bool good = run(count > 0 ? (size_t)count - 1 : 0, words + 1, &complaint);
    if (good)
        good = finish_output(&complaint);
    if (good)
        return EXIT_FINE;
    if (interrupted() && complaint.kind != INTERRUPTED)
        complain(&complaint, INTERRUPTED, "interrupted");
    team_settle_complaint(&complaint);
    tell(&complaint);
    return exit_code_of(complaint.kind);
}

int main(int count, char **words) {
    launch(&count, &words);
    /* Who reads our output and has enough ends us without a word, whatever we inherited. */
    signal(SIGPIPE, SIG_DFL);
    interrupt_watch();
    return land(run_all(count, words));
}
