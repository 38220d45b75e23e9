/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TEXT_BLANK_H
#define NIMGP_TEXT_BLANK_H

#include <stdbool.h>

/* Characters that are removed around a cell. The carriage return is part of the end of a line. */
static inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

#endif
