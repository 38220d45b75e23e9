/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Decodes base64 in pieces: four letters for three bytes. Start with {0}. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state between two pieces. */
struct base64 {
    uint32_t bits;
    unsigned held;   /* letters of a group of four */
    unsigned padded; /* signs = at the end */
};

/* Decodes `length` letters to `out`, which has space for 3 (length + 3) / 4 bytes; blanks are
 * ignored. False if they are not base64. */
bool base64_read(struct base64 *state, const char *text, size_t length, unsigned char *out,
                 size_t *made);

/* Whether the text may end here. */
bool base64_is_whole(const struct base64 *state);
