/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a model file has to tell. */

#include "cli/model/task.h"
#include "text/name_list.h"

/* What is learned, with the shapes of nim_model_get: its word for it, and that for people. */
#define LEARNED_LIST(X)                                                                            \
    X(LENGTHSCALES, "lengthscales", NULL)                                                          \
    X(VARIANCES, "variances", NULL)                                                                \
    X(WHITE_NOISE, "white_noise", NULL)                                                            \
    X(NOISE, "noise_variance", NULL)                                                               \
    X(RELEVANCE, "relevance", NULL)                                                                \
    X(MISSING_COLUMNS, "missing_columns", NULL)                                                    \
    X(MISSING_RELEVANCE, "missing_relevance", NULL)                                                \
    X(SHARES, "population_shares", NULL) /* of the population's components */                      \
    X(MEANS, "population_means", NULL)                                                             \
    X(TEMPERATURE, "temperature", NULL)                                                            \
    /* What the likelihood learns, if it has such a thing: */                                      \
    X(EPSILON, "epsilon", "label noise")                                                           \
    X(NOISE_DEVIATION, "noise_deviation", "noise of the target")                                   \
    X(SCALE, "scale", "width of noise")                                                            \
    X(FREEDOM, "freedom", "degrees of freedom")                                                    \
    X(BASE_RATE, "base_rate", "base rate")                                                         \
    X(THRESHOLDS, "thresholds", "thresholds")                                                      \
    X(OFFSETS, "offsets", "offsets")                                                               \
    X(MAP, "map", "map")

enum learned {
#define LEARNED_ENUM(id, ...) id,
    LEARNED_LIST(LEARNED_ENUM)
#undef LEARNED_ENUM
        LEARNED,
    FIRST_QUANTITY = EPSILON
};

struct inspection {
    const char *path;
    nim_model *model;
    const struct task *task;
    size_t classes, functions, attributes;
    char kernel[64];
    struct name_list terms;   /* of the kernel */
    double *learned[LEARNED]; /* NULL where the likelihood has none */
    size_t count[LEARNED];
    struct name_list units, rows, errors; /* from the notes; empty where there are none */
};

extern const struct learned_name { const char *key, *name; } learned_name[LEARNED];

/* Must be freed, also on failure. */
bool inspection_open(struct inspection *inspection, const char *path, struct complaint *complaint);
void inspection_free(struct inspection *inspection);

void inspection_option(const struct inspection *inspection, const char *name, char value[64]);

/* The error columns an attribute was learned with, those of a difference with a comma between; NULL
 * where there are none. */
enum { ERRORS_TEXT = 512 };
const char *inspection_errors(const struct inspection *inspection, size_t attribute,
                              char text[ERRORS_TEXT]);
const char *inspection_unit(const struct inspection *inspection, size_t attribute); /* or NULL */

/* Whether each class has its own latent function. */
bool inspection_function_each(const struct inspection *inspection);
bool inspection_has_temperature(const struct inspection *inspection); /* may be calibrated */
bool inspection_is_wide(const struct inspection *inspection);         /* the population */
const char *inspection_population(const struct inspection *inspection);
