/* SPDX-License-Identifier: Apache-2.0 */
/* The generators' own laws: fast evaluation against slow, optimal probabilities against draws. */
#include "generate/latent.h"
#include "generate/random.h"
#include "generate/synthetic.h"
#include "generate/truncated.h"
#include "support/sanitized.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* Sanitizers check memory, not numbers: a fifth of the rows is enough. */
enum { FEWER = SANITIZED ? 5 : 1 };

/* ---------------------------------------------------------------- latent functions ------------ */

static void grids_agree_with_single_points(void **unused) {
    (void)unused;
    enum { ROWS = 13, COLUMNS = 17, DIMS = 3 };
    double a[ROWS * DIMS], b[COLUMNS * DIMS];
    int32_t label[ROWS * COLUMNS];
    uint64_t state = 5;
    struct latent latent;
    assert_true(latent_draw(&latent, DIMS, 4, 2.0, &state));
    for (size_t i = 0; i < ROWS * DIMS; i++)
        a[i] = 5.0 * next_uniform(&state) - 2.5;
    for (size_t i = 0; i < COLUMNS * DIMS; i++)
        b[i] = 5.0 * next_uniform(&state) - 2.5;
    assert_true(latent_cross_labels(&latent, ROWS, a, COLUMNS, b, label));
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++) {
            double sum[DIMS];
            for (size_t k = 0; k < DIMS; k++)
                sum[k] = a[i * DIMS + k] + b[j * DIMS + k];
            assert_int_equal(label[i * COLUMNS + j], latent_label(&latent, sum));
        }
    latent_free(&latent);
}

static void single_precision_agrees_but_at_boundaries(void **unused) {
    (void)unused;
    enum { ROWS = 1000, DIMS = 2 };
    static double x[DIMS * ROWS];
    int32_t label[ROWS];
    size_t differ = 0, seen[3] = {0};
    uint64_t state = 6;
    struct latent latent;
    assert_true(latent_draw(&latent, DIMS, 3, 2.0, &state));
    for (size_t i = 0; i < DIMS * ROWS; i++)
        x[i] = 20.0 * next_uniform(&state) - 10.0;
    latent_labels(&latent, ROWS, x, label);
    for (size_t i = 0; i < ROWS; i++) {
        differ += label[i] != latent_label(&latent, (double[]){x[i], x[ROWS + i]});
        seen[label[i]]++;
    }
    assert_true(differ <= 2);
    assert_true(seen[0] && seen[1] && seen[2]);
    latent_free(&latent);
}

/* A squared exponential kernel's spectrum: w ~ N(0, 1 / lambda^2). */
static void frequencies_have_the_kernels_spectrum(void **unused) {
    (void)unused;
    enum { DIMS = 2, CLASSES = 10, COUNT = DIMS * CLASSES * COSINES };
    uint64_t state = 7;
    struct latent latent;
    double square = 0.0;
    assert_true(latent_draw(&latent, DIMS, CLASSES, 4.0, &state));
    for (size_t i = 0; i < CLASSES * COSINES; i++)
        for (size_t j = 0; j < DIMS; j++)
            square += latent.term[i * (DIMS + 1) + j] * latent.term[i * (DIMS + 1) + j];
    assert_near(square / COUNT, 0.25, 5.0 * 0.25 * sqrt(2.0 / COUNT));
    latent_free(&latent);
}

/* ---------------------------------------------------------------- truncated normals ----------- */

static double share_below(double z) {
    return 0.5 * erfc(-z * sqrt(0.5));
}

static void truncated_quantiles_invert_the_distribution(void **unused) {
    (void)unused;
    const double mean[] = {0.0, 1.3, -4.0, 7.0};
    for (size_t m = 0; m < 4; m++)
        for (double u = 0.05; u < 1.0; u += 0.1) {
            double x = truncated_quantile(u, mean[m], 0.7, -2.0, 2.5);
            double low = share_below((-2.0 - mean[m]) / 0.7);
            double high = share_below((2.5 - mean[m]) / 0.7);
            if (mean[m] < -2.0) { /* compare where digits are left: the other tail */
                double above = share_below((mean[m] - x) / 0.7);
                low = share_below((mean[m] - 2.5) / 0.7);
                high = share_below((mean[m] + 2.0) / 0.7);
                assert_near((above - low) / (high - low), 1.0 - u, 1e-9);
            } else {
                assert_near((share_below((x - mean[m]) / 0.7) - low) / (high - low), u, 1e-9);
            }
        }
}

