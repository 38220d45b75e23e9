/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Student-t regression: y = f + s times a t with nu degrees of freedom; outliers have little
 * effect. theta = (log s^2, log(nu - 2)): nu > 2, so that predictions have a deviation.
 *
 *     log p(y | f) = c(nu) - 1/2 log(pi nu s2) - (nu+1)/2 log(1 + (y-f)^2 / (nu s2)),
 *     c(nu) = log Gamma((nu+1)/2) - log Gamma(nu/2).
 *
 * E log p is a 1-D integral over f; log p has its branch points at y +- i sqrt(nu s2). First-order
 * input noise and the given variance V_y of a row's measurement error are added to s2, as for
 * Gaussian noise. (Predictions add V_y to the variance, which is exact.)
 *
 * For prediction a t is a mixture of normal distributions with variance s2 tau, where
 * 1/tau ~ Gamma(nu/2, nu/2). So y ~ sum_j share_j N(mean, variance + s2 tau_j), with tau on a grid
 * in log tau, where the trapezoidal rule converges exponentially. An outlier at distance u has a
 * tau near u^2 / (nu s2), however small its share, so the grid extends that far.
 */
#include "math/quadrature.h"
#include "math/special.h"
#include "math/vector.h"
#include "likelihood/likelihood.h"
#include "likelihood/power.h"

#include <math.h>

#define LOG_TWO_PI 1.8378770664093454836
#define LOG_PI 1.1447298858494001741
#define START_VARIANCE 0.1 /* of the spread of y */
#define START_FREEDOM 4.0

enum { MOST_SCALES = QUADRATURE_NODES }; /* the same scratch is used for both */

