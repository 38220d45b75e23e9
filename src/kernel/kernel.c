/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernel.h"

const struct kernel *const kernel_list[] = {
#define ALONE(term, name, summary) &(const struct kernel){name, summary, 1, {&kernel_##term}},
#define SUM(first, second, name, summary)                                                          \
    &(const struct kernel){name, summary, 2, {&kernel_##first, &kernel_##second}},
    KERNEL_LIST(ALONE, SUM)
#undef ALONE
#undef SUM
        NULL,
};
