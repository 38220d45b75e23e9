/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TEXT_GROWING_H
#define NIMGP_TEXT_GROWING_H

#include <stdlib.h>

/* Room for one more element at the end of a list of `count`, which doubles as it grows, so that a
 * long list is not copied for every element. The list itself, moved perhaps; NULL without memory,
 * and then the list is as it was. */
static inline void *grow_by_one(void *list, size_t count, size_t size) {
    if (count & (count - 1))
        return list;
    return realloc(list, (count ? 2 * count : 1) * size);
}

#endif
