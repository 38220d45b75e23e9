/* SPDX-License-Identifier: Apache-2.0 */
#include "rows/warp.h"

#include "math/sorted.h"

/* Least gain, in nats per value, for which a column is warped. The gain is -0.04 for a normal
 * distribution, 0.04 for a t distribution with 5 degrees of freedom, 0.15 for an exponential
 * distribution.
 * docs/results/defaults.md says how the threshold was chosen. */
#define WARP_GAIN 0.1

#define NORMAL_QUARTILES 1.3489795003921634 /* interquartile range of N(0, 1) */

/* The quantile at `share` of sorted values, interpolated between the two nearest. */
static double quantile(size_t count, const double *sorted, double share) {
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    double part = place - (double)below;
    return (1.0 - part) * sorted[below] + part * sorted[below + 1 < count ? below + 1 : below];
}

static double deviation(size_t count, const double *value, struct warp warp) {
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += warp_apply(warp, value[i]) / (double)count;
    for (size_t i = 0; i < count; i++) {
        double distance = warp_apply(warp, value[i]) - sum;
        squares += distance * distance / (double)count;
    }
    return sqrt(squares);
}

struct warp warp_choose(size_t count, double *value) {
    const struct warp none = {0};
    if (count < 2)
        return none;
    sort_numbers(count, value);
    double largest = fmax(fabs(value[0]), fabs(value[count - 1]));
    if (!(value[count - 1] - value[0] > 1e-12 * largest)) /* constant except for rounding */
        return none;
    double range = quantile(count, value, 0.75) - quantile(count, value, 0.25);
    double spread = deviation(count, value, none);
    struct warp warp = {quantile(count, value, 0.5),
                        range > 0.0 ? range / NORMAL_QUARTILES : spread};
    double gain = log(spread) - log(deviation(count, value, warp));
    for (size_t i = 0; i < count; i++)
        gain -= log(warp_unit(warp, value[i])) / (double)count;
    /* False if the gain is NaN, as for values near DBL_MAX. */
    return gain > WARP_GAIN && warp.width >= DBL_MIN && warp.width <= DBL_MAX ? warp : none;
}
