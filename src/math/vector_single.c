/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over arrays of floats: see real.h. */
#define SINGLE
#include "math/vector.c"
