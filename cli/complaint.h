/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMPLAINT_H
#define CLI_COMPLAINT_H

/* Why something could not be done: the exit code and one line for standard error. */

#include "nimgp.h"

#include <stdbool.h>

enum exit_code {
    EXIT_FINE = 0,
    EXIT_USAGE = 1,        /* the command line is wrong */
    EXIT_BAD_INPUT = 2,    /* a file or its content cannot be used, or an output not be written */
    EXIT_NUMERICAL = 3,    /* the computation broke down, or memory ran out */
    EXIT_INTERRUPTED = 130 /* Ctrl-C */
};

struct complaint {
    int code;        /* enum exit_code */
    char text[1024]; /* no newline, no program name: "stars.csv:17: column flux_err: ..." */
};

/* Writes the line; false always, so that a function can `return complain(...)`. */
bool complain(struct complaint *complaint, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The library's own words, with the exit code that belongs to its status. */
bool complain_of(struct complaint *complaint, const nim_error *error);

#endif
