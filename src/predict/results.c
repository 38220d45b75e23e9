/* SPDX-License-Identifier: Apache-2.0 */
/* A row's results, from sums over its points. */
#include "predict/predictor.h"

#include "math/vector.h"
#include "model/targets.h"
#include "model/temper.h"

#include <math.h>
#include <string.h>

double predictor_entropy(const struct nim_predictor *predictor, const double *probability) {
    const struct nim_model *model = predictor->model;
    bool sets = model->options.likelihood->target == TARGET_LABELS;
    double entropy = 0.0;
    for (size_t c = 0; c < model->classes; c++) {
        double p = probability[c];
        entropy -= p > 0.0 ? p * log(p) : 0.0;
        if (sets)
            entropy -= p < 1.0 ? (1.0 - p) * log1p(-p) : 0.0;
    }
    return entropy;
}

/* See predictor.h. */
struct sums {
    double *mean, *square, *probability, *located;
};

static struct sums sums_of(const struct nim_predictor *predictor, double *sum) {
    size_t functions = predictor->model->functions, classes = predictor->model->classes;
    double *probability = sum + 2 * functions;
    return (struct sums){.mean = sum,
                         .square = sum + functions,
                         .probability = probability,
                         .located = probability + classes};
}

size_t predictor_sums(const struct nim_model *model) {
    return 2 * model->functions + model->classes + 1;
}

const double *predictor_probability_sum(const struct nim_predictor *predictor, const double *sum) {
    return sum + 2 * predictor->model->functions;
}

static bool wants_parts(const struct nim_predictor *predictor) {
    return predictor->wanted->measurement_part || predictor->wanted->model_part;
}

void predictor_add_point(const struct nim_predictor *predictor, const struct prediction_work *work,
                         size_t p, double weight, double *sum) {
    size_t classes = predictor->model->classes;
    struct sums sums = sums_of(predictor, sum);
    for (size_t c = 0; c < predictor->model->functions; c++) {
        double mean = work->mean[c * TILE + p];
        sums.mean[c] += weight * mean;
        sums.square[c] += weight * (work->variance[c * TILE + p] + mean * mean);
    }
    for (size_t c = 0; c < classes; c++)
        sums.probability[c] += weight * work->probability[p * classes + c];
    if (classes && wants_parts(predictor))
        *sums.located += weight * predictor_entropy(predictor, work->probability + p * classes);
}

void predictor_calibrate(const struct nim_predictor *predictor, double share, double *p) {
    const struct nim_model *model = predictor->model;
    if (!targets_are_classes(model))
        return;
    if (model->calibrated)
        temper(model->classes, model->temperature, model->offset, share, p);
    if (predictor->reshares)
        predictor_reshare(predictor, p);
}

/* Computed from probabilities with the class shares of training, for each class separately
 * (conformal.h). */
static void write_plausibility(const struct nim_model *model, const double *p, double *plausible) {
    memcpy(plausible, p, model->classes * sizeof(double));
    temper(model->classes, model->temperature, model->offset, 1.0, plausible);
    for (size_t c = 0; c < model->classes; c++)
        plausible[c] = conformal_plausibility(&model->conformal, c, plausible[c]);
}

/* log p(y) of the target of a row with known target. */
static double log_probability(const struct nim_predictor *predictor, struct prediction_work *work,
                              size_t row, const double *p) {
    const struct nim_model *model = predictor->model;
    double value = 0.0;
    targets_take(model, predictor->data, 1, &row, work->target);
    if (targets_are_classes(model))
        return log(p[(size_t)work->target[0]]);
    for (size_t c = 0; c < model->classes; c++)
        value += work->target[c] > 0.0 ? log(p[c]) : log1p(-p[c]);
    return value;
}

double predictor_part(const struct nim_predictor *predictor, double plain, double entropy) {
    return isinf(predictor->model->temperature) ? 0.0 : plain > 0.0 ? entropy / plain : 1.0;
}

