/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/completion.h"

#include "cli/terminal/commands.h"
#include "cli/terminal/options.h"

#include <string.h>

/*
 * What does not depend on the commands. Needs nothing but bash itself. "=" breaks words, so that
 * --input=la arrives as three.
 */
static const char start[] =
    "# Completion for nimgp, made by the program itself from its table of options.\n"
    "_nimgp_offer() { # the words of $1 that begin with $2\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$2\")\n"
    "}\n"
    "_nimgp_paths() { # -f or -d, and how they begin; names may hold blanks\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$2\")\n"
    "}\n"
    "_nimgp() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]} i\n"
    "    COMPREPLY=()\n"
    "    if [[ $current == = ]]; then\n"
    "        current=\n"
    "    elif [[ $last == = ]] && ((COMP_CWORD > 2)); then\n"
    "        last=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
    "            _nimgp_paths -f \"$current\"\n"
    "            return\n"
    "        fi\n"
    "    done\n";

static const char end[] = "}\n"
                          "complete -F _nimgp nimgp\n";

static void put_command_names(FILE *file) {
    for (size_t i = 0; command_list[i]; i++)
        fprintf(file, "%s ", command_list[i]->name);
}

/* "        --out | -o)" */
static void put_pattern(FILE *file, const struct option *option) {
    fprintf(file, "        --%s", option->name);
    if (option->letter)
        fprintf(file, " | -%c", option->letter);
    fputs(")", file);
}

static void put_choices(FILE *file, const struct option *option) {
    char choice[OPTION_CHOICE];
    fputs(" _nimgp_offer \"", file);
    for (size_t i = 0; i < option_choices(option); i++) {
        option_choice(option, i, choice);
        fprintf(file, "%s%s", i ? " " : "", choice);
    }
    fputs("\" \"$current\" ;;\n", file);
}

static void put_value_of(FILE *file, const struct option *option) {
    if (option_heading(option) || !option->value)
        return;
    put_pattern(file, option);
    if (option_choices(option))
        put_choices(file, option);
    else if (option->complete == COMPLETE_FILE)
        fputs(" _nimgp_paths -f \"$current\" ;;\n", file);
    else if (option->complete == COMPLETE_DIRECTORY)
        fputs(" _nimgp_paths -d \"$current\" ;;\n", file);
    else
        fputs(" ;;\n", file); /* no suggestions */
}

/* Operands are files, unless the first is one of a few words: "toy|synthetic ...". */
static void put_operands(FILE *file, const struct command *command) {
    size_t length = strcspn(command->operands, " ");
    if (!memchr(command->operands, '|', length)) {
        fputs("            else _nimgp_paths -f \"$current\"; fi ;;\n", file);
        return;
    }
    fputs("            else _nimgp_offer \"", file);
    for (size_t i = 0; i < length; i++)
        fputc(command->operands[i] == '|' ? ' ' : command->operands[i], file);
    fputs("\" \"$current\"; fi ;;\n", file);
}

static void put_command(FILE *file, const struct command *command) {
    fprintf(file, "    %s)\n        case $last in\n", command->name);
    struct option_walk walk = {.command = command};
    struct option option;
    while (option_next(&walk, &option))
        put_value_of(file, &option);
    fputs("        *)\n            if [[ $current == -* ]]; then _nimgp_offer \"", file);
    walk = (struct option_walk){.command = command};
    while (option_next(&walk, &option))
        if (!option_heading(&option))
            fprintf(file, "--%s ", option.name);
    fputs("\" \"$current\"\n", file);
    put_operands(file, command);
    fputs("        esac ;;\n", file);
}

void completion_bash(FILE *file) {
    fputs(start, file);
    fputs("    if ((COMP_CWORD == 1)); then\n        _nimgp_offer \"", file);
    put_command_names(file);
    fputs("help --help --version\" \"$current\"\n        return\n    fi\n"
          "    case ${COMP_WORDS[1]} in\n    help) _nimgp_offer \"",
          file);
    put_command_names(file);
    fputs("\" \"$current\" ;;\n", file);
    for (size_t i = 0; command_list[i]; i++)
        put_command(file, command_list[i]);
    fputs("    esac\n", file);
    fputs(end, file);
}
