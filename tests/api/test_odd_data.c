/* SPDX-License-Identifier: Apache-2.0 */
/* Unusual but valid data work and give finite numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/calls.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- what works ------------------ */

static bool squares_exist(const nim_data *data) {
    for (size_t i = 0; i < data->rows * data->attributes; i++)
        if (fabs(data->x[i]) > 1e150)
            return false;
    return true;
}

/* Fits, inspects and predicts; all results must be finite. */
static void check_works(const nim_options *options, const nim_data *data, const char *what) {
    nim_model *model;
    nim_error error;
    if (nim_model_create(options, data, &model, &error) != NIM_OK)
        fail_msg("%s: %s", what, error.message);
    assert_true(isnan(nim_model_bound(model)) && nim_model_epochs(model) == 0);
    if (nim_model_train(model, data, NULL, NULL, &error) != NIM_OK)
        fail_msg("%s: %s", what, error.message);
    if (!isfinite(nim_model_bound(model)))
        fail_msg("%s: the bound is %g", what, nim_model_bound(model));
    assert_int_equal(nim_model_epochs(model), 3);
    check_arrays(model, squares_exist(data));
    check_prediction(model, data, what);
    check_denoising(model, data);
    nim_model_free(model);
}

/* The fixture's table with every input model and this number of kernels and noise modes. */
static void works_with(struct fixture *fixture, const char *what, size_t count) {
    static const char *const kernels[] = {"se", "polynomial", "matern32"};
    static const char *const noise[] = {"given", "both", "learned"};
    for (size_t i = 0; input_list[i]; i++)
        for (size_t k = 0; k < count; k++) {
            char where[128];
            set(fixture->options, "input", input_list[i]->name);
            set(fixture->options, "kernel", kernels[k]);
            set(fixture->options, "noise", noise[(i + k) % 3]);
            snprintf(where, sizeof where, "%s: %s, %s, %s", what, input_list[i]->name, kernels[k],
                     noise[(i + k) % 3]);
            check_works(fixture->options, &fixture->data, where);
        }
}

static void works_with_every_input(struct fixture *fixture, const char *what) {
    works_with(fixture, what, 3);
}

static void every_kernel_input_and_noise(void **state) {
    (void)state;
    static const char *const noise[] = {"given", "learned", "both"};
    for (size_t k = 0; kernel_list[k]; k++)
        for (size_t i = 0; input_list[i]; i++)
            for (size_t n = 0; n < 3; n++) {
                struct problem problem = small;
                struct fixture fixture;
                problem.kernel = kernel_list[k]->name;
                problem.input = input_list[i]->name;
                problem.noise = noise[n];
                begin(&fixture, &problem);
                set(fixture.options, "batch", "8");
                check_works(fixture.options, &fixture.data, problem_name(&problem));
                fixture_free(&fixture);
            }
}

static void missing_values(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    fixture.x[0] = fixture.x[7] = fixture.x[31] = NAN;
    fixture.x[20] = fixture.x[21] = NAN; /* a whole row */
    works_with_every_input(&fixture, "missing values");
    for (size_t i = 1; i < fixture.rows; i++)
        fixture.x[2 * i] = NAN; /* a whole column except for one cell */
    fixture.x[0] = 3.0;
    works_with_every_input(&fixture, "one value left");
    fixture.data.sigma = NULL;
    works_with_every_input(&fixture, "missing values, no errors");
    fixture_free(&fixture);
}

static void errors_of_every_kind(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    fixture.sigma[3] = fixture.sigma[8] = NAN;
    works_with_every_input(&fixture, "unknown errors");
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.sigma[2 * i] = NAN;
    works_with_every_input(&fixture, "a column of unknown errors");
    fixture.data.sigma_rows = 1;
    works_with_every_input(&fixture, "shared errors");
    memset(fixture.sigma, 0, fixture.rows * 2 * sizeof(double));
    works_with_every_input(&fixture, "shared zero errors");
    fixture.data.sigma_rows = fixture.rows;
    works_with_every_input(&fixture, "zero errors");
    for (size_t i = 0; i < fixture.rows * 2; i += 3)
        fixture.sigma[i] = 1e10;
    works_with_every_input(&fixture, "huge errors");
    fixture.sigma[0] = 1.7e308;
    works_with_every_input(&fixture, "the hugest error");
    fixture.data.sigma = NULL;
    fixture.data.sigma_rows = 0;
    works_with_every_input(&fixture, "no errors");
    fixture_free(&fixture);
}

