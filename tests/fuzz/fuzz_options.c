/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines: each line of the data is a word, and the first is the command (any word that is
 * not a command selects one). They are parsed, and the options of the library are set from them.
 * Each word is also used as NAME=VALUE of an option of the library. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include "cli/terminal/arguments.h"
#include "cli/terminal/commands.h"
#include "nimgp.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 12 };

static void parse(const struct command *command, size_t count, char *const *words) {
    struct complaint complaint = {0};
    struct arguments *arguments = arguments_parse(command, count, words, &complaint);
    if (!arguments) {
        fuzz_check_complaint(&complaint);
        return;
    }
    nim_options *options = nim_options_create();
    must(options);
    if (!arguments_want_help(arguments) && !argument_engine(arguments, options, &complaint))
        fuzz_check_complaint(&complaint);
    nim_options_free(options);
    arguments_free(arguments);
}

/* An option that can be set can be read, and set again to the same value. */
static void set_option(nim_options *options, const char *word) {
    char *name = strdup(word), *equals = strchr(name, '='), value[64], again[64];
    nim_error error;
    must(name);
    if (equals) {
        *equals = '\0';
        if (nim_options_set(options, name, equals + 1, &error) == NIM_OK) {
            must(nim_options_get(options, name, value, sizeof value, &error) == NIM_OK);
            must(nim_options_set(options, name, value, &error) == NIM_OK);
            must(nim_options_get(options, name, again, sizeof again, &error) == NIM_OK);
            must(strcmp(value, again) == 0);
        } else {
            must(error.message[0] && !strchr(error.message, '\n'));
        }
    }
    free(name);
}

static const struct command *command_of(const char *word) {
    const struct command *command = command_named(word);
    size_t count = 0;
    while (command_list[count])
        count++;
    return command ? command : command_list[(unsigned char)word[0] % count];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *words[MOST_WORDS];
    size_t count = 0;
    while (size && count < MOST_WORDS)
        words[count++] = fuzz_line(&data, &size);
    if (count)
        parse(command_of(words[0]), count - 1, words + 1);
    nim_options *options = nim_options_create();
    must(options);
    for (size_t i = 0; i < count; i++) {
        set_option(options, words[i]);
        free(words[i]);
    }
    nim_options_free(options);
    return 0;
}
