/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Why something failed: the kind of error, and a one-line message that says what is wrong and
 * where. */

#include <stdbool.h>

enum complaint_kind {
    NO_COMPLAINT,
    READER_GONE, /* not an error: the reader has closed the pipe that we write to */
    BAD_USAGE,   /* the command line or a setting is wrong */
    BAD_INPUT,   /* a file or its content cannot be used, or an output cannot be written */
    BROKE_DOWN,  /* the computation failed, or memory ran out */
    INTERRUPTED  /* Ctrl-C */
};

struct complaint {
    enum complaint_kind kind;
    char text[1024]; /* no newline, no program name: "stars.csv:17: column flux_err: ..." */
};

/* Writes the message and returns false, so that a function can `return complain(...)`. */
bool complain(struct complaint *complaint, enum complaint_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes that memory ran out and returns false. */
bool complain_of_memory(struct complaint *complaint);

/* What they return, for clang's static analysis, which sees one file at a time. */
#ifdef __clang_analyzer__
#define complain(...) ((complain)(__VA_ARGS__), false)
#define complain_of_memory(complaint) ((complain_of_memory)(complaint), false)
#endif
