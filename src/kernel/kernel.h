/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels.
 *
 * A kernel is a sum of terms; most kernels have one term. A term is a variance times a function of
 * one number t for each pair of points:
 *
 *     k(x, x') = sum_t s2_t g_t(t_t(x, x')) + (jitter sum_t s2_t + s0^2) [x = x'],
 *
 *     SQUARED_DISTANCE   t = sum_j (x_j - x'_j)^2 / lambda_j^2      (stationary terms)
 *     DOT_PRODUCT        t = sum_j x_j x'_j / lambda_j^2
 *
 * A term defines the kind of t, and g with its first two derivatives. It has its own s2 and lambda.
 * The matrix products that compute t and its adjoint, and the sums over terms, are in gp/.
 */
#pragma once

#include <stddef.h>

enum kernel_argument { SQUARED_DISTANCE, DOT_PRODUCT };

struct kernel_term {
    enum kernel_argument argument;
    int uses_degree;
    /*
     * For i < n: value = scale g(t_i), slope = scale g'(t_i), curvature = scale g''(t_i).
     * t may be overwritten; value may be the same array as t; slope and curvature may be NULL.
     * A squared distance t is never negative; g(0) = 1.
     */
    void (*evaluate)(unsigned degree, double scale, size_t n, const double *t, double *value,
                     double *slope, double *curvature);
    /* The same in single precision. NULL: predictions use double precision, and precision=single is
     * refused. */
    void (*evaluate_single)(unsigned degree, float scale, size_t n, const float *t, float *value,
                            float *slope, float *curvature);
};

/*
 * The list of kernels. A new kernel is one file and one line here: ALONE(term, name, summary) for a
 * term, which is `kernel_term` in the file term.c, or SUM(term, term, name, summary) for a sum of
 * two terms. Everything else uses this list: meson.build, the text of the option, --help, man
 * pages, completion, Python, and the tests of all kernels.
 */
/* clang-format off */
#define KERNEL_LIST(ALONE, SUM)                                                                    \
    ALONE(squared_exponential, "se", "squared exponential: very smooth boundaries")                \
    ALONE(matern32, "matern32", "Matern 3/2: rough boundaries")                                    \
    ALONE(matern52, "matern52", "Matern 5/2: fairly smooth boundaries")                            \
    ALONE(polynomial, "polynomial", "polynomial: products of up to `degree` attributes")           \
    ALONE(linear, "linear", "linear: planes as boundaries")                                        \
    SUM(linear, squared_exponential, "linear+se", "linear plus squared exponential")               \
    SUM(linear, matern32, "linear+matern32", "linear plus Matern 3/2")                             \
    SUM(linear, matern52, "linear+matern52", "linear plus Matern 5/2")
/* clang-format on */

#define KERNEL_DECLARE(term, name, summary) extern const struct kernel_term kernel_##term;
#define KERNEL_DECLARED(first, second, name, summary)
KERNEL_LIST(KERNEL_DECLARE, KERNEL_DECLARED)
#undef KERNEL_DECLARE
#undef KERNEL_DECLARED

enum { KERNEL_MOST_TERMS = 2 };

struct kernel {
    const char *name;
    const char *summary;
    size_t terms;
    const struct kernel_term *term[KERNEL_MOST_TERMS];
};

/* All kernels, terminated by NULL. */
extern const struct kernel *const kernel_list[];
