/* SPDX-License-Identifier: Apache-2.0 */
#include "model/conformal.h"

#include "base/status.h"
#include "math/sorted.h"
#include "model/model.h"
#include "model/temper.h"

#include <math.h>
#include <stdlib.h>

bool conformal_allocate(struct conformal *conformal, size_t classes, size_t kept) {
    conformal_free(conformal);
    conformal->kept = kept;
    conformal->rows = calloc(classes + 1, sizeof(double));
    conformal->score = calloc(classes * kept + 1, sizeof(double));
    return conformal->rows && conformal->score;
}

void conformal_free(struct conformal *conformal) {
    free(conformal->rows);
    free(conformal->score);
    *conformal = (struct conformal){0};
}

/* r_k, counted from 1. The products are integers far below 2^53. */
static size_t rank_of(const struct conformal *conformal, size_t c, size_t k) {
    return k * ((size_t)conformal->rows[c] + 1) / (conformal->kept + 1);
}

/* Sorts into own the calibrated probabilities of class c for the rows of class c; returns how many
 * there are. */
static size_t take_own(size_t rows, size_t classes, const double *p, const int32_t *labels,
                       size_t c, double *own) {
    size_t count = 0;
    for (size_t i = 0; i < rows; i++)
        if ((size_t)labels[i] == c)
            own[count++] = p[i * classes + c];
    sort_numbers(count, own);
    return count;
}

size_t conformal_groups(const struct nim_model *model) {
    enum target_kind kind = model->options.likelihood->target;
    return kind == TARGET_LABELS ? 0 : model->classes ? model->classes : 1;
}

/* The share of the least central interval that has the y with these P(Y < y) and P(Y <= y). */
static double central_share(const double place[2]) {
    return fmax(0.0, fmax(2.0 * place[0] - 1.0, 1.0 - 2.0 * place[1]));
}

nim_status conformal_learn(struct nim_model *model, size_t rows, double *p, const int32_t *labels,
                           nim_error *error) {
    size_t classes = model->classes ? model->classes : 1, most = 0;
    struct conformal *conformal = &model->conformal;
    double *own = malloc((rows + 1) * sizeof *own), *count = calloc(classes, sizeof *count);
    for (size_t i = 0; count && i < rows; i++) {
        size_t n = (size_t)++count[labels[i]];
        most = n > most ? n : most;
        if (model->classes)
            temper(classes, model->temperature, model->offset, 1.0, p + i * classes);
        else
            p[i] = central_share(p + 2 * i);
    }
    most = most < CONFORMAL_KEPT ? most : CONFORMAL_KEPT;
    bool good = own && count && conformal_allocate(conformal, classes, most);
    for (size_t c = 0; good && c < classes; c++) {
        conformal->rows[c] = (double)take_own(rows, classes, p, labels, c, own);
        for (size_t k = 1; k <= most; k++) {
            size_t rank = rank_of(conformal, c, k);
            conformal->score[c * most + k - 1] = rank ? own[rank - 1] : 0.0;
        }
    }
    free(own);
    free(count);
    if (good)
        return NIM_OK;
    conformal_free(conformal);
    return failure(error, NIM_OUT_OF_MEMORY, "no memory to calibrate sets of classes");
}

double conformal_plausibility(const struct conformal *conformal, size_t c, double p) {
    size_t kept = conformal->kept, below = count_up_to(kept, conformal->score + c * kept, p);
    return (double)rank_of(conformal, c, below + 1) / (conformal->rows[c] + 1.0);
}

double conformal_share(const struct conformal *conformal, double share) {
    double least = share * (conformal->rows[0] + 1.0);
    for (size_t k = 1; k <= conformal->kept; k++)
        if ((double)rank_of(conformal, 0, k) >= least)
            return conformal->score[k - 1];
    return (double)INFINITY;
}
