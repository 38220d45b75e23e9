/* SPDX-License-Identifier: Apache-2.0 */
/* Panels: how parts are combined, which weights are found, and that a model with a panel gains
 * where error sizes tell of the class, and is the same in files, in threads and in portions. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fit/weigh.h"
#include "math/random.h"
#include "model/model.h"
#include "support/calls.h"
#include "support/reference.h"
#include "support/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS = 3, CLASSES = 3, JUDGED = 500, WAYS = 2, CELLS = WAYS * JUDGED * CLASSES };

/* ---------------------------------------------------------------- combining ------------------- */

static void pool_is_geometric_mean(void **state) {
    (void)state;
    double p[2][CLASSES] = {{0.7, 0.2, 0.1}, {0.1, 0.3, 0.6}}, log_p[2][CLASSES], got[CLASSES];
    const double *parts[] = {log_p[0], log_p[1]};
    panel_take_logs(2 * CLASSES, p[0], log_p[0]);
    for (double w = 0.0; w <= 1.0; w += 0.25) {
        double total = 0.0;
        panel_pool(2, CLASSES, (double[]){w, 1.0 - w}, parts, got);
        for (size_t c = 0; c < CLASSES; c++)
            total += pow(p[0][c], w) * pow(p[1][c], 1.0 - w);
        for (size_t c = 0; c < CLASSES; c++)
            assert_true(fabs(got[c] - pow(p[0][c], w) * pow(p[1][c], 1.0 - w) / total) < 1e-14);
    }
}

/* A part that is certain must not outweigh all others. */
static void certain_parts_are_bounded(void **state) {
    (void)state;
    double p[] = {0.0, 1.0};
    panel_take_logs(2, p, p);
    assert_true(isfinite(p[0]) && p[1] == 0.0);
}

static void gates_choose_weights(void **state) {
    (void)state;
    const panel_weights weight[PANEL_WEIGHED] = {{0.2, 0.8}, {0.6, 0.4}};
    double w[2];
    panel_row_weights(1, weight, (double[]){0.5, 0.3, 0.2}, w);
    assert_true(fabs(w[0] - (0.1 + 0.18 + 0.2)) < 1e-15 && fabs(w[1] - (0.4 + 0.12)) < 1e-15);
}

/* ---------------------------------------------------------------- weighing -------------------- */

static double log_p[PARTS][CELLS], gate[WAYS * JUDGED * PANEL_REGIONS], row_weights[JUDGED];
static double row[CLASSES];
static int32_t labels[JUDGED];

/* In rows of the first way, which are typical, part 1 is right; in the others, which are measured
 * worse, part 2. The rest is noise. */
static struct weighing weighing_of_noise(void) {
    double u[JUDGED];
    random_uniform((struct random_key){5, 1}, 0, 0, JUDGED, u);
    for (size_t i = 0; i < JUDGED; i++) {
        labels[i] = (int32_t)(3.0 * u[i]);
        row_weights[i] = 0.5 + (double)(i % 2);
    }
    struct weighing all = {.parts = PARTS,
                           .ways = WAYS,
                           .rows = JUDGED,
                           .classes = CLASSES,
                           .labels = labels,
                           .weights = row_weights,
                           .gate = gate,
                           .flattery = {0.0, 0.05, 0.1},
                           .scratch = row};
    for (size_t k = 0; k < PARTS; k++) {
        random_normal((struct random_key){5, 2}, k, 0, CELLS, log_p[k]);
        all.log_p[k] = log_p[k];
        for (size_t at = 0; at < WAYS * JUDGED; at++) {
            double *cells = log_p[k] + at * CLASSES, total = 0.0;
            cells[labels[at % JUDGED]] += k == 1 + at / JUDGED ? 2.0 : 0.0;
            for (size_t c = 0; c < CLASSES; c++)
                total += exp(cells[c]);
            for (size_t c = 0; c < CLASSES; c++)
                cells[c] -= log(total);
            gate[at * PANEL_REGIONS + PANEL_TYPICAL] = at < JUDGED ? 0.9 : 0.05;
            gate[at * PANEL_REGIONS + PANEL_WORSE] = at < JUDGED ? 0.05 : 0.9;
            gate[at * PANEL_REGIONS + PANEL_BETTER] = 0.05;
        }
    }
    return all;
}

