/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_TRAINING_CHECKS_H
#define CLI_TRAINING_TRAINING_CHECKS_H

#include "cli/training/training_table.h"

/* Checks the targets: rows of every class, numbers that differ. The library would refuse them too,
 * but without naming file and column. */
bool training_check_targets(const struct training_table *training, const struct training_plan *plan,
                            struct complaint *complaint);

#endif
