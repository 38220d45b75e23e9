/* SPDX-License-Identifier: Apache-2.0 */
#include "likelihood/likelihood.h"

const struct likelihood *const likelihood_list[] = {
    &likelihood_robust_max,
    NULL,
};