/* The function that weigh() minimises, computed anew. */
static double cost(const struct weighing *all, const panel_weights *weight) {
    double sum = 0.0;
    for (size_t at = 0; at < all->ways * JUDGED; at++) {
        double q[CLASSES] = {0.0}, total = 0.0;
        const double *g = gate + at * PANEL_REGIONS;
        for (size_t c = 0; c < CLASSES; c++) {
            q[c] = g[PANEL_BETTER] * log_p[0][at * CLASSES + c];
            for (size_t k = 0; k < PARTS; k++)
                q[c] += (g[0] * weight[0][k] + g[1] * weight[1][k]) * log_p[k][at * CLASSES + c];
            total += exp(q[c]);
        }
        for (size_t k = 0; k < PARTS; k++)
            sum += row_weights[at % JUDGED] * all->flattery[k] *
                   (g[0] * weight[0][k] + g[1] * weight[1][k]);
        sum -= row_weights[at % JUDGED] * (q[labels[at % JUDGED]] - log(total));
    }
    for (size_t r = 0; r < PANEL_WEIGHED; r++)
        for (size_t k = 0; k < PARTS; k++)
            sum += 0.5 * WEIGHING_PRIOR * pow(weight[r][k] - (k == 0), 2.0);
    return sum;
}

static void best_weights_are_found(void **state) {
    (void)state;
    const struct weighing all = weighing_of_noise();
    panel_weights weight[PANEL_WEIGHED];
    weigh(&all, weight);
    double least = cost(&all, (const panel_weights *)weight);
    assert_true(weight[PANEL_TYPICAL][1] > 0.7 && weight[PANEL_WORSE][2] > 0.7);
    for (size_t r = 0; r < PANEL_WEIGHED; r++) {
        assert_true(fabs(weight[r][0] + weight[r][1] + weight[r][2] - 1.0) < 1e-12);
        for (size_t from = 0; from < PARTS; from++)
            for (size_t to = 0; to < PARTS; to++) {
                panel_weights moved[PANEL_WEIGHED];
                memcpy(moved, weight, sizeof moved);
                double some = fmin(0.02, moved[r][from]);
                moved[r][from] -= some;
                moved[r][to] += some;
                assert_true(cost(&all, (const panel_weights *)moved) > least - 1e-3);
            }
    }
}

/* Parts that predict what the plain fit predicts are left out, and gain nothing. */
static void equal_parts_are_left_out(void **state) {
    (void)state;
    struct weighing all = weighing_of_noise();
    panel_weights weight[PANEL_WEIGHED];
    double gain[2];
    for (size_t k = 1; k < PARTS; k++)
        all.log_p[k] = all.log_p[0];
    weigh(&all, weight);
    weighing_gain(&all, weight, gain);
    assert_true(weight[0][0] > 0.98);
    assert_true(fabs(gain[0]) < 0.01 && gain[1] < 1e-3);
}

/* The function is convex, so a part is left out if and only if its flattery is larger than what its
 * first small weight gains. */
static void flattered_parts_are_left_out(void **state) {
    (void)state;
    struct weighing all = weighing_of_noise();
    panel_weights weight[PANEL_WEIGHED];
    double first = 0.0, total = 0.0;
    for (size_t i = 0; i < JUDGED; i++) {
        double gain = 0.0;
        for (size_t c = 0; c < CLASSES; c++) {
            size_t at = i * CLASSES + c;
            double known = (c == (size_t)labels[i]) - exp(log_p[0][at]);
            gain += known * (log_p[1][at] - log_p[0][at]);
        }
        first += row_weights[i] * gain, total += row_weights[i];
    }
    all.parts = 2, all.ways = 1, all.gate = NULL;
    all.flattery[1] = 1.02 * first / total;
    weigh(&all, weight);
    assert_true(weight[PANEL_TYPICAL][1] < 0.02);
    all.flattery[1] = 0.8 * first / total;
    weigh(&all, weight);
    assert_true(weight[PANEL_TYPICAL][1] > 0.05);
}

