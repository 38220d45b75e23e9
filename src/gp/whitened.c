/* SPDX-License-Identifier: Apache-2.0 */
/* The posterior stored as it is used, q(w) = N(m, L L'). */
#include "gp/posterior_form.h"

#include <string.h>

static void find_mean(struct gp_factor *factor, size_t m, const struct gp_parameters *theta) {
    (void)factor, (void)m, (void)theta;
}

static const double *mean(const struct gp_factor *factor, const struct gp_parameters *theta) {
    (void)factor;
    return theta->m;
}

static double unpack(struct gp_factor *factor, size_t m, const struct gp_parameters *theta,
                     double *scratch) {
    (void)scratch;
    const double *packed = theta->l;
    double sum = 0.0;
    gp_unpack_root(m, theta->l, factor->l);
    for (size_t i = 0; i < m; packed += ++i)
        sum += packed[i];
    return sum;
}

static void covariance(const struct gp_factor *factor, size_t m, double *half_p, double *scratch) {
    (void)factor, (void)m, (void)half_p, (void)scratch;
}

static void gradient(const struct gp_factor *factor, size_t m, const struct gp_parameters *theta,
                     const struct gp_totals *totals, const struct gp_parameters *gradient,
                     double *scratch) {
    (void)scratch;
    double *packed = gradient->l;
    for (size_t i = 0; i < m; packed += ++i) {
        const double *row = factor->posterior_work + i * m, *l = factor->l + i * m;
        for (size_t j = 0; j < i; j++)
            packed[j] = row[j] - l[j];
        packed[i] = (row[i] - l[i]) * l[i] + 1.0;
        gradient->m[i] = totals->b[i] - theta->m[i];
    }
}

static bool start(const struct gp_shape *shape, double jitter, const struct gp_parameters *theta) {
    (void)jitter;
    size_t m = shape->inducing;
    memset(theta->m, 0, m * sizeof(double));
    memset(theta->l, 0, m * (m + 1) / 2 * sizeof(double));
    return true;
}

const struct posterior_form posterior_whitened = {
    .find_mean = find_mean,
    .mean = mean,
    .unpack = unpack,
    .covariance = covariance,
    .gradient = gradient,
    .start = start,
};

const struct posterior_form *const posterior_form_list[] = {&posterior_unwhitened,
                                                            &posterior_whitened};
