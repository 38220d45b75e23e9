/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Student-t regression: y = f + s times a t of nu degrees of freedom; outliers pull little.
 * theta = (log s^2, log(nu - 2)): nu > 2, so that predictions have a deviation.
 *
 *     log p(y | f) = c(nu) - 1/2 log(pi nu s2) - (nu+1)/2 log(1 + (y-f)^2 / (nu s2)),
 *     c(nu) = log Gamma((nu+1)/2) - log Gamma(nu/2).
 *
 * E log p is a 1-D integral over f; log p has its branch points at y +- i sqrt(nu s2). Input noise
 * to first order widens s2, as it does Gaussian noise.
 *
 * Prediction uses that a t is a mixture of normals: its variance is s2 tau with
 * 1/tau ~ Gamma(nu/2, nu/2). So y ~ sum_j share_j N(mean, variance + s2 tau_j), with tau on a grid
 * in log tau, where the trapezoidal rule is exponentially accurate. What an outlier at distance u
 * was drawn with is a tau near u^2 / (nu s2), however small its share: the grid reaches that far.
 */
#include "math/quadrature.h"
#include "math/special.h"
#include "likelihood/likelihood.h"

#include <math.h>

#define LOG_TWO_PI 1.8378770664093454836
#define LOG_PI 1.1447298858494001741
#define START_VARIANCE 0.1 /* of the spread of y */
#define START_FREEDOM 4.0

enum { MOST_SCALES = QUADRATURE_NODES }; /* one scratch serves both */

static double freedom_of(const double *theta) {
    return 2.0 + exp(theta[1]);
}

static size_t parameters(const struct likelihood_setting *setting) {
    (void)setting;
    return 2;
}

static void start(const struct likelihood_setting *setting, const struct target_summary *summary,
                  double *theta) {
    (void)setting, (void)summary;
    theta[0] = log(START_VARIANCE);
    theta[1] = log(START_FREEDOM - 2.0);
}

static void keep_in_range(const struct likelihood_setting *setting, double *theta) {
    (void)setting;
    theta[0] = fmin(fmax(theta[0], -20.0), 5.0);
    theta[1] = fmin(fmax(theta[1], -3.0), 7.0);
}

static size_t scratch_size(const struct likelihood_setting *setting) {
    (void)setting;
    return 2 * QUADRATURE_NODES;
}

/* With a = nu s2, u = y - f, by f: (nu+1) u / (a + u^2); by s2: ((nu+1) u^2 / (a + u^2) - 1) / (2
 * s2); by nu: c'(nu) + ((nu+1) u^2 / (a + u^2) - 1) / (2 nu) - 1/2 log(1 + u^2/a). */
static void expectation(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question) {
    (void)setting;
    double *f = question->scratch, *weight = f + QUADRATURE_NODES;
    double own = exp(theta[0]), nu = freedom_of(theta);
    double constant = log_gamma(0.5 * nu + 0.5) - log_gamma(0.5 * nu) - 0.5 * (LOG_PI + log(nu));
    double d_constant = 0.5 * (digamma(0.5 * nu + 0.5) - digamma(0.5 * nu));
    for (size_t r = 0; r < question->rows; r++) {
        double s2 = own + (question->blur ? question->blur[r] : 0.0), a = nu * s2;
        double mean = question->mean[r], variance = question->variance[r];
        double y = question->target[r], rows_weight = question->weight[r];
        double logs = 0.0, pulls = 0.0, d_mean = 0.0, d_variance = 0.0;
        size_t count = quadrature_normal(mean, sqrt(variance), y, sqrt(a), f, weight);
        for (size_t i = 0; i < count; i++) {
            double u = y - f[i], pull = (nu + 1.0) * u / (a + u * u);
            logs += weight[i] * log1p(u * u / a);
            pulls += weight[i] * pull * u;
            d_mean += weight[i] * pull;
            d_variance += weight[i] * pull * (f[i] - mean) / (2.0 * variance);
        }
        double d_s2 = rows_weight * 0.5 * (pulls - 1.0) / s2;
        question->value[r] = constant - 0.5 * log(s2) - 0.5 * (nu + 1.0) * logs;
        question->d_mean[r] = rows_weight * d_mean;
        question->d_variance[r] = rows_weight * d_variance;
        if (question->blur)
            question->d_blur[r] = d_s2;
        if (!question->d_theta)
            continue;
        question->d_theta[0] += d_s2 * own;
        question->d_theta[1] +=
            rows_weight * (nu - 2.0) * (d_constant + 0.5 * (pulls - 1.0) / nu - 0.5 * logs);
    }
}

