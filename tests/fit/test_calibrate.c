/* SPDX-License-Identifier: Apache-2.0 */
/* Calibration: the temperature and offsets used to draw labels are found, and a calibrated model
 * keeps all other properties. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fit/held_out.h"
#include "fit/temperature.h"
#include "math/random.h"
#include "model/model.h"
#include "model/temper.h"
#include "support/calls.h"
#include "support/reference.h"
#include "support/scratch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- the best temperature -------- */

enum { ROWS = 5000, CLASSES = 4 };

/* Probabilities of all shapes, from nearly certain to nearly even. */
static void draw_probabilities(double *p) {
    random_normal((struct random_key){3, 1}, 0, 0, ROWS * CLASSES, p);
    for (size_t i = 0; i < ROWS; i++) {
        double total = 0.0, *row = p + i * CLASSES;
        for (size_t c = 0; c < CLASSES; c++)
            total += row[c] = exp(1.5 * row[c]);
        for (size_t c = 0; c < CLASSES; c++)
            row[c] /= total;
    }
}

/* Labels from q proportional to p_c^(1/T) exp(b_c). */
static void draw_labels(const double *p, double temperature, const double *offset,
                        int32_t *labels) {
    double u[ROWS], q[CLASSES];
    random_uniform((struct random_key){3, 2}, 0, 0, ROWS, u);
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(q, p + i * CLASSES, sizeof q);
        temper(CLASSES, temperature, offset, 1.0, q);
        double left = u[i];
        for (labels[i] = 0; labels[i] + 1 < CLASSES && (left -= q[labels[i]]) > 0.0; labels[i]++)
            ;
    }
}

static double learn(size_t rows, size_t classes, const double *p, const int32_t *labels,
                    const double *weights, double *offset) {
    double temperature;
    nim_error error;
    assert_int_equal(
        temperature_learn(rows, classes, p, labels, weights, &temperature, offset, &error), NIM_OK);
    return temperature;
}

static const double even[CLASSES] = {0.0};

static void temperature_is_found(void **state) {
    (void)state;
    static const double temperatures[] = {0.5, 1.0, 2.0}, shifted[CLASSES] = {0.3, -0.2, 0.1, -0.2};
    double *p = doubles(ROWS * CLASSES), offset[CLASSES];
    int32_t labels[ROWS];
    draw_probabilities(p);
    for (size_t k = 0; k < 6; k++) {
        const double *truth = k < 3 ? even : shifted;
        draw_labels(p, temperatures[k % 3], truth, labels);
        double found = learn(ROWS, CLASSES, p, labels, NULL, offset);
        if (!(fabs(found / temperatures[k % 3] - 1.0) < 0.05))
            fail_msg("%g instead of %g", found, temperatures[k % 3]);
        for (size_t c = 0; c < CLASSES; c++)
            if (!(fabs(offset[c] - offset[0] - truth[c] + truth[0]) < 0.15))
                fail_msg("offset %g instead of %g", offset[c] - offset[0], truth[c] - truth[0]);
    }
    free(p);
}

/* Labels that have nothing to do with p: the shares of the classes are predicted, for weighted rows
 * the weighted shares. */
static void nothing_to_learn(void **state) {
    (void)state;
    static const double nothing[CLASSES] = {1.0, 0.0, -1.0, -2.0};
    double *p = doubles(ROWS * CLASSES), *weights = doubles(ROWS), offset[CLASSES];
    int32_t labels[ROWS];
    draw_probabilities(p);
    draw_labels(p, (double)INFINITY, nothing, labels);
    for (size_t n = 200; n <= ROWS; n *= 5)
        for (size_t k = 0; k < 2; k++) {
            double share[CLASSES] = {0.0}, q[CLASSES] = {1.0, 0.0, 0.0, 0.0}, total = 0.0;
            for (size_t i = 0; i < n; i++) {
                weights[i] = k ? 0.5 + (double)(i % 3) : 1.0;
                share[labels[i]] += weights[i];
                total += weights[i];
            }
            assert_true(isinf(learn(n, CLASSES, p, labels, weights, offset)));
            temper(CLASSES, (double)INFINITY, offset, 1.0, q);
            for (size_t c = 0; c < CLASSES; c++)
                if (!(fabs(q[c] - share[c] / total) < 0.5 / (double)n))
                    fail_msg("%g instead of %g", q[c], share[c] / total);
        }
    free(p);
    free(weights);
}

