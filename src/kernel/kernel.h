/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel is.
 *
 * Every kernel here is a variance times a function of one number per pair of points,
 *
 *     k(x, x') = s2 * g(t(x, x')) + (s2 * jitter + s0^2) [x = x'],
 *
 *     SQUARED_DISTANCE   t = sum_j (x_j - x'_j)^2 / lambda_j^2      (stationary kernels)
 *     DOT_PRODUCT        t = sum_j x_j x'_j / lambda_j^2
 *
 * so a kernel is a name, the kind of t, and g with its first two derivatives. All products of
 * matrices that lead to t and back from it are shared (gp/).
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>

enum kernel_argument { SQUARED_DISTANCE, DOT_PRODUCT };

struct kernel {
    const char *name;
    const char *summary;
    enum kernel_argument argument;
    /*
     * For i < n: value = scale g(t_i), slope = scale g'(t_i), curvature = scale g''(t_i).
     * t is overwritten or left, value may be t itself; slope and curvature may be NULL.
     * A squared distance t is never negative. `degree` matters to the polynomial alone.
     */
    void (*evaluate)(unsigned degree, double scale, size_t n, const double *t, double *value,
                     double *slope, double *curvature);
};

extern const struct kernel kernel_squared_exponential;
extern const struct kernel kernel_matern32;
extern const struct kernel kernel_matern52;
extern const struct kernel kernel_polynomial;

/* All of them, ended by NULL. A new kernel is one file and one line in kernel.c. */
extern const struct kernel *const kernel_list[];

#endif
