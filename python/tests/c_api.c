/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C API as a C program uses it, to compare the Python package with.
 *
 *     c_api layout                         sizes and offsets of the public structures
 *     c_api fit TABLE [option=value]...    trains on a table and predicts its rows; the
 *                                          probabilities as raw doubles on standard output
 *
 * TABLE is raw: rows, attributes, sigma_rows as uint64; then x, sigma, labels (int32).
 */
#include <nimgp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(type, field) printf(#type " " #field " %zu\n", offsetof(type, field))

static int print_layout(void) {
    FIELD(nim_error, status), FIELD(nim_error, message);
    FIELD(nim_data, rows), FIELD(nim_data, attributes), FIELD(nim_data, x);
    FIELD(nim_data, sigma), FIELD(nim_data, sigma_rows), FIELD(nim_data, labels);
    FIELD(nim_data, weights), FIELD(nim_data, targets), FIELD(nim_data, outputs);
    FIELD(nim_data, exposure);
    FIELD(nim_progress, epoch), FIELD(nim_progress, epochs), FIELD(nim_progress, batch);
    FIELD(nim_progress, batches), FIELD(nim_progress, step), FIELD(nim_progress, bound);
    FIELD(nim_progress, rate), FIELD(nim_progress, jitter);
    FIELD(nim_prediction, probabilities), FIELD(nim_prediction, entropy);
    FIELD(nim_prediction, latent_mean), FIELD(nim_prediction, latent_variance);
    FIELD(nim_prediction, measurement_part), FIELD(nim_prediction, model_part);
    FIELD(nim_prediction, mean), FIELD(nim_prediction, deviation), FIELD(nim_prediction, levels);
    FIELD(nim_prediction, level_count), FIELD(nim_prediction, quantiles);
    FIELD(nim_prediction, log_density);
    FIELD(nim_option_info, name), FIELD(nim_option_info, fallback);
    FIELD(nim_option_info, values), FIELD(nim_option_info, help);
    printf("nim_error size %zu\nnim_data size %zu\nnim_progress size %zu\n", sizeof(nim_error),
           sizeof(nim_data), sizeof(nim_progress));
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
    uint64_t *size = read_array(file, 3, sizeof *size);
    nim_data data = {.rows = size[0], .attributes = size[1], .sigma_rows = size[2]};
    data.x = read_array(file, data.rows * data.attributes, sizeof *data.x);
    double *sigma = read_array(file, data.sigma_rows * data.attributes, sizeof *sigma);
    data.labels = read_array(file, data.rows, sizeof *data.labels);
    data.sigma = data.sigma_rows ? sigma : NULL;
    if (!data.sigma)
        free(sigma);
    free(size);
    fclose(file);
    return data;
}

static void set_option(nim_options *options, char *pair, nim_error *error) {
    char *equals = strchr(pair, '=');
    *equals = '\0';
    nim_options_set(options, pair, equals + 1, error);
}

static int fit(const char *path, char **pairs) {
    nim_error error = {0};
    nim_data data = read_table(path);
    nim_options *options = nim_options_create();
    nim_model *model = NULL;
    nim_predictor *predictor = NULL;
    double *p = NULL;
    while (options && *pairs && !error.status)
        set_option(options, *pairs++, &error);
    int failed = error.status || nim_model_create(options, &data, &model, &error) ||
                 nim_model_train(model, &data, NULL, NULL, &error) ||
                 nim_predictor_create(model, &predictor, &error);
    if (!failed) {
        size_t count = data.rows * nim_model_classes(model);
        p = calloc(count, sizeof *p);
        failed = !p ||
                 nim_predict(predictor, &data, &(nim_prediction){.probabilities = p}, &error) ||
                 fwrite(p, sizeof *p, count, stdout) != count;
    }
    if (failed)
        fprintf(stderr, "%s\n", error.message);
    nim_predictor_free(predictor);
    nim_model_free(model);
    nim_options_free(options);
    free(p);
    free((void *)data.x);
    free((void *)data.sigma);
    free((void *)data.labels);
    return failed;
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "layout") == 0)
        return print_layout();
    if (count >= 3 && strcmp(arguments[1], "fit") == 0)
        return fit(arguments[2], arguments + 3);
    return fprintf(stderr, "usage: c_api layout | fit TABLE [option=value]...\n"), 1;
}
