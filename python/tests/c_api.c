/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C API as a C program uses it, to compare the Python package with.
 *
 *     c_api layout                         sizes and offsets of the public structures
 *     c_api fit TABLE MODEL [option=value]...    trains on a table, saves the model there, and
 *                                                predicts the table's rows
 *     c_api predict TABLE MODEL                  loads a model and predicts the table's rows
 *
 * Predictions are raw doubles on standard output: probabilities, or mean, deviation and quantiles
 * at 0.1 and 0.7; then log_density. TABLE is raw: rows, attributes, sigma_rows, label_rows,
 * outputs, exposure_rows as uint64; then x, sigma, labels (int32), targets, exposure.
 */
#include <nimgp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(type, field) printf(#type " " #field " %zu\n", offsetof(type, field))

static int print_layout(void) {
    FIELD(nim_error, status), FIELD(nim_error, message), FIELD(nim_error, option);
    FIELD(nim_error, row), FIELD(nim_error, attribute), FIELD(nim_error, reserved);
    FIELD(nim_data, size), FIELD(nim_data, rows), FIELD(nim_data, attributes), FIELD(nim_data, x);
    FIELD(nim_data, sigma), FIELD(nim_data, sigma_rows), FIELD(nim_data, labels);
    FIELD(nim_data, weights), FIELD(nim_data, targets), FIELD(nim_data, outputs);
    FIELD(nim_data, exposure), FIELD(nim_data, correlation), FIELD(nim_data, correlation_rows);
    FIELD(nim_data, sigma_upper), FIELD(nim_data, limit), FIELD(nim_data, x_stride);
    FIELD(nim_data, sigma_stride), FIELD(nim_data, x_column), FIELD(nim_data, sigma_column),
        FIELD(nim_data, target_sigma);
    FIELD(nim_progress, epoch), FIELD(nim_progress, epochs), FIELD(nim_progress, batch);
    FIELD(nim_progress, batches), FIELD(nim_progress, step), FIELD(nim_progress, bound);
    FIELD(nim_progress, rate), FIELD(nim_progress, jitter);
    FIELD(nim_collectives, size), FIELD(nim_collectives, rank), FIELD(nim_collectives, processes);
    FIELD(nim_collectives, sum), FIELD(nim_collectives, largest), FIELD(nim_collectives, gather);
    FIELD(nim_collectives, context), FIELD(nim_collectives, sum_parts);
    FIELD(nim_prediction, size), FIELD(nim_prediction, probabilities),
        FIELD(nim_prediction, entropy);
    FIELD(nim_prediction, latent_mean), FIELD(nim_prediction, latent_variance);
    FIELD(nim_prediction, measurement_part), FIELD(nim_prediction, model_part);
    FIELD(nim_prediction, mean), FIELD(nim_prediction, deviation), FIELD(nim_prediction, levels);
    FIELD(nim_prediction, level_count), FIELD(nim_prediction, quantiles);
    FIELD(nim_prediction, log_density), FIELD(nim_prediction, cumulative);
    FIELD(nim_prediction, plausibility), FIELD(nim_prediction, novelty);
    FIELD(nim_prediction, input_log_density), FIELD(nim_prediction, typical);
    FIELD(nim_prediction, grid), FIELD(nim_prediction, grid_count), FIELD(nim_prediction, density);
    FIELD(nim_prediction, level_rows), FIELD(nim_prediction, crps);
    FIELD(nim_prediction, coverage), FIELD(nim_prediction, interval),
        FIELD(nim_prediction, fit_weights);
    FIELD(nim_option_info, name), FIELD(nim_option_info, fallback);
    FIELD(nim_option_info, values), FIELD(nim_option_info, help), FIELD(nim_option_info, type);
    FIELD(nim_option_info, choices), FIELD(nim_option_info, least), FIELD(nim_option_info, most);
    FIELD(nim_option_info, role), FIELD(nim_option_info, tier);
    printf("nim_error size %zu\nnim_data size %zu\nnim_progress size %zu\n", sizeof(nim_error),
           sizeof(nim_data), sizeof(nim_progress));
    printf("nim_collectives size %zu\n", sizeof(nim_collectives));
    printf("nim_prediction size %zu\nnim_option_info size %zu\n", sizeof(nim_prediction),
           sizeof(nim_option_info));
    return 0;
}

