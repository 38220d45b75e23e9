/* SPDX-License-Identifier: Apache-2.0 */
#include "model/targets.h"

#include "math/vector.h"
#include "rows/target_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static nim_status check(const struct nim_options *options, size_t classes, const nim_data *data,
                        nim_error *error) {
    const struct target_bounds bounds = targets_bounds(options);
    switch (options->likelihood->target) {
    case TARGET_NUMBER:
        return numbers_check(data, &bounds, error);
    case TARGET_COUNT:
        return counts_check(data, error);
    case TARGET_LABELS:
        return sets_check(data, classes, error);
    default:
        return labels_check(data, classes, error);
    }
}

nim_status targets_check(const struct nim_model *model, const nim_data *data, nim_error *error) {
    return check(&model->options, model->classes, data, error);
}

bool targets_can_be(const struct likelihood *likelihood, size_t classes) {
    static const size_t least[] = {[TARGET_CLASS] = 2, [TARGET_LEVEL] = 2, [TARGET_LABELS] = 1};
    bool numbers = likelihood->target == TARGET_NUMBER || likelihood->target == TARGET_COUNT;
    if (numbers)
        return classes == 0;
    return classes >= least[likelihood->target] && classes <= MOST_CLASSES &&
           (!likelihood->most_classes || classes <= likelihood->most_classes);
}

/* The number of classes: that of the data, or that of the option if larger. */
static nim_status count_classes(const struct nim_options *options, const nim_data *data,
                                size_t *classes, nim_error *error) {
    enum target_kind kind = options->likelihood->target;
    *classes = 0;
    if (kind == TARGET_NUMBER || kind == TARGET_COUNT)
        return NIM_OK;
    if (kind == TARGET_LABELS) {
        *classes = options->classes ? options->classes : data->outputs;
        return targets_can_be(options->likelihood, *classes)
                   ? NIM_OK
                   : failure(error, NIM_INVALID_ARGUMENT,
                             "targets have %zu columns; expected 1 to %d", *classes, MOST_CLASSES);
    }
    if (options->classes == 1)
        return option_failure(error, "classes", "1 is too few; expected at least 2");
    nim_status status = labels_classes(data, classes, error);
    if (options->classes)
        *classes = options->classes;
    return status;
}

static nim_status check_bounds(const struct nim_options *options, nim_error *error) {
    const struct target_bounds bounds = targets_bounds(options);
    if (bounds_exist(&bounds) && options->likelihood->target != TARGET_NUMBER)
        return option_failure(error, isfinite(bounds.lowest) ? "lowest" : "highest",
                              "bounds are for numbers, but likelihood is %s",
                              options->likelihood->name);
    return bounds.lowest < bounds.highest
               ? NIM_OK
               : option_failure(error, "lowest", "%g is not below highest, %g", bounds.lowest,
                                bounds.highest);
}

nim_status targets_classes(const struct nim_options *options, const nim_data *data, size_t *classes,
                           nim_error *error) {
    const struct likelihood *likelihood = options->likelihood;
    nim_status status = check_bounds(options, error);
    if (status == NIM_OK)
        status = count_classes(options, data, classes, error);
    if (status == NIM_OK && likelihood->most_classes && *classes > likelihood->most_classes)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "likelihood %s is for %zu classes; the data have %zu", likelihood->name,
                       likelihood->most_classes, *classes);
    if (status == NIM_OK)
        status = check(options, *classes, data, error);
    if (status == NIM_OK && likelihood->target == TARGET_LEVEL)
        status = levels_check(data, *classes, error);
    return status;
}

/* The sum of counts divided by the sum of exposures. Half a count is added, so that the logarithm
 * is finite if all counts are zero. */
static double rate_of(const nim_data *data) {
    double counts = 0.5, exposure = 0.0;
    for (size_t i = 0; i < data->rows; i++) {
        counts += data->targets[i];
        exposure += data->exposure ? data->exposure[i] : 1.0;
    }
    return counts / exposure;
}

