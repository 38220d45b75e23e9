/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Text whose columns are set apart by any number of blanks. */

#include <stdbool.h>
#include <stddef.h>

/* Whether the first two lines, the header without commas, tabs and semicolons, have equally many
 * words, at least two. */
bool blanks_separate(const char *text, size_t length);

/* State between pieces of a text; starts as {.line_starts = true}. */
struct blanks {
    bool line_starts, waiting, quoted; /* waiting: blanks were seen */
};

/* Leaves one blank between words, and none at the ends of lines; texts in quotes stay as they are.
 * Returns the new length, at most length + 1: the blanks before a word may have come with an
 * earlier piece. So `from` may lie behind `to`, and may be `to` for the first piece. */
size_t blanks_squeeze(struct blanks *blanks, const char *from, size_t length, char *to);