static void write_probabilities(const struct nim_predictor *predictor, struct prediction_work *work,
                                size_t row) {
    const struct nim_model *model = predictor->model;
    const nim_prediction *wanted = predictor->wanted;
    size_t classes = model->classes;
    struct sums sums = sums_of(predictor, work->sum);
    bool parts = wants_parts(predictor);
    double *p = sums.probability, plain = parts ? predictor_entropy(predictor, p) : 0.0;
    double typical = panel_gate(predictor, work, row)[PANEL_TYPICAL];
    if (predictor->mixes)
        panel_mix(predictor, work, row, p);
    if (wanted->typical)
        wanted->typical[row] = typical;
    if (wanted->fit_weights)
        panel_row_weights(model->panel->parts, model->panel->weight,
                          panel_gate(predictor, work, row),
                          wanted->fit_weights + row * panel_fits(model->panel));
    if (wanted->plausibility)
        write_plausibility(model, p, wanted->plausibility + row * classes);
    predictor_calibrate(predictor, typical, p);
    double entropy = parts || wanted->entropy ? predictor_entropy(predictor, p) : 0.0;
    double factor = predictor_part(predictor, plain, entropy);
    double measurement = parts ? factor * fmax(0.0, plain - *sums.located) : 0.0;
    if (wanted->probabilities)
        memcpy(wanted->probabilities + row * classes, p, classes * sizeof(double));
    if (wanted->entropy)
        wanted->entropy[row] = entropy;
    if (wanted->measurement_part)
        wanted->measurement_part[row] = measurement;
    if (wanted->model_part)
        wanted->model_part[row] = fmax(0.0, entropy - measurement);
    if (wanted->log_density)
        wanted->log_density[row] = log_probability(predictor, work, row, p);
}

/* How unlike the training rows it is. This needs no latent functions. */
static void write_novelty(const struct nim_predictor *predictor, struct prediction_work *work,
                          size_t row) {
    const nim_prediction *wanted = predictor->wanted;
    struct surprise surprise = novelty_look(predictor->model, &work->novelty, predictor->data, row);
    double novelty = novelty_of(&predictor->model->novelty, surprise.value);
    if (!predictor_finite(work, (double[]){surprise.log_density, novelty}, 2))
        return;
    if (wanted->novelty)
        wanted->novelty[row] = novelty;
    if (wanted->input_log_density)
        wanted->input_log_density[row] = surprise.log_density;
}

bool predictor_finite(struct prediction_work *work, const double *values, size_t count) {
    bool finite = true;
    for (size_t i = 0; i < count; i++)
        finite = finite && isfinite(values[i]);
    work->failed = work->failed || !finite;
    return finite;
}

void predictor_write_target(const struct nim_predictor *predictor, struct prediction_work *work,
                            size_t row, size_t count) {
    const nim_prediction *wanted = predictor->wanted;
    if (predictor->model->classes)
        write_probabilities(predictor, work, row);
    else
        predictor_write_numbers(predictor, work, row, count);
    if (wanted->novelty || wanted->input_log_density)
        write_novelty(predictor, work, row);
}

void predictor_write_row(const struct nim_predictor *predictor, struct prediction_work *work,
                         size_t row, size_t count) {
    size_t functions = predictor->model->functions;
    const nim_prediction *wanted = predictor->wanted;
    struct sums sums = sums_of(predictor, work->sum);
    scale(predictor_sums(predictor->model), 1.0 / (double)count, work->sum);
    if (!predictor_finite(work, work->sum, predictor_sums(predictor->model)))
        return;
    for (size_t c = 0; c < functions; c++) {
        if (wanted->latent_mean)
            wanted->latent_mean[row * functions + c] = sums.mean[c];
        if (wanted->latent_variance)
            wanted->latent_variance[row * functions + c] =
                fmax(0.0, sums.square[c] - sums.mean[c] * sums.mean[c]);
    }
    predictor_write_target(predictor, work, row, count);
}
