/* SPDX-License-Identifier: Apache-2.0 */
#include "score/predictions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double interval_share[INTERVALS] = {0.5, 0.9, 0.95};

size_t most_probable(size_t classes, const double *p) {
    size_t best = 0;
    for (size_t c = 1; c < classes; c++)
        best = p[c] > p[best] ? c : best;
    return best;
}

/* An array that is wanted, or NULL. */
static double *allocate(bool wanted, size_t rows, size_t width, bool *fine) {
    double *array = wanted ? calloc(rows * width + 1, sizeof(double)) : NULL;
    *fine = *fine && (array || !wanted);
    return array;
}

bool predictions_create(struct predictions *predictions, const nim_model *model, size_t classes,
                        size_t room, bool parts) {
    *predictions =
        (struct predictions){.classes = model ? nim_model_classes(model) : classes, .room = room};
    predictions->predicts = model ? predicts_of(nim_model_target(model)) : PREDICTS_CLASS;
    bool fine = true, numbers = !predicts_classes(predictions->predicts);
    bool density = !predicts_one_class(predictions->predicts);
    predictions->p = allocate(!numbers, room, predictions->classes, &fine);
    predictions->log_density = allocate(density, room, 1, &fine);
    predictions->mean = allocate(numbers, room, 1, &fine);
    predictions->deviation = allocate(numbers, room, 1, &fine);
    predictions->quantile = allocate(numbers, room, QUANTILES, &fine);
    predictions->place = allocate(numbers, room, 2, &fine);
    predictions->crps = allocate(predictions->predicts == PREDICTS_NUMBER, room, 1, &fine);
    predictions->entropy = allocate(parts && !numbers, room, 1, &fine);
    predictions->measurement_part = allocate(parts && !numbers, room, 1, &fine);
    predictions->latent_deviation = allocate(parts && numbers, room, 1, &fine);
    return fine;
}

/* Whether the model kept any of what an array of nim_model_get holds. */
static bool knows(const nim_model *model, const char *array) {
    size_t count = 0;
    return model && nim_model_get(model, array, NULL, 0, &count, NULL) == NIM_OK && count > 0;
}

bool predictions_ask_more(struct predictions *predictions, const nim_model *model) {
    bool fine = true;
    predictions->novelty = allocate(knows(model, "novelty_quantiles"), predictions->room, 1, &fine);
    predictions->plausibility = allocate(predictions->classes && knows(model, "plausibility_rows"),
                                         predictions->room, predictions->classes, &fine);
    return fine;
}

void predictions_free(struct predictions *predictions) {
    free(predictions->p);
    free(predictions->log_density);
    free(predictions->mean);
    free(predictions->deviation);
    free(predictions->quantile);
    free(predictions->place);
    free(predictions->crps);
    free(predictions->entropy);
    free(predictions->measurement_part);
    free(predictions->latent_deviation);
    free(predictions->novelty);
    free(predictions->plausibility);
    *predictions = (struct predictions){0};
}

nim_status predictions_make(struct predictions *predictions, nim_predictor *predictor,
                            const nim_data *data, nim_error *error) {
    double levels[QUANTILES];
    for (size_t k = 0; k < INTERVALS; k++) {
        levels[2 * k] = 0.5 - 0.5 * interval_share[k];
        levels[2 * k + 1] = 0.5 + 0.5 * interval_share[k];
    }
    nim_prediction wanted =
        NIM_PREDICTION(.probabilities = predictions->p, .entropy = predictions->entropy,
                       .measurement_part = predictions->measurement_part, .mean = predictions->mean,
                       .deviation = predictions->deviation, .quantiles = predictions->quantile,
                       .levels = levels, .level_count = QUANTILES,
                       .latent_variance = predictions->latent_deviation,
                       .novelty = predictions->novelty, .plausibility = predictions->plausibility,
                       .log_density = data->targets ? predictions->log_density : NULL,
                       .cumulative = data->targets ? predictions->place : NULL,
                       .crps = data->targets ? predictions->crps : NULL);
    nim_status status = nim_predict(predictor, data, &wanted, error);
    if (status != NIM_OK)
        return status;
    for (size_t i = 0; predictions->latent_deviation && i < data->rows; i++)
        predictions->latent_deviation[i] = sqrt(predictions->latent_deviation[i]);
    predictions->label = data->labels;
    predictions->y = data->targets;
    predictions->weight = data->weights;
    predictions->rows = data->rows;
    return NIM_OK;
}

void predictions_scatter(const struct predictions *part, const size_t *row,
                         struct predictions *whole) {
    const struct {
        const double *from;
        double *to;
        size_t width;
    } arrays[] = {
        {part->p, whole->p, part->classes},
        {part->log_density, whole->log_density, 1},
        {part->mean, whole->mean, 1},
        {part->deviation, whole->deviation, 1},
        {part->quantile, whole->quantile, QUANTILES},
        {part->place, whole->place, 2},
        {part->crps, whole->crps, 1},
        {part->entropy, whole->entropy, 1},
        {part->measurement_part, whole->measurement_part, 1},
        {part->latent_deviation, whole->latent_deviation, 1},
        {part->novelty, whole->novelty, 1},
        {part->plausibility, whole->plausibility, part->classes},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        for (size_t i = 0; arrays[k].from && arrays[k].to && i < part->rows; i++)
            memcpy(arrays[k].to + row[i] * arrays[k].width, arrays[k].from + i * arrays[k].width,
                   arrays[k].width * sizeof(double));
}
