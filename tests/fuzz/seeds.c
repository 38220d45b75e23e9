/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the small models and checkpoints that fuzzing starts from: every likelihood with one input
 * model, every input model with one likelihood, and a few settings more.
 *
 *     seeds MODEL_DIRECTORY CHECKPOINT_DIRECTORY */
#include "fuzz.h"
#include "support/model_data.h"

#include <stdio.h>
#include <string.h>

struct seed {
    const char *name, *likelihood, *input, *noise, *population, *kernel;
    size_t columns, classes;
    const char *target;
};

static const struct seed seeds[] = {
    {"robust_max", "robust_max", "exact", "given", "flat", "se", 2, 2, "class"},
    {"softmax", "softmax", "marginal", "given", "gaussian", "matern32", 2, 3, "class"},
    {"probit", "probit", "latent", "both", "flat", "matern52", 1, 2, "class"},
    {"ordinal", "ordinal", "amortised", "learned", "flat", "polynomial", 2, 3, "level"},
    {"multilabel", "multilabel", "first_order", "given", "gaussian", "se", 2, 2, "labels"},
    {"gaussian", "gaussian", "marginal", "given", "mixture", "se", 2, 0, "number"},
    {"student_t", "student_t", "resampled", "given", "flat", "se", 1, 0, "number"},
    {"poisson", "poisson", "augmented", "given", "flat", "matern32", 2, 0, "count"},
    {"latent", "robust_max", "latent", "given", "flat", "se", 2, 2, "class"},
    {"amortised", "gaussian", "amortised", "given", "flat", "se", 1, 0, "number"},
    {"linear", "softmax", "marginal", "given", "mixture", "linear", 2, 2, "class"},
    {"linear_matern32", "softmax", "marginal", "given", "gaussian", "linear+matern32", 2, 3,
     "class"},
    {"narrow", "softmax", "narrow", "given", "flat", "linear+matern32", 2, 2, "class"},
    {"narrow_flat", "probit", "narrow", "given", "flat", "matern32", 1, 2, "class"},
};

static int stop_at_second(const nim_progress *progress, void *context) {
    size_t *reports = context;
    (void)progress;
    return ++*reports == 2;
}

static void write_seed(const struct seed *seed, const char *models, const char *checkpoints) {
    struct model_data made;
    char path[1024];
    nim_error error;
    size_t reports = 0;
    const char *settings[][2] = {{"likelihood", seed->likelihood},
                                 {"input", seed->input},
                                 {"noise", seed->noise},
                                 {"population", seed->population},
                                 {"kernel", seed->kernel},
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
    model_data_make(&made, seed->columns, seed->target, seed->classes);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        must(nim_options_set(options, settings[i][0], settings[i][1], &error) == NIM_OK);
    if (nim_model_create(options, &made.data, &model, &error) != NIM_OK) {
        fprintf(stderr, "%s: %s\n", seed->name, error.message);
        must(!"a model");
    }
    must(nim_model_train(model, &made.data, stop_at_second, &reports, &error) == NIM_CANCELLED);
    snprintf(path, sizeof path, "%s/%s", checkpoints, seed->name);
    must(nim_model_save(model, path, &error) == NIM_OK);
    must(nim_model_train(model, &made.data, NULL, NULL, &error) == NIM_OK);
    snprintf(path, sizeof path, "%s/%s", models, seed->name);
    must(nim_model_save(model, path, &error) == NIM_OK);
    nim_model_free(model);
    nim_options_free(options);
}

int main(int count, char **words) {
    must(count == 3);
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        write_seed(&seeds[i], words[1], words[2]);
    return 0;
}
