/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernel.h"

const struct kernel *const kernel_list[] = {
    &kernel_squared_exponential, &kernel_matern32, &kernel_matern52, &kernel_polynomial, NULL,
};