/* A weight of two equals two rows; a weight of zero equals none. */
static void weights_are_rows(void **state) {
    (void)state;
    enum { FEW = 300 };
    double *p = doubles(2 * ROWS * CLASSES), weights[2 * FEW], offset[CLASSES];
    int32_t labels[ROWS];
    draw_probabilities(p);
    draw_labels(p, 1.6, even, labels);
    memcpy(p + FEW * CLASSES, p, FEW * CLASSES * sizeof *p);
    memcpy(labels + FEW, labels, FEW * sizeof *labels);
    for (size_t i = 0; i < 2 * FEW; i++)
        weights[i] = i < FEW ? 2.0 : 0.0;
    double weighted = learn(2 * FEW, CLASSES, p, labels, weights, offset);
    double twice = learn(2 * FEW, CLASSES, p, labels, NULL, offset);
    double once = learn(FEW, CLASSES, p, labels, NULL, offset);
    assert_true(fabs(weighted - twice) < 1e-3);
    assert_true(fabs(weighted - once) > 1e-3); /* the prior of log T counts half as much */
    free(p);
}

/* Ties, zeros and labels of probability zero: finite offsets, and T within bounds. */
static void extreme_probabilities(void **state) {
    (void)state;
    enum { EACH = 30 };
    static const double rows[][3] = {
        {1.0 / 3, 1.0 / 3, 1.0 / 3}, {1, 0, 0}, {0, 1, 0}, {0.5, 0.5, 0}};
    for (size_t k = 0; k < 4; k++)
        for (int32_t label = 0; label < 3; label++) {
            double p[EACH * 3], offset[3];
            int32_t labels[EACH];
            for (size_t i = 0; i < EACH; i++) {
                memcpy(p + 3 * i, rows[k], sizeof rows[k]);
                labels[i] = label;
            }
            double found = learn(EACH, 3, p, labels, NULL, offset);
            assert_true(found > 0.2); /* or infinite */
            for (size_t c = 0; c < 3; c++)
                assert_true(fabs(offset[c]) < 10.0);
            if (rows[k][label] < 0.9) /* the share of the one class there is says more */
                assert_true(isinf(found));
        }
}

/* ---------------------------------------------------------------- a calibrated model ---------- */

static const struct problem problem = {.classes = 3,
                                       .attributes = 2,
                                       .inducing = 10,
                                       .rows = 120,
                                       .kernel = "se",
                                       .input = "marginal",
                                       .noise = "given",
                                       .population = "gaussian",
                                       .samples = 4,
                                       .alpha = 1.0};

/* At most 2000 rows are held out, with equal shares of each class, in four parts; in one where
 * there are many rows. The listener hears of the steps of as many copies. */
static void many_rows_have_one_part(void **state) {
    (void)state;
    enum { MANY = 10000, PARTS = 4 };
    double *x = doubles(MANY);
    int32_t *label = malloc(MANY * sizeof *label);
    nim_options *options = nim_options_create();
    nim_model *model;
    nim_error error;
    for (size_t i = 0; i < MANY; i++) {
        x[i] = (double)(i % 97);
        label[i] = i % 4 == 0;
    }
    for (size_t fewer = 0; fewer < 2; fewer++) {
        size_t rows = MANY - fewer, folds = fewer ? PARTS : 1;
        nim_data data = NIM_DATA(.rows = rows, .attributes = 1, .x = x, .labels = label);
        struct listener listener = {0};
        struct held_out held;
        stop_on(nim_model_create(options, &data, &model, &error), &error);
        stop_on(held_out_create(&held, model, &data, &listener, &error), &error);
        size_t count[PARTS][2] = {{0}};
        assert_int_equal(held.folds, folds);
        assert_int_equal(held.judged, 2000);
        for (size_t fold = 0; fold < folds; fold++) {
            struct own_rows own = {0};
            assert_true(held_out_fold(&held, fold, folds, true, &own));
            for (size_t k = 0; k < own.data.rows; k++)
                count[fold][own.data.labels[k]]++;
            own_rows_free(&own);
        }
        for (size_t fold = 1; fold < folds; fold++)
            for (size_t c = 0; c < 2; c++)
                assert_in_range(count[fold][c] + 1, count[0][c], count[0][c] + 1);
        assert_int_equal(held_out_steps(model, rows), folds * held_out_steps(model, MANY));
        held_out_free(&held);
        nim_model_free(model);
    }
    nim_options_free(options);
    free(label);
    free(x);
}

/* Labels that follow the inputs, some by chance. */
static void begin_problem(struct fixture *fixture, const char *threads) {
    fixture_create(fixture, &problem);
    for (size_t i = 0; i < fixture->rows; i++)
        if (i % 5)
            fixture->labels[i] = (fixture->x[2 * i] > 0.0) + (fixture->x[2 * i + 1] > 0.5);
    set(fixture->options, "caution", "0.3");
    set(fixture->options, "calibrate", "auto");
    set(fixture->options, "points", "256"); /* how many rows choose depends on the temperature */
    set(fixture->options, "epochs", "30");
    set(fixture->options, "stop", "fixed");
    set(fixture->options, "threads", threads);
}

