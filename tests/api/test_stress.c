/* SPDX-License-Identifier: Apache-2.0 */
/* Extreme numbers: the results are finite, or there is a one-line message that says why not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/calls.h"
#include "support/sanitized.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sample {
    size_t rows, attributes;
    double *x, *sigma;
    int32_t *labels;
};

static struct sample make(size_t rows, size_t attributes) {
    struct sample sample = {rows, attributes, calloc(rows * attributes, sizeof(double)),
                            calloc(rows * attributes, sizeof(double)),
                            calloc(rows, sizeof(int32_t))};
    assert_true(sample.x && sample.sigma && sample.labels);
    for (size_t i = 0; i < rows * attributes; i++) {
        sample.x[i] = sin(12.9898 * (double)i) + cos(78.233 * (double)(i / attributes));
        sample.sigma[i] = 0.1 + 0.05 * sin((double)i);
    }
    for (size_t i = 0; i < rows; i++)
        sample.labels[i] = sample.x[i * attributes] > 0.0;
    return sample;
}

static void free_sample(struct sample *sample) {
    free(sample->x);
    free(sample->sigma);
    free(sample->labels);
}

static nim_data data_of(const struct sample *sample) {
    return NIM_DATA(.rows = sample->rows, .attributes = sample->attributes, .x = sample->x,
                    .sigma = sample->sigma, .sigma_rows = sample->rows, .labels = sample->labels);
}

/* An error is one line, about numbers or the data, never about the arguments. */
static bool went_well(nim_status status, const nim_error *error, const char *what) {
    if (status == NIM_OK)
        return true;
    if ((status != NIM_NUMERICAL && status != NIM_BAD_DATA) || !error->message[0] ||
        strchr(error->message, '\n'))
        fail_msg("%s: status %d, '%s'", what, (int)status, error->message);
    return false;
}

/* Whether the training completed; if so, its predictions must be finite. */
static bool withstands(const nim_options *options, const struct sample *sample, const char *what) {
    nim_data data = data_of(sample);
    nim_model *model = NULL;
    nim_error error;
    bool well = went_well(nim_model_create(options, &data, &model, &error), &error, what) &&
                went_well(nim_model_train(model, &data, NULL, NULL, &error), &error, what);
    if (well) {
        assert_true(isfinite(nim_model_bound(model)));
        check_prediction(model, &data, what);
        check_denoising(model, &data);
    }
    nim_model_free(model);
    return well;
}

/* Kernels and input models alternate: over all kinds of stress every kernel is combined with every
 * input model, and each kind with each of both. Fewer with sanitizers. */
enum { TURNS = SANITIZED ? 6 : 2 };
static bool is_tried(size_t kernel, size_t input, size_t turn) {
    return (kernel + input) % TURNS == turn % TURNS;
}

/* Runs them on the sample; returns how many trainings completed. */
static size_t withstands_with_all(const struct sample *sample, size_t turn, const char *inducing,
                                  const char *what) {
    size_t well = 0;
    for (size_t k = 0; kernel_list[k]; k++)
        for (size_t i = 0; input_list[i]; i++) {
            if (!is_tried(k, i, turn))
                continue;
            nim_options *options = nim_options_create();
            char where[128];
            set(options, "kernel", kernel_list[k]->name);
            set(options, "input", input_list[i]->name);
            set(options, "inducing", inducing);
            set(options, "epochs", "2");
            set(options, "threads", "1");
            set(options, "points", "16");
            set(options, "calibrate", "none");
            snprintf(where, sizeof where, "%s: %s, %s", what, kernel_list[k]->name,
                     input_list[i]->name);
            well += withstands(options, sample, where);
            nim_options_free(options);
        }
    return well;
}

static size_t all_of_them(size_t turn) {
    size_t count = 0;
    for (size_t k = 0; kernel_list[k]; k++)
        for (size_t i = 0; input_list[i]; i++)
            count += is_tried(k, i, turn);
    return count;
}

/* More inducing inputs than different rows: their covariance is singular except for the jitter. */
static void repeated_rows(void **state) {
    (void)state;
    enum { DIFFERENT = 4 };
    struct sample sample = make(400, 2);
    for (size_t i = DIFFERENT; i < sample.rows; i++) {
        memcpy(sample.x + 2 * i, sample.x + 2 * (i % DIFFERENT), 2 * sizeof(double));
        memcpy(sample.sigma + 2 * i, sample.sigma + 2 * (i % DIFFERENT), 2 * sizeof(double));
        sample.labels[i] = (int32_t)(i % 2);
    }
    assert_int_equal(withstands_with_all(&sample, 0, "20", "repeated rows"), all_of_them(0));
    free_sample(&sample);
}

