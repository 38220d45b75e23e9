/* SPDX-License-Identifier: Apache-2.0 */
#include "fitted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void must(nim_status status, const nim_error *error) {
    if (status == NIM_OK)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

size_t number_argument(int count, char **argument, int index, size_t otherwise, const char *usage) {
    if (index >= count)
        return otherwise;
    char *end;
    unsigned long value = strtoul(argument[index], &end, 10);
    if (value == 0 || *end != '\0' || argument[index][0] == '-') {
        fprintf(stderr, "usage: %s\n", usage);
        exit(2);
    }
    return value;
}

nim_model *fitted(const nim_data *data, const char *settings) {
    nim_options *options = nim_options_create();
    nim_error error;
    nim_model *model = NULL;
    char name[32], value[32];
    must(nim_options_set(options, "threads", "1", &error), &error);
    for (int length; sscanf(settings, " %31[^=]=%31s%n", name, value, &length) == 2;
         settings += length)
        must(nim_options_set(options, name, value, &error), &error);
    must(nim_model_create(options, data, &model, &error), &error);
    must(nim_model_train(model, data, NULL, NULL, &error), &error);
    nim_options_free(options);
    return model;
}

void predicted(const nim_model *model, const nim_data *data, const nim_prediction *wanted) {
    nim_predictor *predictor = NULL;
    nim_error error;
    must(nim_predictor_create(model, &predictor, &error), &error);
    must(nim_predict(predictor, data, wanted, &error), &error);
    nim_predictor_free(predictor);
}