static void columns_and_rows_of_every_kind(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.x[2 * i + 1] = fixture.x[2 * i];
    works_with_every_input(&fixture, "duplicate columns");
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.x[2 * i + 1] = 1e9 / 7.0;
    works_with_every_input(&fixture, "a constant column");
    for (size_t i = 0; i < fixture.rows; i++)
        memcpy(fixture.x + 2 * i, fixture.x + 2 * (i % 3), 2 * sizeof(double));
    works_with_every_input(&fixture, "duplicate rows");
    for (size_t i = 0; i < fixture.rows; i++)
        memcpy(fixture.x + 2 * i, fixture.x, 2 * sizeof(double));
    works_with_every_input(&fixture, "all rows equal");
    fixture_free(&fixture);
}

static void a_constant_column_is_not_relevant(void **state) {
    (void)state;
    struct fixture fixture;
    nim_model *model;
    nim_error error;
    double relevance[2];
    begin(&fixture, &small);
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.x[2 * i + 1] = 7.1;
    stop_on(nim_model_create(fixture.options, &fixture.data, &model, &error), &error);
    stop_on(nim_model_train(model, &fixture.data, NULL, NULL, &error), &error);
    stop_on(nim_model_get(model, "relevance", relevance, 2, NULL, &error), &error);
    assert_true(relevance[0] == 1.0 && relevance[1] == 0.0);
    nim_model_free(model);
    fixture_free(&fixture);
}

/* x and its errors in other units, one for each column. */
static void check_units(double first, double second) {
    struct fixture fixture;
    char what[64];
    begin(&fixture, &small);
    snprintf(what, sizeof what, "units %g and %g", first, second);
    double largest = 0.0;
    for (size_t i = 0; i < fixture.rows * 2; i++)
        largest = fmax(largest, fabs(fixture.x[i]));
    for (size_t i = 0; i < fixture.rows * 2; i++) {
        double unit = i % 2 ? second : first;
        fixture.x[i] *= unit / largest;
        fixture.sigma[i] *= unit / largest;
    }
    works_with_every_input(&fixture, what);
    fixture_free(&fixture);
}

static void units_of_every_size(void **state) {
    (void)state;
    check_units(1e300, 1e-300);
    check_units(1e-300, 1.0);
    check_units(1e3, 1e-3);
}

/* Half of the column is near -DBL_MAX, half near DBL_MAX. Lengthscales in such units may overflow,
 * so only predictions are requested. */
static void the_largest_values(void **state) {
    (void)state;
    struct fixture fixture;
    nim_model *model;
    nim_error error;
    begin(&fixture, &small);
    for (size_t i = 0; i < fixture.rows; i++) {
        fixture.x[2 * i] = (i % 2 ? 1.7e308 : -1.7e308) * (1.0 - 0.001 * (double)i);
        fixture.sigma[2 * i] = 1e306;
    }
    for (size_t k = 0; input_list[k]; k++) {
        set(fixture.options, "input", input_list[k]->name);
        stop_on(nim_model_create(fixture.options, &fixture.data, &model, &error), &error);
        stop_on(nim_model_train(model, &fixture.data, NULL, NULL, &error), &error);
        assert_true(isfinite(nim_model_bound(model)));
        check_prediction(model, &fixture.data, input_list[k]->name);
        nim_model_free(model);
    }
    fixture_free(&fixture);
}

static void check_shape(size_t classes, size_t attributes, size_t rows, const char *batch) {
    struct problem problem = small;
    struct fixture fixture;
    problem.classes = classes;
    problem.attributes = attributes;
    problem.rows = rows;
    problem.inducing = rows < 6 ? rows : 6;
    begin(&fixture, &problem);
    set(fixture.options, "batch", batch);
    set(fixture.options, "inducing", "0");
    works_with_every_input(&fixture, problem_name(&problem));
    fixture_free(&fixture);
}

static void shapes_of_every_kind(void **state) {
    (void)state;
    check_shape(2, 1, 2, "200"); /* the smallest shape */
    check_shape(2, 3, 2, "1");
    check_shape(3, 1, 20, "200");
    check_shape(3, 2, 20, "1");
    check_shape(3, 300, 20, "200");
    check_shape(26, 3, 60, "25");
}