/* So many copies that sums over rows are a thousand times as large as one row. */
static void rows_repeated_a_thousand_times(void **state) {
    (void)state;
    static const char *const inputs[] = {"marginal", "latent", "exact"};
    enum { DIFFERENT = 3 };
    struct sample sample = make(1000 * DIFFERENT, 2);
    for (size_t i = DIFFERENT; i < sample.rows; i++) {
        memcpy(sample.x + 2 * i, sample.x + 2 * (i % DIFFERENT), 2 * sizeof(double));
        memcpy(sample.sigma + 2 * i, sample.sigma + 2 * (i % DIFFERENT), 2 * sizeof(double));
        sample.labels[i] = (int32_t)(i % 2);
    }
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        nim_options *options = nim_options_create();
        set(options, "input", inputs[i]);
        set(options, "inducing", "10");
        set(options, "epochs", "1");
        set(options, "threads", "1");
        set(options, "points", "16");
        set(options, "calibrate", "none");
        assert_true(withstands(options, &sample, inputs[i]));
        nim_options_free(options);
    }
    free_sample(&sample);
}

static void nearly_equal_rows(void **state) {
    (void)state;
    struct sample sample = make(60, 2);
    for (size_t i = 0; i < 120; i++) {
        sample.x[i] = 1.0 + 1e-13 * sample.x[i];
        sample.sigma[i] = 1e-14;
    }
    assert_int_equal(withstands_with_all(&sample, 1, "20", "nearly equal rows"), all_of_them(1));
    free_sample(&sample);
}

static void units_far_apart(void **state) {
    (void)state;
    static const double unit[] = {1e-300, 1.0, 1e300, 1e-150};
    struct sample sample = make(60, 4);
    for (size_t i = 0; i < 240; i++) {
        sample.x[i] *= unit[i % 4];
        sample.sigma[i] *= unit[i % 4];
    }
    assert_int_equal(withstands_with_all(&sample, 2, "10", "units far apart"), all_of_them(2));
    free_sample(&sample);
}

static void errors_far_apart(void **state) {
    (void)state;
    static const double factor[] = {0.0, 1e-300, 1e-8, 1.0, 1e8, 1e150, 1e300};
    struct sample sample = make(70, 2);
    for (size_t i = 0; i < 140; i++)
        sample.sigma[i] *= factor[i % 7];
    withstands_with_all(&sample, 3, "10", "errors far apart");
    free_sample(&sample);
}

static void as_many_inducing_inputs_as_rows(void **state) {
    (void)state;
    struct sample sample = make(40, 2);
    assert_int_equal(withstands_with_all(&sample, 4, "40", "M = N"), all_of_them(4));
    free_sample(&sample);
}

static void one_row_of_the_other_class(void **state) {
    (void)state;
    struct sample sample = make(150, 2);
    memset(sample.labels, 0, sample.rows * sizeof *sample.labels);
    sample.labels[77] = 1;
    assert_int_equal(withstands_with_all(&sample, 5, "10", "one row of the other class"),
                     all_of_them(5));
    free_sample(&sample);
}

static void a_class_for_every_row(void **state) {
    (void)state;
    struct sample few = make(200, 2), many = make(100000, 1);
    nim_options *options = nim_options_create();
    nim_model *model = NULL;
    nim_error error;
    for (size_t i = 0; i < few.rows; i++)
        few.labels[i] = (int32_t)i;
    set(options, "inducing", "2");
    set(options, "epochs", "1");
    set(options, "threads", "1");
    set(options, "points", "8");
    assert_true(withstands(options, &few, "200 classes of one row"));
    for (size_t i = 0; i < many.rows; i++)
        many.labels[i] = (int32_t)i;
    nim_data data = data_of(&many);
    nim_status status = nim_model_create(options, &data, &model, &error);
    assert_true(status == NIM_BAD_DATA || status == NIM_INVALID_ARGUMENT);
    assert_null(model);
    assert_non_null(strstr(error.message, "10000"));
    nim_options_free(options);
    free_sample(&few);
    free_sample(&many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_rows),
        cmocka_unit_test(rows_repeated_a_thousand_times),
        cmocka_unit_test(nearly_equal_rows),
        cmocka_unit_test(units_far_apart),
        cmocka_unit_test(errors_far_apart),
        cmocka_unit_test(as_many_inducing_inputs_as_rows),
        cmocka_unit_test(one_row_of_the_other_class),
        cmocka_unit_test(a_class_for_every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
