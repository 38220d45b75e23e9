/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the entropy and the information of a better measurement: laws of information. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/special.h"
#include "support/calls.h"
#include "support/sanitized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = SANITIZED ? 16 : 40 };

struct answer {
    double *p, *entropy, *measurement, *model, *gain;
};

/* Without gains if they are not used. */
static struct answer ask_some(nim_model *model, const nim_data *data, bool gains) {
    size_t cells = data->rows * nim_model_classes(model);
    struct answer answer = {.p = calloc(cells, sizeof(double)),
                            .entropy = calloc(data->rows, sizeof(double)),
                            .measurement = calloc(data->rows, sizeof(double)),
                            .model = calloc(data->rows, sizeof(double)),
                            .gain = calloc(data->rows * data->attributes, sizeof(double))};
    nim_prediction wanted =
        NIM_PREDICTION(.probabilities = answer.p, .entropy = answer.entropy,
                       .measurement_part = answer.measurement, .model_part = answer.model);
    nim_predictor *predictor;
    nim_error error;
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    stop_on(nim_predict(predictor, data, &wanted, &error), &error);
    if (gains)
        stop_on(nim_remeasure(predictor, data, answer.gain, &error), &error);
    nim_predictor_free(predictor);
    return answer;
}

static struct answer ask(nim_model *model, const nim_data *data) {
    return ask_some(model, data, true);
}

static void answer_free(struct answer *answer) {
    free(answer->p);
    free(answer->entropy);
    free(answer->measurement);
    free(answer->model);
    free(answer->gain);
}

static void make(struct fixture *fixture, const char *input, size_t attributes) {
    struct problem problem = {.classes = 3,
                              .attributes = attributes,
                              .inducing = 12,
                              .rows = ROWS,
                              .samples = 1,
                              .kernel = "se",
                              .input = input,
                              .noise = "given",
                              .noise_variance = 0.3};
    fixture_create(fixture, &problem);
    nim_error error;
    stop_on(nim_model_set_option(fixture->model, "epochs", "100", &error), &error);
    stop_on(nim_model_set_option(fixture->model, "points", "1024", &error), &error);
    stop_on(nim_model_train(fixture->model, &fixture->data, NULL, NULL, &error), &error);
}

/* entropy = measurement + rest, and both are at least zero. */
static void parts_make_the_whole(void **state) {
    (void)state;
    static const char *const inputs[] = {"latent", "amortised", "first_order", "exact"};
    for (size_t k = 0; k < 4; k++) {
        struct fixture fixture;
        make(&fixture, inputs[k], 2);
        struct answer answer = ask(fixture.model, &fixture.data);
        double largest = 0.0;
        for (size_t i = 0; i < ROWS; i++) {
            double entropy = 0.0;
            for (size_t c = 0; c < 3; c++)
                entropy -= answer.p[3 * i + c] * log(answer.p[3 * i + c]);
            assert_true(fabs(entropy - answer.entropy[i]) < 1e-12);
            assert_true(answer.measurement[i] >= 0.0 && answer.model[i] >= 0.0);
            assert_true(fabs(answer.measurement[i] + answer.model[i] - entropy) < 1e-9);
            largest = fmax(largest, answer.measurement[i]);
        }
        assert_true(k < 2 ? largest > 0.05 : largest == 0.0);
        answer_free(&answer);
        fixture_free(&fixture);
    }
}

/* I(y; x_j) <= I(y; x), and zero for an exact cell. The two are computed at different points, hence
 * the tolerance. */
static void one_attribute_tells_no_more_than_all(void **state) {
    (void)state;
    struct fixture fixture;
    make(&fixture, "latent", 2);
    for (size_t i = 0; i < ROWS; i += 2)
        fixture.sigma[2 * i + 1] = 0.0;
    struct answer answer = ask(fixture.model, &fixture.data);
    double largest = 0.0;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < 2; j++) {
            assert_true(answer.gain[2 * i + j] >= 0.0);
            assert_true(answer.gain[2 * i + j] <= answer.measurement[i] + 0.02);
            largest = fmax(largest, answer.gain[2 * i + j]);
        }
        if (i % 2 == 0) { /* only the other one has information */
            assert_true(answer.gain[2 * i + 1] == 0.0);
            assert_true(fabs(answer.gain[2 * i] - answer.measurement[i]) < 0.03);
        }
    }
    assert_true(largest > 0.05);
    answer_free(&answer);
    fixture_free(&fixture);
}

