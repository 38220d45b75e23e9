/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows with as many points as they need: probabilities against the average over very many points,
 * the same bits in any portions, and their parts against the same in double precision.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gp/quick.h"
#include "likelihood/robust_max_coarse.h"
#include "math/lattice.h"
#include "math/linalg.h"
#include "math/random.h"
#include "support/problem.h"
#include "support/reference.h"
#include "support/sanitized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = SANITIZED ? 64 : 65536, NUMBERS = !SANITIZED };
enum { ROWS = 24, CLASSES = 3 };

static void predict(const nim_model *model, const nim_data *data, double *p) {
    nim_predictor *predictor;
    nim_error error;
    if (nim_predictor_create(model, &predictor, &error) != NIM_OK ||
        nim_predict(predictor, data, &NIM_PREDICTION(.probabilities = p), &error) != NIM_OK)
        fail_msg("%s", error.message);
    nim_predictor_free(predictor);
}

static struct problem noisy(const char *kernel, const char *population) {
    return (struct problem){.classes = CLASSES,
                            .attributes = 3,
                            .inducing = 10,
                            .rows = ROWS,
                            .kernel = kernel,
                            .input = "marginal",
                            .noise = "given",
                            .population = population,
                            .gaps = population != NULL,
                            .noise_variance = 0.5};
}

/* ---------------------------------------------------------------- the tolerance --------------- */

/* All but one within the tolerance, and none beyond three times the tolerance. */
static void check_tolerance(struct fixture *fixture, const double *limit, double tolerance) {
    double p[ROWS * CLASSES];
    size_t beyond = 0;
    fixture->model->options.points = 0;
    fixture->model->options.tolerance = tolerance;
    predict(fixture->model, &fixture->data, p);
    for (size_t i = 0; i < ROWS * CLASSES; i++) {
        double error = fabs(p[i] - limit[i]);
        beyond += error > tolerance;
        if (NUMBERS && !(error <= 3.0 * tolerance))
            fail_msg("row %zu: %g, expected %g within %g", i / CLASSES, p[i], limit[i], tolerance);
    }
    if (NUMBERS && beyond > 1)
        fail_msg("%zu of %d are further than %g", beyond, ROWS * CLASSES, tolerance);
}

static void test_tolerance(void **state) {
    (void)state;
    static const char *const kernel[] = {"linear+matern32", "se", "matern52"};
    static const char *const population[] = {"mixture", NULL, "gaussian"};
    for (size_t k = 0; k < 3; k++) {
        struct problem problem = noisy(kernel[k], population[k]);
        struct fixture fixture;
        double limit[ROWS * CLASSES];
        fixture_create(&fixture, &problem);
        fixture_disturb(&fixture);
        fixture.model->options.points = MANY;
        predict(fixture.model, &fixture.data, limit);
        check_tolerance(&fixture, limit, 0.02);
        check_tolerance(&fixture, limit, 0.002);
        check_tolerance(&fixture, limit, 0.0005);
        fixture_free(&fixture);
    }
}

/* Means far beyond their deviations make probabilities steep, and a few points may all miss a
 * class. */
static void make_steep(struct nim_model *model) {
    for (size_t c = 0; c < model->functions; c++) {
        struct gp_parameters theta = model_gp(model, model->theta, c);
        for (size_t i = 0; i < model->inducing; i++)
            theta.m[i] *= 30.0;
    }
}

static void test_steep(void **state) {
    (void)state;
    static const char *const kernel[] = {"se", "matern52"};
    for (size_t k = 0; k < 2; k++) {
        struct problem problem = noisy(kernel[k], NULL);
        struct fixture fixture;
        double limit[ROWS * CLASSES];
        fixture_create(&fixture, &problem);
        fixture_disturb(&fixture);
        make_steep(fixture.model);
        fixture.model->options.points = MANY;
        predict(fixture.model, &fixture.data, limit);
        check_tolerance(&fixture, limit, 0.02);
        fixture_free(&fixture);
    }
}

