/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of docs/c-api.md: two classes in a plane, divided by a parabola.
 *
 *     cc -std=c17 -O2 session.c $(pkg-config --cflags --libs nimgp) -o session
 */
#include <nimgp.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 300, ATTRIBUTES = 2, CLASSES = 2, NEW_ROWS = 3 };

static double x[ROWS * ATTRIBUTES], sigma[ROWS * ATTRIBUTES];
static int32_t labels[ROWS];

static double uniform(double low, double high) {
    return low + (high - low) * rand() / RAND_MAX;
}

/* Roughly normal, with standard deviation 1. */
static double normal(void) {
    double sum = 0.0;
    for (int i = 0; i < 12; i++)
        sum += uniform(-0.5, 0.5);
    return sum;
}

static void observe(void) {
    for (int i = 0; i < ROWS; i++) {
        double truth[ATTRIBUTES] = {uniform(-2.0, 2.0), uniform(-1.0, 3.0)};
        labels[i] = truth[1] > truth[0] * truth[0];
        for (int j = 0; j < ATTRIBUTES; j++) {
            sigma[ATTRIBUTES * i + j] = uniform(0.1, 0.6);
            x[ATTRIBUTES * i + j] = truth[j] + sigma[ATTRIBUTES * i + j] * normal();
        }
    }
}

static int stop(const nim_error *error) {
    fprintf(stderr, "%s: %s\n", nim_status_text(error->status), error->message);
    return 1;
}

int main(void) {
    nim_error error;
    nim_options *options = nim_options_create();
    if (!options)
        return 1;
    if (nim_options_set(options, "input", "auto", &error) != NIM_OK) /* the default */
        return stop(&error);

    observe();
    nim_data train = NIM_DATA(.rows = ROWS, .attributes = ATTRIBUTES, .x = x, .labels = labels,
                              .sigma = sigma, .sigma_rows = ROWS);
    nim_model *model = NULL;
    if (nim_model_create(options, &train, &model, &error) != NIM_OK ||
        nim_model_train(model, &train, NULL, NULL, &error) != NIM_OK)
        return stop(&error);
    printf("bound %.1f after %zu epochs\n", nim_model_bound(model), nim_model_epochs(model));

    /* One position with a small and a large error, and a position far inside the parabola. */
    const double new_x[] = {0.0, 0.4, 0.0, 0.4, 0.0, 2.0};
    const double new_sigma[] = {0.05, 0.05, 1.0, 1.0, 0.3, 0.3};
    double probabilities[NEW_ROWS * CLASSES];
    nim_data test = NIM_DATA(.rows = NEW_ROWS, .attributes = ATTRIBUTES, .x = new_x,
                             .sigma = new_sigma, .sigma_rows = NEW_ROWS);
    nim_predictor *predictor = NULL;
    if (nim_predictor_create(model, &predictor, &error) != NIM_OK ||
        nim_predict(predictor, &test, &NIM_PREDICTION(.probabilities = probabilities), &error) !=
            NIM_OK)
        return stop(&error);
    for (int i = 0; i < NEW_ROWS; i++)
        printf("(%4.1f, %4.1f) +- %.2f: below %.3f, above %.3f\n", new_x[2 * i], new_x[2 * i + 1],
               new_sigma[2 * i], probabilities[2 * i], probabilities[2 * i + 1]);

    nim_predictor_free(predictor);
    nim_model_free(model);
    nim_options_free(options);
    return 0;
}
