/* SPDX-License-Identifier: Apache-2.0 */
/* Slopes in single precision: see math/real.h. */
#define SINGLE
#include "gp/slope.c"
