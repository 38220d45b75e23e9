/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCALING_LAYOUT_H
#define SCALING_LAYOUT_H

#include "rows/scaling.h"

/* A scaling of these sizes with its arrays in an arena. */
static inline void scaling_layout(struct scaling *scaling, size_t columns, size_t flags,
                                  struct arena *arena) {
    struct array_list list = {0};
    scaling_plan(scaling, columns, flags, (struct target_bounds){-INFINITY, INFINITY});
    scaling_arrays(scaling, &list);
    array_list_layout(&list, arena);
}

#endif
