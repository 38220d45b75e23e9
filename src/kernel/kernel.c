/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernel.h"

#include <string.h>

/* In the order of the list. */
enum {
#define ALONE(term, name, summary) KERNEL_##term,
#define SUM(first, second, name, summary) KERNEL_##first##_##second,
    KERNEL_LIST(ALONE, SUM)
#undef ALONE
#undef SUM
};

static const struct kernel kernels[] = {
#define ALONE(term, name, summary) {name, summary, 1, {&kernel_##term}},
#define SUM(first, second, name, summary) {name, summary, 2, {&kernel_##first, &kernel_##second}},
    KERNEL_LIST(ALONE, SUM)
#undef ALONE
#undef SUM
};

const struct kernel *const kernel_list[] = {
#define ALONE(term, name, summary) &kernels[KERNEL_##term],
#define SUM(first, second, name, summary) &kernels[KERNEL_##first##_##second],
    KERNEL_LIST(ALONE, SUM)
#undef ALONE
#undef SUM
        NULL,
};

const struct kernel *kernel_named(const char *name) {
    for (size_t i = 0; kernel_list[i]; i++)
        if (strcmp(kernel_list[i]->name, name) == 0)
            return kernel_list[i];
    return NULL;
}