/*
 * The scales tau and the logarithms of their shares. In v = log tau the density is proportional to
 * exp(-nu/2 (v + exp(-v))): a bump of width sqrt(2/nu) that falls off steeply to the left and like
 * exp(-nu v / 2) to the right. Seen from a distance of `farthest` in units of s, the bump stands up
 * to log(1 + farthest^2 / nu) further right and is as wide.
 */
static size_t place_scales(double nu, double farthest, double *tau, double *log_share) {
    double width = sqrt(2.0 / nu), step = fmin(0.4, 0.5 * width);
    double left = fmin(9.0 * width, log(80.0 / nu + 9.0));
    double right = fmin(9.0 * width + 0.5 * width * width * 40.0, 50.0 / nu + 2.0);
    right += 2.0 * log(fmin(hypot(1.0, farthest / sqrt(nu)), 1e150));
    size_t count = (size_t)ceil((left + right) / step) + 1;
    count = count < MOST_SCALES ? count : MOST_SCALES;
    double total = 0.0;
    for (size_t j = 0; j < count; j++) {
        double v = -left + (left + right) * (double)j / (double)(count - 1);
        tau[j] = exp(v);
        log_share[j] = -0.5 * nu * (v + exp(-v) - 1.0);
        total += exp(log_share[j]);
    }
    for (size_t j = 0; j < count; j++)
        log_share[j] -= log(total);
    return count;
}

static void moments(const struct likelihood_setting *setting, const double *theta,
                    const double *target, size_t rows, const double *mean, const double *variance,
                    double *first, double *second) {
    (void)setting, (void)target;
    double nu = freedom_of(theta), noise = exp(theta[0]) * nu / (nu - 2.0);
    for (size_t r = 0; r < rows; r++) {
        first[r] = mean[r];
        second[r] = mean[r] * mean[r] + variance[r] + noise;
    }
}

static double log_density_at(double distance, double variance, double s2, size_t count,
                             const double *tau, const double *log_share) {
    double total = 0.0, largest = -INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (size_t j = 0; j < count; j++) {
            double spread = variance + s2 * tau[j], z = distance / sqrt(spread);
            double term = log_share[j] - 0.5 * (LOG_TWO_PI + log(spread) + z * z);
            if (pass == 0)
                largest = fmax(largest, term);
            else
                total += exp(term - largest);
        }
    return largest + log(total);
}

static void log_density(const struct likelihood_setting *setting, const double *theta,
                        const double *target, size_t rows, const double *mean,
                        const double *variance, double *value, double *scratch) {
    (void)setting;
    double *tau = scratch, *log_share = scratch + MOST_SCALES, s2 = exp(theta[0]), farthest = 0.0;
    for (size_t r = 0; r < rows; r++)
        farthest = fmax(farthest, fabs(target[0] - mean[r]));
    size_t count = place_scales(freedom_of(theta), farthest / sqrt(s2), tau, log_share);
    for (size_t r = 0; r < rows; r++)
        value[r] = log_density_at(target[0] - mean[r], variance[r], s2, count, tau, log_share);
}

static void cumulative(const struct likelihood_setting *setting, const double *theta,
                       const double *target, size_t rows, const double *mean,
                       const double *variance, double *value, double *scratch) {
    (void)setting;
    double *tau = scratch, *share = scratch + MOST_SCALES, s2 = exp(theta[0]);
    size_t count = place_scales(freedom_of(theta), 0.0, tau, share);
    exp_array(count, share, share);
    for (size_t r = 0; r < rows; r++) {
        value[r] = 0.0;
        for (size_t j = 0; j < count; j++)
            value[r] +=
                share[j] * normal_cdf((target[0] - mean[r]) / sqrt(variance[r] + s2 * tau[j]));
    }
}

static void read_scale(const struct likelihood_setting *setting, const double *theta,
                       double *values) {
    (void)setting;
    values[0] = exp(0.5 * theta[0]);
}

static void read_freedom(const struct likelihood_setting *setting, const double *theta,
                         double *values) {
    (void)setting;
    values[0] = freedom_of(theta);
}

static const struct likelihood_quantity quantities[] = {
    {.name = "scale", .read = read_scale, .scales = 1},
    {.name = "freedom", .read = read_freedom},
    {0},
};

const struct likelihood likelihood_student_t = {
    .name = "student_t",
    .summary = "a number, with noise that has outliers; its size and tails are learned",
    .target = TARGET_NUMBER,
    .parameters = parameters,
    .start = start,
    .keep_in_range = keep_in_range,
    .quantities = quantities,
    .scratch = scratch_size,
    .blurs = 1,
    .expectation = expectation,
    .moments = moments,
    .log_density = log_density,
    .cumulative = cumulative,
};
