/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moments of N(x; c, p) times the likelihood of a cell that is not normal. The likelihood of an
 * asymmetric cell is normal on each side of x~, so the product consists of two normal densities,
 * each truncated at x~. Their masses and moments are closed forms of Phi and of the hazard h(z) =
 * phi(z)/Phi(z). The product of a limit is the usual one of probit models.
 */
#include "math/special.h"
#include "population/measurement.h"

#include <math.h>

#define LOG_TWO_PI 1.8378770664093454836
#define TWO_OVER_PI 0.63661977236758134308

/* Below this z, 1 - h (z + h) would be lost to rounding, so an expansion is used. */
#define FAR_OUT (-200.0)

/* Variance of a standard normal variable below z, as 1 - h (z + h). */
static double variance_below(double z, double hazard) {
    if (z < FAR_OUT)
        return 1.0 / (z * z);
    return fmax(1.0 - hazard * (z + hazard), 0.0);
}

/* One side: N(c, p) times the half of the likelihood with deviation `width`; `both` is the sum of
 * the two deviations. side -1: below x~. */
static struct tilt one_side(double c, double p, double x, double width, double both, double side) {
    double total = p + width * width, keep = p / total, distance = x - c;
    double mean = c + keep * distance, deviation = sqrt(keep) * width;
    /* x~ - mean = (x~ - c) width^2 / total, in units of the deviation. */
    double z = -side * distance * width / sqrt(p * total), log_cdf, hazard;
    log_normal_cdf_array(1, &z, &log_cdf, &hazard);
    return (struct tilt){
        .log_mass = log(2.0 * width / both) + log_cdf -
                    0.5 * (LOG_TWO_PI + log(total) + distance * distance / total),
        .mean = mean + side * deviation * hazard,
        .variance = deviation * deviation * variance_below(z, hazard),
    };
}

struct tilt tilt_lopsided(double centre, double variance, double x, double lower, double upper) {
    struct tilt below = one_side(centre, variance, x, lower, lower + upper, -1.0);
    struct tilt above = one_side(centre, variance, x, upper, lower + upper, 1.0);
    double largest = fmax(below.log_mass, above.log_mass);
    double low = exp(below.log_mass - largest), high = exp(above.log_mass - largest);
    double share = low / (low + high), gap = above.mean - below.mean;
    return (struct tilt){
        .log_mass = largest + log(low + high),
        .mean = above.mean - share * gap,
        .variance = share * below.variance + (1.0 - share) * above.variance +
                    share * (1.0 - share) * gap * gap,
    };
}

struct tilt tilt_limit(double centre, double variance, double x, double noise, double side) {
    double total = sqrt(variance + noise), keep = variance / (variance + noise);
    double z = side * (centre - x) / total, log_cdf, hazard;
    log_normal_cdf_array(1, &z, &log_cdf, &hazard);
    return (struct tilt){
        .log_mass = log_cdf,
        .mean = centre + side * keep * total * hazard,
        .variance = variance * (1.0 - keep + keep * variance_below(z, hazard)),
    };
}

struct tilt tilt_alone(double x, double lower, double upper) {
    double gap = upper - lower;
    return (struct tilt){
        .mean = x + sqrt(TWO_OVER_PI) * gap,
        .variance = (1.0 - TWO_OVER_PI) * gap * gap + lower * upper,
    };
}
