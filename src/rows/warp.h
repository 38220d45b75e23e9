/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The warp of an attribute with heavy tails:
 *   w(x) = asinh((x - centre) / width),   w'(x) = 1 / sqrt(width^2 + (x - centre)^2),
 * linear near the centre, logarithmic far from it. centre is the median; width is the interquartile
 * range divided by that of the standard normal distribution, or the standard deviation where half
 * of all values are equal. Without it a few extreme values set the unit of the attribute, and all
 * others lie close together.
 */

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct warp {
    double centre, width; /* width 0: no warp, w(x) = x */
};

/*
 * The warp of an attribute with these values, which are finite and get sorted. With mu and sigma^2
 * the mean and variance of the values, and m and s^2 those of the warped values, the log density of
 * a normal distribution is larger for the warped values by log sigma - log s + mean log w'(x) per
 * value. The attribute is warped if that is above WARP_GAIN; otherwise width is 0.
 */
struct warp warp_choose(size_t count, double *value);

/* In halves, so that the largest doubles do not overflow. */
static inline double warp_apply(struct warp warp, double value) {
    if (warp.width == 0.0)
        return value;
    return asinh((0.5 * value - 0.5 * warp.centre) / (0.5 * warp.width));
}

static inline double warp_invert(struct warp warp, double warped) {
    return warp.width == 0.0 ? warped : warp.centre + warp.width * sinh(warped);
}

/* 1 / w'(x). */
static inline double warp_unit(struct warp warp, double value) {
    if (warp.width == 0.0)
        return 1.0;
    return fmin(hypot(warp.width, value - warp.centre), DBL_MAX);
}
