/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient by Z in single precision: see math/real.h. */
#define SINGLE
#include "gp/input_gradient.c"
