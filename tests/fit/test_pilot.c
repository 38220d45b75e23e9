/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A training of numbers asks early whether mixtures say so much more of y that the plain fit can
 * end. It ends where y has two branches, and goes on where it has one; a training that was stopped
 * anywhere ends with the same bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/random.h"
#include "model/model.h"
#include "support/calls.h"
#include "support/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400, MOST_BYTES = 1 << 20 };

static double x[ROWS], y[ROWS], sigma[ROWS];

/* y = x, and on the other branch -x; or a sine. With errors that differ from row to row. */
static nim_data make_rows(bool branches) {
    double noise[2 * ROWS];
    random_uniform((struct random_key){8, 1}, 0, 0, ROWS, x);
    random_normal((struct random_key){8, 2}, 0, 0, 2 * ROWS, noise);
    for (size_t i = 0; i < ROWS; i++) {
        double true_x = 4.0 * x[i] - 2.0;
        sigma[i] = 0.02 * (1.0 + (double)(i % 5));
        x[i] = true_x + sigma[i] * noise[i];
        y[i] = (branches ? i % 2 ? -true_x : true_x : sin(6.0 * true_x)) + 0.03 * noise[ROWS + i];
    }
    return NIM_DATA(.rows = ROWS, .attributes = 1, .x = x, .sigma = sigma, .sigma_rows = ROWS,
                    .targets = y, .outputs = 1);
}

static nim_model *create(const nim_data *data, const char *views) {
    nim_options *options = nim_options_create();
    nim_model *model;
    nim_error error;
    set(options, "likelihood", "gaussian");
    set(options, "inducing", "10");
    set(options, "epochs", "40");
    set(options, "views", views);
    stop_on(nim_model_create(options, data, &model, &error), &error);
    nim_options_free(options);
    return model;
}

/* Stops at the call with this number. */
static int stop_at(const nim_progress *progress, void *context) {
    (void)progress;
    size_t *left = context;
    return --*left == 0;
}

/* Trains to the end, stopped and saved after every `each` reports of progress, or never if it is 0.
 */
static nim_model *train(const nim_data *data, const char *views, size_t each) {
    nim_model *model = create(data, views);
    nim_status status = NIM_CANCELLED;
    while (status == NIM_CANCELLED) {
        nim_error error;
        size_t left = each, size = 0;
        status = nim_model_train(model, data, each ? stop_at : NULL, &left, &error);
        if (status != NIM_CANCELLED)
            stop_on(status, &error);
        else {
            char *bytes = malloc(MOST_BYTES);
            assert_non_null(bytes);
            stop_on(nim_model_save_memory(model, bytes, MOST_BYTES, &size, &error), &error);
            nim_model_free(model);
            stop_on(nim_model_load_memory(bytes, size, &model, &error), &error);
            free(bytes);
        }
        each += each > 0; /* so that it gets further than the time before */
    }
    return model;
}

static void ends_where_mixtures_say_more(void **state) {
    (void)state;
    for (int branches = 0; branches < 2; branches++) {
        nim_data data = make_rows(branches);
        nim_model *panel = train(&data, "auto", 0), *plain = train(&data, "one", 0);
        if (branches)
            assert_true(panel->panel && 10 * panel->step <= 3 * plain->step);
        else
            assert_true(panel->step == plain->step);
        nim_model_free(panel);
        nim_model_free(plain);
    }
}

static void same_bits_if_stopped(void **state) {
    (void)state;
    nim_data data = make_rows(true);
    nim_model *whole = train(&data, "auto", 0), *parts = train(&data, "auto", 1);
    assert_non_null(parts->panel);
    assert_true(whole->step == parts->step && whole->count == parts->count);
    assert_memory_equal(whole->theta, parts->theta, whole->count * sizeof(double));
    const struct joint *one = &whole->panel->joint, *other = &parts->panel->joint;
    assert_int_equal(one->mixtures, other->mixtures);
    for (size_t m = 0; m < one->mixtures; m++) {
        size_t count = one->mixture[m].components * one->mixture[m].attributes;
        assert_int_equal(one->mixture[m].components, other->mixture[m].components);
        assert_memory_equal(one->mixture[m].mean, other->mixture[m].mean, count * sizeof(double));
    }
    nim_model_free(whole);
    nim_model_free(parts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_where_mixtures_say_more),
        cmocka_unit_test(same_bits_if_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
