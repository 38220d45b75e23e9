/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/exit_code.h"

#include <stddef.h>

const struct exit_meaning exit_meanings[] = {
    {NO_COMPLAINT, EXIT_FINE, "success"},
    {BAD_USAGE, EXIT_USAGE, "the command line is wrong"},
    {BAD_INPUT, EXIT_BAD_INPUT,
     "a file or its content cannot be used, or an output cannot be written"},
    {BROKE_DOWN, EXIT_NUMERICAL, "the computation failed, or memory ran out"},
    {INTERRUPTED, EXIT_INTERRUPTED, "interrupted"},
    {NO_COMPLAINT, EXIT_FINE, NULL},
};

enum exit_code exit_code_of(enum complaint_kind kind) {
    size_t i = 0;
    while (exit_meanings[i].text && exit_meanings[i].kind != kind)
        i++;
    return exit_meanings[i].code; /* READER_GONE is none of them, and fine */
}
