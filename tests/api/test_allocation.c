/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step and a prediction allocate no memory, and the memory of a model grows with the rows only if
 * its input model has parameters per row. This file replaces the C library's allocation functions
 * by versions that count.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/calls.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)

int main(void) {
    printf("skipped: the functions of malloc can be replaced with glibc only, and a sanitizer has "
           "replaced them already\n");
    return 77;
}

#else

/* The allocation functions of glibc, under the names it keeps for programs that replace the public
 * ones. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static atomic_size_t calls; /* that allocate or free memory, in any thread */
static atomic_size_t held;  /* bytes */

static void *note(void *memory) {
    atomic_fetch_add(&calls, 1);
    if (memory)
        atomic_fetch_add(&held, malloc_usable_size(memory));
    return memory;
}

static void forget(void *memory) {
    if (memory)
        atomic_fetch_sub(&held, malloc_usable_size(memory));
}

void *malloc(size_t size) {
    return note(__libc_malloc(size));
}
void *calloc(size_t count, size_t size) {
    return note(__libc_calloc(count, size));
}
void *realloc(void *memory, size_t size) {
    size_t before = memory ? malloc_usable_size(memory) : 0;
    void *result = __libc_realloc(memory, size);
    if (result || size == 0)
        atomic_fetch_sub(&held, before);
    return note(result);
}
void *memalign(size_t alignment, size_t size) {
    return note(__libc_memalign(alignment, size));
}
void *aligned_alloc(size_t alignment, size_t size) {
    return note(__libc_memalign(alignment, size));
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
    *memory = note(__libc_memalign(alignment, size));
    return *memory ? 0 : ENOMEM;
}
void free(void *memory) {
    if (memory)
        atomic_fetch_add(&calls, 1);
    forget(memory);
    __libc_free(memory);
}

/* ---------------------------------------------------------------- helpers --------------------- */

static void assert_no_calls(size_t before, const char *what, const char *input) {
    size_t made = atomic_load(&calls) - before;
    if (made)
        fail_msg("%s, %s: %zu allocations", input, what, made);
}

/* If this fails, the counting does not work and the other tests prove nothing. */
static void counting_works(void **state) {
    (void)state;
    void *volatile memory[5];
    size_t calls_before = calls, held_before = held;
    memory[0] = malloc(100);
    memory[1] = calloc(10, 10);
    memory[2] = aligned_alloc(64, 128);
    memory[3] = realloc(malloc(10), 1000);
    memory[4] = NULL;
    assert_int_equal(calls - calls_before, 5);
    assert_in_range(held - held_before, 1328, 1600);
    for (size_t k = 0; k < 5; k++)
        free(memory[k]);
    assert_int_equal(calls - calls_before, 9);
    assert_int_equal(held, held_before);
    /* Allocations by the C library itself are counted as well. */
    calls_before = calls;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    fclose(stream);
    free(text);
    assert_true(calls > calls_before);
}

/* ---------------------------------------------------------------- steps and predictions ------- */

static void check_steps(nim_model *model, const nim_data *data, const char *input) {
    nim_trainer *trainer;
    nim_error error;
    double bound;
    stop_on(nim_trainer_create(model, data, &trainer, &error), &error);
    size_t before = calls;
    for (size_t step = 0; step < 12;
         step++) { /* four epochs of three batches; more copies, fewer epochs */
        nim_status status = nim_trainer_step(trainer, &bound, &error);
        size_t after = calls;
        stop_on(status, &error);
        if (after != before)
            fail_msg("%s, step %zu: %zu allocations", input, step, after - before);
    }
    assert_true(nim_model_epochs(model) >= 1);
    nim_trainer_free(trainer);
}

static void count_in_prediction(nim_model *model, const nim_data *data, const char *input) {
    nim_predictor *predictor;
    nim_error error;
    double *values = malloc(everything_count(model, data->rows) * sizeof *values);
    nim_prediction wanted = everything(model, values, data->rows, 0, true);
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    for (size_t time = 0; time < 3; time++) {
        size_t before = calls;
        nim_status status = nim_predict(predictor, data, &wanted, &error);
        assert_no_calls(before, "nim_predict", input);
        stop_on(status, &error);
    }
    nim_data wider = *data; /* nor does an error */
    wider.rows = wider.sigma_rows = 1;
    wider.attributes++;
    size_t before = calls;
    nim_status status = nim_predict(predictor, &wider, &wanted, &error);
    assert_no_calls(before, "a refused nim_predict", input);
    assert_int_equal(status, NIM_INVALID_ARGUMENT);
    nim_predictor_free(predictor);
    free(values);
}

static const struct problem usual = {.classes = 3,
                                     .attributes = 4,
                                     .inducing = 9,
                                     .rows = 100,
                                     .samples = 1,
                                     .kernel = "se",
                                     .input = "latent",
                                     .noise = "both",
                                     .learn_epsilon = true};

