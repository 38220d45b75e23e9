/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The options of a model as a table: value, and why it has this value. */

#include "cli/terminal/command.h"

/* Prints all options, or only those that were given or chosen by a rule. */
void plan_table_print(const nim_model *model, bool all);

/* Prints a line for each requested option that has no effect on the model. */
void plan_report_idle(const nim_model *model, const struct arguments *arguments);
