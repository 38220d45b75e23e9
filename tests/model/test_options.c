/* SPDX-License-Identifier: Apache-2.0 */
/* Options and status texts: every one is described, and values are kept within their range. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rules/rules.h"
#include "support/calls.h"
#include "support/scratch.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        nim_option_info info = *nim_option_describe(i);
        char value[64], again[64];
        assert_true(info.name && *info.name && info.values && *info.values);
        assert_true(info.fallback && *info.fallback);
        assert_true(info.help && info.help[strlen(info.help) - 1] == '.');
        assert_ptr_equal(nim_option_named(info.name), nim_option_describe(i));
        bool ranged = info.type == NIM_OPTION_WHOLE || info.type == NIM_OPTION_REAL;
        assert_true(ranged ? info.least < info.most : info.choices && info.choices[1]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(nim_option_describe(j)->name, info.name);
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

/* The number of choices. Each can be set and read, and the description contains it. */
static size_t values_that_work(const char *name) {
    nim_options *options = nim_options_create();
    const nim_option_info *info = nim_option_named(name);
    const char *text = info->values;
    size_t count = 0;
    for (; info->choices[count]; count++) {
        const char *wanted = info->choices[count];
        char value[64];
        set(options, name, wanted);
        get(options, name, value, sizeof value);
        assert_string_equal(value, wanted);
        assert_memory_equal(text, wanted, strlen(wanted));
        text += strlen(wanted);
        assert_true(info->choices[count + 1] ? strncmp(text, ", ", 2) == 0 : !*text);
        text += *text ? 2 : 0;
    }
    nim_options_free(options);
    return count;
}

/* The description of an option is built from a list of names, its values from the parts
 * themselves. */
