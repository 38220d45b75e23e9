/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class shares that differ from those in training. If the inputs of each class have the same
 * distribution as in training (label shift), Bayes' theorem gives
 *
 *     p'(c | x) = p(c | x) r_c / sum_k p(k | x) r_k,   r_c = new share / share in training.
 *
 * The new shares q maximise the likelihood of the rows; p(x) is proportional to
 * sum_c p(c | x) q_c / share_c. Expectation maximisation: q_c <- mean over rows of p'(c | x)
 * (Saerens, Latinne and Decaestecker, 2002). The log-likelihood is concave in q, so there is one
 * maximum.
 */
#include "predict/predictor.h"

#include "math/vector.h"
#include "model/targets.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 10000 };

#define SETTLED 1e-9 /* largest change of a share in the last round */

/* Smaller than a share in any table, but ratios to it, and their sums, are finite. */
#define SMALLEST_SHARE 1e-200

static nim_status check_shares_known(const struct nim_model *model, nim_error *error) {
    if (!targets_are_classes(model))
        return failure(error, NIM_INVALID_ARGUMENT,
                       "a %s model has no class shares: it does not predict one class per row",
                       model->options.likelihood->name);
    if (!model->shares_known)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the model file is of an older version, which did not store the shares of "
                       "the classes in training; train the model again");
    for (size_t c = 0; c < model->classes; c++)
        if (model->class_share[c] > 0.0 && model->class_share[c] < SMALLEST_SHARE)
            return failure(error, NIM_INVALID_ARGUMENT,
                           "class '%s' had a share of %g in training, too small to be changed",
                           nim_model_class_name(model, c), model->class_share[c]);
    return NIM_OK;
}

/* r of every class, for shares that need not sum to one. */
static nim_status find_ratios(const struct nim_model *model, const double *shares, double *ratio,
                              nim_error *error) {
    double total = 0.0;
    for (size_t c = 0; c < model->classes; c++) {
        if (!(shares[c] >= 0.0) || isinf(shares[c]))
            return failure(error, NIM_INVALID_ARGUMENT,
                           "the share %g of class '%s' is not a finite number >= 0", shares[c],
                           nim_model_class_name(model, c));
        if (shares[c] > 0.0 && model->class_share[c] == 0.0)
            return failure(error, NIM_INVALID_ARGUMENT,
                           "class '%s' had no rows in training, so its share must be 0",
                           nim_model_class_name(model, c));
        total += shares[c];
    }
    if (!(total > 0.0) || isinf(total))
        return failure(error, NIM_INVALID_ARGUMENT,
                       "the shares of the classes sum to %g; expected a finite number above 0",
                       total);
    for (size_t c = 0; c < model->classes; c++)
        ratio[c] = shares[c] > 0.0 ? shares[c] / total / model->class_share[c] : 0.0;
    return NIM_OK;
}

void predictor_reshare(const struct nim_predictor *predictor, double *p) {
    size_t classes = predictor->model->classes;
    double total = 0.0;
    for (size_t c = 0; c < classes; c++)
        total += p[c] *= predictor->ratio[c];
    /* If all remaining classes have probability zero, or one so small that its reciprocal is
     * infinite, the row carries no information. */
    bool tells = total >= DBL_MIN;
    for (size_t c = 0; !tells && c < classes; c++)
        p[c] = predictor->ratio[c] * predictor->model->class_share[c];
    scale(classes, tells ? 1.0 / total : 1.0, p);
}

nim_status nim_predictor_set_shares(nim_predictor *predictor, const double *shares,
                                    nim_error *error) {
    if (!predictor)
        return failure(error, NIM_INVALID_ARGUMENT, "predictor is NULL");
    if (!shares) {
        predictor->reshares = false;
        return succeed(error);
    }
    nim_status status = check_shares_known(predictor->model, error);
    if (status == NIM_OK)
        status = find_ratios(predictor->model, shares, predictor->ratio, error);
    if (status != NIM_OK)
        return status;
    predictor->reshares = true;
    return succeed(error);
}

/* One round: q (C) is replaced by the mean of p'(. | x) over rows. */
static void improve(const struct nim_model *model, size_t rows, const double *p, double *ratio,
                    double *q, double *next) {
    size_t classes = model->classes;
    memset(next, 0, classes * sizeof *next);
    for (size_t c = 0; c < classes; c++)
        ratio[c] = q[c] > 0.0 ? q[c] / model->class_share[c] : 0.0;
    for (size_t i = 0; i < rows; i++) {
        const double *row = p + i * classes;
        double total = dot(classes, row, ratio);
        if (total > 0.0)
            for (size_t c = 0; c < classes; c++)
                next[c] += row[c] * ratio[c] / total;
    }
    double all = sum(classes, next);
    for (size_t c = 0; all > 0.0 && c < classes; c++)
        q[c] = next[c] / all;
}

static nim_status check_probabilities(size_t rows, size_t classes, const double *p,
                                      nim_error *error) {
    for (size_t i = 0; i < rows * classes; i++)
        if (!(p[i] >= 0.0 && p[i] <= 1.0))
            return cell_failure(error, i / classes, NIM_NONE, "%g is not a probability", p[i]);
    return NIM_OK;
}

nim_status nim_model_estimate_shares(const nim_model *model, size_t rows,
                                     const double *probabilities, double *shares,
                                     nim_error *error) {
    if (!model || !probabilities || !shares || rows == 0)
        return failure(error, NIM_INVALID_ARGUMENT,
                       "model, probabilities or shares is NULL, or there are no rows");
    size_t classes = model->classes;
    nim_status status = check_shares_known(model, error);
    if (status == NIM_OK)
        status = check_probabilities(rows, classes, probabilities, error);
    if (status != NIM_OK)
        return status;
    double *q = malloc(3 * classes * sizeof *q), *ratio = q + classes, *next = ratio + classes;
    if (!q)
        return failure(error, NIM_OUT_OF_MEMORY, "no memory to estimate shares of classes");
    memcpy(q, model->class_share, classes * sizeof *q);
    double moved = INFINITY;
    for (size_t round = 0; moved > SETTLED && round < MOST_ROUNDS; round++) {
        memcpy(shares, q, classes * sizeof *q);
        improve(model, rows, probabilities, ratio, q, next);
        moved = 0.0;
        for (size_t c = 0; c < classes; c++)
            moved = fmax(moved, fabs(q[c] - shares[c]));
    }
    memcpy(shares, q, classes * sizeof *q);
    free(q);
    return succeed(error);
}
