/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/help.h"

#include "cli/terminal/commands.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/options.h"

#include <string.h>

enum { WIDTH = 79, INDENT = 6 };

static const char program_description[] =
    "Learns to predict classes, numbers, counts, ordered levels or sets of labels from a table "
    "whose columns may have 1-sigma errors. The predictions are calibrated probabilities, or "
    "distributions of numbers. Values and errors may be missing, errors may be correlated or "
    "asymmetric, and values may be upper or lower limits.\n\n"
    "Tables are CSV, TSV, ECSV, FITS or VOTable files, gzipped or not, or row "
    "files; '-' is standard input or output. Results go to standard output, messages to standard "
    "error.";

/* A line under construction. */
struct flow {
    FILE *file;
    int indent, column;
};

/* Adds one word, on a new line when it does not fit. */
static void put_word(struct flow *flow, const char *word, size_t length) {
    if (flow->column > flow->indent && flow->column + 1 + (int)length > WIDTH) {
        fputc('\n', flow->file);
        flow->column = 0;
    }
    if (flow->column > flow->indent) {
        fputc(' ', flow->file);
        flow->column++;
    }
    for (; flow->column < flow->indent; flow->column++)
        fputc(' ', flow->file);
    fwrite(word, 1, length, flow->file);
    flow->column += (int)length;
}

static void put_words(struct flow *flow, const char *text, size_t size) {
    for (size_t i = 0, length; i < size; i += length + 1) {
        length = strcspn(text + i, " \n");
        if (length)
            put_word(flow, text + i, length);
    }
}

static void end_line(struct flow *flow) {
    if (flow->column)
        fputc('\n', flow->file);
    flow->column = 0;
}

/* Paragraphs divided by empty lines. */
static void put_paragraphs(FILE *file, const char *text, int indent) {
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        struct flow flow = {.file = file, .indent = indent};
        put_words(&flow, text, length);
        end_line(&flow);
        text += length;
        text += strspn(text, "\n");
        if (*text)
            fputc('\n', file);
    }
}

static void put_option(FILE *file, const struct option *option) {
    if (option_heading(option)) {
        fprintf(file, "\n%s:\n", option->help);
        return;
    }
    fputs("  ", file);
    if (option->letter)
        fprintf(file, "-%c, ", option->letter);
    fprintf(file, "--%s%s%s\n", option->name, option->value ? " " : "",
            option->value ? option->value : "");
    struct flow flow = {.file = file, .indent = INDENT};
    char note[OPTION_NOTE], remark[OPTION_NOTE + 2], rules[OPTION_RULES];
    option_rules(option, rules);
    option_note(option, note);
    int length = snprintf(remark, sizeof remark, "(%s)", note);
    put_words(&flow, option->help, strlen(option->help));
    put_words(&flow, rules, strlen(rules));
    put_words(&flow, remark, note[0] ? (size_t)length : 0);
    end_line(&flow);
}

static void put_indented(FILE *file, const char *lines) {
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        fprintf(file, "  %.*s\n", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

static void put_exit_codes(FILE *file) {
    fputs("\nexit status:\n", file);
    for (size_t i = 0; exit_meanings[i].text; i++)
        fprintf(file, "  %3d  %s\n", exit_meanings[i].code, exit_meanings[i].text);
}

void help_command(FILE *file, const struct command *command) {
    int length =
        snprintf(NULL, 0, "usage: nimgp %s [options] %s", command->name, command->operands);
    fprintf(file, "nimgp %s: %s\n\nusage: nimgp %s [options]%s%s\n\n", command->name,
            command->summary, command->name, length < 80 ? " " : "\n  ", command->operands);
    put_paragraphs(file, command->description, 0);
    struct option_list list;
    option_list_make(&list, command);
    if (!option_heading(&list.option[0]))
        fputs("\noptions:\n", file);
    for (size_t i = 0; i < list.count; i++)
        put_option(file, &list.option[i]);
    fputs("\nexamples:\n", file);
    put_indented(file, command->examples);
    put_exit_codes(file);
}

void help_overview(FILE *file) {
    fprintf(file,
            "nimgp %s: classification and regression for data with error bars\n\n"
            "usage: nimgp COMMAND [options] ...\n\n",
            nim_version());
    put_paragraphs(file, program_description, 0);
    fputs("\ncommands:\n", file);
    for (size_t i = 0; command_list[i]; i++)
        fprintf(file, "  %-10s %s\n", command_list[i]->name, command_list[i]->summary);
    fputs("  help       Explains a command: nimgp help COMMAND, or nimgp COMMAND --help\n\n"
          "options:\n"
          "  -h, --help   Print this help and exit.\n"
          "  --version    Print the version and exit.\n\n"
          "examples:\n"
          "  nimgp simulate catalogue --out sky\n"
          "  nimgp fit sky/train.csv -o sky.nimgp\n"
          "  nimgp evaluate sky.nimgp sky/test.csv\n"
          "  nimgp predict sky.nimgp sky/unlabelled.csv -o predicted.csv\n",
          file);
    put_exit_codes(file);
}