static void texts_name_all_parts(void **state) {
    (void)state;
    size_t kernels = 0, likelihoods = 0, inputs = 0;
    for (; kernel_list[kernels]; kernels++)
        assert_true(*kernel_list[kernels]->summary);
    for (; likelihood_list[likelihoods]; likelihoods++)
        assert_non_null(nim_target_name(nim_likelihood_target(likelihood_list[likelihoods]->name)));
    for (; input_list[inputs]; inputs++)
        assert_true(*input_list[inputs]->summary);
    assert_int_equal(values_that_work("kernel"), kernels + 1); /* and auto */
    assert_int_equal(values_that_work("likelihood"), likelihoods);
    assert_int_equal(values_that_work("input"), inputs + 1);
    assert_int_equal(nim_likelihood_target("cauchy"), NIM_TARGET_NONE);
    assert_int_equal(nim_likelihood_target(NULL), NIM_TARGET_NONE);
    assert_null(nim_target_name(NIM_TARGET_NONE));
    assert_null(nim_option_named("colour"));
    assert_null(nim_option_named(NULL));
    assert_null(nim_option_describe(nim_option_count()));
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

/* Every choice is accepted, but no list of them, and no other name. */
static void try_choices(nim_options *options, const nim_option_info *info) {
    for (size_t k = 0; info->choices && info->choices[k]; k++)
        set_and_get(options, info->name, info->choices[k]);
    refuse_value(options, info->name, info->values);
    refuse_value(options, info->name, "Latent");
    set(options, info->name, info->fallback);
}

/* Both ends of a range, and values beyond them. */
static void try_range(nim_options *options, const nim_option_info *info) {
    char value[64];
    snprintf(value, sizeof value, "%.17g", info->least);
    set_and_get(options, info->name, value);
    snprintf(value, sizeof value, "%.17g", info->most);
    set_and_get(options, info->name, value);
    if (isinf(info->most)) {
        set_and_get(options, info->name, "-1");
        set(options, info->name, info->fallback);
        return;
    }
    snprintf(value, sizeof value, "%.17g", info->most * 1.5 + 1.0);
    refuse_value(options, info->name, value);
    snprintf(value, sizeof value, "%.9g", info->least - 1.0);
    refuse_value(options, info->name, value);
    set(options, info->name, info->fallback);
}

static void option_values(void **state) {
    (void)state;
    static const char *const bad[] = {"",    " ",   "x",  "1x",    "1 ",  "1,5",
                                      "nan", "inf", "-1", "1e400", "--1", "se latent"};
    nim_options *options = nim_options_create();
    for (size_t i = 0; i < nim_option_count(); i++) {
        nim_option_info info = *nim_option_describe(i);
        try_choices(options, &info);
        if (info.type == NIM_OPTION_WHOLE || info.type == NIM_OPTION_REAL)
            try_range(options, &info);
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            bool any = isinf(info.most) && (!strcmp(bad[k], "inf") || !strcmp(bad[k], "-1"));
            if (!any) /* bounds of numbers may be any number or none */
                refuse_value(options, info.name, bad[k]);
        }
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
    assert_refused("get", nim_model_get(fixture.model, "lengths", values, 4, &count, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("lengths"));
    assert_true(values[0] == 12345.0 && count == 77);
    fixture_free(&fixture);
}

/* A message is one line whatever text it quotes, and never longer than its buffer. */
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
    assert_refused("get", nim_model_get(fixture.model, "len\ngth", NULL, 0, NULL, &error),
                   NIM_INVALID_ARGUMENT, &error, WORDS("len"));
    free(endless);
    fixture_free(&fixture);
}

/* A copy has the same values and is independent of the original. */
static void options_are_copied(void **state) {
    (void)state;
    nim_options *options = nim_options_create();
    char value[64], other[64];
    set(options, "kernel", "linear+se");
    set(options, "rate", "0.125");
    nim_options *copy = nim_options_copy(options);
    set(options, "rate", "0.5");
    for (size_t i = 0; i < nim_option_count(); i++) {
        const char *name = nim_option_describe(i)->name;
        get(options, name, value, sizeof value);
        get(copy, name, other, sizeof other);
        assert_string_equal(other, strcmp(name, "rate") == 0 ? "0.125" : value);
    }
    nim_options_free(options);
    get(copy, "kernel", value, sizeof value);
    assert_string_equal(value, "linear+se");
    nim_options_free(copy);
    assert_null(nim_options_copy(NULL));
}

static void short_buffers_are_respected(void **state) {
    (void)state;
    nim_options *options = nim_options_create();
    char value[16];
    nim_error error;
    memset(value, '#', sizeof value);
    for (size_t size = 0; size <= strlen("robust_max"); size++) {
        assert_refused("get", nim_options_get(options, "likelihood", value, size, &error),
                       NIM_INVALID_ARGUMENT, &error, WORDS("likelihood", "11 bytes"));
        assert_string_equal(error.option, "likelihood");
        assert_true(value[0] == '#');
    }
    get(options, "likelihood", value, strlen("robust_max") + 1);
    assert_string_equal(value, "robust_max");
    nim_options_free(options);
}

/* Nothing is written beyond the capacity, and the count is the capacity needed. */
static void arrays_need_room(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    nim_error error;
    static const char *const names[] = {"lengthscales", "temperature", "epsilon"};
    for (size_t k = 0; k < 3; k++) {
        size_t needed = 0, again = 0;
        double values[64];
        stop_on(nim_model_get(fixture.model, names[k], NULL, 0, &needed, &error), &error);
        assert_true(needed > 0 && needed < 64);
        for (size_t i = 0; i < 64; i++)
            values[i] = 12345.0;
        assert_refused("get",
                       nim_model_get(fixture.model, names[k], values, needed - 1, &again, &error),
                       NIM_INVALID_ARGUMENT, &error, WORDS(names[k], "capacity"));
        assert_true(values[0] == 12345.0);
        assert_int_equal(again, needed);
        stop_on(nim_model_get(fixture.model, names[k], values, needed, &again, &error), &error);
        assert_true(values[needed - 1] != 12345.0 && values[needed] == 12345.0);
    }
    /* A model that was not trained knows none of these. */
    static const char *const empty[] = {"plausibility_rows", "calibration_offsets"};
    for (size_t k = 0; k < 2; k++) {
        size_t count = 1;
        double values[8] = {12345.0};
        stop_on(nim_model_get(fixture.model, empty[k], values, 8, &count, &error), &error);
        assert_true(count == 0 && values[0] == 12345.0);
    }
    fixture_free(&fixture);
}

/* An error also has fields for programs, with the option or the cell. */
static void refusals_have_fields(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, &small);
    nim_error error;
    nim_model *model;
    nim_options_set(fixture.options, "batch", "-1", &error);
    assert_string_equal(error.option, "batch");
    assert_true(error.row == NIM_NONE && error.attribute == NIM_NONE);
    nim_model_set_option(fixture.model, "kernel", "se", &error);
    assert_string_equal(error.option, "kernel");
    nim_options_set(fixture.options, "batch", "5", &error);
    assert_string_equal(error.option, "");
    double *cell = &fixture.x[7 * fixture.data.attributes + 1], before = *cell;
    *cell = INFINITY;
    assert_int_equal(nim_model_create(fixture.options, &fixture.data, &model, &error),
                     NIM_BAD_DATA);
    assert_true(error.row == 7 && error.attribute == 1);
    *cell = before;
    ((int32_t *)(uintptr_t)fixture.data.labels)[3] = -1;
    assert_int_equal(nim_model_create(fixture.options, &fixture.data, &model, &error),
                     NIM_BAD_DATA);
    assert_true(error.row == 3 && error.attribute == NIM_NONE);
    assert_int_equal(nim_version_number(), NIM_VERSION_NUMBER);
    fixture_free(&fixture);
}