static double freedom_of(const double *theta) {
    return 2.0 + exp(theta[1]);
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

/* The meaning of theta, and the part of log p(y | f) that does not depend on y and s2. */
struct shape {
    double nu, own, constant, d_constant;
};

static struct shape shape_of(const double *theta) {
    double nu = freedom_of(theta), halves = log_gamma(0.5 * nu + 0.5) - log_gamma(0.5 * nu);
    return (struct shape){.nu = nu,
                          .own = exp(theta[0]),
                          .constant = halves - 0.5 * (LOG_PI + log(nu)),
                          .d_constant = 0.5 * (digamma(0.5 * nu + 0.5) - digamma(0.5 * nu))};
}

/* A row's value and derivatives. `pulls` and `logs` are parts of the derivatives by s2 and nu:
 * (pulls - 1) / (2 s2) and c'(nu) + (pulls - 1) / (2 nu) - logs / 2. */
struct answer {
    double value, d_mean, d_variance, pulls, logs;
};

/* With a = nu s2 and u = y - f, the derivatives of log p are
 * by f: (nu+1) u / (a + u^2); by s2: ((nu+1) u^2 / (a + u^2) - 1) / (2 s2);
 * by nu: c'(nu) + ((nu+1) u^2 / (a + u^2) - 1) / (2 nu) - 1/2 log(1 + u^2/a). */
static struct answer answer_log(const struct shape *shape, double s2, double y, double mean,
                                double variance, double *scratch) {
    double *f = scratch, *weight = f + QUADRATURE_NODES, nu = shape->nu, a = nu * s2;
    struct answer answer = {0};
    size_t count = quadrature_normal(mean, sqrt(variance), y, sqrt(a), f, weight);
    for (size_t i = 0; i < count; i++) {
        double u = y - f[i], pull = (nu + 1.0) * u / (a + u * u);
        answer.logs += weight[i] * log1p(u * u / a);
        answer.pulls += weight[i] * pull * u;
        answer.d_mean += weight[i] * pull;
        answer.d_variance += weight[i] * pull * (f[i] - mean) / (2.0 * variance);
    }
    answer.value = shape->constant - 0.5 * log(s2) - 0.5 * (nu + 1.0) * answer.logs;
    return answer;
}

/*
 * Powers: with k = alpha (nu+1) / 2, a power of a t density is a mixture of normals as well,
 *
 *     (1 + u^2/a)^-k = E exp(-lambda u^2/a),   lambda ~ Gamma(k).
 *
 * The average of each over f has a closed form, with d = y - mean, q = a + 2 lambda variance:
 *
 *     G(lambda) = E exp(-lambda u^2/a) = (q/a)^(-1/2) exp(-lambda d^2/q).
 *
 * As a function of f the integrand may have two distant peaks, one at the mean and one at y. As a
 * function of w = log lambda they are close together. The density of w is
 * exp(k w - exp(w)) / Gamma(k).
 */
struct mixture {
    size_t count;
    double *lambda, *log_weight, *share;
    double *by_k; /* d log weight / d k */
};

/*
 * The trapezoidal rule in w. It starts where 1 - G is negligible or weight G is e^-42 of its
 * maximum, and ends where weight G is e^-42 of its maximum again. With r = 1 + (variance + d^2)/a
 * the slope of log(weight G) is between k - r exp(w) and k - exp(w). So its maximum is between
 * log(k/r) and log k, and its width is at least 1/sqrt(k). The omitted nodes below form a geometric
 * series, which is added to the first node.
 */
static struct mixture place_mixture(double k, double r, double *scratch) {
    enum { N = QUADRATURE_NODES };
    struct mixture mixture = {.lambda = scratch,
                              .log_weight = scratch + N,
                              .share = scratch + 2 * N,
                              .by_k = scratch + 3 * N};
    k = fmin(fmax(k, 1e-300), 1e300); /* here and below also replaces NaN */
    double c = fmin(42.0 / k, 1e300), log_r = log(fmin(fmax(r, 1.0), 1e300));
    double left = fmax(log(k) - c - sqrt(2.0 * c), log(fmin(k, 1.0)) - 37.0) - log_r;
    double right = log(k) + fmin(sqrt(2.0 * c), log(2.0 + 2.0 * c));
    double step = fmax(fmin(0.28, 0.5 / sqrt(k)), (right - left) / (N - 2));
    double constant = log(step * k) - log_gamma(k + 1.0), digamma_k = digamma(k + 1.0) - 1.0 / k;
    mixture.count = (size_t)ceil((right - left) / step) + 1;
    for (size_t j = 0; j < mixture.count; j++) {
        double w = left + step * (double)j;
        mixture.lambda[j] = exp(w);
        mixture.log_weight[j] = constant + k * w - mixture.lambda[j];
        mixture.by_k[j] = w - digamma_k;
        mixture.share[j] = 1.0 / (double)mixture.count;
    }
    mixture.log_weight[0] -= log(-expm1(-k * step));
    mixture.by_k[0] -= step / expm1(k * step);
    return mixture;
}

/*
 * Shares proportional to weight G. Returns log S, S = sum_j weight_j G_j, and its derivative by k.
 * Since sum_j weight_j = 1 for any k, S = 1 + sum_j weight_j (G_j - 1), and its derivative is
 * sum_j weight_j by_k_j (G_j - 1). This is accurate if k is small, when all weights but the first
 * are small.
 */
static double share_mixture(struct mixture *mixture, double a, double d, double variance,
                            double *d_k) {
    double less_one = 0.0, near = 0.0, *exponent = mixture->log_weight;
    size_t count = mixture->count;
    for (size_t j = 0; j < count; j++) {
        double lambda = mixture->lambda[j], twice = 2.0 * lambda * variance;
        double log_g = -0.5 * log1p(twice / a) - lambda * d * d / (a + twice);
        double less = exp(mixture->log_weight[j]) * expm1(log_g);
        less_one += less;
        near += less * mixture->by_k[j];
        exponent[j] += log_g;
    }
    double log_s = log((double)count) + power_mean(1.0, count, exponent, mixture->share);
    *d_k = dot(count, mixture->share, mixture->by_k);
    if (less_one < -0.5)
        return log_s;
    *d_k = near / (1.0 + less_one);
    return log1p(less_one);
}

static struct answer answer_power(double alpha, const struct shape *shape, double s2, double y,
                                  double mean, double variance, double *scratch) {
    double a = shape->nu * s2, d = y - mean, k = 0.5 * alpha * (shape->nu + 1.0), d_k;
    struct mixture mixture = place_mixture(k, 1.0 + (variance + d * d) / a, scratch);
    double log_s = share_mixture(&mixture, a, d, variance, &d_k);
    struct answer answer = {.value = shape->constant - 0.5 * log(s2) + log_s / alpha, .logs = -d_k};
    for (size_t j = 0; j < mixture.count; j++) {
        double q = a + 2.0 * mixture.lambda[j] * variance, part = mixture.lambda[j] / q;
        double pull = part * d, omega = mixture.share[j] / alpha;
        answer.d_mean += omega * 2.0 * pull;
        answer.d_variance += omega * (2.0 * pull * pull - part);
        answer.pulls += omega * 2.0 * part * (variance + d * d * a / q);
    }
    return answer;
}

static void expectation(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question) {
    struct shape shape = shape_of(theta);
    double alpha = setting->alpha, nu = shape.nu;
    for (size_t r = 0; r < question->rows; r++) {
        double y = question->target[2 * r], error = question->target[2 * r + 1];
        double s2 = shape.own + error + (question->blur ? question->blur[r] : 0.0),
               weight = question->weight[r];
        double mean = question->mean[r], variance = question->variance[r];
        struct answer answer =
            alpha > 0.0 ? answer_power(alpha, &shape, s2, y, mean, variance, question->scratch)
                        : answer_log(&shape, s2, y, mean, variance, question->scratch);
        double d_s2 = weight * 0.5 * (answer.pulls - 1.0) / s2;
        question->value[r] = answer.value;
        question->d_mean[r] = weight * answer.d_mean;
        question->d_variance[r] = weight * answer.d_variance;
        if (question->blur)
            question->d_blur[r] = d_s2;
        if (!question->d_theta)
            continue;
        question->d_theta[0] += d_s2 * shape.own;
        question->d_theta[1] +=
            weight * (nu - 2.0) *
            (shape.d_constant + 0.5 * (answer.pulls - 1.0) / nu - 0.5 * answer.logs);
    }
}

/*
 * The scales tau and the logarithms of their shares. In v = log tau the density is proportional to
 * exp(-nu/2 (v + exp(-v))). This is a peak of width sqrt(2/nu) that decreases steeply to the left
 * and like exp(-nu v / 2) to the right. For an outlier at a distance of `farthest` in units of s,
 * the peak is up to log(1 + farthest^2 / nu) further right and has the same width. With more than
 * 1e8 degrees of freedom the distribution is normal to 8 digits, and v + exp(-v) - 1 would be
 * inaccurate.
 */
static size_t place_scales(double nu, double farthest, double *tau, double *log_share) {
    nu = fmin(nu, 1e8);
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
        value[r] =
            log_density_at(target[0] - mean[r], variance[r] + target[1], s2, count, tau, log_share);
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
            value[r] += share[j] * normal_cdf((target[0] - mean[r]) /
                                              sqrt(variance[r] + target[1] + s2 * tau[j]));
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
    .summary = "a number with outliers; the width and the tails of the noise are learned",
    .target = TARGET_NUMBER,
    .parameter_count = 2,
    .start = start,
    .keep_in_range = keep_in_range,
    .quantities = quantities,
    .scratch_count = 4 * QUADRATURE_NODES,
    .blurs = 1,
    .heavy_tails = 1,
    .expectation = expectation,
    .moments = moments,
    .log_density = log_density,
    .cumulative = cumulative,
};
