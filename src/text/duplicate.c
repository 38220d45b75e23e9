/* SPDX-License-Identifier: Apache-2.0 */
#include "text/duplicate.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

bool find_duplicate(const char *const *names, size_t count, const char **twice) {
    *twice = NULL;
    const char **sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < count; i++)
        sorted[i] = names[i];
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 1; i < count && !*twice; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            *twice = sorted[i];
    free(sorted);
    return true;
}
