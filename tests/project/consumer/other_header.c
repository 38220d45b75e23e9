/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fits, predicts and prints all digits. What lies behind each structure is garbage, which a library
 * that reads or writes beyond the size of the structure stumbles over. check_other_header.py
 * compiles it against older and newer copies of nimgp.h.
 */
#include <nimgp.h>

#include <stdio.h>
#include <string.h>

enum { ROWS = 60, ATTRIBUTES = 2, CLASSES = 2, GARBAGE = 0xa5 };

static double x[ROWS * ATTRIBUTES], sigma[ATTRIBUTES] = {0.1, 0.2};
static int32_t labels[ROWS];
static double probabilities[ROWS * CLASSES];

static struct {
    nim_data structure;
    unsigned char behind[512];
} data;

static struct {
    nim_prediction structure;
    unsigned char behind[512];
} prediction;

static void make_table(void) {
    for (int i = 0; i < ROWS; i++) {
        labels[i] = i % 2;
        x[2 * i] = 1.5 * (i % 2) + 0.02 * i;
        x[2 * i + 1] = 0.1 * (i % 7);
    }
    memset(&data, GARBAGE, sizeof data);
    memset(&prediction, GARBAGE, sizeof prediction);
    data.structure = NIM_DATA(.rows = ROWS, .attributes = ATTRIBUTES, .x = x, .sigma = sigma,
                              .sigma_rows = 1, .labels = labels);
    prediction.structure = NIM_PREDICTION(.probabilities = probabilities);
#ifdef REQUEST
    prediction.structure.future = probabilities;
#endif
}

static int count_epochs(const nim_progress *progress, void *context) {
    *(size_t *)context = progress->epoch;
    return 0;
}

static int stop(const nim_error *error) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
}

int main(void) {
    nim_options *options = nim_options_create();
    nim_model *model = NULL;
    nim_predictor *predictor = NULL;
    nim_error error;
    size_t epochs = 0;
    make_table();
    if (nim_options_set(options, "epochs", "5", &error) != NIM_OK ||
        nim_options_set(options, "calibrate", "none", &error) != NIM_OK ||
        nim_options_set(options, "threads", "1", &error) != NIM_OK ||
        nim_model_create(options, &data.structure, &model, &error) != NIM_OK ||
        nim_model_train(model, &data.structure, count_epochs, &epochs, &error) != NIM_OK ||
        nim_predictor_create(model, &predictor, &error) != NIM_OK ||
        nim_predict(predictor, &data.structure, &prediction.structure, &error) != NIM_OK)
        return stop(&error);
    for (size_t i = 0; i < sizeof data.behind; i++)
        if (data.behind[i] != GARBAGE || prediction.behind[i] != GARBAGE)
            return 2;
    printf("%zu epochs\n", epochs);
    for (int i = 0; i < ROWS * CLASSES; i++)
        printf("%.17g\n", probabilities[i]);
    nim_predictor_free(predictor);
    nim_model_free(model);
    nim_options_free(options);
    return 0;
}
