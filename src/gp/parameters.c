/* SPDX-License-Identifier: Apache-2.0 */
#include "gp/gp.h"

size_t gp_parameter_count(const struct gp_shape *shape) {
    size_t m = shape->inducing, d = shape->attributes;
    return 2 + d + m * d + m + m * (m + 1) / 2;
}

struct gp_parameters gp_parameters_at(const struct gp_shape *shape, double *theta) {
    size_t m = shape->inducing, d = shape->attributes;
    struct gp_parameters p = {.log_variance = theta, .log_white = theta + 1};
    p.log_lengthscale = theta + 2;
    p.z = p.log_lengthscale + d;
    p.m = p.z + m * d;
    p.l = p.m + m;
    return p;
}
