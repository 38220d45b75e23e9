/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_TRAINING_REPORT_H
#define CLI_TRAINING_TRAINING_REPORT_H

#include "cli/training/training_table.h"

/* Prints how a table was read. This is printed after reading, so that an unusable table gives one
 * line. */
bool training_report(const struct training_table *training, const struct training_plan *plan,
                     const struct arguments *arguments, struct complaint *complaint);

#endif
