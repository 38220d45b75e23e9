/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernel.h"

#include <string.h>

#define ALONE(first)                                                                               \
    1, {                                                                                           \
        &(first)                                                                                   \
    }
#define SUM(first, second)                                                                         \
    2, {                                                                                           \
        &(first), &(second)                                                                        \
    }

static const struct kernel kernels[] = {
    {"se", "squared exponential: very smooth boundaries", ALONE(kernel_squared_exponential)},
    {"matern32", "Matern 3/2: rough boundaries", ALONE(kernel_matern32)},
    {"matern52", "Matern 5/2: fairly smooth boundaries", ALONE(kernel_matern52)},
    {"polynomial", "polynomial of any degree: products of up to that many attributes",
     ALONE(kernel_polynomial)},
    {"linear", "planes: no attribute changes what another one does", ALONE(kernel_linear)},
    {"linear+se", "a plane and what departs from it smoothly",
     SUM(kernel_linear, kernel_squared_exponential)},
    {"linear+matern32", "a plane and what departs from it roughly",
     SUM(kernel_linear, kernel_matern32)},
    {"linear+matern52", "a plane and what departs from it fairly smoothly",
     SUM(kernel_linear, kernel_matern52)},
};

const struct kernel *const kernel_list[] = {
    &kernels[0], &kernels[1], &kernels[2], &kernels[3], &kernels[4],
    &kernels[5], &kernels[6], &kernels[7], NULL,
};

const struct kernel *kernel_named(const char *name) {
    for (size_t i = 0; kernel_list[i]; i++)
        if (strcmp(kernel_list[i]->name, name) == 0)
            return kernel_list[i];
    return NULL;
}
