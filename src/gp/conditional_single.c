/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and variance in single precision: see math/real.h. */
#define SINGLE
#include "gp/conditional.c"
