/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints: the training continues for a few steps and is stopped again. */
#include "fuzz.h"
#include "fuzz_model.h"
#include "support/model_data.h"

#include <stdlib.h>
#include <string.h>

static int stop_soon(const nim_progress *progress, void *context) {
    size_t *left = context;
    (void)progress;
    return *left == 0 || --*left == 0;
}

static void denoise(const nim_model *model, const nim_data *data) {
    double mean[DATA_ROWS * MOST_COLUMNS], deviation[DATA_ROWS * MOST_COLUMNS];
    nim_error error;
    if (!fuzz_succeeded(nim_model_denoise(model, data, mean, deviation, &error), &error))
        return;
    for (size_t i = 0; i < data->rows * data->attributes; i++)
        must(mean[i] == mean[i] && deviation[i] == deviation[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nim_model *model = fuzz_load(data, size);
    nim_error error;
    struct model_data made;
    size_t left = 3;
    if (model && nim_model_classes(model) <= MOST_OUTPUTS) {
        model_data_make(&made, nim_model_attributes(model),
                        nim_target_name(nim_model_target(model)), nim_model_classes(model));
        nim_status status = nim_model_train(model, &made.data, stop_soon, &left, &error);
        must(fuzz_succeeded(status, &error) || status != NIM_CANCELLED ||
             nim_model_under_way(model));
        if (status == NIM_OK || status == NIM_CANCELLED) {
            denoise(model, &made.data);
            fuzz_use(model, fuzz_chosen(data, size));
        }
    }
    nim_model_free(model);
    return 0;
}
