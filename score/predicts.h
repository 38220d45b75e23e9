/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCORE_PREDICTS_H
#define SCORE_PREDICTS_H

/* What a model predicts. */

#include <stdbool.h>

enum predicts { PREDICTS_CLASS, PREDICTS_LEVEL, PREDICTS_LABELS, PREDICTS_NUMBER, PREDICTS_COUNT };

/* By the library's name for it (nim_model_target). */
enum predicts predicts_of(const char *target);

/* Whether there are classes, levels or labels, which have names and probabilities. */
static inline bool predicts_classes(enum predicts predicts) {
    return predicts != PREDICTS_NUMBER && predicts != PREDICTS_COUNT;
}

/* Whether a row has one of them, not several. */
static inline bool predicts_one_class(enum predicts predicts) {
    return predicts == PREDICTS_CLASS || predicts == PREDICTS_LEVEL;
}

#endif
