/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TEXT_COMPLAINT_H
#define NIMGP_TEXT_COMPLAINT_H

/* Why something could not be done: whose fault it is, and one line that says where and what. */

#include <stdbool.h>

enum complaint_kind {
    NO_COMPLAINT,
    READER_GONE, /* no fault: whoever reads the pipe we write to has enough */
    BAD_USAGE,   /* what was asked for makes no sense */
    BAD_INPUT,   /* a file or its content cannot be used, or an output cannot be written */
    BROKE_DOWN,  /* the computation broke down, or memory ran out */
    INTERRUPTED  /* Ctrl-C */
};

struct complaint {
    enum complaint_kind kind;
    char text[1024]; /* no newline, no program name: "stars.csv:17: column flux_err: ..." */
};

/* Writes the line; false always, so that a function can `return complain(...)`. */
bool complain(struct complaint *complaint, enum complaint_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
