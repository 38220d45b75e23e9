/* SPDX-License-Identifier: Apache-2.0 */
#include "likelihood/likelihood.h"

const struct likelihood *const likelihood_list[] = {
    &likelihood_robust_max, &likelihood_softmax,    &likelihood_probit,
    &likelihood_gaussian,   &likelihood_student_t,  &likelihood_poisson,
    &likelihood_ordinal,    &likelihood_multilabel, NULL,
};

size_t likelihood_target_width(const struct likelihood *likelihood, size_t classes) {
    switch (likelihood->target) {
    case TARGET_LABELS:
        return classes;
    case TARGET_COUNT:
        return 2;
    default:
        return 1;
    }
}