static void far_tails_stay_inside(void **unused) {
    (void)unused;
    const double mean[] = {30.0, -30.0, 1e6, -1e6};
    for (size_t m = 0; m < 4; m++)
        for (double u = 0.001; u < 1.0; u += 0.111) {
            double x = truncated_quantile(u, mean[m], 0.1, -1.0, 1.0);
            assert_true(x >= -1.0 && x <= 1.0);
            assert_near(x, mean[m] > 0.0 ? 1.0 : -1.0, 0.01);
        }
}

/* ---------------------------------------------------------------- optimal probabilities ------- */

/* What the definition says: draws around x~ that fall into the box, and the classes they have. */
static void estimate(const struct synthetic_settings *settings, const double *x, double *p) {
    enum { DRAWS = 20000 };
    struct latent latent;
    uint64_t state = settings->seed * 0x632be59bd9b4e019u + 1, dice = 99;
    assert_true(
        latent_draw(&latent, settings->dims, settings->classes, settings->lambda_square, &state));
    double *drawn = malloc(settings->dims * DRAWS * sizeof *drawn);
    int32_t *label = malloc(DRAWS * sizeof *label);
    for (size_t s = 0; s < DRAWS; s++)
        for (size_t j = 0; j < settings->dims; j++) {
            double value;
            do
                value = x[j] + sqrt(settings->noise) * next_normal(&dice);
            while (fabs(value) > settings->half_width);
            drawn[j * DRAWS + s] = value;
        }
    latent_labels(&latent, DRAWS, drawn, label);
    memset(p, 0, settings->classes * sizeof *p);
    for (size_t s = 0; s < DRAWS; s++)
        p[label[s]] += 1.0 / DRAWS;
    free(drawn);
    free(label);
    latent_free(&latent);
}

/* The mean of many answers for one row, which differ when they are estimates themselves. */
static void answer(struct synthetic *synthetic, const struct synthetic_settings *settings,
                   size_t times, const double *x, double *p) {
    double once[3];
    memset(p, 0, settings->classes * sizeof *p);
    for (size_t k = 0; k < times; k++) {
        assert_true(synthetic_bayes(synthetic, 1, x, once));
        assert_near(once[0] + once[1] + once[2], 1.0, 1e-12);
        for (size_t c = 0; c < settings->classes; c++)
            p[c] += once[c] / (double)times;
    }
}

/* `tolerance` on top of five standard errors of the estimates. */
static void compare_with_estimate(struct synthetic_settings settings, size_t draws,
                                  double tolerance) {
    enum { ROWS = 10 / FEWER, TIMES = 10 };
    double x[ROWS * 3], p[3], expected[3];
    int32_t label[ROWS];
    struct synthetic *synthetic = synthetic_create(&settings);
    assert_non_null(synthetic);
    assert_int_equal(synthetic_draws(synthetic), draws);
    synthetic_draw(synthetic, ROWS, NULL, x, label);
    for (size_t i = 0; i < ROWS; i++) {
        answer(synthetic, &settings, draws ? TIMES : 1, x + i * settings.dims, p);
        estimate(&settings, x + i * settings.dims, expected);
        for (size_t c = 0; c < settings.classes; c++) {
            double share = 1.0 / 20000.0 + (draws ? 1.0 / (double)(draws * TIMES) : 0.0);
            double error = sqrt(expected[c] * (1.0 - expected[c]) * share);
            assert_near(p[c], expected[c], 5.0 * error + tolerance);
        }
    }
    synthetic_free(synthetic);
}

static void bayes_on_a_line(void **unused) {
    (void)unused;
    struct synthetic_settings settings = synthetic_toy(1);
    settings.every_class = false; /* the estimate takes the first functions drawn */
    compare_with_estimate(settings, 0, 5e-4);
}

static void bayes_on_a_square(void **unused) {
    (void)unused;
    struct synthetic_settings settings = synthetic_paper(1);
    settings.noise = 0.5;
    compare_with_estimate(settings, 0, 1e-3);
}

static void bayes_in_three_dimensions(void **unused) {
    (void)unused;
    struct synthetic_settings settings = synthetic_paper(1);
    settings.dims = 3;
    compare_with_estimate(settings, 512, 3e-3);
}

