/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predictions if y is a number or a count. At each point p of a row the likelihood computes
 * p(y | x_p) in closed form or by quadrature. The distribution of the row is their average:
 *
 *     E y, E y^2        averages,
 *     log p(y)          log of the average of exp(log p(y | x_p)), of the row's y or at a grid,
 *     quantile at a     the y at which the average of P(Y <= y | x_p) reaches a.
 *
 * A panel adds the normal distributions of its mixtures over attributes and y (model/joint.h): with
 * the plain fit's weight w,
 *
 *     p(y) = w mean_p p(y | x_p) + (1 - w) sum_k share_k N(y; m_k, v_k).
 *
 * Finding a quantile takes many evaluations of all points. So it is first found for groups of
 * neighbouring points, each replaced by a normal distribution with its mean and variance. The
 * search over all points starts from there.
 */
#include "math/special.h"
#include "math/vector.h"
#include "model/targets.h"
#include "predict/predictor.h"

#include <float.h>

#define LARGEST_COUNT 1e300 /* limit of the search; counts themselves are at most 2^53 */

enum { MOST_STEPS = 200 };

#define CLOSE 1e-12 /* tolerance of a probability */

static void swap(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Sorts the points by mean (Shell's sort; qsort may allocate memory). */
static void sort_points(struct prediction_work *work, size_t count) {
    for (size_t gap = count / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < count; i++)
            for (size_t k = i; k >= gap && work->all_mean[k - gap] > work->all_mean[k]; k -= gap) {
                swap(&work->all_mean[k - gap], &work->all_mean[k]);
                swap(&work->all_variance[k - gap], &work->all_variance[k]);
            }
}

/* The distribution of f in a row: a mixture of normals, with equal shares if share is NULL. */
struct mixture {
    size_t count;
    const double *mean, *variance, *share;
};

static struct mixture all_points(const struct prediction_work *work, size_t count) {
    return (struct mixture){count, work->all_mean, work->all_variance, NULL};
}

/* Merges the sorted points into GROUPS nearly equal groups. */
static struct mixture join_points(struct prediction_work *work, size_t count) {
    sort_points(work, count);
    for (size_t g = 0; g < GROUPS; g++) {
        size_t first = count * g / GROUPS, size = count * (g + 1) / GROUPS - first;
        const double *mean = work->all_mean + first;
        double centre = sum(size, mean) / (double)size, spread = 0.0;
        for (size_t p = 0; p < size; p++)
            spread += (mean[p] - centre) * (mean[p] - centre) + work->all_variance[first + p];
        work->group_mean[g] = centre;
        work->group_variance[g] = spread / (double)size;
        work->group_share[g] = (double)size / (double)count;
    }
    return (struct mixture){GROUPS, work->group_mean, work->group_variance, work->group_share};
}

/* A search for the y at which P(Y <= y) is `level`, y in standard units. */
struct search {
    const struct nim_predictor *predictor;
    struct prediction_work *work;
    struct mixture f;
    double level;
};

/* P(Y <= y) - level. */
static double excess_at(const struct search *search, double y) {
    const struct nim_model *model = search->predictor->model;
    struct prediction_work *work = search->work;
    const struct mixture *f = &search->f;
    double own = search->predictor->own, reached = 0.0;
    work->target[0] = y;
    if (f->count) {
        model->options.likelihood->cumulative(
            &model->likelihood, model->theta + model->likelihood_at, work->target, f->count,
            f->mean, f->variance, work->answer, work->likelihood_scratch);
        reached = f->share ? dot(f->count, work->answer, f->share)
                           : sum(f->count, work->answer) / (double)f->count;
    }
    if (own < 1.0)
        reached = own * reached + (1.0 - own) * joint_cumulative(&work->joint, y, work->target[1]);
    return reached - search->level;
}

/* The solution between low and high, whose excesses are given: regula falsi, halving the weight of
 * an end that stays (Illinois), with an occasional bisection in case that is slow. */
static double between_ends(const struct search *search, double low, double high, double below,
                           double above) {
    double tolerance = 1e-12 * (fabs(low) + fabs(high)) + 1e-300;
    for (int step = 0; step < MOST_STEPS && high - low > tolerance; step++) {
        double y = low + (high - low) * below / (below - above);
        if (step % 4 == 3 || !(y > low && y < high))
            y = 0.5 * (low + high);
        double excess = excess_at(search, y);
        if (fabs(excess) <= CLOSE)
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

/* Looks for the ends around `guess`, first `reach` away and then further. */
static double number_near(const struct search *search, double guess, double reach) {
    double low = guess, high = guess, below = excess_at(search, guess), above = below;
    if (fabs(below) <= CLOSE)
        return guess;
    for (double step = reach; below > 0.0 && low > -HUGE_VAL; step *= 2.0) {
        high = low, above = below;
        low = guess - step;
        below = excess_at(search, low);
    }
    for (double step = reach; above < 0.0 && high < HUGE_VAL; step *= 2.0) {
        low = high, below = above;
        high = guess + step;
        above = excess_at(search, high);
    }
    return between_ends(search, low, high, below, above);
}

/* The least count k with P(Y <= k) >= level. The search starts around `guess`. */
static double count_near(const struct search *search, double guess, double reach) {
    double low = fmin(guess, LARGEST_COUNT), high = low;
    bool enough = excess_at(search, low) >= 0.0;
    for (double step = ceil(reach); enough && low >= 0.0; step *= 2.0) {
        high = low;
        low = fmax(low - step, -1.0);
        enough = low >= 0.0 && excess_at(search, low) >= 0.0;
    }
    bool found = high > low;
    for (double step = ceil(reach); !found && high < LARGEST_COUNT; step *= 2.0) {
        low = high;
        high = fmin(high + step, LARGEST_COUNT);
        found = excess_at(search, high) >= 0.0;
    }
    while (high - low > 1.0) {
        double middle = floor(0.5 * (low + high));
        if (middle <= low || middle >= high) /* beyond 2^53 doubles are more than one apart */
            break;
        if (excess_at(search, middle) < 0.0)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* One quantile: first of the groups, if there are more points than groups, and then of the
 * points. */
static double quantile_of(struct search *search, bool counts, size_t count, double mean,
                          double deviation) {
    /* The deviation may be lost to rounding, but the search must start with a step above zero. */
    double least = 1e-9 * fabs(mean) + DBL_MIN, wide = fmax(deviation, least);
    double guess = counts ? floor(mean) : mean, reach = counts ? 1.0 + deviation : wide;
    if (count > GROUPS) {
        search->f = join_points(search->work, count);
        guess = counts ? count_near(search, guess, reach) : number_near(search, guess, reach);
        reach = counts ? 1.0 : fmax(0.02 * deviation, least);
    }
    search->f = all_points(search->work, count);
    return counts ? count_near(search, guess, reach) : number_near(search, guess, reach);
}

/* log p(y) of the plain fit, y in standard units. */
static double own_log_density(const struct nim_predictor *predictor, struct prediction_work *work,
                              size_t count) {
    const struct nim_model *model = predictor->model;
    model->options.likelihood->log_density(&model->likelihood, model->theta + model->likelihood_at,
                                           work->target, count, work->all_mean, work->all_variance,
                                           work->answer, work->likelihood_scratch);
    double largest = -INFINITY, total = 0.0;
    for (size_t p = 0; p < count; p++)
        largest = fmax(largest, work->answer[p]);
    for (size_t p = 0; p < count && largest > -INFINITY; p++)
        total += exp(work->answer[p] - largest);
    return largest + log(total / (double)count);
}

/* Of the y in work->target. */
static double log_density(const struct nim_predictor *predictor, struct prediction_work *work,
                          size_t count) {
    double own = predictor->own, value = -INFINITY;
    if (own > 0.0)
        value = own_log_density(predictor, work, count);
    if (own < 1.0) {
        double joint = joint_log_density(&work->joint, work->target[0], work->target[1]);
        double largest = fmax(value, joint);
        if (largest > -INFINITY)
            value = largest + log(own * exp(value - largest) + (1.0 - own) * exp(joint - largest));
    }
    return value + scaling_target_log_slope(&predictor->model->scaling, work->target[0]);
}

/* y in the user's units; only values beyond DBL_MAX are limited to it. */
static double in_user_units(const struct nim_model *model, double y) {
    return fmin(fmax(scaling_untarget(&model->scaling, y), -DBL_MAX), DBL_MAX);
}

/* The deviation from E y and E y^2. For a count with a very uncertain rate even these may
 * overflow. */
static double deviation_of(double mean, double second) {
    double square = second - mean * mean;
    return isfinite(square) ? sqrt(fmax(0.0, square)) : DBL_MAX;
}

/* The density at the grid, of y itself. */
static void write_density(const struct nim_predictor *predictor, struct prediction_work *work,
                          size_t count, double *density) {
    const struct nim_model *model = predictor->model;
    const nim_prediction *wanted = predictor->wanted;
    bool counts = model->options.likelihood->target == TARGET_COUNT;
    for (size_t k = 0; k < wanted->grid_count; k++) {
        double y = wanted->grid[k];
        bool possible = bounds_hold(&model->scaling.bounds, y);
        if (possible)
            work->target[0] = counts ? y : scaling_target(&model->scaling, y);
        density[k] = possible ? exp(log_density(predictor, work, count)) : 0.0;
    }
    predictor_finite(work, density, wanted->grid_count);
}

/* P(Y < y) and P(Y <= y) for the y of the row itself. */
static void write_place(const struct nim_predictor *predictor, struct prediction_work *work,
                        size_t row, size_t count, double place[2]) {
    struct search search = {
        .predictor = predictor, .work = work, .f = all_points(work, count), .level = 0.0};
    bool counts = predictor->model->options.likelihood->target == TARGET_COUNT;
    targets_take(predictor->model, predictor->data, 1, &row, work->target);
    double y = work->target[0];
    place[1] = excess_at(&search, y);
    place[0] = !counts ? place[1] : y > 0.0 ? excess_at(&search, y - 1.0) : 0.0;
}

/* Half of the interval, in the user's units, that has as much of y as a normal distribution within
 * one deviation. */
static double half_interval(struct search *search, size_t count, double mean, double deviation) {
    double end[2];
    for (int k = 0; k < 2; k++) {
        search->level = normal_cdf(k ? 1.0 : -1.0);
        end[k] = in_user_units(search->predictor->model,
                               quantile_of(search, false, count, mean, deviation));
    }
    return 0.5 * end[1] - 0.5 * end[0];
}

/* The quantile of a distribution that is already in search->f. */
static double quickly(struct search *search, double level, double mean, double deviation) {
    search->level = level;
    return number_near(search, mean, fmax(deviation, 1e-9 * fabs(mean) + DBL_MIN));
}

/* The CRPS by Simpson's rule on both sides of y, to where 1e-5 of Y is left. Steps grow with the
 * distance from y, t = y +- width sinh(v), so that far tails need few. */
static double crps_of(struct search *search, size_t count, size_t row, double mean,
                      double deviation) {
    enum { STEPS = 64 };
    const struct nim_model *model = search->predictor->model;
    struct prediction_work *work = search->work;
    double target[2], total = 0.0;
    search->f = count > GROUPS ? join_points(work, count) : all_points(work, count);
    targets_take(model, search->predictor->data, 1, &row, target);
    work->target[1] = target[1];
    const double end[2] = {quickly(search, 1e-5, mean, deviation),
                           quickly(search, 1.0 - 1e-5, mean, deviation)};
    double quarter = quickly(search, 0.25, mean, deviation);
    double width = fmax(0.5 * (quickly(search, 0.75, mean, deviation) - quarter), DBL_MIN);
    for (int side = 0; side < 2; side++) {
        double sign = side ? 1.0 : -1.0,
               step = asinh(fmax(0.0, sign * (end[side] - target[0])) / width) / STEPS;
        search->level = side;
        for (int k = 0; k <= STEPS; k++) {
            double t = target[0] + sign * width * sinh(step * k), excess = excess_at(search, t);
            double slope =
                width * cosh(step * k) * exp(-scaling_target_log_slope(&model->scaling, t));
            double weight = k == 0 || k == STEPS ? 1.0 : k % 2 ? 4.0 : 2.0;
            total += step / 3.0 * weight * slope * excess * excess;
        }
    }
    return fmin(total, DBL_MAX);
}

static double median_of(struct search *search, size_t count, double mean, double deviation) {
    search->level = 0.5;
    return in_user_units(search->predictor->model,
                         quantile_of(search, false, count, mean, deviation));
}

/* With bounds: mean and deviation of y from those of u at each point, which is normally distributed
 * there. */
static void bind(const struct search *search, size_t count, double *shown, double *wide) {
    const struct scaling *scaling = &search->predictor->model->scaling;
    struct prediction_work *work = search->work;
    double unit = scaling->target_deviation, first = 0.0, second = 0.0;
    double own = search->predictor->own, a, b;
    for (size_t p = 0; p < count; p++) {
        double u = work->answer[p], variance = work->second_answer[p] - u * u;
        bounds_moments(&scaling->bounds, scaling->target_mean + unit * u, unit * unit * variance,
                       &a, &b);
        first += own * a / (double)count;
        second += own * b / (double)count;
    }
    const struct joint_work *joint = &work->joint;
    for (size_t k = 0; own < 1.0 && k < joint->count; k++) {
        bounds_moments(&scaling->bounds, scaling->target_mean + unit * joint->mean[k],
                       unit * unit * joint->variance[k], &a, &b);
        first += (1.0 - own) * joint->share[k] * a;
        second += (1.0 - own) * joint->share[k] * b;
    }
    *shown = fmin(fmax(first, -DBL_MAX), DBL_MAX);
    *wide = deviation_of(first, second);
}

/* E y and E y^2 with those of the mixtures. */
static void add_joint_moments(const struct joint_work *joint, double own, double *first,
                              double *second) {
    *first *= own;
    *second *= own;
    for (size_t k = 0; k < joint->count; k++) {
        double share = (1.0 - own) * joint->share[k], mean = joint->mean[k];
        *first += share * mean;
        *second += share * (mean * mean + joint->variance[k]);
    }
}

void predictor_write_numbers(const struct nim_predictor *predictor, struct prediction_work *work,
                             size_t row, size_t count) {
    const struct nim_model *model = predictor->model;
    const nim_prediction *wanted = predictor->wanted;
    bool counts = model->options.likelihood->target == TARGET_COUNT;
    if (predictor->own < 1.0)
        joint_look(model, &model->panel->joint, &work->joint, predictor->data, row);
    if (wanted->log_density) {
        targets_take(model, predictor->data, 1, &row, work->target);
        wanted->log_density[row] = log_density(predictor, work, count);
    }
    if (wanted->cumulative)
        write_place(predictor, work, row, count, wanted->cumulative + 2 * row);
    work->target[1] = !counts                     ? 0.0 /* y itself, not a measurement of it */
                      : predictor->data->exposure ? predictor->data->exposure[row]
                                                  : 1.0;
    if (wanted->density)
        write_density(predictor, work, count, wanted->density + row * wanted->grid_count);
    model->options.likelihood->moments(&model->likelihood, model->theta + model->likelihood_at,
                                       work->target, count, work->all_mean, work->all_variance,
                                       work->answer, work->second_answer);
    double first = 0.0, second = 0.0;
    if (count) {
        first = sum(count, work->answer) / (double)count;
        second = sum(count, work->second_answer) / (double)count;
    }
    if (predictor->own < 1.0)
        add_joint_moments(&work->joint, predictor->own, &first, &second);
    if (isnan(first) || isnan(second)) {
        work->failed = true;
        return;
    }
    double mean = fmin(first, DBL_MAX);
    double deviation = deviation_of(mean, second);
    struct search search = {.predictor = predictor, .work = work};
    double shown = counts ? mean : in_user_units(model, mean);
    double wide = fmin(model->scaling.target_deviation * deviation, DBL_MAX);
    bool bound = bounds_exist(&model->scaling.bounds);
    bool heavy = model->options.likelihood->heavy_tails;
    if ((wanted->mean || wanted->deviation) && bound && !heavy)
        bind(&search, count, &shown, &wide);
    /* With bounds the mean may be infinite; of several modes, those far away are outliers. */
    if (wanted->mean && heavy && (bound || predictor->own < 1.0))
        shown = median_of(&search, count, mean, deviation);
    if (wanted->deviation && heavy)
        wide = half_interval(&search, count, mean, deviation);
    if (wanted->mean)
        wanted->mean[row] = shown;
    if (wanted->deviation)
        wanted->deviation[row] = wide;
    const double *levels =
        wanted->levels + (wanted->level_rows > 1 ? row * wanted->level_count : 0);
    for (size_t k = 0; wanted->quantiles && k < wanted->level_count; k++) {
        search.level = levels[k];
        double y = quantile_of(&search, counts, count, mean, deviation);
        wanted->quantiles[row * wanted->level_count + k] = counts ? y : in_user_units(model, y);
    }
    for (size_t k = 0; wanted->interval && k < 2; k++) {
        double share = fmin(conformal_share(&model->conformal, wanted->coverage), 1.0 - 1e-9);
        search.level = k ? 0.5 + 0.5 * share : 0.5 - 0.5 * share;
        double y = quantile_of(&search, counts, count, mean, deviation);
        wanted->interval[2 * row + k] = counts ? y : in_user_units(model, y);
    }
    if (wanted->crps)
        wanted->crps[row] = crps_of(&search, count, row, mean, deviation);
}
