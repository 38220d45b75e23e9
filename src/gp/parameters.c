/* SPDX-License-Identifier: Apache-2.0 */
/* Positions of a function's parameters in the flat vector. */
#include "gp/gp.h"

#include <math.h>
#include <string.h>

size_t gp_parameter_count(const struct gp_shape *shape) {
    size_t m = shape->inducing, d = shape->attributes;
    return 1 + shape->kernel->terms * (1 + d) + m * d + m + m * (m + 1) / 2;
}

void gp_unpack_root(size_t m, const double *packed, double *root) {
    for (size_t i = 0; i < m; packed += ++i) {
        memcpy(root + i * m, packed, i * sizeof(double));
        root[i * m + i] = exp(packed[i]);
    }
}

struct gp_parameters gp_parameters_at(const struct gp_shape *shape, double *theta) {
    size_t m = shape->inducing, d = shape->attributes, terms = shape->kernel->terms;
    struct gp_parameters p = {.log_variance = theta, .log_white = theta + terms};
    p.log_lengthscale = p.log_white + 1;
    p.z = p.log_lengthscale + terms * d;
    p.m = p.z + m * d;
    p.l = p.m + m;
    return p;
}