static void gains_are_means(void **state) {
    (void)state;
    struct weighing all = weighing_of_noise();
    all.gate = NULL;
    panel_weights weight[PANEL_WEIGHED] = {{0.0, 1.0, 0.0}};
    double gain[2], mean = 0.0, square = 0.0, total = 0.0;
    weighing_gain(&all, weight, gain);
    for (size_t i = 0; i < JUDGED; i++) {
        size_t own = i * CLASSES + (size_t)labels[i];
        double each = log_p[1][own] - log_p[0][own] - 0.05, v = row_weights[i];
        total += v, mean += v * each, square += v * each * each;
    }
    mean /= total;
    assert_true(fabs(gain[0] - mean) < 1e-12);
    assert_true(fabs(gain[1] - sqrt((square / total - mean * mean) / JUDGED)) < 1e-12);
}

/* ---------------------------------------------------------------- models ---------------------- */

enum { ROWS = 400, TEST = 300, COLUMNS = 2, ALL = ROWS + TEST };

/* Two classes that overlap, but the errors of the second are larger. */
static struct sky {
    double x[ALL * COLUMNS], sigma[ALL * COLUMNS];
    int32_t labels[ALL];
    nim_model *model;
} sky;

static nim_data sky_rows(size_t first, size_t count) {
    return NIM_DATA(.rows = count, .attributes = COLUMNS, .x = sky.x + first * COLUMNS,
                    .sigma = sky.sigma + first * COLUMNS, .sigma_rows = count,
                    .labels = sky.labels + first);
}

static nim_model *fit_sky(const char *views) {
    nim_options *options = nim_options_create();
    nim_data data = sky_rows(0, ROWS);
    nim_model *model = NULL;
    nim_error error;
    set(options, "classes", "2");
    set(options, "views", views);
    set(options, "threads", "1");
    set(options, "epochs", "40");
    stop_on(nim_model_create(options, &data, &model, &error), &error);
    stop_on(nim_model_train(model, &data, NULL, NULL, &error), &error);
    nim_options_free(options);
    return model;
}

static int fit_once(void **state) {
    (void)state;
    double noise[5];
    for (size_t i = 0; i < ALL; i++) {
        random_normal((struct random_key){7, 1}, 0, i, 5, noise);
        sky.labels[i] = (int32_t)(i % 2);
        for (size_t j = 0; j < COLUMNS; j++) {
            double size = 0.1 * exp(0.3 * noise[j] + (sky.labels[i] ? 0.7 : 0.0));
            sky.sigma[i * COLUMNS + j] = size;
            sky.x[i * COLUMNS + j] = 0.5 * sky.labels[i] + noise[2 + j] + size * noise[4];
        }
    }
    sky.model = fit_sky("auto");
    return 0;
}

static int free_once(void **state) {
    (void)state;
    nim_model_free(sky.model);
    return 0;
}

static void predict_sky(const nim_model *model, size_t portion, double *p, double *typical) {
    nim_predictor *predictor;
    nim_error error;
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    for (size_t at = 0; at < TEST; at += portion) {
        size_t count = portion < TEST - at ? portion : TEST - at;
        nim_data data = sky_rows(ROWS + at, count);
        nim_prediction wanted =
            NIM_PREDICTION(.probabilities = p + 2 * at, .typical = typical ? typical + at : NULL);
        stop_on(nim_predict(predictor, &data, &wanted, &error), &error);
    }
    nim_predictor_free(predictor);
}

static double nll(const double *p) {
    double total = 0.0;
    for (size_t i = 0; i < TEST; i++)
        total -= log(p[2 * i + (size_t)sky.labels[ROWS + i]]);
    return total / TEST;
}

