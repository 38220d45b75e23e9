/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/exit_code.h"

#include <stddef.h>

const struct exit_meaning exit_meanings[] = {
    {EXIT_FINE, "success"},
    {EXIT_USAGE, "the command line is wrong"},
    {EXIT_BAD_INPUT, "a file or its content cannot be used, or an output cannot be written"},
    {EXIT_NUMERICAL, "the computation failed, or memory ran out"},
    {EXIT_INTERRUPTED, "interrupted"},
    {EXIT_FINE, NULL},
};

enum exit_code exit_code_of(enum complaint_kind kind) {
    switch (kind) {
    case NO_COMPLAINT:
    case READER_GONE:
        return EXIT_FINE;
    case BAD_USAGE:
        return EXIT_USAGE;
    case BAD_INPUT:
        return EXIT_BAD_INPUT;
    case INTERRUPTED:
        return EXIT_INTERRUPTED;
    case BROKE_DOWN:
        break;
    }
    return EXIT_NUMERICAL;
}
