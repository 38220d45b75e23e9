/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Finds separators, newlines and quotes in a text, 64 bytes at a time. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCAN_MARGIN = 64 }; /* bytes readable after the text, entries writable after the list */

struct scan {
    size_t count;    /* of positions written */
    size_t newlines; /* among them */
    bool quotes;     /* among them */
    bool nul;        /* the text contains a NUL byte */
};

/* The positions in [from, to), in ascending order, relative to `text`. */
struct scan scan_text(const char *text, size_t from, size_t to, char separator,
                      uint32_t *positions);

size_t scan_count_lines(const char *text, size_t length);
