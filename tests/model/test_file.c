/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Model files: loading returns what was saved; a training that was stopped, saved, loaded and
 * continued ends in the same bytes as one without interruption; damage is always detected.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "file/checksum.h"
#include "support/calls.h"
#include "support/sanitized.h"
#include "support/scratch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Only a sanitizer detects the effects of most damage. */
enum { THOROUGH = SANITIZED ? 3 : 1 };

static char directory[SCRATCH_SIZE];

static const char *in_directory(const char *name) {
    static char path[4][SCRATCH_SIZE + 16];
    static size_t next;
    char *chosen = path[next++ % 4];
    snprintf(chosen, sizeof path[0], "%s/%s", directory, name);
    return chosen;
}

static char *read_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 22);
    *size = fread(bytes, 1, 1 << 22, file);
    assert_true(*size < 1 << 22);
    fclose(file);
    return bytes;
}

static void write_bytes(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void assert_same_files(const char *left, const char *right, const char *what) {
    size_t left_size, right_size;
    char *a = read_bytes(left, &left_size), *b = read_bytes(right, &right_size);
    if (left_size != right_size || memcmp(a, b, left_size) != 0)
        fail_msg("%s: the files differ", what);
    free(a);
    free(b);
}

static void assert_one_line(const nim_error *error, const char *word) {
    assert_null(strchr(error->message, '\n'));
    if (!strstr(error->message, word))
        fail_msg("'%s' does not say '%s'", error->message, word);
}

static const char *const inputs[] = {"latent",    "amortised", "exact",  "first_order",
                                     "augmented", "resampled", "narrow", "networks"};
static const char *const noises[] = {"given", "learned", "both"};
enum { INPUTS = sizeof inputs / sizeof *inputs, NOISES = sizeof noises / sizeof *noises };

static void make_of(struct fixture *fixture, const char *input, const char *noise,
                    const char *likelihood, size_t classes) {
    struct problem problem = {.classes = classes,
                              .attributes = 2,
                              .inducing = 5,
                              .rows = 40,
                              .samples = 1,
                              .kernel = "se",
                              .input = input,
                              .noise = noise,
                              .likelihood = likelihood,
                              .learn_epsilon = true};
    fixture_create(fixture, &problem);
    nim_error error;
    const char *settings[][2] = {
        {"batch", "16"}, {"epochs", "12"}, {"warm_up", "7"}, {"points", "50"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        stop_on(nim_model_set_option(fixture->model, settings[i][0], settings[i][1], &error),
                &error);
}

static void make(struct fixture *fixture, const char *input, const char *noise) {
    make_of(fixture, input, noise, NULL, 3);
}

/* Stops at the k-th report. */
static int countdown(const nim_progress *progress, void *context) {
    (void)progress;
    size_t *left = context;
    return --*left == 0;
}

/* ---------------------------------------------------------------- what comes back ------------- */

static void compare_predictions(const nim_model *left, const nim_model *right,
                                const nim_data *data) {
    nim_predictor *predictor;
    nim_error error;
    size_t count = everything_count(left, data->rows);
    double *p = calloc(2 * count, sizeof *p);
    const nim_model *model[] = {left, right};
    for (size_t k = 0; k < 2; k++) {
        stop_on(nim_predictor_create(model[k], &predictor, &error), &error);
        nim_prediction wanted = everything(model[k], p + k * count, data->rows, 0, true);
        stop_on(nim_predict(predictor, data, &wanted, &error), &error);
        nim_predictor_free(predictor);
    }
    assert_memory_equal(p, p + count, count * sizeof *p);
    free(p);
}

static void compare_denoised(const nim_model *left, const nim_model *right, const nim_data *data) {
    size_t cells = data->rows * data->attributes;
    double *q = calloc(4 * cells, sizeof *q);
    nim_error error;
    stop_on(nim_model_denoise(left, data, q, q + cells, &error), &error);
    stop_on(nim_model_denoise(right, data, q + 2 * cells, q + 3 * cells, &error), &error);
    assert_memory_equal(q, q + 2 * cells, 2 * cells * sizeof *q);
    free(q);
}

static void everything_comes_back(void **state) {
    (void)state;
    static const char *const attributes[] = {"log(flux)", "ind\"ex\\ \xc3\xa4\t"};
    static const char *const classes[] = {"1", "0", "fsrq"};
    for (size_t i = 0; i < INPUTS * NOISES; i++) {
        struct fixture fixture;
        nim_error error;
        nim_model *loaded;
        make(&fixture, inputs[i % INPUTS], noises[i / INPUTS]);
        nim_model *model = fixture.model;
        stop_on(nim_model_train(model, &fixture.data, NULL, NULL, &error), &error);
        stop_on(nim_model_name_attributes(model, attributes, &error), &error);
        stop_on(nim_model_name_classes(model, classes, &error), &error);
        stop_on(nim_model_set_note(model, "source", "a\nb \xe2\x82\xac", &error), &error);
        stop_on(nim_model_set_note(model, "gone", "x", &error), &error);
        stop_on(nim_model_set_note(model, "gone", NULL, &error), &error);
        stop_on(nim_model_save(model, in_directory("a"), &error), &error);
        stop_on(nim_model_load(in_directory("a"), &loaded, &error), &error);
        compare_predictions(model, loaded, &fixture.data);
        compare_denoised(model, loaded, &fixture.data);
        for (size_t j = 0; j < 2; j++)
            assert_string_equal(nim_model_attribute_name(loaded, j), attributes[j]);
        for (size_t c = 0; c < 3; c++)
            assert_string_equal(nim_model_class_name(loaded, c), classes[c]);
        assert_string_equal(nim_model_note(loaded, "source"), "a\nb \xe2\x82\xac");
        assert_null(nim_model_note(loaded, "gone"));
        assert_int_equal(nim_model_epochs(loaded), nim_model_epochs(model));
        assert_int_equal(nim_model_rows(loaded), 40);
        assert_int_equal(nim_model_under_way(loaded), 0);
        assert_true(nim_model_bound(loaded) == nim_model_bound(model));
        stop_on(nim_model_save(loaded, in_directory("b"), &error), &error);
        assert_same_files(in_directory("a"), in_directory("b"), inputs[i % INPUTS]);
        nim_model_free(loaded);
        fixture_free(&fixture);
    }
}

/* Every likelihood through a file: predictions have the same bits afterwards, and so has a training
 * that was divided into pieces. */
static nim_model *train_in_pieces(nim_model *model, const nim_data *data, size_t *pieces);

/* The bytes in memory are those of the file, at any address. No more are written than there is room
 * for, and too little room is an error. */
static void memory_holds_the_file(void **state) {
    (void)state;
    struct fixture fixture;
    nim_error error;
    nim_model *loaded;
    size_t size = 0, file_size;
    make(&fixture, "latent", "given");
    stop_on(nim_model_train(fixture.model, &fixture.data, NULL, NULL, &error), &error);
    stop_on(nim_model_save(fixture.model, in_directory("a"), &error), &error);
    char *file = read_bytes(in_directory("a"), &file_size);
    stop_on(nim_model_save_memory(fixture.model, NULL, 0, &size, &error), &error);
    assert_int_equal(size, file_size);
    char *memory = malloc(size + 2), *bytes = memory + 1;
    memset(memory, '#', size + 2);
    assert_int_equal(nim_model_save_memory(fixture.model, bytes, size - 1, NULL, &error),
                     NIM_INVALID_ARGUMENT);
    assert_true(bytes[0] == '#');
    stop_on(nim_model_save_memory(fixture.model, bytes, size, NULL, &error), &error);
    assert_memory_equal(bytes, file, size);
    assert_true(bytes[size] == '#');
    stop_on(nim_model_load_memory(bytes, size, &loaded, &error), &error);
    compare_predictions(fixture.model, loaded, &fixture.data);
    nim_model_free(loaded);
    for (size_t fewer = 0; fewer < size; fewer = 2 * fewer + 1) {
        assert_int_equal(nim_model_load_memory(bytes, fewer, &loaded, &error), NIM_BAD_FILE);
        assert_one_line(&error, "memory");
        assert_null(loaded);
    }
    assert_int_equal(nim_model_load_memory(NULL, 0, &loaded, &error), NIM_INVALID_ARGUMENT);
    free(memory);
    free(file);
    fixture_free(&fixture);
}

static void every_likelihood_comes_back(void **state) {
    (void)state;
    for (size_t l = 0; likelihood_list[l]; l++) {
        struct fixture whole, parts;
        const char *name = likelihood_list[l]->name, *input = inputs[l % INPUTS];
        size_t classes = likelihood_list[l]->most_classes ? 2 : 3, pieces;
        nim_error error;
        make_of(&whole, input, "both", name, classes);
        make_of(&parts, input, "both", name, classes);
        stop_on(nim_model_train(whole.model, &whole.data, NULL, NULL, &error), &error);
        nim_model *loaded = train_in_pieces(parts.model, &parts.data, &pieces);
        assert_true(pieces > 3);
        assert_int_equal(nim_model_target(loaded), nim_model_target(whole.model));
        assert_int_equal(nim_model_classes(loaded), nim_model_classes(whole.model));
        assert_int_equal(nim_model_functions(loaded), nim_model_functions(whole.model));
        compare_predictions(whole.model, loaded, &whole.data);
        compare_denoised(whole.model, loaded, &whole.data);
        stop_on(nim_model_save(whole.model, in_directory("a"), &error), &error);
        stop_on(nim_model_save(loaded, in_directory("b"), &error), &error);
        assert_same_files(in_directory("a"), in_directory("b"), name);
        nim_model_free(loaded);
        fixture_free(&whole);
        fixture_free(&parts);
    }
}

/* ---------------------------------------------------------------- going on -------------------- */

/* Stops at every third report, each time through a file, until training ends. */
static nim_model *train_in_pieces(nim_model *model, const nim_data *data, size_t *pieces) {
    nim_status status = NIM_CANCELLED;
    nim_error error;
    for (*pieces = 0; status == NIM_CANCELLED; ++*pieces) {
        size_t left = 1 + *pieces % 3;
        status = nim_model_train(model, data, countdown, &left, &error);
        if (status != NIM_CANCELLED)
            stop_on(status, &error);
        assert_int_equal(nim_model_under_way(model), status == NIM_CANCELLED);
        stop_on(nim_model_save(model, in_directory("part"), &error), &error);
        if (*pieces) /* the first one is the fixture's */
            nim_model_free(model);
        stop_on(nim_model_load(in_directory("part"), &model, &error), &error);
    }
    return model;
}

/* A training in one piece and one in several, and a warm start of both. */
static void compare_with_pieces(struct fixture *whole, struct fixture *parts, const char *what) {
    nim_error error;
    size_t pieces;
    stop_on(nim_model_train(whole->model, &whole->data, NULL, NULL, &error), &error);
    nim_model *model = train_in_pieces(parts->model, &parts->data, &pieces);
    assert_true(pieces > 3);
    stop_on(nim_model_save(whole->model, in_directory("a"), &error), &error);
    stop_on(nim_model_save(model, in_directory("b"), &error), &error);
    assert_same_files(in_directory("a"), in_directory("b"), what);
    stop_on(nim_model_train(whole->model, &whole->data, NULL, NULL, &error), &error);
    stop_on(nim_model_train(model, &parts->data, NULL, NULL, &error), &error);
    stop_on(nim_model_save(whole->model, in_directory("a"), &error), &error);
    stop_on(nim_model_save(model, in_directory("b"), &error), &error);
    assert_same_files(in_directory("a"), in_directory("b"), what);
    nim_model_free(model);
}

static void stopped_trainings_end_the_same(void **state) {
    (void)state;
    for (size_t i = 0; i < INPUTS * NOISES; i++) {
        struct fixture whole, parts;
        make(&whole, inputs[i % INPUTS], noises[i / INPUTS]);
        make(&parts, inputs[i % INPUTS], noises[i / INPUTS]);
        compare_with_pieces(&whole, &parts, inputs[i % INPUTS]);
        fixture_free(&whole);
        fixture_free(&parts);
    }
}

/* The file contains the precision, and continued training keeps it. */
static void precision_is_kept(void **state) {
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        struct fixture whole, parts, twice;
        nim_model *loaded;
        nim_error error;
        char precision[16];
        make(&whole, inputs[i], "given");
        make(&parts, inputs[i], "given");
        make(&twice, inputs[i], "given");
        stop_on(nim_model_set_option(whole.model, "precision", "single", &error), &error);
        stop_on(nim_model_set_option(parts.model, "precision", "single", &error), &error);
        stop_on(nim_model_train(twice.model, &twice.data, NULL, NULL, &error), &error);
        compare_with_pieces(&whole, &parts, inputs[i]);
        stop_on(nim_model_load(in_directory("a"), &loaded, &error), &error);
        stop_on(nim_options_get(nim_model_options(loaded), "precision", precision, sizeof precision,
                                &error),
                &error);
        assert_string_equal(precision, "single");
        assert_true(memcmp(loaded->theta, twice.model->theta, loaded->count * sizeof(double)) != 0);
        compare_predictions(whole.model, loaded, &whole.data);
        nim_model_free(loaded);
        fixture_free(&whole);
        fixture_free(&parts);
        fixture_free(&twice);
    }
}

/* Saves at every report, as a program that writes checkpoints does. */
static int save_always(const nim_progress *progress, void *context) {
    nim_error error;
    const nim_model *model = context;
    (void)progress;
    stop_on(nim_model_save(model, in_directory("checkpoint"), &error), &error);
    return 0;
}

static void checkpoints_do_not_disturb(void **state) {
    (void)state;
    struct fixture left, right;
    nim_error error;
    nim_model *last;
    make(&left, "latent", "both");
    make(&right, "latent", "both");
    stop_on(nim_model_train(left.model, &left.data, NULL, NULL, &error), &error);
    stop_on(nim_model_train(right.model, &right.data, save_always, right.model, &error), &error);
    stop_on(nim_model_save(left.model, in_directory("a"), &error), &error);
    stop_on(nim_model_save(right.model, in_directory("b"), &error), &error);
    assert_same_files(in_directory("a"), in_directory("b"), "checkpoints");
    /* The last one was written after all steps: continuing changes nothing. */
    stop_on(nim_model_load(in_directory("checkpoint"), &last, &error), &error);
    assert_int_equal(nim_model_under_way(last), 1);
    stop_on(nim_model_train(last, &right.data, NULL, NULL, &error), &error);
    stop_on(nim_model_save(last, in_directory("b"), &error), &error);
    assert_same_files(in_directory("a"), in_directory("b"), "the last checkpoint");
    nim_model_free(last);
    fixture_free(&left);
    fixture_free(&right);
}

/* ---------------------------------------------------------------- the bound over training ----- */

enum { MANY_EPOCHS = 700 };

struct history {
    size_t epochs;
    double bound[MANY_EPOCHS + 1];
};

/* Stores the bound reported at the end of each epoch. */
static int note_bound(const nim_progress *progress, void *context) {
    struct history *bounds = context;
    if (progress->batch == 0 && progress->epoch <= MANY_EPOCHS) {
        bounds->epochs = progress->epoch;
        bounds->bound[progress->epoch] = progress->bound;
    }
    return 0;
}

/* Points are evenly spaced epochs and the bounds that were reported, in memory and from a file. */
static void the_trace_is_thinned(void **state) {
    (void)state;
    struct fixture fixture;
    nim_error error;
    struct history bounds = {0};
    double trace[512], again[512];
    size_t count, loaded;
    nim_model *model;
    make(&fixture, "exact", "given");
    stop_on(nim_model_set_option(fixture.model, "epochs", "700", &error), &error);
    stop_on(nim_model_set_option(fixture.model, "stop", "fixed", &error), &error);
    stop_on(nim_model_train(fixture.model, &fixture.data, note_bound, &bounds, &error), &error);
    assert_int_equal(bounds.epochs, MANY_EPOCHS);
    stop_on(nim_model_get(fixture.model, "trace", NULL, 0, &count, &error), &error);
    assert_int_equal(count, 2 * (MANY_EPOCHS / 4)); /* 350 of stride 2 would be too many */
    stop_on(nim_model_get(fixture.model, "trace", trace, 512, &count, &error), &error);
    for (size_t i = 0; i < count / 2; i++) {
        assert_int_equal((size_t)trace[2 * i], 4 * (i + 1));
        assert_true(trace[2 * i + 1] == bounds.bound[4 * (i + 1)]);
    }
    stop_on(nim_model_save(fixture.model, in_directory("a"), &error), &error);
    stop_on(nim_model_load(in_directory("a"), &model, &error), &error);
    stop_on(nim_model_get(model, "trace", again, 512, &loaded, &error), &error);
    assert_int_equal(loaded, count);
    assert_memory_equal(trace, again, count * sizeof *trace);
    nim_model_free(model);
    fixture_free(&fixture);
}

static void other_data_are_refused(void **state) {
    (void)state;
    struct fixture fixture;
    nim_error error;
    size_t left = 2;
    make(&fixture, "latent", "given");
    assert_int_equal(nim_model_train(fixture.model, &fixture.data, countdown, &left, &error),
                     NIM_CANCELLED);
    assert_int_equal(nim_model_set_option(fixture.model, "rate", "0.5", &error),
                     NIM_INVALID_ARGUMENT);
    assert_one_line(&error, "before the stopped training is complete");
    stop_on(nim_model_set_option(fixture.model, "points", "64", &error), &error);
    assert_int_equal(nim_model_set_option(fixture.model, "kernel", "matern32", &error),
                     NIM_INVALID_ARGUMENT);
    assert_one_line(&error, "kernel");
    nim_data fewer = fixture.data;
    fewer.rows = fewer.sigma_rows = 30;
    assert_int_equal(nim_model_train(fixture.model, &fewer, NULL, NULL, &error),
                     NIM_INVALID_ARGUMENT);
    assert_one_line(&error, "same data");
    assert_int_equal(nim_model_rows(fixture.model), 40);
    fixture.x[17] = nextafter(fixture.x[17], 1e9);
    assert_int_equal(nim_model_train(fixture.model, &fixture.data, NULL, NULL, &error),
                     NIM_INVALID_ARGUMENT);
    assert_one_line(&error, "same data");
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- damage ---------------------- */

static char *saved_model(size_t *size) {
    struct fixture fixture;
    nim_error error;
    size_t left = 2;
    make(&fixture, "latent", "both");
    assert_int_equal(nim_model_train(fixture.model, &fixture.data, countdown, &left, &error),
                     NIM_CANCELLED);
    stop_on(nim_model_save(fixture.model, in_directory("good"), &error), &error);
    fixture_free(&fixture);
    return read_bytes(in_directory("good"), size);
}

static void assert_damage_noticed(const char *bytes, size_t size, const char *what, size_t at) {
    nim_model *model = NULL;
    nim_error error;
    write_bytes(in_directory("bad"), bytes, size);
    nim_status status = nim_model_load(in_directory("bad"), &model, &error);
    if (status != NIM_BAD_FILE || model)
        fail_msg("%s at %zu was not noticed: status %d", what, at, (int)status);
    assert_one_line(&error, "bad");
}

static void damage_is_noticed(void **state) {
    (void)state;
    size_t size;
    char *bytes = saved_model(&size);
    for (size_t k = 0; k < 400; k++) /* cut anywhere, near the ends at every byte */
        assert_damage_noticed(bytes, k < 200 ? k : size - 1 - (k - 200) * (size - 201) / 200,
                              "a cut", k);
    for (size_t k = 0; k < 1000 * THOROUGH; k++) {
        size_t at = k < 1000 ? k : (k * 7919) % size;
        bytes[at] = (char)(bytes[at] ^ 1 << k % 8);
        assert_damage_noticed(bytes, size, "a wrong bit", at);
        bytes[at] = (char)(bytes[at] ^ 1 << k % 8);
    }
    assert_damage_noticed("", 0, "nothing", 0);
    free(bytes);
}

/* Writes the right checksum of a changed file, as in a forged file. */
static void seal(char *bytes, size_t size) {
    char *place = strstr(bytes + 8, "crc32\":\"") + 8, digits[9];
    memcpy(place, "00000000", 8);
    snprintf(digits, sizeof digits, "%08x", (unsigned)checksum(0, bytes, size));
    memcpy(place, digits, 8);
}

/* Any byte changed, with the right checksum: an error, or a model that can be used; never a
 * crash. */
static void forged_files_do_no_harm(void **state) {
    (void)state;
    size_t size, accepted = 0;
    char *bytes = saved_model(&size), *copy = malloc(size + 1);
    uint64_t header;
    memcpy(&header, bytes, 8);
    for (size_t k = 0; k < 2000 * THOROUGH; k++) {
        size_t at = 50 + k * 31 % (header - 50);
        nim_model *model = NULL;
        nim_error error;
        memcpy(copy, bytes, size);
        copy[size] = '\0';
        copy[at] = "09-\"{}[],:x\\u\n\x80 "[k % 16];
        if (!strstr(copy + 8, "crc32\":\""))
            continue;
        seal(copy, size);
        write_bytes(in_directory("forged"), copy, size);
        if (nim_model_load(in_directory("forged"), &model, &error) == NIM_OK)
            accepted++;
        else
            assert_one_line(&error, "forged");
        nim_model_free(model);
    }
    assert_true(accepted > 0 &&
                accepted < 1700 * THOROUGH); /* some bytes are part of a name or a note */
    free(copy);
    free(bytes);
}

static void another_version_is_named(void **state) {
    (void)state;
    size_t size;
    nim_model *model;
    nim_error error;
    char *bytes = saved_model(&size), *version = strstr(bytes + 8, "format_version\":\"1");
    assert_non_null(version);
    version[strlen("format_version\":\"")] = '7';
    seal(bytes, size);
    write_bytes(in_directory("newer"), bytes, size);
    assert_int_equal(nim_model_load(in_directory("newer"), &model, &error), NIM_BAD_FILE);
    assert_one_line(&error, "version 7");
    free(bytes);
}

static void what_cannot_be_written_is_said(void **state) {
    (void)state;
    struct fixture fixture;
    nim_error error;
    nim_model *model;
    make(&fixture, "exact", "given");
    assert_int_equal(nim_model_save(fixture.model, "/dev/full", &error), NIM_IO);
    assert_one_line(&error, "/dev/full");
    assert_int_equal(nim_model_save(fixture.model, directory, &error), NIM_IO);
    assert_one_line(&error, "directory");
    assert_int_equal(nim_model_save(fixture.model, "/nowhere/at/all", &error), NIM_IO);
    assert_one_line(&error, "/nowhere/at/all");
    assert_int_equal(nim_model_load("/nowhere/at/all", &model, &error), NIM_IO);
    assert_int_equal(nim_model_load(directory, &model, &error), NIM_IO);
    assert_one_line(&error, "directory");
    static const char *const twice[] = {"same", "same"}, *const empty[] = {"a", ""};
    static const char *const wild[] = {"a", "\xff"};
    assert_int_equal(nim_model_name_attributes(fixture.model, twice, &error), NIM_INVALID_ARGUMENT);
    assert_one_line(&error, "same");
    assert_int_equal(nim_model_name_attributes(fixture.model, empty, &error), NIM_INVALID_ARGUMENT);
    assert_int_equal(nim_model_name_attributes(fixture.model, wild, &error), NIM_INVALID_ARGUMENT);
    assert_one_line(&error, "UTF-8");
    fixture_free(&fixture);
}

/* The checksum is the common one, so that others can verify a file: a known value. */
static void checksum_is_crc32(void **state) {
    (void)state;
    assert_int_equal(checksum(0, "123456789", 9), 0xCBF43926);
    assert_int_equal(checksum(checksum(0, "1234567", 7), "89", 2), 0xCBF43926);
}

static int make_directory(void **state) {
    (void)state;
    return mkdtemp(scratch_name(directory)) ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    static const char *const names[] = {"a",    "b",   "part",   "checkpoint",
                                        "good", "bad", "forged", "newer"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_directory(names[i]));
    return rmdir(directory); /* fails when a temporary file was left behind */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksum_is_crc32),
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(memory_holds_the_file),
        cmocka_unit_test(every_likelihood_comes_back),
        cmocka_unit_test(stopped_trainings_end_the_same),
        cmocka_unit_test(precision_is_kept),
        cmocka_unit_test(checkpoints_do_not_disturb),
        cmocka_unit_test(the_trace_is_thinned),
        cmocka_unit_test(other_data_are_refused),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(forged_files_do_no_harm),
        cmocka_unit_test(another_version_is_named),
        cmocka_unit_test(what_cannot_be_written_is_said),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
