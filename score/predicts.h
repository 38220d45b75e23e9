/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a model predicts. */

#include "nimgp.h"

#include <stdbool.h>

enum predicts {
    PREDICTS_CLASS = NIM_TARGET_CLASS,
    PREDICTS_LEVEL = NIM_TARGET_LEVEL,
    PREDICTS_LABELS = NIM_TARGET_LABELS,
    PREDICTS_NUMBER = NIM_TARGET_NUMBER,
    PREDICTS_COUNT = NIM_TARGET_COUNT
};

static inline enum predicts predicts_of(nim_target target) {
    return (enum predicts)target;
}

/* Whether there are classes, levels or labels, which have names and probabilities. */
static inline bool predicts_classes(enum predicts predicts) {
    return predicts != PREDICTS_NUMBER && predicts != PREDICTS_COUNT;
}

/* Whether a row has one of them, not several. */
static inline bool predicts_one_class(enum predicts predicts) {
    return predicts == PREDICTS_CLASS || predicts == PREDICTS_LEVEL;
}