static void nothing_is_allocated(const struct problem *problem, const char *threads) {
    struct fixture fixture;
    nim_model *model;
    nim_error error;
    fixture_create(&fixture, problem);
    set(fixture.options, "threads", threads);
    set(fixture.options, "batch", "40");
    set(fixture.options, "points", "100");
    stop_on(nim_model_create(fixture.options, &fixture.data, &model, &error), &error);
    check_steps(model, &fixture.data, problem_name(problem));
    count_in_prediction(model, &fixture.data, problem_name(problem));
    nim_model_free(model);
    fixture_free(&fixture);
}

static void every_input(size_t samples, const char *threads) {
    for (size_t i = 0; input_list[i]; i++) {
        struct problem problem = usual;
        problem.input = input_list[i]->name;
        problem.samples = samples;
        nothing_is_allocated(&problem, threads);
    }
}

static void one_thread(void **state) {
    (void)state;
    every_input(1, "1");
}
static void two_threads(void **state) {
    (void)state;
    every_input(3, "2");
}
static void every_kernel(void **state) {
    (void)state;
    for (size_t k = 0; kernel_list[k]; k++) {
        struct problem problem = usual;
        problem.kernel = kernel_list[k]->name;
        problem.input = "first_order";
        nothing_is_allocated(&problem, "2");
    }
}
static void every_likelihood_there_is(void **state) {
    (void)state;
    for (size_t l = 0; likelihood_list[l]; l++) {
        struct problem problem = usual;
        problem.likelihood = likelihood_list[l]->name;
        problem.classes = likelihood_list[l]->most_classes ? 2 : 3;
        problem.input = l % 2 ? "latent" : "first_order";
        nothing_is_allocated(&problem, "2");
    }
}

static void single_precision(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++) {
        struct problem problem = usual;
        problem.input = input_list[i]->name;
        problem.attributes = i % 2 ? 4 : 37;
        problem.single = true;
        nothing_is_allocated(&problem, "2");
    }
}

/* Freeing a handle frees all its memory. */
static void nothing_is_kept(void **state) {
    (void)state;
    size_t before = held;
    every_input(1, "2");
    every_likelihood_there_is(state);
    assert_int_equal(held, before);
}

/* ---------------------------------------------------------------- growth with the rows -------- */

enum { ATTRIBUTES = 5, FEW = 1000, MANY = 20000 };

/* Bytes that model and trainer hold for a table with this number of rows. */
static size_t bytes_held(const char *input, size_t rows) {
    double *x = malloc(rows * ATTRIBUTES * sizeof *x);
    int32_t *labels = malloc(rows * sizeof *labels);
    for (size_t i = 0; i < rows * ATTRIBUTES; i++)
        x[i] = (double)(i * 7919 % 1000) / 1000.0;
    for (size_t i = 0; i < rows; i++)
        labels[i] = (int32_t)(i % 3);
    nim_data data = NIM_DATA(.rows = rows, .attributes = ATTRIBUTES, .x = x, .labels = labels);
    nim_options *options = nim_options_create();
    nim_model *model;
    nim_trainer *trainer;
    nim_error error;
    set(options, "input", input);
    set(options, "inducing", "20");
    set(options, "threads", "2");
    size_t before = held;
    stop_on(nim_model_create(options, &data, &model, &error), &error);
    stop_on(nim_trainer_create(model, &data, &trainer, &error), &error);
    stop_on(nim_trainer_step(trainer, NULL, &error), &error);
    size_t bytes = held - before;
    nim_trainer_free(trainer);
    nim_model_free(model);
    nim_options_free(options);
    free(labels);
    free(x);
    return bytes;
}

static double bytes_per_row(const char *input) {
    return ((double)bytes_held(input, MANY) - (double)bytes_held(input, FEW)) / (MANY - FEW);
}

static void amortised_holds_the_order_alone(void **state) {
    (void)state;
    static const char *const inputs[] = {"amortised", "first_order", "exact", "resampled"};
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
        double bytes = bytes_per_row(inputs[k]);
        if (bytes > 40.0)
            fail_msg("%s holds %.1f bytes a row", inputs[k], bytes);
    }
}

/* 2 d parameters and twice as many moments, a count of visits and the order. */
static void latent_holds_its_rows(void **state) {
    (void)state;
    double expected = 3 * 2 * ATTRIBUTES * sizeof(double), bytes = bytes_per_row("latent");
    if (bytes < expected || bytes > expected + 40.0)
        fail_msg("latent holds %.1f bytes a row; expected %.0f and a little", bytes, expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting_works),
        cmocka_unit_test(one_thread),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(every_kernel),
        cmocka_unit_test(every_likelihood_there_is),
        cmocka_unit_test(single_precision),
        cmocka_unit_test(nothing_is_kept),
        cmocka_unit_test(amortised_holds_the_order_alone),
        cmocka_unit_test(latent_holds_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
