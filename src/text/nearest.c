/* SPDX-License-Identifier: Apache-2.0 */
#include "text/nearest.h"

#include "text/ascii.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 64 };

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Edit distance with swaps of neighbours: three rows of the usual table. */
static size_t slips_between(const char *a, size_t rows, const char *b, size_t columns) {
    size_t row[3][LONGEST + 1];
    for (size_t j = 0; j <= columns; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t *now = row[i % 3];
        const size_t *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            char x = ascii_lower(a[i - 1]), y = ascii_lower(b[j - 1]);
            now[j] = smaller(smaller(last[j], now[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == ascii_lower(b[j - 2]) && y == ascii_lower(a[i - 2]))
                now[j] = smaller(now[j], before[j - 2] + 1);
        }
    }
    return row[rows % 3][columns];
}

/* "Period" of "Period (days)" */
static bool lacks_only_words(const char *word, size_t length, const char *candidate) {
    return ascii_starts(candidate, word) && (candidate[length] == ' ' || candidate[length] == '(');
}

void nearest_try(struct nearest *nearest, const char *candidate) {
    size_t length = strlen(nearest->word), other = strlen(candidate);
    if (!length || length > LONGEST || other > LONGEST)
        return;
    size_t slips = lacks_only_words(nearest->word, length, candidate)
                       ? 1
                       : slips_between(nearest->word, length, candidate, other);
    if (slips <= (length + 2) / 3 && slips < other && (!nearest->found || slips < nearest->slips)) {
        nearest->found = candidate;
        nearest->slips = slips;
    }
}
