/* SPDX-License-Identifier: Apache-2.0 */
/* Products of floats that are doubles. */
#define SINGLE
#define WIDENING
#include "math/gemm.c"