/* The share of the rows that have each class or label. */
static void measure_shares(const struct nim_model *model, const nim_data *data, double *share) {
    size_t classes = model->classes;
    double each = 1.0 / (double)data->rows;
    for (size_t i = 0; i < data->rows; i++)
        if (targets_are_classes(model))
            share[data->labels[i]] += each;
        else
            for (size_t c = 0; c < classes; c++)
                share[c] += each * data->targets[i * classes + c];
}

bool targets_start(struct nim_model *model, const nim_data *data) {
    const struct likelihood *likelihood = model->options.likelihood;
    double *share = calloc(model->classes + 1, sizeof *share);
    if (!share)
        return false;
    struct target_summary summary = {.share = share};
    bool good = true;
    if (likelihood->target == TARGET_NUMBER)
        good = scaling_compute_target(&model->scaling, data, model->options.standardise);
    else if (likelihood->target != TARGET_COUNT)
        measure_shares(model, data, share);
    else {
        summary.rate = rate_of(data);
        model->scaling.target_mean = log(summary.rate);
    }
    if (model->likelihood_count)
        likelihood->start(&model->likelihood, &summary, model->theta + model->likelihood_at);
    free(share);
    return good;
}

/* The variance of y's measurement error, in standard units: with bounds, to first order at y. */
static double error_variance(const struct nim_model *model, const nim_data *data, size_t i,
                             double y) {
    if (!data->target_sigma)
        return 0.0;
    const struct scaling *scaling = &model->scaling;
    double u = y * scaling->target_deviation + scaling->target_mean;
    double error = data->target_sigma[i] / scaling->target_deviation *
                   exp(bounds_log_slope(&scaling->bounds, u));
    return error * error;
}

void targets_take(const struct nim_model *model, const nim_data *data, size_t count,
                  const size_t *row, double *target) {
    size_t classes = model->classes;
    for (size_t k = 0; k < count; k++) {
        size_t i = row[k];
        switch (model->options.likelihood->target) {
        case TARGET_NUMBER:
            target[2 * k] = scaling_target(&model->scaling, data->targets[i]);
            target[2 * k + 1] = error_variance(model, data, i, target[2 * k]);
            break;
        case TARGET_COUNT:
            target[2 * k] = data->targets[i];
            target[2 * k + 1] = data->exposure ? data->exposure[i] : 1.0;
            break;
        case TARGET_LABELS:
            memcpy(target + k * classes, data->targets + i * classes, classes * sizeof *target);
            break;
        default:
            target[k] = (double)data->labels[i];
        }
    }
}

void targets_describe(const struct nim_model *model, size_t count, const double *target,
                      double *feature) {
    size_t classes = model->classes;
    switch (model->options.likelihood->target) {
    case TARGET_NUMBER:
        for (size_t k = 0; k < count; k++)
            feature[k] = target[2 * k];
        break;
    case TARGET_COUNT:
        for (size_t k = 0; k < count; k++)
            feature[k] =
                log((target[2 * k] + 0.5) / target[2 * k + 1]) - model->scaling.target_mean;
        break;
    case TARGET_LABELS:
        memcpy(feature, target, count * classes * sizeof *feature);
        break;
    default:
        for (size_t i = 0; i < count * classes; i++)
            feature[i] = (double)(i % classes) == target[i / classes];
    }
}

void class_shares_count(struct nim_model *model, const nim_data *data) {
    if (!targets_are_classes(model))
        return;
    memset(model->class_share, 0, model->classes * sizeof *model->class_share);
    for (size_t i = 0; i < data->rows; i++)
        model->class_share[data->labels[i]] += data->weights ? data->weights[i] : 1.0;
    double total = sum(model->classes, model->class_share);
    model->shares_known = total > 0.0;
    if (model->shares_known)
        scale(model->classes, 1.0 / total, model->class_share);
    for (size_t c = 0; c < model->classes; c++)
        if (model->class_share[c] < LEAST_SHARE)
            model->class_share[c] = 0.0;
}

bool class_shares_can_be(const struct nim_model *model) {
    for (size_t c = 0; model->shares_known && c < model->classes; c++) {
        double share = model->class_share[c];
        if (share != 0.0 && !(share >= LEAST_SHARE && share <= 1.0))
            return false;
    }
    return true;
}
