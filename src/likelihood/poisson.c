/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts: y ~ Poisson(e exp(b + f)) with exposure e and a learned base rate exp(b), theta = b.
 * A row's target is (y, e).
 *
 *     E log p = y (log e + b + mean) - e exp(b + mean + variance/2) - log y!
 *
 * in closed form, as are E y = e exp(b + mean + variance/2) and
 * E y^2 = E y + (E y)^2 exp(variance). Probabilities are integrals over f. The integrand of the
 * cumulative probability is a step where the rate is y, of width 1/sqrt(y). That of a single count,
 * or of its power, is a peak; for an unlikely count it is between that place and the mean, far from
 * both.
 */
#include "math/quadrature.h"
#include "math/special.h"
#include "likelihood/likelihood.h"
#include "likelihood/power.h"

#include <math.h>

#define LOG_TWO_PI 1.8378770664093454836

/* SPACING and GROWTH of the nodes as in quadrature.c. Values below e^-DEEP of the largest are
 * neglected. */
#define SPACING 0.28
#define GROWTH (1.0 / 14.0)
#define DEEP 42.0

#define WIDEST 100.0 /* deviations of a peak that contain all of it, including its tails */

#define LARGE_COUNT 1000.0

static void start(const struct likelihood_setting *setting, const struct target_summary *summary,
                  double *theta) {
    (void)setting;
    theta[0] = log(summary->rate);
}

static void keep_in_range(const struct likelihood_setting *setting, double *theta) {
    (void)setting;
    theta[0] = fmin(fmax(theta[0], -700.0), 700.0); /* exposures may be in any unit */
}

/*
 * log p(y | rate) in terms of delta = log(rate / y), so that large counts lose no digits:
 * y (delta - expm1(delta)) + log p(y | y), or -rate where y is zero.
 */
static double at_best(double y) {
    if (y > 100.0) /* Stirling */
        return -0.5 * (LOG_TWO_PI + log(y)) - (1.0 - 1.0 / (30.0 * y * y)) / (12.0 * y);
    return y > 0.0 ? y * log(y) - y - log_gamma(y + 1.0) : 0.0;
}

/*
 * The f at which y (c + f) - exp(c + f) - (f - mean)^2 / (2 variance) is largest. With
 * t = c + f + log(variance) this is the solution of t + exp(t) = K. Newton's method from the right,
 * where it converges from any start.
 */
static double find_mode(double y, double c, double mean, double variance) {
    double shift = c + log(variance), k = shift + mean + variance * y;
    double t = k > 1.0 ? log(k) : k;
    for (int step = 0; step < 8; step++)
        t -= (t + exp(t) - k) / (1.0 + exp(t));
    return t - shift;
}

/* log p(y | f) without at_best(y); delta = log(rate / y), or log rate if y is zero. */
static double log_p_at(double y, double delta) {
    return y > 0.0 ? y * (delta - expm1(delta)) : -exp(delta);
}

/* The slope of log_p_at, y - rate. */
static double slope_at(double y, double delta) {
    return y > 0.0 ? -y * expm1(delta) : -exp(delta);
}

/* A row's value and its derivatives by mean (and theta) and by variance. */
struct answer {
    double value, d_mean, d_variance;
};

static struct answer answer_log(double y, double c, double mean, double variance) {
    double centre = c + mean, half = 0.5 * variance, rate = exp(centre + half);
    double delta = y > 0.0 ? centre - log(y) : 0.0;
    return (struct answer){.value =
                               at_best(y) + (y > 0.0 ? y * (delta - expm1(delta + half)) : -rate),
                           .d_mean = y - rate,
                           .d_variance = -0.5 * rate};
}

/*
 * E p^alpha by quadrature around the mode of N(f; mean, variance) p^alpha, see power.h. The
 * integrand is a peak of deviation `width`, and the rate changes on a scale of one in f. For a
 * large count the peak is much narrower than the deviation of f. Then N(centre, narrow^2) replaces
 * N(centre, variance), and p is multiplied by their ratio. A rate may be infinite at a node whose
 * weight is zero.
 */
static struct answer answer_power(double alpha, double y, double c, double mean, double variance,
                                  double *scratch) {
    double *f = scratch, *weight = f + QUADRATURE_NODES, *log_p = weight + QUADRATURE_NODES;
    double mode = find_mode(y, c, mean, alpha * variance), top = exp(c + mode);
    double width = 1.0 / sqrt(alpha * top + 1.0 / variance), deviation = sqrt(variance);
    double narrow = fmin(deviation, WIDEST * width), log_ratio = log(narrow / deviation) / alpha;
    double by_square = 0.5 * (1.0 / (narrow * narrow) - 1.0 / (deviation * deviation)) / alpha;
    struct tilt tilt = tilt_from(alpha, mean, variance, mode, y - top, -top);
    size_t count = quadrature_normal(tilt.centre, narrow, tilt.centre, fmin(width, 1.0), f, weight);
    c -= y > 0.0 ? log(y) : 0.0;
    for (size_t i = 0; i < count; i++)
        log_p[i] = log_p_at(y, c + f[i]) + log_ratio +
                   by_square * (f[i] - tilt.centre) * (f[i] - tilt.centre);
    tilt_apply(tilt, alpha, variance, count, f, log_p);
    struct answer answer = {.value = at_best(y) + power_mean(alpha, count, log_p, weight)};
    for (size_t i = 0; i < count; i++) {
        double slope = weight[i] > 0.0 ? weight[i] * slope_at(y, c + f[i]) : 0.0;
        answer.d_mean += slope;
        answer.d_variance += slope * (f[i] - mean) / (2.0 * variance);
    }
    return answer;
}