/* Draws from a normal distribution, one at the centre of each of `count` equal shares: their
 * averages are as accurate as those of many more random draws. */
static void draw_evenly(size_t count, double *normal) {
    for (size_t k = 0; k < count; k++)
        normal[k] = normal_quantile(((double)k + 0.5) / (double)count);
}

/* Against plain draws: I(y; x_j) by nested sampling through nim_predict alone. */
static void gain_agrees_with_draws(void **state) {
    (void)state;
    enum { DRAWS = 100 };
    struct fixture fixture;
    make(&fixture, "latent", 2);
    struct answer answer = ask(fixture.model, &fixture.data);
    size_t row = 0;
    for (size_t i = 0; i < ROWS; i++)
        row = answer.gain[2 * i] > answer.gain[2 * row] ? i : row;
    double x[DRAWS][2], sigma[DRAWS][2], mean[3] = {0}, left = 0.0, total = 0.0;
    double normal[DRAWS];
    draw_evenly(DRAWS, normal);
    for (size_t k = 0; k < DRAWS; k++) {
        x[k][0] = fixture.x[2 * row] + fixture.sigma[2 * row] * normal[k];
        x[k][1] = fixture.x[2 * row + 1];
        sigma[k][0] = 0.0;
        sigma[k][1] = fixture.sigma[2 * row + 1];
    }
    nim_data many =
        NIM_DATA(.rows = DRAWS, .attributes = 2, .x = *x, .sigma = *sigma, .sigma_rows = DRAWS);
    struct answer drawn = ask_some(fixture.model, &many, false);
    for (size_t k = 0; k < DRAWS; k++) {
        left += drawn.entropy[k] / DRAWS;
        for (size_t c = 0; c < 3; c++)
            mean[c] += drawn.p[3 * k + c] / DRAWS;
    }
    for (size_t c = 0; c < 3; c++)
        total -= mean[c] * log(mean[c]);
    assert_true(answer.gain[2 * row] > 0.05);
    assert_true(fabs(total - left - answer.gain[2 * row]) < 0.06);
    answer_free(&drawn);
    answer_free(&answer);
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- a learned population -------- */

/* Correlated attributes, and labels that depend on both. */
static nim_model *make_together(struct fixture *fixture, const char *input) {
    struct problem problem = {.classes = 3,
                              .attributes = 2,
                              .inducing = 12,
                              .rows = ROWS,
                              .samples = 4,
                              .kernel = "se",
                              .input = input,
                              .noise = "given",
                              .population = "gaussian",
                              .noise_variance = 0.3};
    nim_model *model;
    nim_error error;
    fixture_create(fixture, &problem);
    for (size_t i = 0; i < ROWS; i++) {
        double *x = fixture->x + 2 * i, first = x[0];
        fixture->labels[i] = first + 0.2 * x[1] < -0.4 ? 0 : first + 0.2 * x[1] < 0.5 ? 1 : 2;
        x[1] = 0.95 * first + 0.2 * x[1];
    }
    set(fixture->options, "epochs", "100");
    set(fixture->options, "points", "1024");
    stop_on(nim_model_create(fixture->options, &fixture->data, &model, &error), &error);
    stop_on(nim_model_train(model, &fixture->data, NULL, NULL, &error), &error);
    return model;
}

/* Mean and deviation of attribute 0 of a row given both its measurements, in the user's units. */
static void locate_first(const nim_model *model, const nim_data *data, size_t row, double *mean,
                         double *deviation) {
    const double *g = model->population.root, *m = model->population.mean;
    double x[2], noise[2], weight;
    model_take_rows(model, data, 1, &row, x, noise, NULL, &weight);
    double a = g[0] * g[0] + g[1] * g[1], b = g[0] * g[2] + g[1] * g[3];
    double c = g[2] * g[2] + g[3] * g[3], av = a + noise[0], cv = c + noise[1];
    double determinant = av * cv - b * b, u = x[0] - m[0], v = x[1] - m[1];
    /* (a, b) (S + V)^-1 (u, v)' and a - (a, b) (S + V)^-1 (a, b)' */
    double at = m[0] + (a * (cv * u - b * v) + b * (av * v - b * u)) / determinant;
    double variance = a - (a * (cv * a - b * b) + b * (av * b - b * a)) / determinant;
    *mean = model->scaling.mean[0] + model->scaling.deviation[0] * at;
    *deviation = model->scaling.deviation[0] * sqrt(variance);
}

/* I(y; x_0) by plain draws of x_0 from p(x_0 | x~), each as an exact cell beside the measured one.
 */
static void other_attributes_move_along(void **state) {
    (void)state;
    enum { DRAWS = 100 };
    static const char *const inputs[] = {"latent", "marginal"};
    static double x[DRAWS][2], sigma[DRAWS][2], normal[DRAWS];
    draw_evenly(DRAWS, normal);
    for (size_t n = 0; n < 2; n++) {
        struct fixture fixture;
        nim_model *model = make_together(&fixture, inputs[n]);
        struct answer answer = ask(model, &fixture.data);
        size_t row = 0;
        for (size_t i = 0; i < ROWS; i++)
            row = answer.gain[2 * i] > answer.gain[2 * row] ? i : row;
        double mean[3] = {0}, left = 0.0, total = 0.0, centre, deviation;
        locate_first(model, &fixture.data, row, &centre, &deviation);
        for (size_t k = 0; k < DRAWS; k++) {
            x[k][0] = centre + deviation * normal[k];
            x[k][1] = fixture.x[2 * row + 1];
            sigma[k][1] = fixture.sigma[2 * row + 1];
        }
        nim_data many =
            NIM_DATA(.rows = DRAWS, .attributes = 2, .x = *x, .sigma = *sigma, .sigma_rows = DRAWS);
        struct answer drawn = ask_some(model, &many, false);
        for (size_t k = 0; k < DRAWS; k++) {
            left += drawn.entropy[k] / DRAWS;
            for (size_t c = 0; c < 3; c++)
                mean[c] += drawn.p[3 * k + c] / DRAWS;
        }
        for (size_t c = 0; c < 3; c++)
            total -= mean[c] * log(mean[c]);
        assert_true(fabs(total - left - answer.gain[2 * row]) < 0.03);
        answer_free(&drawn);
        answer_free(&answer);
        nim_model_free(model);
        fixture_free(&fixture);
    }
}

static void bad_calls_are_refused(void **state) {
    (void)state;
    struct fixture fixture;
    nim_error error;
    nim_predictor *predictor;
    double gain[ROWS * 2];
    make(&fixture, "first_order", 2);
    stop_on(nim_predictor_create(fixture.model, &predictor, &error), &error);
    assert_int_equal(nim_remeasure(NULL, &fixture.data, gain, &error), NIM_INVALID_ARGUMENT);
    assert_int_equal(nim_remeasure(predictor, NULL, gain, &error), NIM_INVALID_ARGUMENT);
    assert_int_equal(nim_remeasure(predictor, &fixture.data, NULL, &error), NIM_INVALID_ARGUMENT);
    stop_on(nim_remeasure(predictor, &fixture.data, gain, &error), &error);
    double largest = 0.0;
    for (size_t i = 0; i < ROWS * 2; i++)
        largest = fmax(largest, gain[i]);
    assert_true(largest > 0.01); /* first_order uses noise as well */
    nim_predictor_free(predictor);
    fixture_free(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_make_the_whole),
        cmocka_unit_test(one_attribute_tells_no_more_than_all),
        cmocka_unit_test(gain_agrees_with_draws),
        cmocka_unit_test(other_attributes_move_along),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
