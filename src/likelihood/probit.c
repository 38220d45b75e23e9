/* SPDX-License-Identifier: Apache-2.0 */
/* Probit: one of two classes, p(y = 1 | f) = Phi(f): f plus standard normal noise is positive. */
#include "likelihood/interval.h"

#include <math.h>

static void expectation(const struct likelihood_setting *setting, const double *theta,
                        const struct expectation *question) {
    (void)theta;
    const struct interval below = {-INFINITY, 0.0}, above = {0.0, INFINITY};
    for (size_t r = 0; r < question->rows; r++)
        interval_answer_row(setting, question, r, question->target[r] > 0.0 ? above : below);
}

static void predict(const struct likelihood_setting *setting, const double *theta, size_t rows,
                    const double *mean, const double *variance, size_t stride, double *probability,
                    double *scratch) {
    (void)setting, (void)theta, (void)stride, (void)scratch;
    const double zero = 0.0;
    for (size_t r = 0; r < rows; r++)
        interval_probabilities(1, &zero, mean[r], variance[r], probability + 2 * r);
}

const struct likelihood likelihood_probit = {
    .name = "probit",
    .summary = "one of two classes, by the sign of a latent function plus Gaussian noise",
    .target = TARGET_CLASS,
    .most_classes = 2,
    .scratch_count = INTERVAL_SCRATCH,
    .blurs = 1,
    .expectation = expectation,
    .predict = predict,
};