static void a_class_without_rows(void **state) {
    (void)state;
    struct fixture fixture;
    nim_model *model;
    nim_error error;
    begin(&fixture, &small);
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.labels[i] = i % 2 ? 4 : 1; /* none has 0, 2 or 3 */
    works_with_every_input(&fixture, "a gap in the labels");
    stop_on(nim_model_create(fixture.options, &fixture.data, &model, &error), &error);
    assert_int_equal(nim_model_classes(model), 5);
    nim_model_free(model);
    set(fixture.options, "classes", "7");
    works_with_every_input(&fixture, "classes beyond the labels");
    stop_on(nim_model_create(fixture.options, &fixture.data, &model, &error), &error);
    assert_int_equal(nim_model_classes(model), 7);
    assert_int_equal(nim_model_attributes(model), 2);
    nim_model_free(model);
    fixture_free(&fixture);
}

static void other_options(void **state) {
    (void)state;
    static const struct {
        const char *name, *value;
    } settings[] = {
        {"samples", "3"},          {"learn_epsilon", "1"},  {"standardise", "0"},
        {"epsilon", "0.5"},        {"epsilon", "1e-9"},     {"rate", "1"},
        {"jitter", "1e-12"},       {"points", "1"},         {"points", "2"},
        {"prior_variance", "0.1"}, {"layers", "6"},         {"units", "1"},
        {"noise_start", "100"},    {"degree", "9"},         {"seed", "9007199254740992"},
        {"stop", "fixed"},         {"noise_start", "1e-6"}, {"inducing", "1"},
        {"whiten", "0"},           {"white_start", "100"},  {"white_start", "1e-12"},
    };
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        struct fixture fixture;
        begin(&fixture, &small);
        set(fixture.options, settings[k].name, settings[k].value);
        works_with_every_input(&fixture, settings[k].name);
        fixture_free(&fixture);
    }
}

