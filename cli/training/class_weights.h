/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_CLASS_WEIGHTS_H
#define CLI_TRAINING_CLASS_WEIGHTS_H

/* Weights of classes, --class-weight, which multiply those of rows. */

#include "cli/training/training_table.h"

/* `wish` is "balanced": n / (classes times the rows of the class), so that all classes have the
 * same share; or "a=2,b=0.5", 1 for a class that is not named; or NULL. */
bool class_weights_apply(struct training_table *training, const char *wish,
                         struct complaint *complaint);

#endif
