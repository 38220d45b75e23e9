/* SPDX-License-Identifier: Apache-2.0 */
/* Products of floats with results in double. */
#define SINGLE
#define WIDENING
#include "math/gemm.c"
