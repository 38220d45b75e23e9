/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the small models and checkpoints that fuzzing starts from: every likelihood with one input
 * model, every input model with one likelihood, and a few settings more.
 *
 *     seeds MODEL_DIRECTORY CHECKPOINT_DIRECTORY */
#include "fuzz.h"
#include "support/model_data.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct seed {
    const char *name, *likelihood, *input, *noise, *population, *kernel;
    size_t columns, classes;
    const char *target;
    bool heavy; /* exact attributes with heavy tails, which are warped */
};

static const struct seed seeds[] = {
    {"robust_max", "robust_max", "exact", "given", "flat", "se", 2, 2, "class", false},
    {"softmax", "softmax", "marginal", "given", "gaussian", "matern32", 2, 3, "class", false},
    {"probit", "probit", "latent", "both", "flat", "matern52", 1, 2, "class", false},
    {"ordinal", "ordinal", "amortised", "learned", "flat", "polynomial", 2, 3, "level", false},
    {"multilabel", "multilabel", "first_order", "given", "gaussian", "se", 2, 2, "labels", false},
    {"gaussian", "gaussian", "marginal", "given", "mixture", "se", 2, 0, "number", false},
    {"student_t", "student_t", "resampled", "given", "flat", "se", 1, 0, "number", false},
    {"poisson", "poisson", "augmented", "given", "flat", "matern32", 2, 0, "count", false},
    {"latent", "robust_max", "latent", "given", "flat", "se", 2, 2, "class", false},
    {"amortised", "gaussian", "amortised", "given", "flat", "se", 1, 0, "number", false},
    {"linear", "softmax", "marginal", "given", "mixture", "linear", 2, 2, "class", false},
    {"linear_matern32", "softmax", "marginal", "given", "gaussian", "linear+matern32", 2, 3,
     "class", false},
    {"narrow", "softmax", "narrow", "given", "flat", "linear+matern32", 2, 2, "class", false},
    {"narrow_flat", "probit", "narrow", "given", "flat", "matern32", 1, 2, "class", false},
    {"warped", "softmax", "exact", "given", "flat", "matern32", 2, 2, "class", true},
};

static int stop_at_second(const nim_progress *progress, void *context) {
    size_t *reports = context;
    (void)progress;
    return ++*reports == 2;
}

static nim_model *create(const struct seed *seed, const nim_data *data) {
    const char *settings[][2] = {{"likelihood", seed->likelihood},
                                 {"input", seed->input},
                                 {"noise", seed->noise},
                                 {"population", seed->population},
                                 {"kernel", seed->kernel},
                                 {"novelty", "always"},
                                 {"inducing", "2"},
                                 {"epochs", "4"},
                                 {"batch", "5"},
                                 {"units", "2"},
                                 {"layers", "1"},
                                 {"points", "4"},
                                 {"threads", "1"},
                                 {"warm_up", "2"},
                                 {"learn_epsilon", "1"},
                                 {"stop", "fixed"}};
    nim_options *options = nim_options_create();
    nim_model *model = NULL;
    nim_error error;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        must(nim_options_set(options, settings[i][0], settings[i][1], &error) == NIM_OK);
    if (nim_model_create(options, data, &model, &error) != NIM_OK) {
        fprintf(stderr, "%s: %s\n", seed->name, error.message);
        must(!"a model");
    }
    nim_options_free(options);
    return model;
}

static void save(const nim_model *model, const char *directory, const char *name) {
    char path[1024];
    nim_error error;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    must(nim_model_save(model, path, &error) == NIM_OK);
}

static void make_heavy(struct model_data *made) {
    for (size_t i = 0; i < sizeof made->x / sizeof *made->x; i++)
        made->x[i] = isnan(made->x[i]) ? 1.0 : sinh(5.0 * made->x[i]);
    made->data.sigma = NULL;
}

static void write_seed(const struct seed *seed, const char *models, const char *checkpoints) {
    struct model_data made;
    nim_error error;
    size_t reports = 0;
    model_data_make(&made, seed->columns, seed->target, seed->classes);
    if (seed->heavy)
        make_heavy(&made);
    nim_model *model = create(seed, &made.data);
    must(nim_model_train(model, &made.data, stop_at_second, &reports, &error) == NIM_CANCELLED);
    save(model, checkpoints, seed->name);
    must(nim_model_train(model, &made.data, NULL, NULL, &error) == NIM_OK);
    save(model, models, seed->name);
    nim_model_free(model);
}

/* A model with all that is learned only from more rows: calibration, plausibility of classes, and
 * novelty. */
static void write_calibrated(const struct seed *seed, const char *models) {
    enum { TIMES = 5 };
    static double x[TIMES * DATA_ROWS * MOST_COLUMNS], sigma[TIMES * DATA_ROWS * MOST_COLUMNS];
    static int32_t labels[TIMES * DATA_ROWS];
    struct model_data made;
    nim_error error;
    char name[64];
    model_data_make(&made, seed->columns, seed->target, seed->classes);
    for (size_t time = 0; time < TIMES; time++) {
        size_t cells = DATA_ROWS * seed->columns;
        for (size_t i = 0; i < cells; i++) {
            x[time * cells + i] = made.x[i] + 0.1 * (double)time;
            sigma[time * cells + i] = made.sigma[i];
        }
        memcpy(labels + time * DATA_ROWS, made.labels, sizeof made.labels);
    }
    nim_data data = made.data;
    data.rows = data.sigma_rows = TIMES * DATA_ROWS;
    data.x = x;
    data.sigma = sigma;
    data.labels = labels;
    nim_model *model = create(seed, &data);
    must(nim_model_train(model, &data, NULL, NULL, &error) == NIM_OK);
    snprintf(name, sizeof name, "calibrated_%s", seed->name);
    save(model, models, name);
    nim_model_free(model);
}

int main(int count, char **words) {
    must(count == 3);
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        write_seed(&seeds[i], words[1], words[2]);
        if (strcmp(seeds[i].target, "class") == 0 || strcmp(seeds[i].target, "level") == 0)
            write_calibrated(&seeds[i], words[1]);
    }
    return 0;
}
