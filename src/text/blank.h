/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

/* Characters that are removed around a cell. The carriage return is part of the end of a line. */
static inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}
