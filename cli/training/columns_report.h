/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_COLUMNS_REPORT_H
#define CLI_TRAINING_COLUMNS_REPORT_H

/* Says which columns are not learned from, what is odd about those that are, and which rows and
 * cells do not count: a line each. */

#include "cli/terminal/command.h"
#include "cli/training/training_table.h"

void columns_report(const struct training_table *training, const struct training_plan *plan,
                    const struct arguments *arguments);

#endif
