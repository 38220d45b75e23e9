/* SPDX-License-Identifier: Apache-2.0 */
/* Handles used at the same time give the same results as each alone. `make test` also runs this
 * under ThreadSanitizer, so it is short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/model_data.h"
#include "support/calls.h"

#include <pthread.h>
#include <string.h>

enum { AT_ONCE = 3, NUMBERS = 4 * DATA_ROWS };

static const char *const inputs[AT_ONCE] = {"marginal", "latent", "amortised"};

struct job {
    const char *input;      /* of the model to be trained */
    const nim_model *model; /* to predict with; NULL: the job trains one of its own */
    struct model_data made;
    double answers[NUMBERS]; /* rows x (two probabilities, entropy, part of the measurement) */
};

static nim_model *train(const char *input, const nim_data *data) {
    static const char *const settings[][2] = {
        {"likelihood", "softmax"}, {"inducing", "4"}, {"epochs", "2"},
        {"points", "4"},           {"batch", "6"},    {"units", "2"},
        {"layers", "1"},           {"threads", "2"}};
    nim_options *options = nim_options_create();
    nim_model *model = NULL;
    nim_error error;
    set(options, "input", input);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        set(options, settings[i][0], settings[i][1]);
    stop_on(nim_model_create(options, data, &model, &error), &error);
    stop_on(nim_model_train(model, data, NULL, NULL, &error), &error);
    nim_options_free(options);
    return model;
}

static void *run(void *context) {
    struct job *job = context;
    model_data_make(&job->made, 2, "class", 2);
    nim_model *own = job->model ? NULL : train(job->input, &job->made.data);
    nim_predictor *predictor = NULL;
    nim_error error;
    nim_prediction wanted =
        NIM_PREDICTION(.probabilities = job->answers, .entropy = job->answers + 2 * DATA_ROWS,
                       .measurement_part = job->answers + 3 * DATA_ROWS);
    stop_on(nim_predictor_create(own ? own : job->model, &predictor, &error), &error);
    stop_on(nim_predict(predictor, &job->made.data, &wanted, &error), &error);
    nim_predictor_free(predictor);
    nim_model_free(own);
    return NULL;
}

/* All jobs one after the other, and all at once. */
static void same_at_once(const struct job *jobs) {
    static struct job alone[AT_ONCE], together[AT_ONCE];
    pthread_t thread[AT_ONCE];
    for (size_t j = 0; j < AT_ONCE; j++) {
        alone[j] = together[j] = jobs[j];
        run(&alone[j]);
    }
    for (size_t j = 0; j < AT_ONCE; j++)
        assert_int_equal(pthread_create(&thread[j], NULL, run, &together[j]), 0);
    for (size_t j = 0; j < AT_ONCE; j++)
        pthread_join(thread[j], NULL);
    for (size_t j = 0; j < AT_ONCE; j++)
        assert_memory_equal(alone[j].answers, together[j].answers, sizeof alone[j].answers);
}

static void trainings_at_once(void **state) {
    static struct job jobs[AT_ONCE];
    (void)state;
    for (size_t j = 0; j < AT_ONCE; j++)
        jobs[j] = (struct job){.input = inputs[j]};
    same_at_once(jobs);
}

static void predictors_of_one_model_at_once(void **state) {
    static struct job jobs[AT_ONCE];
    static struct model_data made;
    (void)state;
    model_data_make(&made, 2, "class", 2);
    nim_model *model = train("marginal", &made.data);
    for (size_t j = 0; j < AT_ONCE; j++)
        jobs[j] = (struct job){.model = model};
    same_at_once(jobs);
    nim_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(trainings_at_once),
                                       cmocka_unit_test(predictors_of_one_model_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
