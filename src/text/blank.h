/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TEXT_BLANK_H
#define NIMGP_TEXT_BLANK_H

#include <stdbool.h>

/* What does not count around a cell. The carriage return is that of a line's end. */
static inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

#endif