static void error_sizes_are_used(void **state) {
    (void)state;
    static double p[2 * TEST], plain[2 * TEST], typical[TEST];
    double gain[2], mean = 0.0;
    char text[64], sees[256];
    nim_model *one = fit_sky("one");
    assert_non_null(sky.model->panel);
    assert_null(one->panel);
    predict_sky(sky.model, TEST, p, typical);
    predict_sky(one, TEST, plain, NULL);
    assert_true(nll(p) < nll(plain) - 0.1);
    stop_on(nim_model_get(sky.model, "panel_gain", gain, 2, NULL, NULL), &(nim_error){0});
    assert_true(fabs(gain[0] - (nll(plain) - nll(p))) < 4.0 * gain[1]);
    for (size_t i = 0; i < TEST; i++)
        mean += typical[i] / TEST;
    assert_true(mean > 0.5);
    size_t length = nim_model_view(sky.model, 0, text, sizeof text);
    assert_true(length > 0 && length == strlen(text));
    assert_true(nim_model_view(sky.model, 1, sees, sizeof sees) > strlen(text));
    assert_true(nim_model_view(one, 0, text, sizeof text) == 0 && !*text);
    assert_true(nim_model_view(sky.model, 9, text, sizeof text) == 0);
    nim_model_free(one);
}

/* Rows whose errors are far larger or smaller are not typical; then the class does not follow from
 * the sizes. */
static void other_errors_are_seen(void **state) {
    (void)state;
    static double p[2 * TEST], typical[TEST], sigma[ALL * COLUMNS];
    memcpy(sigma, sky.sigma, sizeof sigma);
    for (double factor = 0.1; factor < 11.0; factor *= 100.0) {
        double mean = 0.0, second = 0.0;
        for (size_t i = 0; i < ALL * COLUMNS; i++)
            sky.sigma[i] = factor * sigma[i];
        predict_sky(sky.model, TEST, p, typical);
        memcpy(sky.sigma, sigma, sizeof sigma);
        for (size_t i = 0; i < TEST; i++)
            mean += typical[i] / TEST, second += p[2 * i + 1] / TEST;
        assert_true(mean < 0.2);
        assert_true(second > 0.25 && second < 0.75);
    }
}

static void typical_needs_a_panel(void **state) {
    (void)state;
    static double typical[TEST];
    struct fixture fixture;
    nim_model *model;
    nim_predictor *predictor;
    nim_error error;
    begin(&fixture, &small);
    stop_on(nim_model_create(fixture.options, &fixture.data, &model, &error), &error);
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    assert_refused(
        "typical",
        nim_predict(predictor, &fixture.data, &NIM_PREDICTION(.typical = typical), &error),
        NIM_INVALID_ARGUMENT, &error, WORDS("typical", "panel"));
    nim_predictor_free(predictor);
    nim_model_free(model);
    fixture_free(&fixture);
}

static void files_and_portions_keep_bits(void **state) {
    (void)state;
    static double p[2 * TEST], other[2 * TEST];
    char path[SCRATCH_SIZE];
    int file = mkstemp(scratch_name(path));
    nim_model *loaded;
    nim_error error;
    assert_true(file >= 0);
    close(file);
    stop_on(nim_model_save(sky.model, path, &error), &error);
    stop_on(nim_model_load(path, &loaded, &error), &error);
    remove(path);
    predict_sky(sky.model, TEST, p, NULL);
    predict_sky(loaded, 7, other, NULL);
    assert_memory_equal(p, other, sizeof p);
    stop_on(nim_model_set_option(loaded, "threads", "3", &error), &error);
    predict_sky(loaded, TEST, other, NULL);
    assert_memory_equal(p, other, sizeof p);
    nim_model_free(loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool_is_geometric_mean),
        cmocka_unit_test(certain_parts_are_bounded),
        cmocka_unit_test(gates_choose_weights),
        cmocka_unit_test(best_weights_are_found),
        cmocka_unit_test(equal_parts_are_left_out),
        cmocka_unit_test(flattered_parts_are_left_out),
        cmocka_unit_test(gains_are_means),
        cmocka_unit_test(error_sizes_are_used),
        cmocka_unit_test(other_errors_are_seen),
        cmocka_unit_test(typical_needs_a_panel),
        cmocka_unit_test(files_and_portions_keep_bits),
    };
    return cmocka_run_group_tests(tests, fit_once, free_once);
}