/* More directions than those for which pairs are stored, and than some levels have pairs. */
static void test_many_attributes(void **state) {
    (void)state;
    struct problem problem = noisy("se", NULL);
    struct fixture fixture;
    double p[ROWS * CLASSES];
    problem.attributes = 20;
    fixture_create(&fixture, &problem);
    fixture_disturb(&fixture);
    predict(fixture.model, &fixture.data, p);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(fabs(p[3 * i] + p[3 * i + 1] + p[3 * i + 2] - 1.0) < 1e-12);
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- the same bits --------------- */

static nim_data part_of(const nim_data *data, size_t first, size_t rows) {
    nim_data part = *data;
    part.rows = part.sigma_rows = rows;
    part.x += first * data->attributes;
    part.sigma += first * data->attributes;
    part.labels = NULL;
    return part;
}

static void test_portions(void **state) {
    (void)state;
    static const size_t size[] = {1, 7, 33};
    struct problem problem = noisy("linear+matern32", "mixture");
    struct fixture fixture;
    double whole[ROWS * CLASSES], pieces[ROWS * CLASSES];
    fixture_create(&fixture, &problem);
    fixture_disturb(&fixture);
    predict(fixture.model, &fixture.data, whole);
    for (size_t k = 0; k < 3; k++) {
        for (size_t first = 0; first < ROWS; first += size[k]) {
            size_t rows = ROWS - first < size[k] ? ROWS - first : size[k];
            nim_data part = part_of(&fixture.data, first, rows);
            fixture.model->options.threads = 1 + k;
            predict(fixture.model, &part, pieces + first * CLASSES);
        }
        assert_memory_equal(whole, pieces, sizeof whole);
    }
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- single precision ------------ */

/* One function of a model at GP_BLOCK random points: in single precision as in double. */
static void compare_quick(const struct nim_model *model, struct gp_factor *factor,
                          const struct gp_form *form, const struct gp_parameters *theta) {
    struct arena arena = {0};
    struct gp_quick quick;
    size_t d = model->gp.attributes;
    for (int pass = 0; pass < 2; pass++) {
        gp_quick_layout(&quick, &model->gp, &arena);
        assert_true(pass == 1 || arena_allocate(&arena));
    }
    assert_true(gp_quick_make(&quick, form, factor, &model->gp, theta));
    double point[GP_BLOCK * 3];
    float *scratch = aligned_alloc(64, (gp_quick_scratch(&model->gp) + 15) / 16 * 64);
    _Alignas(64) float x[3 * GP_BLOCK], square[3 * GP_BLOCK], mean[GP_BLOCK], variance[GP_BLOCK];
    random_normal((struct random_key){41, 1}, 0, 0, GP_BLOCK * d, point);
    for (size_t p = 0; p < GP_BLOCK; p++)
        for (size_t j = 0; j < d; j++) {
            x[j * GP_BLOCK + p] = (float)point[p * d + j];
            square[j * GP_BLOCK + p] = x[j * GP_BLOCK + p] * x[j * GP_BLOCK + p];
        }
    gp_quick_conditional(&quick, &model->gp, x, square, mean, variance, scratch);
    struct reference_gp reference;
    reference_gp_create(&reference, &model->gp, theta, factor->jitter);
    for (size_t p = 0; p < GP_BLOCK; p++) {
        real at[3], m, v;
        for (size_t j = 0; j < d; j++)
            at[j] = x[j * GP_BLOCK + p];
        reference_gp_at(&reference, at, &m, &v);
        if (!(fabsl(mean[p] - m) <= 1e-3L * sqrtl(v) && fabsl(variance[p] - v) <= 0.01L * v))
            fail_msg("%s: mean %g, expected %Lg; variance %g, expected %Lg", model->gp.kernel->name,
                     (double)mean[p], m, (double)variance[p], v);
    }
    reference_gp_free(&reference);
    free(scratch);
    arena_free(&arena);
}

/* With noise of this size on the diagonal; `precise` says whether single precision must be
 * accepted. */
static void check_quick(const char *kernel, double log_white, bool precise) {
    struct problem problem = noisy(kernel, NULL);
    struct fixture fixture;
    struct arena arena = {0};
    struct gp_factor factor = {0};
    struct gp_form form;
    double *scratch = aligned_alloc(64, GEMM_SCRATCH * sizeof(double)), q[6];
    fixture_create(&fixture, &problem);
    fixture_disturb(&fixture);
    const struct nim_model *model = fixture.model;
    struct gp_parameters theta = model_gp(model, model->theta, 0);
    *theta.log_white = log_white;
    if (!precise) /* inducing inputs that are nearly the same */
        for (size_t i = 3; i < 3 * model->gp.inducing; i++)
            theta.z[i] = theta.z[i % 3] + 1e-4 * theta.z[i];
    for (int pass = 0; pass < 2; pass++) {
        gp_factor_layout(&factor, &model->gp, false, &arena, q, (union gp_matrix){0});
        gp_form_layout(&form, &model->gp, &arena);
        assert_true(pass == 1 || arena_allocate(&arena));
    }
    factor.jitter = model->jitter[0];
    gp_scales(&model->gp, &theta, q);
    gp_factor_posterior(&factor, &model->gp, &theta, scratch);
    assert_true(gp_factor_prior(&factor, &model->gp, &theta, scratch));
    bool formed = gp_form_make(&form, &factor, &model->gp, scratch);
    if (precise) {
        assert_true(formed);
        compare_quick(model, &factor, &form, &theta);
    } else {
        struct arena room = {0};
        struct gp_quick quick;
        for (int pass = 0; pass < 2; pass++) {
            gp_quick_layout(&quick, &model->gp, &room);
            assert_true(pass == 1 || arena_allocate(&room));
        }
        assert_false(formed && gp_quick_make(&quick, &form, &factor, &model->gp, &theta));
        arena_free(&room);
    }
    arena_free(&arena);
    free(scratch);
    fixture_free(&fixture);
}

static void test_single_precision(void **state) {
    (void)state;
    for (size_t k = 0; kernel_list[k]; k++)
        check_quick(kernel_list[k]->name, log(1e-3), true);
    check_quick("se", log(1e-6), false);
}

/* P(argmax) to 1e-4, of classes whose widths differ a hundredfold too, beside any neighbours. */
static void test_coarse_robust_max(void **state) {
    (void)state;
    enum { POINTS = 21, MOST = 5 };
    double mean[MOST * POINTS], variance[MOST * POINTS], width[MOST * POINTS], p[MOST * POINTS];
    double alone[MOST], *scratch = doubles(robust_max_coarse_scratch(MOST));
    for (size_t classes = 2; classes <= MOST; classes++) {
        random_normal((struct random_key){42, 1}, classes, 0, classes * POINTS, mean);
        random_uniform((struct random_key){42, 2}, classes, 0, classes * POINTS, width);
        for (size_t i = 0; i < classes * POINTS; i++)
            variance[i] = pow(10.0, 4.0 * width[i] - 3.0);
        robust_max_coarse(classes, POINTS, mean, variance, POINTS, p, scratch);
        for (size_t r = 0; r < POINTS; r++) {
            real m[MOST], v[MOST];
            for (size_t c = 0; c < classes; c++) {
                m[c] = mean[c * POINTS + r];
                v[c] = variance[c * POINTS + r];
            }
            robust_max_coarse(classes, 1, mean + r, variance + r, POINTS, alone, scratch);
            assert_memory_equal(alone, p + r * classes, classes * sizeof *alone);
            for (size_t c = 0; c < classes; c++) {
                real expected = reference_win_probability(classes, c, m, v, NULL, NULL);
                if (!(fabsl(p[r * classes + c] - expected) < 1e-4L))
                    fail_msg("%zu classes: %g, expected %Lg", classes, p[r * classes + c],
                             expected);
            }
        }
    }
    free(scratch);
}

/* ---------------------------------------------------------------- pairs ----------------------- */

/* Products of up to three coordinates are averaged exactly: E x_i x_j is 1 if i = j, and odd
 * products vanish because points come in pairs. */
static void test_pairs(void **state) {
    (void)state;
    enum { PAIRS = 30, COORDINATES = 8 };
    double normal[PAIRS * COORDINATES], point[PAIRS * COORDINATES], weight[PAIRS];
    double work[COORDINATES * COORDINATES];
    assert_true(lattice_pairs((struct random_key){7, 7}, PAIRS, COORDINATES, normal));
    for (size_t used = 1; used <= COORDINATES; used++) {
        mirrored_pairs(PAIRS, COORDINATES, normal, used, point, weight, work);
        double total = 0.0;
        for (size_t k = 0; k < PAIRS; k++)
            total += weight[k];
        assert_true(fabs(total - 1.0) < 1e-12);
        for (size_t i = 0; i < used; i++)
            for (size_t j = 0; j <= i; j++) {
                double moment = 0.0;
                for (size_t k = 0; k < PAIRS; k++)
                    moment += weight[k] * point[k * used + i] * point[k * used + j];
                assert_true(fabs(moment - (i == j)) < 1e-10);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_steep),
        cmocka_unit_test(test_many_attributes),
        cmocka_unit_test(test_portions),
        cmocka_unit_test(test_single_precision),
        cmocka_unit_test(test_coarse_robust_max),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
