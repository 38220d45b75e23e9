/* SPDX-License-Identifier: Apache-2.0 */
/* Products of floats: see math/real.h. */
#define SINGLE
#include "test_linalg.c"