static void expectation(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question) {
    double alpha = setting->alpha;
    for (size_t r = 0; r < question->rows; r++) {
        double y = question->target[2 * r], c = log(question->target[2 * r + 1]) + theta[0];
        double mean = question->mean[r], variance = question->variance[r];
        struct answer answer = alpha > 0.0
                                   ? answer_power(alpha, y, c, mean, variance, question->scratch)
                                   : answer_log(y, c, mean, variance);
        question->value[r] = answer.value;
        question->d_mean[r] = question->weight[r] * answer.d_mean;
        question->d_variance[r] = question->weight[r] * answer.d_variance;
        if (question->d_theta)
            question->d_theta[0] += question->weight[r] * answer.d_mean;
    }
}

static void moments(const struct likelihood_setting *setting, const double *theta,
                    const double *target, size_t rows, const double *mean, const double *variance,
                    double *first, double *second) {
    (void)setting;
    for (size_t r = 0; r < rows; r++) {
        first[r] = target[1] * exp(theta[0] + mean[r] + 0.5 * variance[r]);
        second[r] = first[r] + first[r] * first[r] * exp(variance[r]);
    }
}

/* log p(y | f) plus the exponent of the density of f. If y is not zero, log y is already subtracted
 * from c. */
static double bump(double y, double c, double mean, double variance, double f) {
    return log_p_at(y, c + f) - (f - mean) * (f - mean) / (2.0 * variance);
}

/* log E p(y | f) by the trapezoidal rule from the maximum of the integrand outwards. The spacing is
 * proportional to the width of the peak, limited to one, the scale of the rate. */
static double log_density_at(double y, double c, double mean, double variance) {
    double top = find_mode(y, c, mean, variance), total = 1.0;
    double width = fmin(1.0, 1.0 / sqrt(exp(c + top) + 1.0 / variance));
    c -= y > 0.0 ? log(y) : 0.0;
    double highest = bump(y, c, mean, variance, top);
    for (double side = -1.0; side < 2.0; side += 2.0)
        for (double u = SPACING;; u += SPACING) {
            double f = top + side * width / GROWTH * sinh(GROWTH * u);
            double below = bump(y, c, mean, variance, f) - highest;
            if (!(below > -DEEP))
                break;
            total += exp(below) * cosh(GROWTH * u);
        }
    return highest + log(SPACING * width * total) - 0.5 * (LOG_TWO_PI + log(variance)) + at_best(y);
}

static void log_density(const struct likelihood_setting *setting, const double *theta,
                        const double *target, size_t rows, const double *mean,
                        const double *variance, double *value, double *scratch) {
    (void)setting, (void)scratch;
    for (size_t r = 0; r < rows; r++)
        value[r] = log_density_at(target[0], log(target[1]) + theta[0], mean[r], variance[r]);
}

/*
 * P(Y <= y) of one row for a large y. Y <= y if a Gamma(y+1) variable exceeds the rate, so if
 * t = log Gamma variable - log rate is positive. For large a = y + 1 the first is nearly normal,
 * with cumulants digamma(a), 1/a + 1/(2 a^2), -1/a^2 - 1/a^3, 2/a^3, and the second is normal.
 * Uses Edgeworth's expansion to second order. From y = 1000 on the error is less than 1e-6.
 */
static double cumulative_large(double y, double log_rate, double variance) {
    double a = y + 1.0, r = 1.0 / a, total = variance + r * (1.0 + 0.5 * r);
    double s = sqrt(total), z = (log_rate - digamma(a)) / s;
    double skew = -r * r * (1.0 + r) / (total * s), excess = 2.0 * r * r * r / (total * total);
    double density = 0.39894228040143267794 * exp(-0.5 * z * z), z2 = z * z;
    double correction = skew / 6.0 * (z2 - 1.0) + excess / 24.0 * z * (z2 - 3.0) +
                        skew * skew / 72.0 * z * (z2 * (z2 - 10.0) + 15.0);
    return fmin(fmax(normal_cdf(-z) + density * correction, 0.0), 1.0);
}

static void cumulative(const struct likelihood_setting *setting, const double *theta,
                       const double *target, size_t rows, const double *mean,
                       const double *variance, double *value, double *scratch) {
    (void)setting;
    double *f = scratch, *weight = scratch + QUADRATURE_NODES;
    double place = log((target[0] + 0.5) / target[1]) - theta[0];
    for (size_t r = 0; r < rows; r++) {
        value[r] = 0.0;
        if (target[0] < 0.0)
            continue;
        if (target[0] >= LARGE_COUNT) {
            value[r] = cumulative_large(floor(target[0]), log(target[1]) + theta[0] + mean[r],
                                        variance[r]);
            continue;
        }
        size_t nodes = quadrature_normal(mean[r], sqrt(variance[r]), place,
                                         1.0 / sqrt(target[0] + 1.0), f, weight);
        for (size_t i = 0; i < nodes; i++)
            if (weight[i] > 1e-12)
                value[r] += weight[i] *
                            gamma_upper(floor(target[0]) + 1.0, target[1] * exp(theta[0] + f[i]));
    }
}

static void read_base_rate(const struct likelihood_setting *setting, const double *theta,
                           double *values) {
    (void)setting;
    values[0] = exp(theta[0]);
}

static const struct likelihood_quantity quantities[] = {
    {.name = "base_rate", .read = read_base_rate},
    {0},
};

const struct likelihood likelihood_poisson = {
    .name = "poisson",
    .summary = "a count whose rate is the exponential of a latent function times an exposure",
    .target = TARGET_COUNT,
    .parameter_count = 1,
    .start = start,
    .keep_in_range = keep_in_range,
    .quantities = quantities,
    .scratch_count = 3 * QUADRATURE_NODES,
    .expectation = expectation,
    .moments = moments,
    .log_density = log_density,
    .cumulative = cumulative,
};
