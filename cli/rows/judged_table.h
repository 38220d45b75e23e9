/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_JUDGED_TABLE_H
#define CLI_ROWS_JUDGED_TABLE_H

/* Lets the cells of a table be judged (measure/judge.h): those of the first rows of a file, which
 * is read apart for that, or of the current rows of a stream, which cannot be read twice. */

#include "cli/rows/column_names.h"
#include "measure/judge.h"

/* Whether the file can be read twice. */
bool table_can_be_judged_apart(const struct table *table);

/* rows: current ones, which are judged; 0: the file is read again. To be freed with
 * nim_judge_free. NULL and a complaint if the table cannot be read; cells that cannot be what their
 * column is count as missing. `format` is that of the table. */
nim_judge *table_judge(struct table *table, enum table_format format, size_t rows,
                       const struct column_names *names, struct complaint *complaint);

#endif
