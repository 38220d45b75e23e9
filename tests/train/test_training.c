/* SPDX-License-Identifier: Apache-2.0 */
/* The course of training, seen through the public interface. */
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

/* ---------------------------------------------------------------- the course of training ------ */

struct watch {
    size_t calls, stop_at;
    nim_progress last;
    bool orderly;
};

static int watch_progress(const nim_progress *progress, void *context) {
    struct watch *watch = context;
    watch->calls++;
    watch->orderly = watch->orderly && progress->epoch == watch->calls &&
                     progress->step > watch->last.step && isfinite(progress->bound) &&
                     progress->rate > 0.0 && progress->jitter > 0.0;
    watch->last = *progress;
    return watch->calls == watch->stop_at;
}

static void progress_is_told(void **state) {
    (void)state;
    struct fixture fixture;
    nim_error error;
    struct watch watch = {.orderly = true};
    begin(&fixture, &small);
    set(fixture.options, "epochs", "5");
    set(fixture.options, "stop", "fixed");
    set(fixture.options, "batch", "7");
    nim_model *model;
    stop_on(nim_model_create(fixture.options, &fixture.data, &model, &error), &error);
    stop_on(nim_model_train(model, &fixture.data, watch_progress, &watch, &error), &error);
    assert_true(watch.orderly);
    assert_int_equal(watch.calls, 5);
    assert_int_equal(watch.last.epochs, 5);
    assert_int_equal(watch.last.step, 5 * 5); /* 30 rows in batches of at most 7 */
    assert_true(watch.last.bound == nim_model_bound(model));
    nim_model_free(model);
    fixture_free(&fixture);
}

static void cancelled_model_is_usable(void **state) {
    (void)state;
    struct fixture fixture;
    nim_error error;
    begin(&fixture, &small);
    set(fixture.options, "epochs", "50");
    for (size_t i = 0; input_list[i]; i++) {
        struct watch watch = {.orderly = true, .stop_at = 2};
        nim_model *model;
        set(fixture.options, "input", input_list[i]->name);
        stop_on(nim_model_create(fixture.options, &fixture.data, &model, &error), &error);
        assert_refused("train",
                       nim_model_train(model, &fixture.data, watch_progress, &watch, &error),
                       NIM_CANCELLED, &error, WORDS("step 2"));
        assert_int_equal(watch.calls, 2);
        assert_int_equal(nim_model_epochs(model), 2);
        assert_true(isfinite(nim_model_bound(model)));
        check_prediction(model, &fixture.data, input_list[i]->name);
        check_denoising(model, &fixture.data);
        watch = (struct watch){.orderly = true, .stop_at = 3};
        assert_int_equal(nim_model_train(model, &fixture.data, watch_progress, &watch, NULL),
                         NIM_CANCELLED);
        assert_int_equal(nim_model_epochs(model), 5);
        nim_model_free(model);
    }
    fixture_free(&fixture);
}

static void check_warm_start(struct fixture *fixture) {
    nim_model *model;
    nim_error error;
    nim_data all = fixture->data, first = fixture->data;
    first.rows = first.sigma_rows = 20;
    stop_on(nim_model_create(fixture->options, &first, &model, &error), &error);
    stop_on(nim_model_train(model, &first, NULL, NULL, &error), &error);
    assert_int_equal(nim_model_epochs(model), 3);
    double bound = nim_model_bound(model);
    stop_on(nim_model_train(model, &first, NULL, NULL, &error), &error);
    assert_int_equal(nim_model_epochs(model), 6);
    assert_true(nim_model_bound(model) > bound); /* so early in training it can only rise */
    stop_on(nim_model_train(model, &all, NULL, NULL, &error), &error);
    assert_int_equal(nim_model_epochs(model), 9);
    check_prediction(model, &all, "warm start");
    check_denoising(model, &all);
    bound = nim_model_bound(model);
    refuse_training(model, &first, NIM_INVALID_ARGUMENT, WORDS("20 rows", "30"));
    assert_true(nim_model_bound(model) == bound);
    stop_on(nim_model_train(model, &all, NULL, NULL, &error), &error);
    assert_int_equal(nim_model_epochs(model), 12);
    nim_model_free(model);
}

static void warm_starts_go_on(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    set(fixture.options, "stop", "fixed");
    for (size_t i = 0; input_list[i]; i++) {
        set(fixture.options, "input", input_list[i]->name);
        check_warm_start(&fixture);
    }
    fixture_free(&fixture);
}

/* A latent model knows the rows it was trained on and no others. */
static void denoising_unknown_rows(void **state) {
    (void)state;
    struct fixture fixture;
    nim_error error;
    begin(&fixture, &small);
    nim_data first = fixture.data;
    first.rows = first.sigma_rows = 20;
    stop_on(nim_model_train(fixture.model, &first, NULL, NULL, &error), &error);
    refuse_denoising(fixture.model, &fixture.data, NIM_INVALID_ARGUMENT, WORDS("30", "20"));
    check_denoising(fixture.model, &first);
    fixture_free(&fixture);
}

/* The caller's own loop does what nim_model_train does at a constant rate and without a warm-up. */
static void own_loop_equals_training(void **state) {
    (void)state;
    struct fixture fixture;
    nim_error error;
    nim_model *whole, *stepped;
    nim_trainer *trainer;
    double bound, before, after;
    begin(&fixture, &small);
    set(fixture.options, "stop", "fixed");
    set(fixture.options, "warm_up", "0");
    set(fixture.options, "batch", "10");
    stop_on(nim_model_create(fixture.options, &fixture.data, &whole, &error), &error);
    stop_on(nim_model_create(fixture.options, &fixture.data, &stepped, &error), &error);
    stop_on(nim_model_train(whole, &fixture.data, NULL, NULL, &error), &error);
    stop_on(nim_trainer_create(stepped, &fixture.data, &trainer, &error), &error);
    for (size_t step = 0; step < 9; step++) {
        assert_int_equal(nim_model_epochs(stepped), step / 3);
        stop_on(nim_trainer_step(trainer, step % 2 ? &bound : NULL, &error), &error);
    }
    nim_trainer_free(trainer);
    before = nim_model_bound(whole);
    after = nim_model_bound(stepped);
    assert_memory_equal(&before, &after, sizeof before);
    nim_model_free(whole);
    nim_model_free(stepped);
    fixture_free(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_is_told),         cmocka_unit_test(cancelled_model_is_usable),
        cmocka_unit_test(warm_starts_go_on),        cmocka_unit_test(denoising_unknown_rows),
        cmocka_unit_test(own_loop_equals_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