/* A locale with decimal commas: one of the system or, if it has none, one made for this test. */
static bool use_decimal_commas(char *directory) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "es_ES.UTF-8"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (setlocale(LC_NUMERIC, names[k]))
            return true;
    char command[2 * SCRATCH_SIZE + 64];
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
    char command[SCRATCH_SIZE + 16];
    setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command) != 0)
        print_message("%s stays behind\n", directory);
}

/* In a German locale programs write 0,5; the names and numbers of options do not change. */
static void decimal_commas_do_no_harm(void **state) {
    (void)state;
    char directory[SCRATCH_SIZE], rate[64] = "", epsilon[64] = "";
    if (!use_decimal_commas(scratch_name(directory))) {
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
    for (int status = NIM_OK; status <= NIM_COMMUNICATION; status++)
        assert_true(strlen(nim_status_text((nim_status)status)) > 5);
    assert_non_null(nim_status_text((nim_status)999));
    assert_string_equal(nim_version(), NIM_VERSION);
}

/* A rule's value is one that the option takes, and its reason says which rule it was. */
static void rules_choose_what_options_take(void **state) {
    (void)state;
    nim_options *options = nim_options_create();
    char one[512], other[512], all[2048];
    for (const struct rule *rule = rule_list; rule->option; rule++) {
        assert_true((rule->value != NULL) != (rule->choose != NULL));
        if (rule->value && nim_options_set(options, rule->option, rule->value, NULL) != NIM_OK)
            fail_msg("%s cannot be %s", rule->option, rule->value);
        assert_in_range(rule_reason(rule, one, sizeof one), 3, sizeof one - 1);
        assert_in_range(nim_option_rules(rule->option, all, sizeof all), 10, sizeof all - 1);
        assert_non_null(strstr(all, rule->text ? rule->text : rule->value));
        for (const struct rule *next = rule + 1; next->option; next++) {
            rule_reason(next, other, sizeof other);
            if (strcmp(next->option, rule->option) == 0 && strcmp(one, other) == 0)
                fail_msg("two rules of %s with one reason: %s", rule->option, one);
        }
    }
    assert_int_equal(nim_option_rules("seed", all, sizeof all), 0);
    assert_int_equal(nim_option_rules("nothing", all, sizeof all), 0);
    nim_option_rules("lengthscale_prior", all, sizeof all);
    assert_string_equal(all, "auto: 0.5 if classes, levels or labels are predicted with alpha "
                             "above 0; otherwise no prior.");
    assert_int_equal(nim_option_rules("lengthscale_prior", all, 5), 92);
    assert_string_equal(all, "auto");
    nim_options_free(options);
}

/* What was decided, why, and what was requested come back from a file. */
static void plans_are_kept(void **state) {
    (void)state;
    enum { ROWS = 60 };
    double x[ROWS], sigma[ROWS];
    int32_t label[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (double)i;
        sigma[i] = 0.1 + 0.01 * (double)i;
        label[i] = i >= ROWS / 2;
    }
    nim_data data = NIM_DATA(.rows = ROWS, .attributes = 1, .x = x, .sigma = sigma,
                             .sigma_rows = ROWS, .labels = label);
    nim_options *options = nim_options_create();
    nim_options_set(options, "caution", "0.7", NULL);
    nim_model *model = NULL, *loaded = NULL;
    nim_error error;
    stop_on(nim_model_create(options, &data, &model, &error), &error);
    char bytes[1 << 16], value[64], reason[256];
    size_t size;
    stop_on(nim_model_save_memory(model, bytes, sizeof bytes, &size, &error), &error);
    stop_on(nim_model_load_memory(bytes, size, &loaded, &error), &error);
    static const char *const wanted[][4] = {
        {"kernel", "auto", "linear+matern32",
         "classes, levels or labels are predicted with alpha above 0 and given noise, errors "
         "differ "
         "from row to row"},
        {"caution", "0.7", "0.7", ""},
        {"inducing", "0", "20",
         "classes, levels or labels are predicted with alpha above 0 and given noise, errors "
         "differ "
         "from row to row"},
        {"alpha", "auto", "1", "classes or labels are predicted"},
        {"warm_up", "1000", "200", "inputs are not inferred"},
    };
    for (size_t k = 0; k < 2 * sizeof wanted / sizeof *wanted; k++) {
        const nim_model *one = k % 2 ? model : loaded;
        const char *const *row = wanted[k / 2];
        nim_options_get(nim_model_request(one), row[0], value, sizeof value, NULL);
        assert_string_equal(value, row[1]);
        nim_options_get(nim_model_options(one), row[0], value, sizeof value, NULL);
        assert_string_equal(value, row[2]);
        nim_model_reason(one, row[0], reason, sizeof reason);
        assert_string_equal(reason, row[3]);
    }
    stop_on(nim_model_set_option(loaded, "batch", "7", &error), &error);
    assert_int_equal(nim_model_reason(loaded, "batch", NULL, 0), 0);
    stop_on(nim_model_set_option(loaded, "batch", "0", &error), &error);
    nim_options_get(nim_model_options(loaded), "batch", value, sizeof value, NULL);
    assert_string_equal(value, "50");
    nim_model_free(model);
    nim_model_free(loaded);
    nim_options_free(options);
}

/* What rules make of the number of rows is the same in a model, in its copy from a file, and after
 * another option was set. */
static void rows_are_remembered(void **state) {
    (void)state;
    enum { ROWS = 2000 };
    static double x[ROWS];
    static int32_t label[ROWS];
    static char bytes[1 << 20];
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (double)i;
        label[i] = i >= ROWS / 2;
    }
    nim_options *options = nim_options_create();
    for (size_t fewer = 0; fewer < 2; fewer++) {
        nim_data data = NIM_DATA(.rows = ROWS - fewer, .attributes = 1, .x = x, .labels = label);
        nim_model *model = NULL, *loaded = NULL;
        nim_error error;
        size_t size;
        nim_trainer *trainer = NULL;
        stop_on(nim_model_create(options, &data, &model, &error), &error);
        stop_on(nim_trainer_create(model, &data, &trainer, &error), &error);
        stop_on(nim_trainer_step(trainer, NULL, &error), &error);
        nim_trainer_free(trainer);
        stop_on(nim_model_save_memory(model, bytes, sizeof bytes, &size, &error), &error);
        stop_on(nim_model_load_memory(bytes, size, &loaded, &error), &error);
        for (size_t k = 0; k < 4; k++) {
            nim_model *one = k % 2 ? loaded : model;
            if (k >= 2)
                stop_on(nim_model_set_option(one, "batch", "100", &error), &error);
            char epochs[128], rate[32], precision[32];
            nim_model_choice(one, "epochs", epochs, sizeof epochs);
            nim_model_choice(one, "rate", rate, sizeof rate);
            nim_model_choice(one, "precision", precision, sizeof precision);
            assert_string_equal(epochs, fewer ? "1000 steps but at least 15 passes"
                                              : "25 passes but 1000 to 2000 steps and at least "
                                                "one pass");
            assert_string_equal(rate, fewer ? "0.02" : "0.05");
            assert_string_equal(precision, fewer ? "double" : "single");
        }
        nim_model_free(model);
        nim_model_free(loaded);
    }
    nim_options_free(options);
}

