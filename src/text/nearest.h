/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * "Did you mean": the candidate with the fewest typing errors (a letter missing, added, wrong, or
 * two swapped; case is ignored), if they are few for the length of the word; and one that only has
 * more words behind it, such as a unit.
 *
 *     struct nearest nearest = {.word = "fluxx"};
 *     for (...)
 *         nearest_try(&nearest, candidate);
 *     if (nearest.found) ...
 */

#include <stddef.h>

struct nearest {
    const char *word;
    const char *found; /* NULL while nothing is near enough */
    size_t slips;
};

void nearest_try(struct nearest *nearest, const char *candidate);
