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

/* ---------------------------------------------------------------- memory of rows -------------- */

/* A storage that knows how much it holds and refuses after so many calls. */
struct shelf {
    size_t bytes, calls, calls_left;
};

static void *shelf_resize(void *memory, size_t before, size_t after, void *context) {
    struct shelf *shelf = context;
    assert_true((memory != NULL) == (before > 0) && shelf->bytes >= before);
    if (after && shelf->calls++ >= shelf->calls_left)
        return NULL;
    shelf->bytes += after - before;
    if (after) /* always elsewhere */ {
        char *moved = malloc(after);
        memset(moved, 0x7f, after);
        if (before)
            memcpy(moved, memory, before < after ? before : after);
        free(memory);
        return moved;
    }
    free(memory);
    return NULL;
}

static void save_to(const nim_model *model, char *bytes, size_t room, size_t *size) {
    nim_error error;
    stop_on(nim_model_save_memory(model, bytes, room, size, &error), &error);
}

/* Rows' own parameters in a storage: the same bits, whether it is there from the start or they move
 * there under way; one that has no room is refused, and all goes on without it. */
static void rows_in_a_storage(void **state) {
    (void)state;
    enum { ROOM = 1 << 20 };
    static char bytes[2][ROOM];
    struct problem problem = small;
    struct fixture fixture;
    nim_error error;
    problem.input = "latent";
    begin(&fixture, &problem);
    set(fixture.options, "epochs", "4");
    set(fixture.options, "stop", "fixed");
    for (size_t late = 0; late < 2; late++)
        for (size_t calls = 0; calls <= 3; calls++) {
            struct shelf shelf = {.calls_left = calls};
            const nim_storage storage = NIM_STORAGE(.resize = shelf_resize, .context = &shelf);
            struct watch watch[2] = {{.stop_at = 2}, {.stop_at = 2}};
            nim_model *model[2];
            size_t size[2];
            for (size_t k = 0; k < 2; k++) {
                stop_on(nim_model_create(fixture.options, &fixture.data, &model[k], &error),
                        &error);
                if (k && !late)
                    stop_on(nim_model_set_storage(model[k], &storage, &error), &error);
                nim_status status =
                    nim_model_train(model[k], &fixture.data, watch_progress, &watch[k], &error);
                if (k && !late && calls < 3) { /* three arrays */
                    assert_int_equal(status, NIM_OUT_OF_MEMORY);
                    assert_int_equal(shelf.bytes, 0);
                    stop_on(nim_model_set_storage(model[k], NULL, &error), &error);
                    status =
                        nim_model_train(model[k], &fixture.data, watch_progress, &watch[k], &error);
                }
                assert_int_equal(status, NIM_CANCELLED);
                if (k && late)
                    assert_int_equal(nim_model_set_storage(model[k], &storage, &error),
                                     calls < 3 ? NIM_OUT_OF_MEMORY : NIM_OK);
                assert_true(!k || (shelf.bytes > 0) == (calls == 3));
                stop_on(nim_model_train(model[k], &fixture.data, NULL, NULL, &error), &error);
                save_to(model[k], bytes[k], ROOM, &size[k]);
                nim_model_free(model[k]);
            }
            assert_int_equal(shelf.bytes, 0);
            assert_int_equal(size[0], size[1]);
            assert_memory_equal(bytes[0], bytes[1], size[0]);
        }
    const nim_storage none = NIM_STORAGE(.context = NULL);
    assert_int_equal(nim_model_set_storage(fixture.model, &none, &error), NIM_INVALID_ARGUMENT);
    assert_int_equal(nim_model_set_storage(NULL, &none, &error), NIM_INVALID_ARGUMENT);
    fixture_free(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_is_told),         cmocka_unit_test(cancelled_model_is_usable),
        cmocka_unit_test(warm_starts_go_on),        cmocka_unit_test(denoising_unknown_rows),
        cmocka_unit_test(own_loop_equals_training), cmocka_unit_test(rows_in_a_storage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