/* About ten options are for every day, and an option's texts say each thing once: rules are not
 * repeated in its help. */
static void options_have_tiers(void **state) {
    (void)state;
    size_t count[3] = {0};
    for (size_t i = 0; i < nim_option_count(); i++) {
        const nim_option_info *info = nim_option_describe(i);
        assert_in_range(info->tier, NIM_OPTION_EVERYDAY, NIM_OPTION_RESEARCH);
        count[info->tier]++;
        assert_null(strstr(info->help, "otherwise"));
    }
    assert_in_range(count[NIM_OPTION_EVERYDAY], 8, 12);
    assert_true(count[NIM_OPTION_EXPERT] && count[NIM_OPTION_RESEARCH]);
}

enum { IDLE_ROWS = 10, IDLE_CLASSES = 8 };

/* Trains briefly with one more option, and predicts. */
static void train_with(struct fixture *fixture, const char *option, const char *value,
                       double *probabilities, char *idle, size_t size) {
    nim_options *options = nim_options_copy(fixture->options);
    nim_model *model = NULL;
    nim_predictor *predictor = NULL;
    nim_error error;
    if (option)
        set(options, option, value);
    stop_on(nim_model_create(options, &fixture->data, &model, &error), &error);
    nim_model_idle(model, option, idle, size);
    stop_on(nim_model_train(model, &fixture->data, NULL, NULL, &error), &error);
    stop_on(nim_predictor_create(model, &predictor, &error), &error);
    nim_prediction prediction = NIM_PREDICTION(.probabilities = probabilities);
    nim_data rows = rows_of(&fixture->data, 0, IDLE_ROWS);
    stop_on(nim_predict(predictor, &rows, &prediction, &error), &error);
    nim_predictor_free(predictor);
    nim_model_free(model);
    nim_options_free(options);
}

