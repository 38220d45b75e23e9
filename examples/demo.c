/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main job end to end on data made here: 500 rows of two attributes measured with an error,
 * three classes; fit with each input model, predict new rows, compare with the best that is
 * possible.
 */
#include "generate/sample.h"
#include "nimgp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 500, TEST_ROWS = 2000, CLASSES = 3 };

#define NOISE 0.25

static void check(nim_status status, const nim_error *error) {
    if (status != NIM_OK) {
        fprintf(stderr, "demo: %s\n", error->message);
        exit(1);
    }
}

/* Mean negative log probability of the true labels, and the share of wrong first guesses. */
static void score(const double *p, const int32_t *labels, double *nll, double *wrong) {
    *nll = *wrong = 0.0;
    for (size_t i = 0; i < TEST_ROWS; i++) {
        size_t best = 0;
        for (size_t c = 1; c < CLASSES; c++)
            best = p[i * CLASSES + c] > p[i * CLASSES + best] ? c : best;
        *nll -= log(p[i * CLASSES + (size_t)labels[i]]) / TEST_ROWS;
        *wrong += (best != (size_t)labels[i]) / (double)TEST_ROWS;
    }
}

static void fit_and_score(const char *input, const struct sample *problem) {
    static double p[TEST_ROWS * CLASSES];
    const double sigma[2] = {sqrt(NOISE), sqrt(NOISE)}; /* the same error for every row */
    nim_data train = {.rows = ROWS,
                      .attributes = 2,
                      .x = problem->x,
                      .labels = problem->labels,
                      .sigma = sigma,
                      .sigma_rows = 1};
    nim_data test = {
        .rows = TEST_ROWS, .attributes = 2, .x = problem->test_x, .sigma = sigma, .sigma_rows = 1};
    nim_error error;
    nim_model *model;
    nim_predictor *predictor;
    nim_options *options = nim_options_create();
    check(nim_options_set(options, "input", input, &error), &error);
    check(nim_model_create(options, &train, &model, &error), &error);
    check(nim_model_train(model, &train, NULL, NULL, &error), &error);
    check(nim_predictor_create(model, &predictor, &error), &error);
    check(nim_predict(predictor, &test, &(nim_prediction){.probabilities = p}, &error), &error);
    double nll, wrong;
    score(p, problem->test_labels, &nll, &wrong);
    printf("%-22s %10.3f %10.1f %%\n", input, nll, 100.0 * wrong);
    fflush(stdout);
    nim_predictor_free(predictor);
    nim_model_free(model);
    nim_options_free(options);
}

int main(void) {
    printf("nimgp %s: %d rows to learn from, %d to predict, measured with variance %g\n\n",
           nim_version(), ROWS, TEST_ROWS, NOISE);
    printf("%-22s %10s %12s\n", "input model", "test NLL", "wrong");
    struct synthetic_settings settings = synthetic_paper(2);
    settings.classes = CLASSES;
    settings.noise = NOISE;
    struct sample problem = sample_create(&settings, ROWS, TEST_ROWS);
    static const char *const inputs[] = {"exact", "first_order", "amortised", "latent"};
    for (size_t i = 0; i < 4; i++)
        fit_and_score(inputs[i], &problem);
    double nll, wrong;
    score(problem.bayes, problem.test_labels, &nll, &wrong);
    printf("%-22s %10.3f %10.1f %%\n", "best possible (Bayes)", nll, 100.0 * wrong);
    sample_free(&problem);
    return 0;
}
