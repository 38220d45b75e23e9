/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Exit codes. */

#include "text/complaint.h"

enum exit_code {
    EXIT_FINE = 0,
    EXIT_USAGE = 1,
    EXIT_BAD_INPUT = 2,
    EXIT_NUMERICAL = 3,
    EXIT_INTERRUPTED = 130
};

enum exit_code exit_code_of(enum complaint_kind kind);

/* All exit codes in words, up to one without text. */
struct exit_meaning {
    enum complaint_kind kind;
    enum exit_code code;
    const char *text;
};
extern const struct exit_meaning exit_meanings[];
