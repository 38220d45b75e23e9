/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

/* Doubles of scratch, 64-byte aligned. */
size_t robust_max_coarse_scratch(size_t classes);

/* P(c = argmax f), rows x C, of f ~ N(mean, variance), C x rows with `stride` from one class to the
 * next. The error is about 1e-5. */
void robust_max_coarse(size_t classes, size_t rows, const double *mean, const double *variance,
                       size_t stride, double *probability, double *scratch);
