/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/manual.h"

#include "cli/terminal/commands.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/help.h"
#include "cli/terminal/options.h"
#include "text/ascii.h"

#include <string.h>

/*
 * Text as troff needs it: backslashes and the characters it would make typographic. Hyphens become
 * minus signs where a reader may copy them: in code, and in words such as --noise-var.
 */
static void put_escaped(FILE *file, const char *text, size_t length, bool code) {
    for (size_t i = 0; i < length; i++) {
        static const char special[] = "\\'`^~\"";
        static const char *const spelled[] = {"\\e", "\\(aq", "\\(ga", "\\(ha", "\\(ti", "\\(dq"};
        const char *found = strchr(special, text[i]);
        if (text[i] == '-' && code)
            fputs("\\-", file);
        else if (found)
            fputs(spelled[found - special], file);
        else
            fputc(text[i], file);
    }
}

static bool looks_like_option(const char *word, size_t length) {
    for (size_t i = 0; i + 1 < length; i++)
        if (word[i] == '-' && (word[i + 1] == '-' || i == 0))
            return true;
    return false;
}

/* Words of running text, one space between them, up to `length` bytes; then a line's end. */
static void put_prose(FILE *file, const char *text, size_t length) {
    bool first = true;
    for (size_t i = 0; i < length;) {
        size_t word = strcspn(text + i, " \n");
        word = word < length - i ? word : length - i;
        if (word) {
            fputs(first ? "\\&" : " ", file); /* a point at the start of a line is a request */
            put_escaped(file, text + i, word, looks_like_option(text + i, word));
            first = false;
        }
        i += word + 1;
    }
    fputc('\n', file);
}

static void put_paragraphs(FILE *file, const char *text) {
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        put_prose(file, text, length);
        text += length;
        text += strspn(text, "\n");
        if (*text)
            fputs(".PP\n", file);
    }
}

/* Lines without filling. */
static void put_code(FILE *file, const char *lines) {
    fputs(".EX\n", file);
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        fputs("\\&", file);
        put_escaped(file, lines, length, true);
        fputc('\n', file);
        lines += length + (lines[length] == '\n');
    }
    fputs(".EE\n", file);
}

static void put_title(FILE *file, const char *name, const char *summary) {
    fputs(".\\\" Made by the program itself from its table of options.\n.TH \"NIMGP", file);
    if (name) {
        fputs("\\-", file);
        for (const char *c = name; *c; c++)
            fputc(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, file);
    }
    fprintf(file, "\" 1 \"\" \"nimgp %s\" \"User Commands\"\n.SH NAME\nnimgp", nim_version());
    if (name)
        fprintf(file, "\\-%s", name);
    fputs(" \\- ", file);
    fputc(ascii_lower(summary[0]), file);
    put_escaped(file, summary + 1, strlen(summary + 1), false);
    fputc('\n', file);
}

static void put_option(FILE *file, const struct option *option) {
    if (option_heading(option)) {
        fputs(".SS ", file);
        put_prose(file, option->help, strlen(option->help));
        return;
    }
    fputs(".TP\n", file);
    if (option->letter)
        fprintf(file, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", file);
    put_escaped(file, option->name, strlen(option->name), true);
    fputs("\\fR", file);
    if (option->value) {
        fputs(" \\fI", file);
        put_escaped(file, option->value, strlen(option->value), true);
        fputs("\\fR", file);
    }
    fputc('\n', file);
    put_prose(file, option->help, strlen(option->help));
    char note[OPTION_NOTE], rules[OPTION_RULES];
    option_rules(option, rules);
    if (rules[0])
        put_prose(file, rules, strlen(rules));
    option_note(option, note);
    if (!note[0])
        return;
    fputs("\\&(", file);
    put_escaped(file, note, strlen(note), true);
    fputs(")\n", file);
}

static void put_exit_codes(FILE *file) {
    fputs(".SH \"EXIT STATUS\"\n", file);
    for (size_t i = 0; exit_meanings[i].text; i++) {
        fprintf(file, ".TP\n\\fB%d\\fR\n", exit_meanings[i].code);
        put_prose(file, exit_meanings[i].text, strlen(exit_meanings[i].text));
    }
}

/* The other pages; `own` is left out, and the overview with it when NULL. */
static void put_see_also(FILE *file, const struct command *own) {
    fputs(".SH \"SEE ALSO\"\n", file);
    const char *before = "";
    if (own) {
        fputs(".BR nimgp (1)", file);
        before = " ,\n";
    }
    for (size_t i = 0; command_list[i]; i++)
        if (command_list[i] != own) {
            fprintf(file, "%s.BR nimgp\\-%s (1)", before, command_list[i]->name);
            before = " ,\n";
        }
    fputc('\n', file);
}

void manual_command(FILE *file, const struct command *command) {
    put_title(file, command->name, command->summary);
    fprintf(file, ".SH SYNOPSIS\n\\fBnimgp %s\\fR [\\fIoptions\\fR] ", command->name);
    put_escaped(file, command->operands, strlen(command->operands), true);
    fputs("\n.SH DESCRIPTION\n", file);
    put_paragraphs(file, command->description);
    fputs(".SH OPTIONS\n", file);
    struct option_walk walk = {.command = command};
    struct option option;
    while (option_next(&walk, &option))
        put_option(file, &option);
    fputs(".SH EXAMPLES\n", file);
    put_code(file, command->examples);
    put_exit_codes(file);
    put_see_also(file, command);
}

void manual_overview(FILE *file) {
    put_title(file, NULL, "Classification and regression for data with error bars");
    fputs(".SH SYNOPSIS\n\\fBnimgp\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] ...\n"
          ".SH DESCRIPTION\n",
          file);
    put_paragraphs(file, program_description);
    fputs(".SH COMMANDS\n", file);
    for (size_t i = 0; command_list[i]; i++) {
        fprintf(file, ".TP\n\\fB%s\\fR\n", command_list[i]->name);
        put_prose(file, command_list[i]->summary, strlen(command_list[i]->summary));
    }
    fputs(".TP\n\\fBhelp\\fR \\fICOMMAND\\fR\nExplains a command.\n.SH OPTIONS\n"
          ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint a summary and exit.\n"
          ".TP\n\\fB\\-\\-version\\fR\nPrint the version and exit.\n",
          file);
    put_exit_codes(file);
    put_see_also(file, NULL);
}