static nim_model *train(const struct fixture *fixture) {
    nim_model *model;
    nim_error error;
    stop_on(nim_model_create(fixture->options, &fixture->data, &model, &error), &error);
    stop_on(nim_model_train(model, &fixture->data, NULL, NULL, &error), &error);
    return model;
}

/* Gains of the first few rows: they are by far the most work. */
enum { GAINED = 12 };

struct answer {
    double p[120 * 3], entropy[120], measurement[120], of_model[120], log_density[120],
        gain[GAINED * 2];
};

static void ask(const nim_model *model, const nim_data *data, struct answer *answer) {
    nim_data few = rows_of(data, 0, GAINED);
    nim_predictor *predictor;
    nim_error error;
    nim_prediction wanted =
        NIM_PREDICTION(.probabilities = answer->p, .entropy = answer->entropy,
                       .measurement_part = answer->measurement, .model_part = answer->of_model,
                       .log_density = answer->log_density);
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    stop_on(nim_predict(predictor, data, &wanted, &error), &error);
    stop_on(nim_remeasure(predictor, &few, answer->gain, &error), &error);
    nim_predictor_free(predictor);
}

/* Probabilities sum to one, the entropy is that of the probabilities, and its parts are within
 * it. */
static void check_answer(const struct answer *answer, const struct fixture *fixture) {
    for (size_t i = 0; i < 120; i++) {
        double total = 0.0, entropy = 0.0;
        const double *p = answer->p + 3 * i;
        for (size_t c = 0; c < 3; c++) {
            assert_true(p[c] >= 0.0 && p[c] <= 1.0);
            total += p[c];
            entropy -= p[c] > 0.0 ? p[c] * log(p[c]) : 0.0;
        }
        assert_true(fabs(total - 1.0) < 1e-12);
        assert_true(fabs(answer->entropy[i] - entropy) < 1e-12);
        assert_true(answer->measurement[i] >= 0.0 && answer->of_model[i] >= 0.0);
        assert_true(answer->measurement[i] + answer->of_model[i] <= entropy + 1e-12);
        assert_true(fabs(answer->log_density[i] - log(p[fixture->labels[i]])) < 1e-12);
    }
}

static void ask_at(nim_model *model, const nim_data *data, double temperature,
                   struct answer *answer) {
    double kept = model->temperature;
    model->temperature = temperature;
    model->calibrated = temperature != 1.0;
    ask(model, data, answer);
    model->temperature = kept;
    model->calibrated = true;
}

/* With T = 1 the model is not calibrated and predicts p, otherwise p^(1/T) exp(offset), and the
 * parts of its entropy have the same proportions. Gains are computed at other points and keep their
 * proportions up to that. Returns how much they changed, in units of the tolerance. */
static double compare(const struct answer *plain, const struct answer *calibrated,
                      double temperature, const double *offset) {
    double changed = 0.0;
    for (size_t i = 0; i < 120; i++) {
        const double *p = plain->p + 3 * i, *q = calibrated->p + 3 * i;
        double r[3], total = 0.0;
        for (size_t c = 0; c < 3; c++)
            total += r[c] = pow(p[c], 1.0 / temperature) * exp(offset[c]);
        for (size_t c = 0; c < 3; c++)
            assert_true(fabs(q[c] - r[c] / total) < 1e-12);
        double factor = calibrated->entropy[i] / plain->entropy[i];
        assert_true(fabs(calibrated->measurement[i] - factor * plain->measurement[i]) < 1e-12);
        assert_true(fabs(calibrated->of_model[i] - factor * plain->of_model[i]) < 1e-12);
        for (size_t j = 2 * i; i < GAINED && j < 2 * i + 2; j++) {
            double gain = factor * plain->gain[j];
            assert_true(fabs(calibrated->gain[j] - gain) <= 0.05 * gain + 1e-3);
            changed = fmax(changed, fabs(gain - plain->gain[j]) / (0.05 * gain + 1e-3));
        }
    }
    return changed;
}

/* Trained once with two threads for all tests below, and its predictions. The tests do not change
 * it. */
static struct trained {
    struct fixture fixture;
    nim_model *model;
    struct answer answer;
} trained;

static int train_once(void **state) {
    (void)state;
    begin_problem(&trained.fixture, "2");
    trained.model = train(&trained.fixture);
    ask(trained.model, &trained.fixture.data, &trained.answer);
    return 0;
}

