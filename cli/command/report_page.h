/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Writes a report (report/report.h) of a model and the rows of a table to a file. */

#include "cli/rows/model_input.h"
#include "score/predictions.h"
#include "report/report.h"

struct report_page {
    nim_report *report;
    const char *path, *format;
    const struct table_input *input;
    long name_column; /* whose cells name rows, or NO_COLUMN */
    char *name_bytes; /* of a block */
    const char **name;
    size_t *number;
    size_t known; /* rows with a target so far */
    const struct arguments *arguments;
    const nim_model *model;
};

/* `name` is the column of rows' names, or NULL: one that looks like it. The format is "html" or
 * "json". Checks first that `path` can be written and is not the name of a file of the other
 * format. Must be freed, also after failure. */
bool report_page_open(struct report_page *page, const struct arguments *arguments, const char *path,
                      const char *format, const char *name, const struct loaded_model *loaded,
                      const struct table_input *input, struct complaint *complaint);

/* Adds the current rows; `predictions` with all parts, or NULL: they are computed. */
bool report_page_add(struct report_page *page, const struct rows *rows,
                     const struct predictions *predictions, struct complaint *complaint);

bool report_page_write(struct report_page *page, struct complaint *complaint);
void report_page_free(struct report_page *page);
