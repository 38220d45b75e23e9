/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints numbers of many small trainings, to compare the library on one kind of processor with
 * another: for every likelihood and input model the bound of some steps, and predictions
 * thereafter. The data are made of sums and products alone, so that they are the same everywhere.
 */
#include "input/input.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "nimgp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, ATTRIBUTES = 2, CLASSES = 2, STEPS = 4 };

static double x[ROWS * ATTRIBUTES], sigma[ROWS * ATTRIBUTES], targets[ROWS * CLASSES];
static int32_t labels[ROWS];

static double uniform(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

static void make_data(void) {
    for (int i = 0; i < ROWS * ATTRIBUTES; i++) {
        x[i] = 4.0 * uniform() - 2.0;
        sigma[i] = 0.1 + 0.25 * uniform();
    }
    for (int i = 0; i < ROWS; i++)
        labels[i] = x[2 * i] * x[2 * i + 1] > 0.0;
}

static void stop_on(nim_status status, const nim_error *error, const char *what) {
    if (status == NIM_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, error->message);
    exit(1);
}

/* Numbers as they are, counts, or two labels of each row, as the likelihood takes them. */
static nim_data data_for(nim_target target) {
    bool sets = target == NIM_TARGET_LABELS, counts = target == NIM_TARGET_COUNT;
    for (int i = 0; i < ROWS; i++)
        if (sets)
            targets[2 * i] = labels[i], targets[2 * i + 1] = x[2 * i] > 0.5;
        else
            targets[i] = counts ? (double)(int)(4.0 + x[2 * i]) : x[2 * i] + x[2 * i + 1];
    return NIM_DATA(.rows = ROWS, .attributes = ATTRIBUTES, .x = x, .sigma = sigma,
                    .sigma_rows = ROWS, .labels = labels, .targets = targets,
                    .outputs = sets ? CLASSES : 1);
}

static void print_steps(nim_model *model, const nim_data *data, const char *name) {
    nim_trainer *trainer;
    nim_error error;
    double bound;
    stop_on(nim_trainer_create(model, data, &trainer, &error), &error, name);
    for (int step = 0; step < STEPS; step++) {
        stop_on(nim_trainer_step(trainer, &bound, &error), &error, name);
        printf("%s bound %d %.17g\n", name, step, bound);
    }
    nim_trainer_free(trainer);
}

static void print_predictions(const nim_model *model, const nim_data *data, const char *name) {
    double density[ROWS];
    nim_predictor *predictor;
    nim_error error;
    stop_on(nim_predictor_create(model, &predictor, &error), &error, name);
    stop_on(nim_predict(predictor, data, &NIM_PREDICTION(.log_density = density), &error), &error,
            name);
    for (int i = 0; i < ROWS; i += 7)
        printf("%s log_density %d %.17g\n", name, i, density[i]);
    nim_predictor_free(predictor);
}

static void print_case(const char *kernel, const char *likelihood, const char *input) {
    const char *const settings[][2] = {{"kernel", kernel}, {"likelihood", likelihood},
                                       {"input", input},   {"inducing", "8"},
                                       {"points", "16"},   {"threads", "1"}};
    nim_options *options = nim_options_create();
    nim_model *model;
    nim_error error;
    char name[128];
    snprintf(name, sizeof name, "%s/%s/%s", likelihood, input, kernel);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        stop_on(nim_options_set(options, settings[i][0], settings[i][1], &error), &error, name);
    nim_data data = data_for(nim_likelihood_target(likelihood));
    stop_on(nim_model_create(options, &data, &model, &error), &error, name);
    print_steps(model, &data, name);
    print_predictions(model, &data, name);
    nim_model_free(model);
    nim_options_free(options);
}

int main(void) {
    size_t turn = 0, kernels = 0;
    while (kernel_list[kernels])
        kernels++;
    make_data();
    for (size_t l = 0; likelihood_list[l]; l++)
        for (size_t i = 0; input_list[i]; i++, turn++)
            print_case(kernel_list[turn % kernels]->name, likelihood_list[l]->name,
                       input_list[i]->name);
    return 0;
}