static void weights_with_zeros(void **state) {
    (void)state;
    struct fixture fixture;
    double weights[30];
    begin(&fixture, &small);
    for (size_t i = 0; i < 30; i++)
        weights[i] = i % 3 ? 0.5 * (double)i : 0.0;
    fixture.data.weights = weights;
    set(fixture.options, "batch", "2"); /* some batches have total weight zero */
    works_with_every_input(&fixture, "weights");
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- odd targets ----------------- */

static void begin_with(struct fixture *fixture, const char *likelihood) {
    struct problem problem = small;
    problem.likelihood = likelihood;
    problem.classes = strcmp(likelihood, "probit") == 0 ? 2 : 3;
    begin(fixture, &problem);
    set(fixture->options, "points", "4"); /* quantiles evaluate each of them */
}

static void every_likelihood_works(void **state) {
    (void)state;
    for (size_t l = 0; likelihood_list[l]; l++) {
        struct fixture fixture;
        begin_with(&fixture, likelihood_list[l]->name);
        works_with_every_input(&fixture, likelihood_list[l]->name);
        set(fixture.options, "batch", "1");
        set(fixture.options, "standardise", "0");
        works_with(&fixture, likelihood_list[l]->name, 1);
        set(fixture.options, "alpha", "0.5");
        works_with(&fixture, likelihood_list[l]->name, 1);
        fixture_free(&fixture);
    }
}

/* Targets that are all `base`, or `base` times one of a few numbers. */
static void check_magnitude(const char *likelihood, double base, const char *what) {
    struct fixture fixture;
    begin_with(&fixture, likelihood);
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.targets[i] = base;
    works_with(&fixture, what, 1);
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.targets[i] = base * (1.0 - 0.25 * (double)(i % 5));
    works_with(&fixture, what, 1);
    fixture.targets[3] = 0.0;
    works_with(&fixture, what, 1);
    set(fixture.options, "alpha", "0.5");
    works_with(&fixture, what, 1);
    set(fixture.options, "alpha", "1");
    works_with(&fixture, what, 1);
    fixture_free(&fixture);
}

static void numbers_of_every_size(void **state) {
    (void)state;
    static const double base[] = {0.0, 1.0, 1e300, -1.7e308, 1e-300, 1e-308, 4e15};
    static const char *const names[] = {"gaussian", "student_t"};
    for (size_t n = 0; n < 2; n++)
        for (size_t k = 0; k < sizeof base / sizeof *base; k++) {
            char what[64];
            snprintf(what, sizeof what, "%s of %g", names[n], base[k]);
            check_magnitude(names[n], base[k], what);
        }
}

/* One row far outside of all others. */
static void an_outlier(void **state) {
    (void)state;
    static const double far[] = {1e3, 1e10, 1e100, 1e300};
    static const char *const names[] = {"gaussian", "student_t"};
    for (size_t n = 0; n < 2; n++)
        for (size_t k = 0; k < 4; k++) {
            struct fixture fixture;
            begin_with(&fixture, names[n]);
            fixture.targets[5] = far[k];
            works_with(&fixture, names[n], 1);
            set(fixture.options, "alpha", "1");
            works_with(&fixture, names[n], 1);
            fixture_free(&fixture);
        }
}

static void counts_of_every_size(void **state) {
    (void)state;
    static const double base[] = {0.0, 1.0, 1000.0, 0x1p53};
    static const double exposures[] = {1.0, 1e-280, 1e280};
    for (size_t k = 0; k < 4; k++)
        for (size_t e = 0; e < 3; e++) {
            struct fixture fixture;
            char what[64];
            begin_with(&fixture, "poisson");
            fixture.data = rows_of(&fixture.data, 0, 7); /* large counts take time */
            snprintf(what, sizeof what, "counts of %g over %g", base[k], exposures[e]);
            for (size_t i = 0; i < fixture.rows; i++) {
                fixture.targets[i] = floor(base[k] / (1.0 + (double)(i % 3)));
                fixture.exposure[i] = exposures[e];
            }
            set(fixture.options, "input", input_list[(k + e) % 6]->name);
            check_works(fixture.options, &fixture.data, what);
            set(fixture.options, "alpha", k % 2 ? "1" : "0.5");
            check_works(fixture.options, &fixture.data, what);
            fixture.data.exposure = NULL;
            check_works(fixture.options, &fixture.data, what);
            set(fixture.options, "alpha", "0");
            check_works(fixture.options, &fixture.data, what);
            fixture_free(&fixture);
        }
}

/* One count of a million, all others zero. */
static void a_burst(void **state) {
    (void)state;
    struct fixture fixture;
    begin_with(&fixture, "poisson");
    memset(fixture.targets, 0, fixture.rows * sizeof(double));
    fixture.targets[7] = 1e6;
    works_with(&fixture, "a burst", 1);
    set(fixture.options, "alpha", "1");
    works_with(&fixture, "a burst", 1);
    fixture_free(&fixture);
}

static void sets_of_every_kind(void **state) {
    (void)state;
    struct fixture fixture;
    begin_with(&fixture, "multilabel");
    for (size_t i = 0; i < fixture.rows; i += 4)
        memset(fixture.targets + 3 * i, 0, 3 * sizeof(double));
    works_with(&fixture, "rows without a label", 1);
    for (size_t i = 0; i < fixture.rows; i++) {
        fixture.targets[3 * i] = 0.0;
        fixture.targets[3 * i + 1] = 1.0;
    }
    works_with(&fixture, "a label that no row has, and one that all have", 1);
    memset(fixture.targets, 0, fixture.rows * 3 * sizeof(double));
    works_with(&fixture, "no labels at all", 1);
    fixture.data.outputs = 1;
    works_with(&fixture, "one label", 1);
    set(fixture.options, "functions", "5");
    works_with(&fixture, "one label of five functions", 1);
    fixture_free(&fixture);
}

/* Only the lowest and the highest level, and one row with a level in between. */
static void levels_of_every_kind(void **state) {
    (void)state;
    struct fixture fixture;
    begin_with(&fixture, "ordinal");
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.labels[i] = i == 4 ? 1 : i % 2 ? 2 : 0;
    works_with(&fixture, "a lonely level", 1);
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.labels[i] = (int32_t)i;
    works_with(&fixture, "a level for every row", 1);
    fixture_free(&fixture);
}

/* Densities of very unlikely targets are small and not NaN, and those of the likeliest are not
 * large. */
static void densities_of_surprises(void **state) {
    (void)state;
    static const double y[] = {-1e300, -1e6, 0.0, 10.0, 1e6, 1e300};
    static const double counts[] = {0.0, 1.0, 1e3, 1e6, 1e12, 0x1p53};
    static const char *const names[] = {"gaussian", "student_t", "poisson"};
    for (size_t n = 0; n < 3; n++) {
        struct fixture fixture;
        nim_predictor *predictor;
        nim_error error;
        double density[6];
        begin_with(&fixture, names[n]);
        nim_data data = rows_of(&fixture.data, 0, 6);
        data.targets = n == 2 ? counts : y;
        stop_on(nim_predictor_create(fixture.model, &predictor, &error), &error);
        stop_on(nim_predict(predictor, &data, &NIM_PREDICTION(.log_density = density), &error),
                &error);
        for (size_t i = 0; i < 6; i++) /* the log of a density that underflows may be -infinity */
            assert_true(density[i] < 5.0);
        nim_predictor_free(predictor);
        fixture_free(&fixture);
    }
}

/* A row at a distance of `far` deviations from all training rows. */
static void predict_far_away(const nim_model *model, double far, bool may_refuse,
                             const char *what) {
    const double x[] = {far, 0.0, -far, far, 0.0, -far}, sigma[] = {0.1, 0.1};
    const nim_data data =
        NIM_DATA(.rows = 3, .attributes = 2, .x = x, .sigma = sigma, .sigma_rows = 1);
    if (may_refuse) {
        double p[9];
        nim_predictor *predictor;
        nim_error error;
        stop_on(nim_predictor_create(model, &predictor, &error), &error);
        nim_status status =
            nim_predict(predictor, &data, &NIM_PREDICTION(.probabilities = p), &error);
        nim_predictor_free(predictor);
        if (status != NIM_OK) {
            assert_refused(what, status, NIM_NUMERICAL, &error, WORDS("row"));
            return;
        }
    }
    check_prediction(model, &data, what);
}

static void predictions_far_away(const char *kernel, const char *input, const char *likelihood,
                                 bool may_refuse) {
    static const double far[] = {1e2, 1e5, 1e10, 1e30, 1e60, 1e100, 1e155, 1e300, 1.7e308};
    struct problem problem = small;
    struct fixture fixture;
    nim_model *model;
    nim_error error;
    problem.kernel = kernel;
    problem.input = input;
    problem.likelihood = likelihood;
    problem.classes = strcmp(likelihood, "probit") == 0 ? 2 : 3;
    begin(&fixture, &problem);
    stop_on(nim_model_create(fixture.options, &fixture.data, &model, &error), &error);
    stop_on(nim_model_train(model, &fixture.data, NULL, NULL, &error), &error);
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        char what[128];
        snprintf(what, sizeof what, "%s, %s, %s, at a distance of %g", kernel, input, likelihood,
                 far[k]);
        predict_far_away(model, far[k], may_refuse && far[k] > 1e30, what);
    }
    nim_model_free(model);
    fixture_free(&fixture);
}

