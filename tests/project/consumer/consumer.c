/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of a user of the installed header: fit, predict, print. Valid as C17 and as C++.
 * usage: consumer VERSION, that of the package
 */
#include <nimgp.h>

#include <stdio.h>
#include <string.h>

enum { ROWS = 40, ATTRIBUTES = 2, CLASSES = 2 };

static double x[ROWS * ATTRIBUTES], sigma[ATTRIBUTES] = {0.1, 0.1};
static int32_t labels[ROWS];
static double probabilities[ROWS * CLASSES];

/* Two groups, three units apart. */
static nim_data make_table(void) {
    nim_data table;
    memset(&table, 0, sizeof table);
    for (int i = 0; i < ROWS; i++) {
        labels[i] = i % 2;
        x[2 * i] = 3.0 * (i % 2) + 0.02 * i;
        x[2 * i + 1] = 0.1 * (i % 7);
    }
    table.size = sizeof table;
    table.rows = ROWS;
    table.attributes = ATTRIBUTES;
    table.x = x;
    table.sigma = sigma;
    table.sigma_rows = 1;
    table.labels = labels;
    return table;
}

static int stop(const char *what, const nim_error *error) {
    fprintf(stderr, "%s: %s (%s)\n", what, error->message, nim_status_text(error->status));
    return 1;
}

static int fit_and_predict(nim_model **model, nim_predictor **predictor, nim_options *options) {
    nim_error error;
    nim_data table = make_table();
    nim_prediction wanted = NIM_PREDICTION(.probabilities = probabilities);
    if (nim_options_set(options, "epochs", "100", &error) != NIM_OK)
        return stop("option", &error);
    if (nim_model_create(options, &table, model, &error) != NIM_OK)
        return stop("create", &error);
    if (nim_model_train(*model, &table, NULL, NULL, &error) != NIM_OK)
        return stop("train", &error);
    if (nim_predictor_create(*model, predictor, &error) != NIM_OK)
        return stop("predictor", &error);
    if (nim_predict(*predictor, &table, &wanted, &error) != NIM_OK)
        return stop("predict", &error);
    return 0;
}

static int report(const char *version) {
    int right = 0;
    for (int i = 0; i < ROWS; i++)
        right += probabilities[CLASSES * i + labels[i]] > 0.5;
    printf("nimgp %s: %d of %d right\n", nim_version(), right, ROWS);
    return right == ROWS && strcmp(version, nim_version()) == 0 &&
                   strcmp(NIM_VERSION, nim_version()) == 0
               ? 0
               : 1;
}

int main(int count, char **arguments) {
    nim_options *options = nim_options_create();
    nim_model *model = NULL;
    nim_predictor *predictor = NULL;
    int failed = options == NULL || fit_and_predict(&model, &predictor, options);
    if (!failed)
        failed = report(count > 1 ? arguments[1] : NIM_VERSION);
    nim_predictor_free(predictor);
    nim_model_free(model);
    nim_options_free(options);
    return failed;
}