static void *read_array(FILE *file, size_t count, size_t size) {
    void *array = calloc(count ? count : 1, size);
    if (!array || fread(array, size, count, file) != count)
        exit(fprintf(stderr, "the table is cut off\n"));
    return array;
}

static nim_data read_table(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        exit(fprintf(stderr, "cannot open %s\n", path));
    uint64_t *size = read_array(file, 6, sizeof *size);
    nim_data data =
        NIM_DATA(.rows = size[0], .attributes = size[1], .sigma_rows = size[2], .outputs = size[4]);
    data.x = read_array(file, data.rows * data.attributes, sizeof *data.x);
    if (size[2])
        data.sigma = read_array(file, data.sigma_rows * data.attributes, sizeof *data.sigma);
    if (size[3])
        data.labels = read_array(file, data.rows, sizeof *data.labels);
    if (size[4])
        data.targets = read_array(file, data.rows * data.outputs, sizeof *data.targets);
    if (size[5])
        data.exposure = read_array(file, data.rows, sizeof *data.exposure);
    free(size);
    fclose(file);
    return data;
}

static void free_table(nim_data *data) {
    free((void *)data->x);
    free((void *)data->sigma);
    free((void *)data->labels);
    free((void *)data->targets);
    free((void *)data->exposure);
}

static nim_status set_option(nim_options *options, char *pair, nim_error *error) {
    char *equals = strchr(pair, '=');
    *equals = '\0';
    return nim_options_set(options, pair, equals + 1, error);
}

static nim_status fit(const nim_data *data, char **pairs, nim_model **model, nim_error *error) {
    nim_options *options = nim_options_create();
    nim_status status = NIM_OK;
    while (*pairs && status == NIM_OK)
        status = set_option(options, *pairs++, error);
    if (status == NIM_OK)
        status = nim_model_create(options, data, model, error);
    if (status == NIM_OK)
        status = nim_model_train(*model, data, NULL, NULL, error);
    nim_options_free(options);
    return status;
}

enum { LEVELS = 2 };

static nim_status predict(const nim_model *model, const nim_data *data, nim_error *error) {
    static const double levels[LEVELS] = {0.1, 0.7};
    size_t n = data->rows, classes = nim_model_classes(model);
    size_t width = classes ? classes : 2 + LEVELS;
    double *answer = calloc(n * (width + 1), sizeof *answer);
    nim_prediction wanted = NIM_PREDICTION(.log_density = answer + n * width);
    if (classes)
        wanted.probabilities = answer;
    else {
        wanted.mean = answer, wanted.deviation = answer + n;
        wanted.levels = levels, wanted.level_count = LEVELS, wanted.quantiles = answer + 2 * n;
    }
    nim_predictor *predictor = NULL;
    nim_status status = nim_predictor_create(model, &predictor, error);
    if (status == NIM_OK)
        status = nim_predict(predictor, data, &wanted, error);
    if (status == NIM_OK)
        fwrite(answer, sizeof *answer, n * (width + 1), stdout);
    nim_predictor_free(predictor);
    free(answer);
    return status;
}

static int run(const char *verb, const char *table, const char *path, char **pairs) {
    nim_error error = {0};
    nim_data data = read_table(table);
    nim_model *model = NULL;
    nim_status status;
    if (strcmp(verb, "fit") == 0) {
        status = fit(&data, pairs, &model, &error);
        if (status == NIM_OK)
            status = nim_model_save(model, path, &error);
    } else
        status = nim_model_load(path, &model, &error);
    if (status == NIM_OK)
        status = predict(model, &data, &error);
    if (status != NIM_OK)
        fprintf(stderr, "%s\n", error.message);
    nim_model_free(model);
    free_table(&data);
    return status != NIM_OK;
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "layout") == 0)
        return print_layout();
    if (count >= 4)
        return run(arguments[1], arguments[2], arguments[3], arguments + 4);
    return fprintf(stderr, "usage: c_api layout | fit TABLE MODEL [option=value]... | "
                           "predict TABLE MODEL\n"),
           1;
}
