/* SPDX-License-Identifier: Apache-2.0 */
/* Products of floats: see real.h. */
#define SINGLE
#include "math/gemm.c"
