/* SPDX-License-Identifier: Apache-2.0 */
#include "score/predictions.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const double interval_share[INTERVALS] = {0.5, 0.9, 0.95};

enum { NEEDS_TARGETS = ASK_LOG_DENSITY | ASK_PLACE | ASK_CRPS };

/* Where nim_prediction has an array, and what a row has one number for. */
static const struct {
    size_t member;
    enum { ONE, TWO, CLASSES, FUNCTIONS, LEVELS, POINTS, FITS } width;
} list[] = {
#define ARRAY(id, name, member, width) {offsetof(nim_prediction, member), width},
    PREDICTED_LIST(ARRAY)
#undef ARRAY
};

size_t most_probable(size_t classes, const double *p) {
    size_t best = 0;
    for (size_t c = 1; c < classes; c++)
        best = p[c] > p[best] ? c : best;
    return best;
}

size_t predictions_width(const struct predictions *predictions, enum predicted array) {
    const size_t width[] = {[ONE] = 1,
                            [TWO] = 2,
                            [CLASSES] = predictions->classes,
                            [FUNCTIONS] = predictions->functions,
                            [LEVELS] = predictions->levels,
                            [POINTS] = predictions->points,
                            [FITS] = predictions->fits};
    return width[list[array].width];
}

static size_t count_fits(const nim_model *model) {
    size_t weights = 0;
    nim_model_get(model, "panel_weights", NULL, 0, &weights, NULL);
    return weights / 2;
}

struct predictions predictions_for(const nim_model *model, size_t classes, size_t room) {
    return (struct predictions){.predicts =
                                    model ? predicts_of(nim_model_target(model)) : PREDICTS_CLASS,
                                .classes = model ? nim_model_classes(model) : classes,
                                .functions = model ? nim_model_functions(model) : 0,
                                .fits = model ? count_fits(model) : 0,
                                .room = room,
                                .levels = QUANTILES};
}

bool predictions_ask(struct predictions *predictions, unsigned arrays) {
    bool fine = true;
    for (unsigned k = 0; k < PREDICTED_ARRAYS; k++)
        if (arrays >> k & 1) {
            size_t cells = predictions->room * predictions_width(predictions, k);
            predictions->value[k] = calloc(cells + 1, sizeof(double));
            fine = fine && predictions->value[k];
        }
    return fine;
}

bool predictions_create(struct predictions *predictions, const nim_model *model, size_t classes,
                        size_t room, bool parts) {
    *predictions = predictions_for(model, classes, room);
    bool numbers = !predicts_classes(predictions->predicts);
    unsigned arrays =
        numbers ? ASK_MEAN | ASK_DEVIATION | ASK_QUANTILE | ASK_PLACE | ASK_LOG_DENSITY : ASK_P;
    if (predictions->predicts == PREDICTS_LABELS)
        arrays |= ASK_LOG_DENSITY;
    if (predictions->predicts == PREDICTS_NUMBER)
        arrays |= ASK_CRPS;
    if (parts)
        arrays |= numbers ? ASK_LATENT_DEVIATION : ASK_ENTROPY | ASK_MEASUREMENT;
    return predictions_ask(predictions, arrays);
}

bool model_knows(const nim_model *model, const char *array) {
    size_t count = 0;
    return model && nim_model_get(model, array, NULL, 0, &count, NULL) == NIM_OK && count > 0;
}

bool predictions_ask_more(struct predictions *predictions, const nim_model *model) {
    bool sets = predictions->classes && model_knows(model, "plausibility_rows");
    return predictions_ask(predictions,
                           (model_knows(model, "novelty_quantiles") ? ASK_NOVELTY : 0) |
                               (sets ? ASK_PLAUSIBILITY : 0));
}

void predictions_free(struct predictions *predictions) {
    for (size_t k = 0; k < PREDICTED_ARRAYS; k++)
        free(predictions->value[k]);
    *predictions = (struct predictions){0};
}

nim_status predictions_make(struct predictions *predictions, nim_predictor *predictor,
                            const nim_data *data, nim_error *error) {
    double ends[QUANTILES];
    for (size_t k = 0; k < INTERVALS; k++) {
        ends[2 * k] = 0.5 - 0.5 * interval_share[k];
        ends[2 * k + 1] = 0.5 + 0.5 * interval_share[k];
    }
    nim_prediction wanted =
        NIM_PREDICTION(.levels = predictions->level ? predictions->level : ends,
                       .level_count = predictions->quantile ? predictions->levels : 0,
                       .grid = predictions->grid, .grid_count = predictions->points,
                       .coverage = predictions->coverage);
    for (size_t k = 0; k < PREDICTED_ARRAYS; k++)
        if (data->targets || !(NEEDS_TARGETS >> k & 1))
            memcpy((char *)&wanted + list[k].member, &predictions->value[k], sizeof(double *));
    nim_status status = nim_predict(predictor, data, &wanted, error);
    if (status != NIM_OK)
        return status;
    size_t cells = predictions->latent_deviation ? data->rows * predictions->functions : 0;
    for (size_t i = 0; i < cells; i++)
        predictions->latent_deviation[i] = sqrt(predictions->latent_deviation[i]);
    predictions->label = data->labels;
    predictions->y = data->targets;
    predictions->weight = data->weights;
    predictions->rows = data->rows;
    return NIM_OK;
}

struct predictions predictions_stretch(const struct predictions *all, size_t first, size_t count) {
    struct predictions part = *all;
    bool labels = all->predicts == PREDICTS_LABELS;
    part.rows = count;
    part.label = all->label ? all->label + first : NULL;
    part.y = all->y ? all->y + first * (labels ? all->classes : 1) : NULL;
    part.weight = all->weight ? all->weight + first : NULL;
    for (size_t k = 0; k < PREDICTED_ARRAYS; k++)
        if (all->value[k])
            part.value[k] += first * predictions_width(all, k);
    return part;
}

void predictions_scatter(const struct predictions *part, const size_t *row,
                         struct predictions *whole) {
    for (size_t k = 0; k < PREDICTED_ARRAYS; k++) {
        size_t width = predictions_width(part, k);
        for (size_t i = 0; part->value[k] && whole->value[k] && i < part->rows; i++)
            memcpy(whole->value[k] + row[i] * width, part->value[k] + i * width,
                   width * sizeof(double));
    }
}