/* Where the kernel has decreased to zero, the prediction is that of the prior and not NaN. */
static void far_away_squared_exponential(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++)
        predictions_far_away("se", input_list[i]->name, "robust_max", false);
}
static void far_away_matern(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++)
        predictions_far_away(i % 2 ? "matern32" : "matern52", input_list[i]->name, "robust_max",
                             false);
}
/* Powers that overflow may be an error, but must not be returned as a success. */
static void far_away_polynomial(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++)
        predictions_far_away("polynomial", input_list[i]->name, "robust_max", true);
}
/* Rates that overflow and probabilities that underflow: the results are still numbers. */
static void far_away_every_likelihood(void **state) {
    (void)state;
    for (size_t l = 1; likelihood_list[l]; l++) {
        predictions_far_away("se", "latent", likelihood_list[l]->name, false);
        predictions_far_away("polynomial", "exact", likelihood_list[l]->name, false);
        predictions_far_away("polynomial", "first_order", likelihood_list[l]->name, false);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_input_and_noise),
        cmocka_unit_test(missing_values),
        cmocka_unit_test(errors_of_every_kind),
        cmocka_unit_test(columns_and_rows_of_every_kind),
        cmocka_unit_test(a_constant_column_is_not_relevant),
        cmocka_unit_test(units_of_every_size),
        cmocka_unit_test(the_largest_values),
        cmocka_unit_test(shapes_of_every_kind),
        cmocka_unit_test(a_class_without_rows),
        cmocka_unit_test(other_options),
        cmocka_unit_test(weights_with_zeros),
        cmocka_unit_test(far_away_squared_exponential),
        cmocka_unit_test(far_away_matern),
        cmocka_unit_test(far_away_polynomial),
        cmocka_unit_test(far_away_every_likelihood),
        cmocka_unit_test(every_likelihood_works),
        cmocka_unit_test(numbers_of_every_size),
        cmocka_unit_test(an_outlier),
        cmocka_unit_test(counts_of_every_size),
        cmocka_unit_test(a_burst),
        cmocka_unit_test(sets_of_every_kind),
        cmocka_unit_test(levels_of_every_kind),
        cmocka_unit_test(densities_of_surprises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
