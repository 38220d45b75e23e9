/* SPDX-License-Identifier: Apache-2.0 */
#include "truncated.h"

#include <math.h>

static double distribution(double z) {
    return 0.5 * erfc(-z * 0.70710678118654752440);
}

static double ratio(const double *above, const double *below, double r) {
    double a = above[7], b = below[7];
    for (int i = 6; i >= 0; i--) {
        a = a * r + above[i];
        b = b * r + below[i];
    }
    return a / b;
}

/* Inverse of the normal distribution, M. J. Wichura's algorithm AS 241 (1988), good to 1e-16. */
static double quantile(double p) {
    static const double a[] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                               1.9715909503065514427e3, 1.3731693765509461125e4,
                               4.5921953931549871457e4, 6.7265770927008700853e4,
                               3.3430575583588128105e4, 2.5090809287301226727e3};
    static const double b[] = {1.0,
                               4.2313330701600911252e1,
                               6.8718700749205790830e2,
                               5.3941960214247511077e3,
                               2.1213794301586595867e4,
                               3.9307895800092710610e4,
                               2.8729085735721942674e4,
                               5.2264952788528545610e3};
    static const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                               5.76949722146069140550e0,  3.64784832476320460504e0,
                               1.27045825245236838258e0,  2.41780725177450611770e-1,
                               2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[] = {1.0,
                               2.05319162663775882187e0,
                               1.67638483018380384940e0,
                               6.89767334985100004550e-1,
                               1.48103976427480074590e-1,
                               1.51986665636164571966e-2,
                               5.47593808499534494600e-4,
                               1.05075007164441684324e-9};
    static const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                               1.78482653991729133580e0,  2.96560571828504891230e-1,
                               2.65321895265761230930e-2, 1.24266094738807843860e-3,
                               2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[] = {1.0,
                               5.99832206555887937690e-1,
                               1.36929880922735805310e-1,
                               1.48753612908506148525e-2,
                               7.86869131145613259100e-4,
                               1.84631831751005468180e-5,
                               1.42151175831644588870e-7,
                               2.04426310338993978564e-15};
    double q = p - 0.5;
    if (fabs(q) <= 0.425)
        return q * ratio(a, b, 0.180625 - q * q);
    double r = sqrt(-log(q < 0.0 ? p : 1.0 - p));
    double z = r <= 5.0 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5.0);
    return q < 0.0 ? -z : z;
}

double truncated_quantile(double u, double mean, double deviation, double least, double most) {
    double a = (least - mean) / deviation, b = (most - mean) / deviation, z;
    if (a > 0.0) /* the lower tail keeps its digits, the upper one does not */
        return -truncated_quantile(1.0 - u, -mean, deviation, -most, -least);
    double low = distribution(a), high = distribution(b);
    if (high > 1e-290)
        z = quantile(fmax(low + u * (high - low), 1e-300));
    else
        z = b + log(u) / -b; /* so far out the density falls off like exp(-|b| distance) */
    return fmin(fmax(mean + deviation * z, least), most);
}
