/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_INPUT_REPORT_H
#define CLI_ROWS_INPUT_REPORT_H

/* Messages about a table. */

#include "cli/rows/table_input.h"

/* After a table was opened for a model: errors and exposures of the training that it lacks. */
void report_what_is_lost(const struct table_input *input, const nim_model *model,
                         const struct arguments *arguments);

/* After all rows were read: the label column, and rows that were left out. */
void report_tally(const struct table_input *input, const struct arguments *arguments);

/* Whether `rows` rows with targets seem to be those of the training: their table has the same name,
 * and they are as many and chosen alike, or chosen from all of them. */
bool looks_like_training(const struct table_input *input, const nim_model *model,
                         const struct arguments *arguments, size_t rows);

/* Parts of it. They print nothing if there is nothing to report. */
void report_cut_short(const struct table *table, const struct arguments *arguments);
void report_rows_left_out(const struct rows *rows, const struct arguments *arguments);
void report_nonpositive(const struct rows *rows, const struct arguments *arguments);

#endif
