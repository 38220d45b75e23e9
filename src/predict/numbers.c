/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predictions where y is a number or a count. At each of a row's points p the likelihood knows
 * p(y | x_p) in closed form or by quadrature; the row's own distribution is their average:
 *
 *     E y, E y^2        averages,
 *     log p(y)          log of the average of exp(log p(y | x_p)),
 *     quantile at a     the y at which the average of P(Y <= y | x_p) reaches a.
 *
 * A quantile takes many looks at all points, so for it the points, in the order of their means, are
 * first joined in groups of neighbours: each normal of the mean and variance of its group.
 */
#include "base/vector.h"
#include "model/targets.h"
#include "predict/predictor.h"

#include <float.h>

#define LARGEST_COUNT 0x1p53 /* beyond, not every whole number is a double */

enum { MOST_STEPS = 200 };

static void swap(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Shell's sort of the points by mean; qsort may ask for memory. */
static void sort_points(struct desk *desk, size_t count) {
    for (size_t gap = count / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < count; i++)
            for (size_t k = i; k >= gap && desk->all_mean[k - gap] > desk->all_mean[k]; k -= gap) {
                swap(&desk->all_mean[k - gap], &desk->all_mean[k]);
                swap(&desk->all_variance[k - gap], &desk->all_variance[k]);
            }
}

/* Joins the points into `groups` nearly equal ones; with as many groups as points, each is its own.
 */
static void join_points(struct desk *desk, size_t count, size_t groups) {
    sort_points(desk, count);
    for (size_t g = 0; g < groups; g++) {
        size_t first = count * g / groups, size = count * (g + 1) / groups - first;
        const double *mean = desk->all_mean + first;
        double centre = sum(size, mean) / (double)size, spread = 0.0;
        for (size_t p = 0; p < size; p++)
            spread += (mean[p] - centre) * (mean[p] - centre) + desk->all_variance[first + p];
        desk->group_mean[g] = centre;
        desk->group_variance[g] = spread / (double)size;
        desk->group_share[g] = (double)size / (double)count;
    }
}

/* P(Y <= y) of the row at hand, y in standard units. */
static double cumulative(const struct nim_predictor *predictor, struct desk *desk, size_t groups,
                         double y) {
    const struct nim_model *model = predictor->model;
    desk->target[0] = y;
    model->options.likelihood->cumulative(
        &model->likelihood, model->theta + model->likelihood_at, desk->target, groups,
        desk->group_mean, desk->group_variance, desk->answer, desk->likelihood_scratch);
    return dot(groups, desk->answer, desk->group_share);
}

/* The root of P(Y <= y) = level between low and high, whose own values are at hand: false position,
 * halving the weight of an end that stays (Illinois), with a bisection whenever that is slow. */
static double between_ends(const struct nim_predictor *predictor, struct desk *desk, size_t groups,
                           double level, double low, double high, double below, double above) {
    double tolerance = 1e-12 * (fabs(low) + fabs(high)) + 1e-300;
    for (int step = 0; step < MOST_STEPS && high - low > tolerance; step++) {
        double y = low + (high - low) * below / (below - above);
        if (step % 4 == 3 || !(y > low && y < high))
            y = 0.5 * (low + high);
        double excess = cumulative(predictor, desk, groups, y) - level;
        if (fabs(excess) <= 1e-13)
            return y;
        if (excess < 0.0) {
            low = y, below = excess;
            above *= 0.5;
        } else {
            high = y, above = excess;
            below *= 0.5;
        }
    }
    return 0.5 * (low + high);
}

static double number_quantile(const struct nim_predictor *predictor, struct desk *desk,
                              size_t groups, double level, double mean, double deviation) {
    double low = mean, high = mean;
    double below = cumulative(predictor, desk, groups, mean) - level, above = below;
    for (double reach = deviation; below > 0.0 && low > -HUGE_VAL; reach *= 2.0) {
        high = low, above = below;
        low = mean - reach;
        below = cumulative(predictor, desk, groups, low) - level;
    }
    for (double reach = deviation; above < 0.0 && high < HUGE_VAL; reach *= 2.0) {
        low = high, below = above;
        high = mean + reach;
        above = cumulative(predictor, desk, groups, high) - level;
    }
    return between_ends(predictor, desk, groups, level, low, high, below, above);
}

/* The least count k with P(Y <= k) >= level. */
static double count_quantile(const struct nim_predictor *predictor, struct desk *desk,
                             size_t groups, double level, double mean) {
    double low = -1.0, high = fmin(floor(mean), LARGEST_COUNT);
    for (double reach = 1.0 + sqrt(mean);
         cumulative(predictor, desk, groups, high) < level && high < LARGEST_COUNT; reach *= 2.0) {
        low = high;
        high = fmin(floor(high + reach), LARGEST_COUNT);
    }
    while (high - low > 1.0) {
        double middle = floor(0.5 * (low + high));
        if (cumulative(predictor, desk, groups, middle) < level)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double log_density(const struct nim_predictor *predictor, struct desk *desk, size_t row,
                          size_t count) {
    const struct nim_model *model = predictor->model;
    targets_gather(model, predictor->data, 1, &row, desk->target);
    model->options.likelihood->log_density(&model->likelihood, model->theta + model->likelihood_at,
                                           desk->target, count, desk->all_mean, desk->all_variance,
                                           desk->answer, desk->likelihood_scratch);
    double largest = -INFINITY, total = 0.0;
    for (size_t p = 0; p < count; p++)
        largest = fmax(largest, desk->answer[p]);
    for (size_t p = 0; p < count && largest > -INFINITY; p++)
        total += exp(desk->answer[p] - largest);
    return largest + log(total / (double)count) - log(model->scaling.target_deviation);
}

/* y in the user's units; in halves, so that only what is beyond all doubles ends at the largest. */
static double in_user_units(const struct nim_model *model, double y) {
    double half = 0.5 * y * model->scaling.target_deviation + 0.5 * model->scaling.target_mean;
    return fmin(fmax(2.0 * half, -DBL_MAX), DBL_MAX);
}

/* From E y and E y^2; of a count whose rate nobody knows even these may be beyond all doubles. */
static double deviation_of(double mean, double second) {
    double square = second - mean * mean;
    return isfinite(square) ? sqrt(fmax(0.0, square)) : DBL_MAX;
}

void predictor_write_numbers(const struct nim_predictor *predictor, struct desk *desk, size_t row,
                             size_t count) {
    const struct nim_model *model = predictor->model;
    const nim_prediction *wanted = predictor->wanted;
    bool counts = model->options.likelihood->target == TARGET_COUNT;
    if (wanted->log_density)
        wanted->log_density[row] = log_density(predictor, desk, row, count);
    if (counts)
        desk->target[1] = predictor->data->exposure ? predictor->data->exposure[row] : 1.0;
    model->options.likelihood->moments(&model->likelihood, model->theta + model->likelihood_at,
                                       desk->target, count, desk->all_mean, desk->all_variance,
                                       desk->answer, desk->second_answer);
    double mean = fmin(sum(count, desk->answer) / (double)count, DBL_MAX);
    double deviation = deviation_of(mean, sum(count, desk->second_answer) / (double)count);
    if (wanted->mean)
        wanted->mean[row] = counts ? mean : in_user_units(model, mean);
    if (wanted->deviation)
        wanted->deviation[row] = fmin(model->scaling.target_deviation * deviation, DBL_MAX);
    size_t groups = count < GROUPS ? count : GROUPS;
    if (wanted->quantiles)
        join_points(desk, count, groups);
    for (size_t k = 0; wanted->quantiles && k < wanted->level_count; k++) {
        double level = wanted->levels[k];
        wanted->quantiles[row * wanted->level_count + k] =
            counts ? count_quantile(predictor, desk, groups, level, mean)
                   : in_user_units(
                         model, number_quantile(predictor, desk, groups, level, mean, deviation));
    }
}
