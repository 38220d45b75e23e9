/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct problem small = {.classes = 3,
                              .attributes = 2,
                              .inducing = 6,
                              .rows = 30,
                              .kernel = "se",
                              .input = "latent",
                              .noise = "given"};

void set(nim_options *options, const char *name, const char *value) {
    nim_error error;
    if (nim_options_set(options, name, value, &error) != NIM_OK)
        fail_msg("%s", error.message);
}

void stop_on(nim_status status, const nim_error *error) {
    if (status != NIM_OK)
        fail_msg("%s", error->message);
    assert_int_equal(error->status, NIM_OK);
    assert_string_equal(error->message, "");
}

void begin(struct fixture *fixture, const struct problem *problem) {
    fixture_create(fixture, problem);
    set(fixture->options, "threads", "1");
    set(fixture->options, "epochs", "3");
    set(fixture->options, "points", "16");
    nim_error error;
    stop_on(nim_model_set_option(fixture->model, "points", "16", &error), &error);
}

void assert_refused(const char *where, nim_status got, nim_status wanted, const nim_error *error,
                    const char *const *words) {
    if (got != wanted)
        fail_msg("%s: status %d instead of %d (%s)", where, (int)got, (int)wanted, error->message);
    assert_int_equal(error->status, wanted);
    if (!error->message[0] || strchr(error->message, '\n'))
        fail_msg("%s: '%s' is not one line", where, error->message);
    for (; *words; words++)
        if (!strstr(error->message, *words))
            fail_msg("%s: '%s' does not say '%s'", where, error->message, *words);
}

char untouched;

void assert_no_output(const char *where, const void *output) {
    if (output != NULL && output != UNTOUCHED)
        fail_msg("%s: there is an output after failure", where);
}

void refuse_create(const nim_options *options, const nim_data *data, nim_status status,
                   const char *const *words) {
    nim_error error;
    nim_model *model = UNTOUCHED;
    assert_refused("create", nim_model_create(options, data, &model, &error), status, &error,
                   words);
    assert_no_output("create", model);
    assert_int_equal(nim_model_create(options, data, &model, NULL), status);
}

void refuse_training(nim_model *model, const nim_data *data, nim_status status,
                     const char *const *words) {
    nim_error error;
    nim_trainer *trainer = UNTOUCHED;
    size_t epochs = model ? nim_model_epochs(model) : 0;
    assert_refused("trainer", nim_trainer_create(model, data, &trainer, &error), status, &error,
                   words);
    assert_no_output("trainer", trainer);
    assert_int_equal(nim_trainer_create(model, data, &trainer, NULL), status);
    assert_refused("train", nim_model_train(model, data, NULL, NULL, &error), status, &error,
                   words);
    assert_int_equal(nim_model_train(model, data, NULL, NULL, NULL), status);
    if (model)
        assert_int_equal(nim_model_epochs(model), epochs);
}

void refuse_denoising(const nim_model *model, const nim_data *data, nim_status status,
                      const char *const *words) {
    enum { CELLS = 1000 };
    static double mean[CELLS], deviation[CELLS];
    nim_error error;
    mean[0] = deviation[0] = 12345.0;
    assert_refused("denoise", nim_model_denoise(model, data, mean, deviation, &error), status,
                   &error, words);
    assert_int_equal(nim_model_denoise(model, data, mean, deviation, NULL), status);
    assert_true(mean[0] == 12345.0 && deviation[0] == 12345.0);
}

void refuse_prediction(const nim_model *model, const nim_data *data, nim_status status,
                       const char *const *words) {
    double p = 12345.0;
    nim_predictor *predictor;
    nim_error error;
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    nim_prediction wanted = NIM_PREDICTION(.probabilities = &p);
    assert_refused("predict", nim_predict(predictor, data, &wanted, &error), status, &error, words);
    assert_int_equal(nim_predict(predictor, data, &wanted, NULL), status);
    assert_true(p == 12345.0);
    nim_predictor_free(predictor);
}

