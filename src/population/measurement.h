/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_POPULATION_MEASUREMENT_H
#define NIMGP_POPULATION_MEASUREMENT_H

/*
 * The measurement of one row, in standard units. Most measurements are x~ with a variance V for
 * each cell. A measurement with correlations, upper errors or limits also has a shape: a row of
 * SHAPE numbers,
 *
 *     upper        d          the deviation above x~ where it is not sqrt(V), the one below; else 0
 *     side         d          -1: the truth is below x~, 1: above (a limit); 0: a measurement
 *     correlation  d (d-1)/2  of errors: (1,0), (2,0), (2,1), (3,0), ...
 *
 * The likelihood of the true value x of an asymmetric cell is
 *
 *     p(x~ | x) = 2 / (lower + upper) phi((x - x~)/w),   w = lower below x~ and upper above it,
 *
 * and that of a limit P(x + sqrt(V) noise < x~) = Phi((x~ - x)/sqrt(V)), or the same with x~ and x
 * exchanged. Neither is correlated with other cells. Derivation: docs/derivations/measurements.md.
 */

#include <stddef.h>

struct measurement {
    const double *x, *noise; /* d: x~ and V; infinite where a cell is missing */
    const double *shape;     /* shape_size(d); or NULL */
};

static inline size_t shape_size(size_t d) {
    return 2 * d + d * (d - 1) / 2;
}
/* Row i of a table of them. */
static inline struct measurement measurement_at(size_t d, const double *x, const double *noise,
                                                const double *shape, size_t i) {
    return (struct measurement){x + i * d, noise + i * d, shape ? shape + i * shape_size(d) : NULL};
}
static inline double shape_upper(const double *shape, size_t j) {
    return shape[j];
}
static inline double shape_side(const double *shape, size_t d, size_t j) {
    return shape[d + j];
}
/* Of attributes j and i < j. */
static inline double shape_correlation(const double *shape, size_t d, size_t j, size_t i) {
    return shape[2 * d + j * (j - 1) / 2 + i];
}

/* The product of N(centre, variance) and the likelihood of a cell: its mean, its variance and the
 * logarithm of its integral. */
struct tilt {
    double log_mass, mean, variance;
};
struct tilt tilt_lopsided(double centre, double variance, double x, double lower, double upper);
struct tilt tilt_limit(double centre, double variance, double x, double noise, double side);

/* Mean and variance of the true value given an asymmetric measurement and no population.
 */
struct tilt tilt_alone(double x, double lower, double upper);

#endif
