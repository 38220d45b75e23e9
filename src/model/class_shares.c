/* SPDX-License-Identifier: Apache-2.0 */
#include "model/class_shares.h"

#include "math/vector.h"
#include "model/targets.h"

#include <string.h>

void class_shares_count(struct nim_model *model, const nim_data *data) {
    if (!targets_are_classes(model))
        return;
    memset(model->class_share, 0, model->classes * sizeof *model->class_share);
    for (size_t i = 0; i < data->rows; i++)
        model->class_share[data->labels[i]] += data->weights ? data->weights[i] : 1.0;
    double total = sum(model->classes, model->class_share);
    model->shares_known = total > 0.0;
    if (model->shares_known)
        scale(model->classes, 1.0 / total, model->class_share);
    for (size_t c = 0; c < model->classes; c++)
        if (model->class_share[c] < LEAST_SHARE)
            model->class_share[c] = 0.0;
}

bool class_shares_can_be(const struct nim_model *model) {
    for (size_t c = 0; model->shares_known && c < model->classes; c++) {
        double share = model->class_share[c];
        if (share != 0.0 && !(share >= LEAST_SHARE && share <= 1.0))
            return false;
    }
    return true;
}
