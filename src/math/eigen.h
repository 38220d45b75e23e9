/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

/* Eigenvalues (n) and eigenvectors (n x n, one a row) of the symmetric A (n x n), by Jacobi's
 * rotations. A is overwritten. */
void symmetric_eigen(size_t n, double *a, double *value, double *vector);