static int free_trained(void **state) {
    (void)state;
    nim_model_free(trained.model);
    fixture_free(&trained.fixture);
    return 0;
}

static void calibrated_model(void **state) {
    (void)state;
    static const double others[] = {0.5, 2.0};
    static struct answer plain, other;
    double temperature = trained.model->temperature;
    assert_true(temperature > 0.2 && temperature < 5.0);
    assert_true(temperature != 1.0);
    check_answer(&trained.answer, &trained.fixture);
    ask_at(trained.model, &trained.fixture.data, 1.0, &plain);
    compare(&plain, &trained.answer, temperature, trained.model->offset);
    for (size_t k = 0; k < 2; k++) {
        ask_at(trained.model, &trained.fixture.data, others[k], &other);
        check_answer(&other, &trained.fixture);
        assert_true(compare(&plain, &other, others[k], trained.model->offset) >
                    2.0); /* unscaled gains would differ */
    }
}

static void threads_do_not_matter(void **state) {
    (void)state;
    static struct answer answer;
    struct fixture fixture;
    begin_problem(&fixture, "1");
    nim_model *model = train(&fixture);
    ask(model, &fixture.data, &answer);
    assert_memory_equal(&model->temperature, &trained.model->temperature, sizeof(double));
    assert_memory_equal(&answer, &trained.answer, sizeof answer);
    nim_model_free(model);
    fixture_free(&fixture);
}

/* Calibration sets the temperature and the offsets, and nothing else. */
static void parameters_stay(void **state) {
    (void)state;
    struct fixture fixture;
    begin_problem(&fixture, "2");
    set(fixture.options, "calibrate", "none");
    nim_model *plain = train(&fixture), *calibrated = trained.model;
    assert_true(plain->temperature == 1.0 && calibrated->temperature != 1.0);
    assert_int_equal(plain->count, calibrated->count);
    assert_memory_equal(plain->theta, calibrated->theta, plain->count * sizeof(double));
    nim_model_free(plain);
    fixture_free(&fixture);
}

/* Upper errors equal to the lower ones, limits of zero, and a correlation given once or for every
 * row describe the same measurements, also in the rows that calibration holds out. */
static void shapes_are_kept(void **state) {
    (void)state;
    enum { COUNT = 120, COLUMNS = 2 };
    static double upper[COUNT * COLUMNS], correlation[COUNT];
    static int8_t limit[COUNT * COLUMNS];
    struct fixture fixture;
    begin_problem(&fixture, "2");
    set(fixture.options, "epochs", "10");
    assert_true(fixture.data.sigma_rows == COUNT && fixture.data.attributes == COLUMNS);
    for (size_t i = 0; i < COUNT; i++)
        correlation[i] = 0.4;
    fixture.data.correlation = correlation;
    fixture.data.correlation_rows = 1;
    nim_model *plain = train(&fixture);
    memcpy(upper, fixture.data.sigma, sizeof upper);
    fixture.data.sigma_upper = upper;
    fixture.data.limit = limit;
    fixture.data.correlation_rows = COUNT;
    nim_model *shaped = train(&fixture);
    assert_true(plain->temperature != 1.0);
    assert_true(fabs(log(plain->temperature / shaped->temperature)) < 1e-9);
    nim_model_free(plain);
    nim_model_free(shaped);
    fixture_free(&fixture);
}

static void files_keep_it(void **state) {
    (void)state;
    static struct answer answer;
    char path[SCRATCH_SIZE];
    int file = mkstemp(scratch_name(path));
    assert_true(file >= 0);
    close(file);
    nim_model *loaded;
    nim_error error;
    stop_on(nim_model_save(trained.model, path, &error), &error);
    stop_on(nim_model_load(path, &loaded, &error), &error);
    remove(path);
    assert_memory_equal(&trained.model->temperature, &loaded->temperature, sizeof(double));
    ask(loaded, &trained.fixture.data, &answer);
    assert_memory_equal(&answer, &trained.answer, sizeof answer);
    nim_model_free(loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temperature_is_found),    cmocka_unit_test(nothing_to_learn),
        cmocka_unit_test(weights_are_rows),        cmocka_unit_test(extreme_probabilities),
        cmocka_unit_test(many_rows_have_one_part), cmocka_unit_test(calibrated_model),
        cmocka_unit_test(threads_do_not_matter),   cmocka_unit_test(parameters_stay),
        cmocka_unit_test(shapes_are_kept),         cmocka_unit_test(files_keep_it),
    };
    return cmocka_run_group_tests(tests, train_once, free_trained);
}
