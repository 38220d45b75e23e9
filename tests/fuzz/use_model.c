/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_model.h"

#include "file/checksum.h"
#include "fuzz.h"
#include "support/model_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits the work to about a second. Larger models would test the same code, only more slowly. */
enum { MOST_INDUCING = 16, MOST_FUNCTIONS = 8, PREDICTED = 3 };

bool fuzz_succeeded(nim_status status, const nim_error *error) {
    must(status == error->status);
    if (status == NIM_OK)
        return true;
    must(error->message[0] && !strchr(error->message, '\n'));
    return false;
}

static void seal(uint8_t *bytes, size_t size) {
    static const char start[] = "{\"__metadata__\":{\"crc32\":\"";
    size_t place = 8 + sizeof start - 1;
    char digits[9];
    if (size < place + 8 || memcmp(bytes + 8, start, sizeof start - 1) != 0)
        return;
    memcpy(bytes + place, "00000000", 8);
    snprintf(digits, sizeof digits, "%08x", (unsigned)checksum(0, bytes, size));
    memcpy(bytes + place, digits, 8);
}

nim_model *fuzz_load(const uint8_t *data, size_t size) {
    uint8_t *bytes = malloc(size + 1);
    nim_model *model = NULL;
    nim_error error;
    must(bytes);
    if (size)
        memcpy(bytes, data, size);
    seal(bytes, size);
    bool loaded = fuzz_succeeded(nim_model_load_memory(bytes, size, &model, &error), &error);
    must(loaded == (model != NULL));
    free(bytes);
    if (loaded &&
        (nim_model_inducing(model) > MOST_INDUCING || nim_model_functions(model) > MOST_FUNCTIONS ||
         nim_model_attributes(model) > MOST_COLUMNS)) {
        nim_model_free(model);
        return NULL;
    }
    if (loaded) { /* neither changes what is learned */
        must(nim_model_set_option(model, "threads", "1", &error) == NIM_OK);
        must(nim_model_set_option(model, "points", "8", &error) == NIM_OK);
    }
    return model;
}

static void must_be_finite(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        must(isfinite(values[i]));
}

/* What a model stores about its training rows, or the error that it does not. */
static void predict_of_populations(nim_predictor *predictor, const nim_data *data, size_t classes) {
    double novelty[PREDICTED], density[PREDICTED], shares[MOST_OUTPUTS] = {0.0, 1e-9, 1.0, 1e9};
    double *each = calloc(PREDICTED * (classes + 1), sizeof *each);
    nim_prediction new = NIM_PREDICTION(.novelty = novelty, .input_log_density = density);
    nim_prediction kept = NIM_PREDICTION(.plausibility = each);
    nim_prediction odds = NIM_PREDICTION(.probabilities = each);
    nim_error error;
    must(each);
    if (fuzz_succeeded(nim_predict(predictor, data, &new, &error), &error)) {
        must_be_finite(novelty, data->rows);
        must_be_finite(density, data->rows);
    }
    if (classes && fuzz_succeeded(nim_predict(predictor, data, &kept, &error), &error))
        must_be_finite(each, data->rows * classes);
    if (classes && classes <= MOST_OUTPUTS &&
        fuzz_succeeded(nim_predictor_set_shares(predictor, shares, &error), &error) &&
        fuzz_succeeded(nim_predict(predictor, data, &odds, &error), &error))
        must_be_finite(each, data->rows * classes);
    free(each);
}

static void predict(const nim_model *model, bool remeasure) {
    static const double levels[] = {0.05, 0.5, 0.999};
    struct model_data made;
    nim_predictor *predictor = NULL;
    nim_error error;
    size_t classes = nim_model_classes(model), functions = nim_model_functions(model);
    size_t columns = nim_model_attributes(model), each = 4 * classes + 4 * functions + columns + 8;
    model_data_make(&made, columns, "class", classes);
    made.data.labels = NULL;
    made.data.rows = made.data.sigma_rows = PREDICTED;
    if (!fuzz_succeeded(nim_predictor_create(model, &predictor, &error), &error))
        return;
    double *values = calloc(PREDICTED * each, sizeof *values);
    must(values);
    double *latent = values, *answer = values + 2 * PREDICTED * functions;
    nim_prediction wanted =
        NIM_PREDICTION(.latent_mean = latent, .latent_variance = latent + PREDICTED * functions);
    if (classes) {
        wanted.entropy = answer;
        wanted.measurement_part = answer + PREDICTED;
        wanted.model_part = answer + 2 * PREDICTED;
        wanted.probabilities = answer + 3 * PREDICTED;
    } else {
        wanted.mean = answer;
        wanted.deviation = answer + PREDICTED;
        wanted.levels = levels;
        wanted.level_count = 3;
        wanted.quantiles = answer + 2 * PREDICTED;
    }
    if (fuzz_succeeded(nim_predict(predictor, &made.data, &wanted, &error), &error))
        must_be_finite(values, PREDICTED * each);
    memset(values, 0, PREDICTED * each * sizeof *values);
    made.data.rows = made.data.sigma_rows = 1;
    if (remeasure && classes == 2 &&
        fuzz_succeeded(nim_remeasure(predictor, &made.data, values, &error), &error))
        must_be_finite(values, columns);
    free(values);
    predict_of_populations(predictor, &made.data, classes);
    nim_predictor_free(predictor);
}

/* Saves to a file, loads it, and saves that to memory. */
static void save_twice(const nim_model *model) {
    nim_model *loaded = NULL;
    nim_error error;
    size_t first_size, second_size;
    nim_status status = nim_model_save(model, fuzz_file(1, "", 0), &error);
    if (!fuzz_succeeded(status, &error)) {
        must(status == NIM_NUMERICAL); /* training may have made it invalid */
        return;
    }
    char *first = fuzz_content(1, &first_size);
    if (nim_model_load(fuzz_file(1, first, first_size), &loaded, &error) != NIM_OK)
        fuzz_stop(__FILE__, __LINE__, error.message); /* what was saved must load */
    char *second = malloc(first_size);
    must(second &&
         nim_model_save_memory(loaded, second, first_size, &second_size, &error) == NIM_OK);
    must(first_size == second_size && memcmp(first, second, first_size) == 0);
    nim_model_free(loaded);
    free(first);
    free(second);
}

/* All arrays that can be read by name. */
static void get_arrays(const nim_model *model) {
    static const char *const names[] = {
        "lengthscales", "variances",      "white_noise",     "inducing_inputs",
        "relevance",    "noise_variance", "missing_columns", "missing_relevance",
        "temperature",  "epsilon",        "noise_deviation", "scale",
        "freedom",      "base_rate",      "thresholds",      "map",
        "offsets"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        nim_error error;
        size_t count = 0;
        if (!fuzz_succeeded(nim_model_get(model, names[i], NULL, 0, &count, &error), &error))
            continue;
        double *values = malloc((count + 1) * sizeof *values);
        must(values && nim_model_get(model, names[i], values, count, &count, &error) == NIM_OK);
        free(values);
    }
}

bool fuzz_chosen(const uint8_t *data, size_t size) {
    enum { ONE_IN = 64 };
    return checksum(0, data, size) % ONE_IN == 0;
}

void fuzz_use(nim_model *model, bool remeasure) {
    predict(model, remeasure);
    get_arrays(model);
    save_twice(model);
}
