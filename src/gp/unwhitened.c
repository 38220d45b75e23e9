/* SPDX-License-Identifier: Apache-2.0 */
#include "gp/unwhitened.h"

#include "math/linalg.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

void whiten_mean(const struct gp_factor *factor, size_t m, const double *n) {
    for (size_t i = 0; i < m; i++)
        factor->m[i] = dot(i + 1, factor->inverse + i * m, n);
}

void whiten_root(const struct gp_factor *factor, size_t m, double *scratch) {
    double *s = factor->work;
    memcpy(s, factor->l, m * m * sizeof(double));
    trmm_lower(PLAIN, m, m, 1.0, factor->inverse, m, s, m, 0.0, factor->l, m, scratch);
}

void unwhitened_covariance(const struct gp_factor *factor, size_t m, double *half_p,
                           double *scratch) {
    for (size_t i = 0; i < m; i++)
        add_scaled(i + 1, 0.5 * factor->d_m[i], factor->m, half_p + i * m);
    gemm_lower(PLAIN, TRANSPOSED, m, m, 0.5, factor->posterior_work, m, factor->l, m, 1.0, half_p,
               m, scratch);
}

/* dm, and dL in place of 2 G L in posterior_work, with the KL's part. Zeros above the diagonal. */
static void complete_posterior(const struct gp_factor *factor, size_t m,
                               const struct gp_gather *gather) {
    for (size_t i = 0; i < m; i++) {
        double *row = factor->posterior_work + i * m;
        const double *l = factor->l + i * m;
        for (size_t j = 0; j <= i; j++)
            row[j] -= l[j];
        row[i] += 1.0 / l[i];
        memset(row + i + 1, 0, (m - i - 1) * sizeof(double));
        factor->d_m[i] = gather->b[i] - factor->m[i];
    }
}

/* dn = L_K^-T dm and dS = tril(L_K^-T dL), as the adjoint of a product with L_K^-1 is one with
 * L_K^-T. */
void unwhitened_gradient(const struct gp_factor *factor, size_t m,
                         const struct gp_parameters *theta, const struct gp_gather *gather,
                         const struct gp_parameters *gradient, double *scratch) {
    double *d_s = factor->work, *packed = gradient->l;
    const double *s = theta->l;
    complete_posterior(factor, m, gather);
    memset(gradient->m, 0, m * sizeof(double));
    for (size_t i = 0; i < m; i++)
        add_scaled(i + 1, factor->d_m[i], factor->inverse + i * m, gradient->m);
    trmm_lower(TRANSPOSED, m, m, 1.0, factor->inverse, m, factor->posterior_work, m, 0.0, d_s, m,
               scratch);
    for (size_t i = 0; i < m; packed += i + 1, s += i + 1, i++) {
        memcpy(packed, d_s + i * m, i * sizeof(double));
        packed[i] = d_s[i * m + i] * exp(s[i]); /* the diagonal of S is stored as its logarithm */
    }
}
