/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A posterior that is not whitened: q(u) = N(n, S S') is stored in place of q(w) = N(m, L L').
 * The two describe the same distributions, with
 *
 *     m = L_K^-1 n,   L = L_K^-1 S,
 *
 * but a step of Adam in n and S differs from one in m and L.
 */
#include "gp/posterior_form.h"
#include "math/linalg.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static void find_mean(struct gp_factor *factor, size_t m, const struct gp_parameters *theta) {
    for (size_t i = 0; i < m; i++)
        factor->m[i] = dot(i + 1, factor->inverse + i * m, theta->m);
}

static const double *mean(const struct gp_factor *factor, const struct gp_parameters *theta) {
    (void)theta;
    return factor->m;
}

static double unpack(struct gp_factor *factor, size_t m, const struct gp_parameters *theta,
                     double *scratch) {
    double *s = factor->work, sum = 0.0;
    const double *packed = theta->l;
    gp_unpack_root(m, packed, factor->l);
    memcpy(s, factor->l, m * m * sizeof(double));
    trmm_lower(PLAIN, m, m, 1.0, factor->inverse, m, s, m, 0.0, factor->l, m, scratch);
    for (size_t i = 0; i < m; packed += ++i)
        sum += packed[i] + log(factor->inverse[i * m + i]);
    return sum;
}

/* (dm m' + dL L') / 2: with n and S fixed, m and L depend on L_K. */
static void covariance(const struct gp_factor *factor, size_t m, double *half_p, double *scratch) {
    for (size_t i = 0; i < m; i++)
        add_scaled(i + 1, 0.5 * factor->d_m[i], factor->m, half_p + i * m);
    gemm_lower(PLAIN, TRANSPOSED, m, m, 0.5, factor->posterior_work, m, factor->l, m, 1.0, half_p,
               m, scratch);
}

/* dm, and dL in place of 2 G L in posterior_work, with the KL's part. Zeros above the diagonal. */
static void complete_posterior(const struct gp_factor *factor, size_t m,
                               const struct gp_totals *totals) {
    for (size_t i = 0; i < m; i++) {
        double *row = factor->posterior_work + i * m;
        const double *l = factor->l + i * m;
        for (size_t j = 0; j <= i; j++)
            row[j] -= l[j];
        row[i] += 1.0 / l[i];
        memset(row + i + 1, 0, (m - i - 1) * sizeof(double));
        factor->d_m[i] = totals->b[i] - factor->m[i];
    }
}

/* dn = L_K^-T dm and dS = tril(L_K^-T dL), as the adjoint of a product with L_K^-1 is one with
 * L_K^-T. dm and dL stay in d_m and posterior_work, for `covariance`. */
static void gradient(const struct gp_factor *factor, size_t m, const struct gp_parameters *theta,
                     const struct gp_totals *totals, const struct gp_parameters *gradient,
                     double *scratch) {
    double *d_s = factor->work, *packed = gradient->l;
    const double *s = theta->l;
    complete_posterior(factor, m, totals);
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

/* The stored form of a lower triangle. */
static void pack_root(size_t m, const double *root, double *packed) {
    for (size_t i = 0; i < m; packed += ++i) {
        memcpy(packed, root + i * m, i * sizeof(double));
        packed[i] = log(root[i * m + i]);
    }
}

/* n = 0 and S = L_K. If K_zz has no factor, S = I; the first step then fails and says why. */
static bool start(const struct gp_shape *shape, double jitter, const struct gp_parameters *theta) {
    size_t m = shape->inducing;
    struct arena arena = {0};
    struct gp_factor factor = {0};
    double *q = NULL, *scratch = NULL;
    for (int pass = 0; pass < 2; pass++) {
        q = arena_doubles(&arena, shape->kernel->terms * shape->attributes);
        scratch = arena_doubles(&arena, GEMM_SCRATCH);
        gp_factor_layout(&factor, shape, false, &arena, q, (union gp_matrix){0});
        if (pass == 0 && !arena_allocate(&arena))
            return false;
    }
    memset(theta->m, 0, m * sizeof(double));
    memset(theta->l, 0, m * (m + 1) / 2 * sizeof(double));
    gp_scales(shape, theta, q);
    factor.jitter = jitter;
    if (gp_factor_prior(&factor, shape, theta, scratch))
        pack_root(m, factor.root, theta->l);
    arena_free(&arena);
    return true;
}

const struct posterior_form posterior_unwhitened = {
    .after_prior = true,
    .find_mean = find_mean,
    .mean = mean,
    .unpack = unpack,
    .covariance = covariance,
    .gradient = gradient,
    .start = start,
};
