/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_INPUT_REPORT_H
#define CLI_ROWS_INPUT_REPORT_H

/* What the user is told of a table that is read. */

#include "cli/rows/table_input.h"

/* When a model's table has been opened: errors and exposures the model learned with and the table
 * lacks. */
void report_what_is_lost(const struct table_input *input, const nim_model *model,
                         const struct arguments *arguments);

/* When all rows have been read: what was understood and passed over. */
void report_tally(const struct table_input *input, const struct arguments *arguments);

/* Parts of it. Nothing is said when there is nothing. */
void report_cut_short(const struct table *table, const struct arguments *arguments);
void report_rows_left_out(const struct rows *rows, const struct arguments *arguments);
void report_nonpositive(const struct rows *rows, const struct arguments *arguments);

#endif