/* An option that is said to have no effect has none: the predictions keep their bits. */
static void idle_options_change_nothing(void **state) {
    (void)state;
    static const char *const inputs[] = {"exact", "marginal", "latent", "amortised", "first_order"};
    static const char *const other[][2] = {
        {"degree", "5"},        {"functions", "2"},       {"epsilon", "0.1"},
        {"learn_epsilon", "1"}, {"layers", "1"},          {"units", "7"},
        {"samples", "3"},       {"warm_up", "3"},         {"points", "64"},
        {"tolerance", "0.1"},   {"prior_variance", "10"}, {"noise_start", "0.7"},
        {"row_steps", "always"}};
    double before[IDLE_ROWS * IDLE_CLASSES], after[IDLE_ROWS * IDLE_CLASSES];
    char why[128];
    size_t idle = 0, active = 0;
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
        struct fixture fixture;
        begin(&fixture, &small);
        assert_true(nim_model_classes(fixture.model) <= IDLE_CLASSES &&
                    fixture.data.rows >= IDLE_ROWS);
        memset(before, 0, sizeof before);
        memset(after, 0, sizeof after);
        set(fixture.options, "input", inputs[k]);
        set(fixture.options, "likelihood", k % 2 ? "softmax" : "robust_max");
        set(fixture.options, "population", k % 2 ? "gaussian" : "flat");
        set(fixture.options, "calibrate", "none");
        train_with(&fixture, NULL, NULL, before, why, sizeof why);
        for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
            train_with(&fixture, other[i][0], other[i][1], after, why, sizeof why);
            bool same = memcmp(before, after, sizeof before) == 0;
            if (why[0] && !same)
                fail_msg("%s inputs: %s changes the model, though %s", inputs[k], other[i][0], why);
            idle += why[0] != '\0';
            active += !same;
        }
        fixture_free(&fixture);
    }
    assert_true(idle > 20 && active > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_choose_what_options_take),
        cmocka_unit_test(plans_are_kept),
        cmocka_unit_test(rows_are_remembered),
        cmocka_unit_test(options_have_tiers),
        cmocka_unit_test(idle_options_change_nothing),
        cmocka_unit_test(every_option_is_described),
        cmocka_unit_test(texts_name_all_parts),
        cmocka_unit_test(option_values),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(messages_stay_one_line),
        cmocka_unit_test(short_buffers_are_respected),
        cmocka_unit_test(arrays_need_room),
        cmocka_unit_test(options_are_copied),
        cmocka_unit_test(refusals_have_fields),
        cmocka_unit_test(decimal_commas_do_no_harm),
        cmocka_unit_test(every_status_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