void refuse_everywhere(const struct fixture *fixture, nim_status status, const char *const *words) {
    refuse_create(fixture->options, &fixture->data, status, words);
    refuse_training(fixture->model, &fixture->data, status, words);
    refuse_denoising(fixture->model, &fixture->data, status, words);
    refuse_prediction(fixture->model, &fixture->data, status, words);
}

void refuse_for_training(const struct fixture *fixture, nim_status status,
                         const char *const *words) {
    refuse_create(fixture->options, &fixture->data, status, words);
    refuse_training(fixture->model, &fixture->data, status, words);
    refuse_denoising(fixture->model, &fixture->data, status, words);
}

void assert_finite(const double *values, size_t count, const char *what) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            fail_msg("%s %zu of %zu is %g", what, i, count, values[i]);
}

nim_data rows_of(const nim_data *data, size_t first, size_t count) {
    nim_data part = *data;
    part.rows = count;
    part.x += first * data->attributes;
    if (data->sigma && data->sigma_rows > 1) {
        part.sigma += first * data->attributes;
        part.sigma_rows = count;
    }
    part.labels = data->labels ? data->labels + first : NULL;
    part.targets = data->targets ? data->targets + first * data->outputs : NULL;
    part.exposure = data->exposure ? data->exposure + first : NULL;
    part.weights = data->weights ? data->weights + first : NULL;
    return part;
}

static const double usual_levels[] = {0.05, 0.5, 0.9};
enum { LEVELS = sizeof usual_levels / sizeof *usual_levels };

static size_t doubles_per_row(const nim_model *model) {
    size_t classes = nim_model_classes(model);
    return 2 * nim_model_functions(model) + 1 + (classes ? classes + 3 : 2 + LEVELS);
}

size_t everything_count(const nim_model *model, size_t rows) {
    return rows * doubles_per_row(model);
}

nim_prediction everything(const nim_model *model, double *values, size_t rows, size_t first,
                          bool scored) {
    size_t functions = nim_model_functions(model), classes = nim_model_classes(model);
    double *rest = values + 2 * rows * functions;
    nim_prediction wanted = NIM_PREDICTION(.latent_mean = values + first * functions,
                                           .latent_variance = values + (rows + first) * functions);
    if (scored)
        wanted.log_density = rest + first;
    rest += rows;
    if (classes) {
        wanted.probabilities = rest + first * classes;
        wanted.entropy = rest + rows * classes + first;
        wanted.measurement_part = rest + rows * (classes + 1) + first;
        wanted.model_part = rest + rows * (classes + 2) + first;
        return wanted;
    }
    wanted.mean = rest + first;
    wanted.deviation = rest + rows + first;
    wanted.levels = usual_levels;
    wanted.level_count = LEVELS;
    wanted.quantiles = rest + 2 * rows + first * LEVELS;
    return wanted;
}

/* All arrays of a model, except squares of units that overflow. */
void check_arrays(const nim_model *model, bool ordinary_units) {
    static const char *const names[] = {"lengthscales",    "variances", "white_noise",
                                        "inducing_inputs", "relevance", "noise_variance"};
    static const char *const learned[] = {"epsilon",   "noise_deviation", "scale", "freedom",
                                          "base_rate", "thresholds",      "map",   "offsets"};
    nim_error error;
    size_t count = 0, again = 0, found = 0;
    for (size_t k = 0; k < 6 + 8; k++) {
        const char *name = k < 6 ? names[k] : learned[k - 6];
        if (k == 5 && !ordinary_units)
            continue;
        nim_status status = nim_model_get(model, name, NULL, 0, &count, &error);
        if (k >= 6 && status != NIM_OK) {
            assert_refused(name, status, NIM_INVALID_ARGUMENT, &error, WORDS(name));
            continue;
        }
        stop_on(status, &error);
        found += k >= 6;
        assert_true(count > 0);
        double *values = malloc(count * sizeof *values);
        stop_on(nim_model_get(model, name, values, count, &again, &error), &error);
        assert_int_equal(count, again);
        stop_on(nim_model_get(model, name, values, count, NULL, &error), &error);
        assert_finite(values, count, name);
        free(values);
    }
    assert_true(found <= 2);
}