static void bayes_of_very_small_noise(void **unused) {
    (void)unused;
    struct synthetic_settings settings = synthetic_paper(1);
    settings.noise = 1e-4;
    compare_with_estimate(settings, 512, 3e-3);
}

static void without_noise_the_label_is_known(void **unused) {
    (void)unused;
    enum { ROWS = 50 / FEWER };
    struct synthetic_settings settings = synthetic_paper(3);
    settings.noise = 0.0;
    double x[2 * ROWS], p[3 * ROWS];
    int32_t label[ROWS];
    struct synthetic *synthetic = synthetic_create(&settings);
    synthetic_draw(synthetic, ROWS, NULL, x, label);
    assert_true(synthetic_bayes(synthetic, ROWS, x, p));
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < 3; c++)
            assert_true(p[3 * i + c] == (label[i] == (int32_t)c ? 1.0 : 0.0));
    synthetic_free(synthetic);
}

static void far_outside_the_box_is_no_trouble(void **unused) {
    (void)unused;
    for (size_t dims = 1; dims <= 3; dims++) {
        struct synthetic_settings settings = synthetic_paper(3);
        settings.dims = dims;
        const double x[3] = {1e4, -1e4, 1e4}, corner[3] = {2.5, -2.5, 2.5};
        double p[3], best = 0.0;
        struct synthetic *synthetic = synthetic_create(&settings);
        assert_true(synthetic_bayes(synthetic, 1, x, p));
        struct latent latent;
        uint64_t state = settings.seed * 0x632be59bd9b4e019u + 1;
        assert_true(latent_draw(&latent, dims, 3, settings.lambda_square, &state));
        best = p[latent_label(&latent, corner)];
        assert_near(p[0] + p[1] + p[2], 1.0, 1e-12);
        assert_true(best > 0.99);
        latent_free(&latent);
        synthetic_free(synthetic);
    }
}

static void rows_do_not_depend_on_portions(void **unused) {
    (void)unused;
    enum { ROWS = 20 };
    struct synthetic_settings settings = synthetic_paper(4);
    double one[2 * ROWS], other[2 * ROWS], clean[2 * ROWS];
    int32_t one_label[ROWS], other_label[ROWS];
    struct synthetic *a = synthetic_create(&settings), *b = synthetic_create(&settings);
    synthetic_draw(a, ROWS, clean, one, one_label);
    for (size_t i = 0; i < ROWS; i++)
        synthetic_draw(b, 1, NULL, other + 2 * i, other_label + i);
    assert_memory_equal(one, other, sizeof one);
    assert_memory_equal(one_label, other_label, sizeof one_label);
    for (size_t i = 0; i < 2 * ROWS; i++)
        assert_true(fabs(clean[i]) <= settings.half_width);
    synthetic_free(a);
    synthetic_free(b);
}

static void every_class_of_the_toy_occurs(void **unused) {
    (void)unused;
    enum { ROWS = 400 };
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct synthetic_settings settings = synthetic_toy(seed);
        struct synthetic *synthetic = synthetic_create(&settings);
        double x[ROWS];
        int32_t label[ROWS];
        size_t seen[3] = {0};
        synthetic_draw(synthetic, ROWS, NULL, x, label);
        for (size_t i = 0; i < ROWS; i++)
            seen[label[i]]++;
        assert_true(seen[0] && seen[1] && seen[2]);
        synthetic_free(synthetic);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_agree_with_single_points),
        cmocka_unit_test(single_precision_agrees_but_at_boundaries),
        cmocka_unit_test(frequencies_have_the_kernels_spectrum),
        cmocka_unit_test(truncated_quantiles_invert_the_distribution),
        cmocka_unit_test(far_tails_stay_inside),
        cmocka_unit_test(bayes_on_a_line),
        cmocka_unit_test(bayes_on_a_square),
        cmocka_unit_test(bayes_in_three_dimensions),
        cmocka_unit_test(bayes_of_very_small_noise),
        cmocka_unit_test(without_noise_the_label_is_known),
        cmocka_unit_test(far_outside_the_box_is_no_trouble),
        cmocka_unit_test(rows_do_not_depend_on_portions),
        cmocka_unit_test(every_class_of_the_toy_occurs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
