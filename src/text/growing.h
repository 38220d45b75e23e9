/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdlib.h>

/* Makes room for one more element at the end of a list of `count`. The capacity doubles, so that a
 * long list is not copied for every element. Returns the list, possibly at a new address; NULL when
 * out of memory, and the list is then unchanged. */
static inline void *grow_by_one(void *list, size_t count, size_t size) {
    if (count & (count - 1))
        return list;
    return realloc(list, (count ? 2 * count : 1) * size);
}