void check_probabilities(const double *p, size_t rows, size_t classes, const char *what) {
    for (size_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (size_t c = 0; c < classes; c++) {
            double value = p[i * classes + c];
            if (!(value >= 0.0 && value <= 1.0))
                fail_msg("%s: probability of class %zu, row %zu, is %g", what, c, i, value);
            sum += value;
        }
        if (!(fabs(sum - 1.0) < 1e-9))
            fail_msg("%s: probabilities of row %zu sum to %.12g", what, i, sum);
    }
}

/* Each label of a set for itself; all classes together. */
static void check_classes(const nim_model *model, const nim_prediction *answer, size_t rows,
                          const char *what) {
    size_t classes = nim_model_classes(model);
    bool sets = nim_model_target(model) == NIM_TARGET_LABELS;
    double most = sets ? (double)classes * log(2.0) : log((double)classes);
    for (size_t i = 0; sets && i < rows * classes; i++)
        assert_true(answer->probabilities[i] >= 0.0 && answer->probabilities[i] <= 1.0);
    if (!sets)
        check_probabilities(answer->probabilities, rows, classes, what);
    for (size_t i = 0; i < rows; i++) {
        assert_true(answer->entropy[i] >= 0.0 && answer->entropy[i] <= most + 1e-9);
        assert_true(answer->measurement_part[i] >= 0.0 && answer->model_part[i] >= 0.0);
    }
}

static void check_numbers(const nim_prediction *answer, size_t rows, const char *what) {
    assert_finite(answer->mean, rows, what);
    assert_finite(answer->deviation, rows, what);
    assert_finite(answer->quantiles, rows * answer->level_count, what);
    for (size_t i = 0; i < rows; i++) {
        assert_true(answer->deviation[i] >= 0.0);
        for (size_t k = 1; k < answer->level_count; k++) {
            const double *quantile = answer->quantiles + i * answer->level_count;
            assert_true(quantile[k] >= quantile[k - 1]);
        }
    }
}

void check_prediction(const nim_model *model, const nim_data *data, const char *what) {
    nim_predictor *predictor;
    nim_error error;
    size_t rows = data->rows, cells = rows * nim_model_functions(model);
    double *values = malloc(everything_count(model, rows) * sizeof *values);
    nim_prediction answer = everything(model, values, rows, 0, false);
    nim_data unlabelled = *data;
    unlabelled.labels = NULL;
    unlabelled.targets = NULL;
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    stop_on(nim_predict(predictor, &unlabelled, &answer, &error), &error);
    assert_finite(answer.latent_mean, cells, "latent mean");
    assert_finite(answer.latent_variance, cells, "latent variance");
    for (size_t i = 0; i < cells; i++)
        assert_true(answer.latent_variance[i] >= 0.0);
    if (nim_model_classes(model))
        check_classes(model, &answer, rows, what);
    else
        check_numbers(&answer, rows, what);
    nim_predictor_free(predictor);
    free(values);
}

void check_denoising(const nim_model *model, const nim_data *data) {
    nim_error error;
    size_t cells = data->rows * data->attributes;
    double *mean = malloc(2 * cells * sizeof *mean), *deviation = mean + cells;
    stop_on(nim_model_denoise(model, data, mean, deviation, &error), &error);
    assert_finite(mean, cells, "denoised mean");
    assert_finite(deviation, cells, "denoised deviation");
    for (size_t i = 0; i < cells; i++)
        assert_true(deviation[i] >= 0.0);
    free(mean);
}

/* Largest magnitude whose square is a double. */
