/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of labels: a row has label l if g_l plus standard normal noise is positive, where g = W f +
 * b combines F shared latent functions; theta = W (C x F), then b (C).
 *
 *     g_l ~ N(b_l + sum_f W_lf mean_f, sum_f W_lf^2 variance_f),
 *
 * so each label is a probit of its own g_l, and E log p is a sum of 1-D integrals. With alpha > 0
 * the value is sum_l (1/alpha) log E p_l^alpha, because predictions and scores also treat labels
 * one by one. It ignores that the labels share f.
 */
#include "math/random.h"
#include "math/special.h"
#include "math/vector.h"
#include "likelihood/interval.h"

#include <math.h>

enum { MOST_FUNCTIONS = 8, STREAM_MAP = 48 };

/* g starts with a variance of e: see ordinal.c. */
#define START_DEVIATION 1.93

static size_t functions(size_t classes, size_t wanted) {
    if (wanted)
        return wanted;
    return classes < MOST_FUNCTIONS ? classes : MOST_FUNCTIONS;
}

static size_t map_size(const struct likelihood_setting *setting) {
    return setting->classes * setting->functions;
}

static size_t label_count(const struct likelihood_setting *setting) {
    return setting->classes;
}

static size_t parameters(const struct likelihood_setting *setting) {
    return map_size(setting) + setting->classes;
}

/* Each of the first labels starts with a function of its own, the others with random combinations
 * of unit length. The offsets give each label its share of the rows. */
static void start(const struct likelihood_setting *setting, const struct target_summary *summary,
                  double *theta) {
    size_t classes = setting->classes, mixed = setting->functions;
    random_normal((struct random_key){0, STREAM_MAP}, 0, 0, map_size(setting), theta);
    for (size_t l = 0; l < classes; l++) {
        double *row = theta + l * mixed;
        for (size_t f = 0; l < mixed && f < mixed; f++)
            row[f] = f == l ? 1.0 : 0.1 * row[f];
        scale(mixed, 1.0 / sqrt(dot(mixed, row, row)), row);
        theta[map_size(setting) + l] =
            START_DEVIATION * normal_quantile(fmin(fmax(summary->share[l], 0.01), 0.99));
    }
}

static void keep_in_range(const struct likelihood_setting *setting, double *theta) {
    for (size_t i = 0; i < parameters(setting); i++)
        theta[i] = fmin(fmax(theta[i], -50.0), 50.0);
}

/* g of one label in one row: mean, variance, and variance due to input noise. */
struct mixture {
    double mean, variance, blur;
};

static struct mixture mix(const struct likelihood_setting *setting, const double *theta, size_t l,
                          const double *mean, const double *variance, const double *blur,
                          size_t stride) {
    const double *row = theta + l * setting->functions;
    struct mixture g = {.mean = theta[map_size(setting) + l]};
    for (size_t f = 0; f < setting->functions; f++) {
        g.mean += row[f] * mean[f * stride];
        g.variance += row[f] * row[f] * variance[f * stride];
        g.blur += blur ? row[f] * row[f] * blur[f * stride] : 0.0;
    }
    g.variance = fmax(g.variance, 1e-12); /* for a label whose weights are all zero */
    return g;
}

/* The gradients by f, weights and offset from that by label l's g in row r. */
static void mix_back(const struct likelihood_setting *setting, const double *theta, size_t l,
                     const struct expectation *question, size_t r,
                     const struct interval_answer *answer) {
    size_t stride = question->stride, mixed = setting->functions;
    const double *row = theta + l * mixed;
    double weight = question->weight[r];
    for (size_t f = 0; f < mixed; f++) {
        size_t at = f * stride + r;
        double blur = question->blur ? question->blur[at] : 0.0;
        question->d_mean[at] += weight * row[f] * answer->d_mean;
        question->d_variance[at] += weight * row[f] * row[f] * answer->d_variance;
        if (question->blur)
            question->d_blur[at] += weight * row[f] * row[f] * answer->d_blur;
        if (question->d_theta)
            question->d_theta[l * mixed + f] +=
                weight *
                (question->mean[at] * answer->d_mean +
                 2.0 * row[f] *
                     (question->variance[at] * answer->d_variance + blur * answer->d_blur));
    }
    if (question->d_theta)
        question->d_theta[map_size(setting) + l] += weight * answer->d_mean;
}

static void expectation(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question) {
    const struct interval below = {-INFINITY, 0.0}, above = {0.0, INFINITY};
    size_t classes = setting->classes, stride = question->stride;
    for (size_t r = 0; r < question->rows; r++) {
        question->value[r] = 0.0;
        for (size_t at = r; at < setting->functions * stride; at += stride) {
            question->d_mean[at] = question->d_variance[at] = 0.0;
            if (question->blur)
                question->d_blur[at] = 0.0;
        }
        for (size_t l = 0; l < classes; l++) {
            struct mixture g = mix(setting, theta, l, question->mean + r, question->variance + r,
                                   question->blur ? question->blur + r : NULL, stride);
            struct interval interval = question->target[r * classes + l] > 0.0 ? above : below;
            struct interval_answer answer = interval_expectation(
                setting->alpha, interval, g.mean, g.variance, g.blur, question->scratch);
            question->value[r] += answer.value;
            mix_back(setting, theta, l, question, r, &answer);
        }
    }
}

static void predict(const struct likelihood_setting *setting, const double *theta, size_t rows,
                    const double *mean, const double *variance, size_t stride, double *probability,
                    double *scratch) {
    (void)scratch;
    const double zero = 0.0;
    for (size_t r = 0; r < rows; r++) {
        for (size_t l = 0; l < setting->classes; l++) {
            struct mixture g = mix(setting, theta, l, mean + r, variance + r, NULL, stride);
            double sides[2];
            interval_probabilities(1, &zero, g.mean, g.variance, sides);
            probability[r * setting->classes + l] = sides[1];
        }
    }
}

static void read_map(const struct likelihood_setting *setting, const double *theta,
                     double *values) {
    for (size_t i = 0; i < map_size(setting); i++)
        values[i] = theta[i];
}

static void read_offsets(const struct likelihood_setting *setting, const double *theta,
                         double *values) {
    for (size_t l = 0; l < setting->classes; l++)
        values[l] = theta[map_size(setting) + l];
}

static const struct likelihood_quantity quantities[] = {
    {.name = "map", .count = map_size, .read = read_map},
    {.name = "offsets", .count = label_count, .read = read_offsets},
    {0},
};

const struct likelihood likelihood_multilabel = {
    .name = "multilabel",
    .summary =
        "any number of C labels, each a probit of a learned combination of shared latent functions",
    .target = TARGET_LABELS,
    .functions = functions,
    .parameters = parameters,
    .start = start,
    .keep_in_range = keep_in_range,
    .quantities = quantities,
    .scratch_count = INTERVAL_SCRATCH,
    .blurs = 1,
    .expectation = expectation,
    .predict = predict,
};
