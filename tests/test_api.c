/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public interface from outside: what must be refused is refused with the right status and a
 * line that names the culprit, and what is merely odd works and gives finite numbers.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "problem.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- helpers --------------------- */

static const struct problem small = {.classes = 3,
                                     .attributes = 2,
                                     .inducing = 6,
                                     .rows = 30,
                                     .kernel = "se",
                                     .input = "latent",
                                     .noise = "given"};

static void set(nim_options *options, const char *name, const char *value) {
    nim_error error;
    if (nim_options_set(options, name, value, &error) != NIM_OK)
        fail_msg("%s", error.message);
}

static void stop_on(nim_status status, const nim_error *error) {
    if (status != NIM_OK)
        fail_msg("%s", error->message);
    assert_int_equal(error->status, NIM_OK);
    assert_string_equal(error->message, "");
}

/* One thread and few epochs: these tests are about what happens, not how fast. */
static void begin(struct fixture *fixture, const struct problem *problem) {
    fixture_create(fixture, problem);
    set(fixture->options, "threads", "1");
    set(fixture->options, "epochs", "3");
    set(fixture->options, "points", "16");
}

/* A refusal: this status, one line, and in it every one of the words (ended by NULL). */
static void assert_refused(const char *where, nim_status got, nim_status wanted,
                           const nim_error *error, const char *const *words) {
    if (got != wanted)
        fail_msg("%s: status %d instead of %d (%s)", where, (int)got, (int)wanted, error->message);
    assert_int_equal(error->status, wanted);
    if (!error->message[0] || strchr(error->message, '\n'))
        fail_msg("%s: '%s' is not one line", where, error->message);
    for (; *words; words++)
        if (!strstr(error->message, *words))
            fail_msg("%s: '%s' does not say '%s'", where, error->message, *words);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* What an output must not become on failure: anything but what it was, or NULL. */
static char untouched;
#define UNTOUCHED ((void *)&untouched)

static void assert_no_output(const char *where, const void *output) {
    if (output != NULL && output != UNTOUCHED)
        fail_msg("%s: there is an output after failure", where);
}

static void refuse_create(const nim_options *options, const nim_data *data, nim_status status,
                          const char *const *words) {
    nim_error error;
    nim_model *model = UNTOUCHED;
    assert_refused("create", nim_model_create(options, data, &model, &error), status, &error,
                   words);
    assert_no_output("create", model);
    assert_int_equal(nim_model_create(options, data, &model, NULL), status);
}

static void refuse_training(nim_model *model, const nim_data *data, nim_status status,
                            const char *const *words) {
    nim_error error;
    nim_trainer *trainer = UNTOUCHED;
    size_t epochs = model ? nim_model_epochs(model) : 0;
    assert_refused("trainer", nim_trainer_create(model, data, &trainer, &error), status, &error,
                   words);
    assert_no_output("trainer", trainer);
    assert_int_equal(nim_trainer_create(model, data, &trainer, NULL), status);
    assert_refused("train", nim_model_train(model, data, NULL, NULL, &error), status, &error,
                   words);
    assert_int_equal(nim_model_train(model, data, NULL, NULL, NULL), status);
    if (model)
        assert_int_equal(nim_model_epochs(model), epochs);
}

static void refuse_denoising(const nim_model *model, const nim_data *data, nim_status status,
                             const char *const *words) {
    enum { CELLS = 1000 };
    static double mean[CELLS], deviation[CELLS];
    nim_error error;
    mean[0] = deviation[0] = 12345.0;
    assert_refused("denoise", nim_model_denoise(model, data, mean, deviation, &error), status,
                   &error, words);
    assert_int_equal(nim_model_denoise(model, data, mean, deviation, NULL), status);
    assert_true(mean[0] == 12345.0 && deviation[0] == 12345.0);
}

static void refuse_prediction(const nim_model *model, const nim_data *data, nim_status status,
                              const char *const *words) {
    double p = 12345.0;
    nim_predictor *predictor;
    nim_error error;
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    nim_prediction wanted = {.probabilities = &p};
    assert_refused("predict", nim_predict(predictor, data, &wanted, &error), status, &error, words);
    assert_int_equal(nim_predict(predictor, data, &wanted, NULL), status);
    assert_true(p == 12345.0);
    nim_predictor_free(predictor);
}

/* A table that no function may take. */
static void refuse_everywhere(const struct fixture *fixture, nim_status status,
                              const char *const *words) {
    refuse_create(fixture->options, &fixture->data, status, words);
    refuse_training(fixture->model, &fixture->data, status, words);
    refuse_denoising(fixture->model, &fixture->data, status, words);
    refuse_prediction(fixture->model, &fixture->data, status, words);
}

/* A table that is good for prediction, which needs no labels. */
static void refuse_for_training(const struct fixture *fixture, nim_status status,
                                const char *const *words) {
    refuse_create(fixture->options, &fixture->data, status, words);
    refuse_training(fixture->model, &fixture->data, status, words);
    refuse_denoising(fixture->model, &fixture->data, status, words);
}

/* ---------------------------------------------------------------- NULL ------------------------ */

static void null_options(void **state) {
    (void)state;
    nim_error error;
    nim_options *options = nim_options_create();
    char value[16] = "as before";
    assert_refused("set", nim_options_set(NULL, "kernel", "se", &error), NIM_INVALID_ARGUMENT,
                   &error, WORDS("kernel"));
    assert_refused("set", nim_options_set(options, NULL, "se", &error), NIM_INVALID_ARGUMENT,
                   &error, WORDS("option"));
    assert_refused("set", nim_options_set(options, "kernel", NULL, &error), NIM_INVALID_ARGUMENT,
                   &error, WORDS("kernel"));
    assert_refused("get", nim_options_get(NULL, "kernel", value, 16, &error), NIM_INVALID_ARGUMENT,
                   &error, WORDS("kernel"));
    assert_refused("get", nim_options_get(options, NULL, value, 16, &error), NIM_INVALID_ARGUMENT,
                   &error, WORDS("option"));
    assert_refused("get", nim_options_get(options, "kernel", NULL, 16, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("kernel"));
    assert_refused("get", nim_options_get(options, "kernel", value, 0, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("kernel"));
    assert_string_equal(value, "as before");
    assert_int_equal(nim_options_set(NULL, NULL, NULL, NULL), NIM_INVALID_ARGUMENT);
    assert_int_equal(nim_options_get(NULL, NULL, NULL, 0, NULL), NIM_INVALID_ARGUMENT);
    nim_options_free(options);
    nim_options_free(NULL);
}

static void null_model_and_trainer(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    nim_error error;
    refuse_create(NULL, &fixture.data, NIM_INVALID_ARGUMENT, WORDS("options"));
    refuse_create(fixture.options, NULL, NIM_INVALID_ARGUMENT, WORDS("data"));
    assert_refused("create", nim_model_create(fixture.options, &fixture.data, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("model"));
    refuse_training(NULL, &fixture.data, NIM_INVALID_ARGUMENT, WORDS("model"));
    refuse_training(fixture.model, NULL, NIM_INVALID_ARGUMENT, WORDS("data"));
    assert_refused("trainer", nim_trainer_create(fixture.model, &fixture.data, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("trainer"));
    double bound = 12345.0;
    assert_refused("step", nim_trainer_step(NULL, &bound, &error), NIM_INVALID_ARGUMENT, &error,
                   WORDS("trainer"));
    assert_true(bound == 12345.0);
    nim_model_free(NULL);
    nim_trainer_free(NULL);
    fixture_free(&fixture);
}

static void null_in_looking_and_predicting(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    nim_error error;
    size_t count = 77;
    double mean[60], deviation[60];
    assert_refused("get", nim_model_get(NULL, "variances", mean, &count, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("model"));
    assert_refused("get", nim_model_get(fixture.model, NULL, mean, &count, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("name"));
    assert_int_equal(count, 77);
    refuse_denoising(NULL, &fixture.data, NIM_INVALID_ARGUMENT, WORDS("model"));
    refuse_denoising(fixture.model, NULL, NIM_INVALID_ARGUMENT, WORDS("data"));
    assert_refused("denoise",
                   nim_model_denoise(fixture.model, &fixture.data, NULL, deviation, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("mean"));
    assert_refused("denoise", nim_model_denoise(fixture.model, &fixture.data, mean, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("deviation"));
    nim_predictor *predictor = UNTOUCHED;
    nim_prediction wanted = {0};
    assert_refused("predictor", nim_predictor_create(NULL, &predictor, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("model"));
    assert_no_output("predictor", predictor);
    assert_refused("predictor", nim_predictor_create(fixture.model, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("predictor"));
    stop_on(nim_predictor_create(fixture.model, &predictor, &error), &error);
    assert_refused("predict", nim_predict(NULL, &fixture.data, &wanted, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("predictor"));
    assert_refused("predict", nim_predict(predictor, &fixture.data, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("prediction"));
    refuse_prediction(fixture.model, NULL, NIM_INVALID_ARGUMENT, WORDS("data"));
    stop_on(nim_predict(predictor, &fixture.data, &wanted, &error), &error); /* nothing asked */
    nim_predictor_free(predictor);
    nim_predictor_free(NULL);
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- shapes ---------------------- */

static void bad_shapes(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    const nim_data good = fixture.data;
    fixture.data.rows = 0;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("no rows"));
    fixture.data = good;
    fixture.data.attributes = 0;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("no attributes"));
    fixture.data = good;
    fixture.data.x = NULL;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("x is NULL"));
    fixture.data = good;
    fixture.data.sigma_rows = 29;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("sigma", "29", "30"));
    fixture.data.sigma_rows = 0;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("sigma", " 0 ", "30"));
    fixture.data.sigma_rows = 31;
    refuse_everywhere(&fixture, NIM_INVALID_ARGUMENT, WORDS("sigma", "31", "30"));
    fixture_free(&fixture);
}

/* The table is narrower than the model's, so that all its cells exist. */
static void attributes_do_not_match(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    nim_data narrow = fixture.data;
    narrow.attributes = 1;
    refuse_training(fixture.model, &narrow, NIM_INVALID_ARGUMENT, WORDS("1 attributes", "2"));
    refuse_denoising(fixture.model, &narrow, NIM_INVALID_ARGUMENT, WORDS("1 attributes", "2"));
    refuse_prediction(fixture.model, &narrow, NIM_INVALID_ARGUMENT, WORDS("1 attributes", "2"));
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- cells ----------------------- */

static void bad_cells(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    double *cell = &fixture.x[17 * 2 + 1], kept = *cell;
    *cell = INFINITY;
    refuse_everywhere(&fixture, NIM_BAD_DATA, WORDS("row 17", "attribute 1", "infinite"));
    *cell = -INFINITY;
    refuse_everywhere(&fixture, NIM_BAD_DATA, WORDS("row 17", "attribute 1", "infinite"));
    *cell = kept;
    cell = &fixture.sigma[29 * 2];
    *cell = -0.25;
    refuse_everywhere(&fixture, NIM_BAD_DATA, WORDS("row 29", "attribute 0", "negative", "-0.25"));
    *cell = INFINITY;
    refuse_everywhere(&fixture, NIM_BAD_DATA, WORDS("row 29", "attribute 0", "infinite"));
    *cell = -INFINITY;
    refuse_everywhere(&fixture, NIM_BAD_DATA, WORDS("row 29", "attribute 0"));
    fixture.data.sigma_rows = 1; /* row 29 is no longer looked at, but row 0 is */
    fixture.sigma[1] = -1.0;
    refuse_everywhere(&fixture, NIM_BAD_DATA, WORDS("row 0", "attribute 1", "negative"));
    fixture_free(&fixture);
}

static void a_column_all_missing(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    for (size_t i = 0; i < fixture.rows; i++)
        fixture.x[2 * i + 1] = NAN;
    refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA, WORDS("attribute 1", "missing"));
    set(fixture.options, "standardise", "0");
    refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA, WORDS("attribute 1", "missing"));
    fixture_free(&fixture);
}

static void bad_weights(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    double weights[30];
    for (size_t i = 0; i < 30; i++)
        weights[i] = 1.0;
    fixture.data.weights = weights;
    static const double bad[] = {-1.0, NAN, INFINITY, -INFINITY, -1e-300};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        weights[11] = bad[k];
        refuse_for_training(&fixture, NIM_BAD_DATA, WORDS("row 11", "weight"));
    }
    memset(weights, 0, sizeof weights);
    refuse_for_training(&fixture, NIM_BAD_DATA, WORDS("weights", "zero"));
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- labels and classes ---------- */

static void bad_labels(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    fixture.data.labels = NULL;
    refuse_for_training(&fixture, NIM_INVALID_ARGUMENT, WORDS("labels", "NULL"));
    fixture.data.labels = fixture.labels;
    fixture.labels[13] = -1;
    refuse_for_training(&fixture, NIM_BAD_DATA, WORDS("row 13", "label -1"));
    fixture.labels[13] = INT32_MIN;
    refuse_for_training(&fixture, NIM_BAD_DATA, WORDS("row 13", "label"));
    fixture.labels[13] = 3; /* the model has three classes */
    refuse_training(fixture.model, &fixture.data, NIM_BAD_DATA, WORDS("row 13", "label 3"));
    refuse_denoising(fixture.model, &fixture.data, NIM_BAD_DATA, WORDS("row 13", "label 3"));
    set(fixture.options, "classes", "3");
    refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA, WORDS("row 13", "label 3"));
    fixture_free(&fixture);
}

static void too_few_classes(void **state) {
    (void)state;
    struct fixture fixture;
    nim_error error;
    begin(&fixture, &small);
    set(fixture.options, "classes", "2"); /* row 2 has label 2 */
    refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA, WORDS("row 2", "label 2"));
    /* One class is refused by the option itself or, at the latest, by the model. */
    if (nim_options_set(fixture.options, "classes", "1", &error) == NIM_OK)
        refuse_create(fixture.options, &fixture.data, NIM_INVALID_ARGUMENT, WORDS("classes", "1"));
    else
        assert_refused("set", error.status, NIM_INVALID_ARGUMENT, &error, WORDS("classes", "1"));
    set(fixture.options, "classes", "0");
    for (int32_t label = 0; label < 3; label += 2) {
        for (size_t i = 0; i < fixture.rows; i++)
            fixture.labels[i] = label;
        refuse_create(fixture.options, &fixture.data, NIM_BAD_DATA,
                      WORDS("label", label ? "2" : "0"));
    }
    fixture_free(&fixture);
}

static void too_many_inducing_inputs(void **state) {
    (void)state;
    struct fixture fixture;
    nim_model *model;
    nim_error error;
    begin(&fixture, &small);
    set(fixture.options, "inducing", "31");
    refuse_create(fixture.options, &fixture.data, NIM_INVALID_ARGUMENT,
                  WORDS("inducing", "31", "30"));
    set(fixture.options, "inducing", "30");
    stop_on(nim_model_create(fixture.options, &fixture.data, &model, &error), &error);
    assert_int_equal(nim_model_inducing(model), 30);
    nim_model_free(model);
    fixture_free(&fixture);
}

/* ---------------------------------------------------------------- options --------------------- */

static void get(const nim_options *options, const char *name, char *value, size_t size) {
    nim_error error;
    stop_on(nim_options_get(options, name, value, size, &error), &error);
}

static void every_option_is_described(void **state) {
    (void)state;
    nim_options *options = nim_options_create();
    assert_true(nim_option_count() >= 20);
    for (size_t i = 0; i < nim_option_count(); i++) {
        nim_option_info info = nim_option_describe(i);
        char value[64], again[64];
        assert_true(info.name && *info.name && info.values && *info.values);
        assert_true(info.fallback && *info.fallback);
        assert_true(info.help && info.help[strlen(info.help) - 1] == '.');
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(nim_option_describe(j).name, info.name);
        get(options, info.name, value, sizeof value);
        char *end;
        double number = strtod(info.fallback, &end);
        if (end == info.fallback)
            assert_string_equal(value, info.fallback);
        else
            assert_true(strtod(value, NULL) == number);
        set(options, info.name, value);
        get(options, info.name, again, sizeof again);
        assert_string_equal(value, again);
    }
    nim_options_free(options);
}

static void refuse_value(nim_options *options, const char *name, const char *value) {
    char before[64], after[64];
    nim_error error;
    get(options, name, before, sizeof before);
    nim_status status = nim_options_set(options, name, value, &error);
    if (status == NIM_OK)
        fail_msg("option %s accepts '%s'", name, value);
    assert_refused(name, status, NIM_INVALID_ARGUMENT, &error, WORDS(name, value));
    assert_int_equal(nim_options_set(options, name, value, NULL), NIM_INVALID_ARGUMENT);
    get(options, name, after, sizeof after);
    assert_string_equal(before, after);
}

static void set_and_get(nim_options *options, const char *name, const char *value) {
    char got[64];
    set(options, name, value);
    get(options, name, got, sizeof got);
    char *end;
    double number = strtod(value, &end);
    if (*end ? strcmp(value, got) != 0 : strtod(got, NULL) != number)
        fail_msg("option %s: set to '%s', got '%s'", name, value, got);
}

/* Every name that the description of a choice lists. */
static void try_choices(nim_options *options, const nim_option_info *info) {
    char names[256];
    snprintf(names, sizeof names, "%s", info->values);
    for (char *name = strtok(names, "|"); name; name = strtok(NULL, "|"))
        set_and_get(options, info->name, name);
    if (strchr(info->values, '|'))
        refuse_value(options, info->name, info->values);
    refuse_value(options, info->name, "Latent");
}

/* Both ends of a range "least .. most", and what lies beyond them. */
static void try_range(nim_options *options, const nim_option_info *info) {
    double least, most;
    char value[64];
    if (sscanf(info->values, "%lf .. %lf", &least, &most) != 2 || strchr(info->values, '^'))
        return;
    snprintf(value, sizeof value, "%.17g", least);
    set_and_get(options, info->name, value);
    snprintf(value, sizeof value, "%.17g", most);
    set_and_get(options, info->name, value);
    snprintf(value, sizeof value, "%.9g", most * 1.5 + 1.0);
    refuse_value(options, info->name, value);
    snprintf(value, sizeof value, "%.9g", least - 1.0);
    refuse_value(options, info->name, value);
    set(options, info->name, info->fallback);
}

static void option_values(void **state) {
    (void)state;
    static const char *const bad[] = {"",    " ",   "x",  "1x",    "1 ",  "1,5",
                                      "nan", "inf", "-1", "1e400", "--1", "se latent"};
    nim_options *options = nim_options_create();
    for (size_t i = 0; i < nim_option_count(); i++) {
        nim_option_info info = nim_option_describe(i);
        bool choice = strchr("0123456789", info.fallback[0]) == NULL;
        if (choice)
            try_choices(options, &info);
        else
            try_range(options, &info);
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
            refuse_value(options, info.name, bad[k]);
    }
    static const char *const whole[] = {"batch", "inducing", "seed", "degree", "samples"};
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
        refuse_value(options, whole[k], "1.5");
    refuse_value(options, "seed", "9007199254740994");
    set_and_get(options, "seed", "9007199254740992");
    refuse_value(options, "learn_epsilon", "2");
    refuse_value(options, "standardise", "yes");
    nim_options_free(options);
}

static void unknown_names(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    nim_error error;
    char value[16] = "as before";
    size_t count = 77;
    double values[4] = {12345.0};
    assert_refused("set", nim_options_set(fixture.options, "kernal", "se", &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("kernal"));
    assert_refused("get", nim_options_get(fixture.options, "", value, 16, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("option"));
    assert_string_equal(value, "as before");
    assert_refused("get", nim_model_get(fixture.model, "lengths", values, &count, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("lengths"));
    assert_true(values[0] == 12345.0 && count == 77);
    fixture_free(&fixture);
}

/* A message is one line whatever the culprit looks like, and never longer than its place. */
static void messages_stay_one_line(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    nim_error error;
    char *endless = malloc(3001);
    memset(endless, 'a', 3000);
    endless[3000] = '\0';
    assert_refused("set", nim_options_set(fixture.options, endless, "1", &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("aaaa"));
    assert_refused("set", nim_options_set(fixture.options, "batch", endless, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("batch", "aaaa"));
    assert_refused("set", nim_options_set(fixture.options, "batch", "1\n2", &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("batch"));
    assert_refused("set", nim_options_set(fixture.options, "bat\nch", "1", &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("bat"));
    assert_refused("get", nim_model_get(fixture.model, "len\ngth", NULL, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("len"));
    free(endless);
    fixture_free(&fixture);
}

static void short_buffers_are_respected(void **state) {
    (void)state;
    nim_options *options = nim_options_create();
    char value[8];
    memset(value, '#', sizeof value);
    get(options, "likelihood", value, 4);
    assert_string_equal(value, "rob");
    assert_true(value[4] == '#');
    get(options, "likelihood", value, 1);
    assert_string_equal(value, "");
    nim_options_free(options);
}

/* A locale with decimal commas: the system's or, failing that, one made for the occasion. */
static bool use_decimal_commas(char *directory) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "es_ES.UTF-8"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (setlocale(LC_NUMERIC, names[k]))
            return true;
    char command[256];
    if (!mkdtemp(directory))
        return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1",
             directory, directory);
    if (system(command) != 0)
        return false;
    setenv("LOCPATH", directory, 1);
    return setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;
}

static void use_decimal_points(const char *directory) {
    char command[256];
    setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command) != 0)
        print_message("%s stays behind\n", directory);
}

/* Programs that speak German write 0,5; the names and numbers of options stay as they are. */
static void decimal_commas_do_no_harm(void **state) {
    (void)state;
    char directory[] = "/tmp/nimgp-locale-XXXXXX", rate[64] = "", epsilon[64] = "";
    if (!use_decimal_commas(directory)) {
        use_decimal_points(directory);
        skip();
    }
    nim_options *options = nim_options_create();
    nim_status status = nim_options_set(options, "rate", "0.5", NULL);
    nim_options_get(options, "rate", rate, sizeof rate, NULL);
    nim_options_get(options, "epsilon", epsilon, sizeof epsilon, NULL);
    nim_options_free(options);
    use_decimal_points(directory);
    if (status != NIM_OK || strtod(rate, NULL) != 0.5 || strtod(epsilon, NULL) != 0.001)
        fail_msg("with decimal commas rate=0.5 becomes '%s', the default epsilon '%s'", rate,
                 epsilon);
}

static void every_status_has_a_text(void **state) {
    (void)state;
    for (int status = NIM_OK; status <= NIM_BAD_FILE; status++)
        assert_true(strlen(nim_status_text((nim_status)status)) > 5);
    assert_non_null(nim_status_text((nim_status)999));
    assert_string_equal(nim_version(), NIM_VERSION);
}

/* ---------------------------------------------------------------- what works ------------------ */

static void assert_finite(const double *values, size_t count, const char *what) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            fail_msg("%s %zu of %zu is %g", what, i, count, values[i]);
}

/* All arrays of a model, but for the squares of units that no double can hold. */
static void check_arrays(const nim_model *model, bool ordinary_units) {
    static const char *const names[] = {"lengthscales",    "variances", "white_noise",
                                        "inducing_inputs", "relevance", "epsilon",
                                        "noise_variance"};
    for (size_t k = 0; k < (ordinary_units ? 7 : 6); k++) {
        nim_error error;
        size_t count = 0, again = 0;
        stop_on(nim_model_get(model, names[k], NULL, &count, &error), &error);
        assert_true(count > 0);
        double *values = malloc(count * sizeof *values);
        stop_on(nim_model_get(model, names[k], values, &again, &error), &error);
        assert_int_equal(count, again);
        stop_on(nim_model_get(model, names[k], values, NULL, &error), &error);
        assert_finite(values, count, names[k]);
        free(values);
    }
}

static void check_probabilities(const double *p, size_t rows, size_t classes, const char *what) {
    for (size_t i = 0; i < rows; i++) {
        double sum = 0.0;
        for (size_t c = 0; c < classes; c++) {
            double value = p[i * classes + c];
            if (!(value >= 0.0 && value <= 1.0))
                fail_msg("%s: probability of class %zu, row %zu, is %g", what, c, i, value);
            sum += value;
        }
        if (!(fabs(sum - 1.0) < 1e-9))
            fail_msg("%s: probabilities of row %zu sum to %.12g", what, i, sum);
    }
}

static void check_prediction(const nim_model *model, const nim_data *data, const char *what) {
    nim_predictor *predictor;
    nim_error error;
    size_t rows = data->rows, classes = nim_model_classes(model), cells = rows * classes;
    double *values = malloc((3 * cells + rows) * sizeof *values);
    nim_prediction wanted = {.probabilities = values,
                             .entropy = values + 3 * cells,
                             .latent_mean = values + cells,
                             .latent_variance = values + 2 * cells};
    nim_data unlabelled = *data;
    unlabelled.labels = NULL;
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    stop_on(nim_predict(predictor, &unlabelled, &wanted, &error), &error);
    check_probabilities(wanted.probabilities, rows, classes, what);
    assert_finite(wanted.latent_mean, cells, "latent mean");
    assert_finite(wanted.latent_variance, cells, "latent variance");
    for (size_t i = 0; i < cells; i++)
        assert_true(wanted.latent_variance[i] >= 0.0);
    for (size_t i = 0; i < rows; i++)
        assert_true(wanted.entropy[i] >= 0.0 && wanted.entropy[i] <= log((double)classes) + 1e-9);
    nim_predictor_free(predictor);
    free(values);
}

static void check_denoising(const nim_model *model, const nim_data *data) {
    nim_error error;
    size_t cells = data->rows * data->attributes;
    double *mean = malloc(2 * cells * sizeof *mean), *deviation = mean + cells;
    stop_on(nim_model_denoise(model, data, mean, deviation, &error), &error);
    assert_finite(mean, cells, "denoised mean");
    assert_finite(deviation, cells, "denoised deviation");
    for (size_t i = 0; i < cells; i++)
        assert_true(deviation[i] >= 0.0);
    free(mean);
}

/* Largest magnitude whose square is a double. */
static bool squares_exist(const nim_data *data) {
    for (size_t i = 0; i < data->rows * data->attributes; i++)
        if (fabs(data->x[i]) > 1e150)
            return false;
    return true;
}

/* Fits, looks and predicts; everything must come out finite. */
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

/* The fixture's table with every input model and several kernels and noise modes. */
static void works_with_every_input(struct fixture *fixture, const char *what) {
    static const char *const kernels[] = {"se", "polynomial", "matern32"};
    static const char *const noise[] = {"given", "both", "learned"};
    for (size_t i = 0; input_list[i]; i++)
        for (size_t k = 0; k < 3; k++) {
            char where[128];
            set(fixture->options, "input", input_list[i]->name);
            set(fixture->options, "kernel", kernels[k]);
            set(fixture->options, "noise", noise[(i + k) % 3]);
            snprintf(where, sizeof where, "%s: %s, %s, %s", what, input_list[i]->name, kernels[k],
                     noise[(i + k) % 3]);
            check_works(fixture->options, &fixture->data, where);
        }
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
        fixture.x[2 * i] = NAN; /* but for one cell a whole column */
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

/* x and its errors in another unit, one for each column. */
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

/* Half the column at one end of what a double can hold, half at the other. Lengthscales in such
 * units may be beyond it, so only predictions are asked for. */
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
    check_shape(2, 1, 2, "200"); /* the least there is */
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
    set(fixture.options, "batch", "2"); /* some batches weigh nothing */
    works_with_every_input(&fixture, "weights");
    fixture_free(&fixture);
}

/* A row `far` deviations away from all that was learned. */
static void predict_far_away(const nim_model *model, double far, bool may_refuse,
                             const char *what) {
    const double x[] = {far, 0.0, -far, far, 0.0, -far}, sigma[] = {0.1, 0.1};
    const nim_data data = {3, 2, x, sigma, 1, NULL, NULL};
    if (may_refuse) {
        double p[9];
        nim_predictor *predictor;
        nim_error error;
        stop_on(nim_predictor_create(model, &predictor, &error), &error);
        nim_status status =
            nim_predict(predictor, &data, &(nim_prediction){.probabilities = p}, &error);
        nim_predictor_free(predictor);
        if (status != NIM_OK) {
            assert_refused(what, status, NIM_NUMERICAL, &error, WORDS("row"));
            return;
        }
    }
    check_prediction(model, &data, what);
}

static void predictions_far_away(const char *kernel, const char *input, bool may_refuse) {
    static const double far[] = {1e2, 1e5, 1e10, 1e30, 1e60, 1e100, 1e155, 1e300, 1.7e308};
    struct problem problem = small;
    struct fixture fixture;
    nim_model *model;
    nim_error error;
    problem.kernel = kernel;
    problem.input = input;
    begin(&fixture, &problem);
    stop_on(nim_model_create(fixture.options, &fixture.data, &model, &error), &error);
    stop_on(nim_model_train(model, &fixture.data, NULL, NULL, &error), &error);
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        char what[128];
        snprintf(what, sizeof what, "%s, %s, at a distance of %g", kernel, input, far[k]);
        predict_far_away(model, far[k], may_refuse && far[k] > 1e30, what);
    }
    nim_model_free(model);
    fixture_free(&fixture);
}

/* Where the kernel has fallen to nothing, the prior speaks, not NaN. */
static void far_away_squared_exponential(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++)
        predictions_far_away("se", input_list[i]->name, false);
}
static void far_away_matern(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++)
        predictions_far_away(i % 2 ? "matern32" : "matern52", input_list[i]->name, false);
}
/* Powers that no double can hold may be refused, but not passed on as a success. */
static void far_away_polynomial(void **state) {
    (void)state;
    for (size_t i = 0; input_list[i]; i++)
        predictions_far_away("polynomial", input_list[i]->name, true);
}

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
        cmocka_unit_test(null_options),
        cmocka_unit_test(null_model_and_trainer),
        cmocka_unit_test(null_in_looking_and_predicting),
        cmocka_unit_test(bad_shapes),
        cmocka_unit_test(attributes_do_not_match),
        cmocka_unit_test(bad_cells),
        cmocka_unit_test(a_column_all_missing),
        cmocka_unit_test(bad_weights),
        cmocka_unit_test(bad_labels),
        cmocka_unit_test(too_few_classes),
        cmocka_unit_test(too_many_inducing_inputs),
        cmocka_unit_test(every_option_is_described),
        cmocka_unit_test(option_values),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(messages_stay_one_line),
        cmocka_unit_test(short_buffers_are_respected),
        cmocka_unit_test(decimal_commas_do_no_harm),
        cmocka_unit_test(every_status_has_a_text),
        cmocka_unit_test(every_kernel_input_and_noise),
        cmocka_unit_test(missing_values),
        cmocka_unit_test(errors_of_every_kind),
        cmocka_unit_test(columns_and_rows_of_every_kind),
        cmocka_unit_test(units_of_every_size),
        cmocka_unit_test(the_largest_values),
        cmocka_unit_test(shapes_of_every_kind),
        cmocka_unit_test(a_class_without_rows),
        cmocka_unit_test(other_options),
        cmocka_unit_test(weights_with_zeros),
        cmocka_unit_test(far_away_squared_exponential),
        cmocka_unit_test(far_away_matern),
        cmocka_unit_test(far_away_polynomial),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(cancelled_model_is_usable),
        cmocka_unit_test(warm_starts_go_on),
        cmocka_unit_test(denoising_unknown_rows),
        cmocka_unit_test(own_loop_equals_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
