/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What updates number `from` + 1 to `to` of consecutive parameters do if their gradient is zero:
 * the parameters move on by their moments, which decay. */
void adam_coast(size_t n, double rate, uint64_t from, uint64_t to, double *theta, double *moment1,
                double *moment2);
