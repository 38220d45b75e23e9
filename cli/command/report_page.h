/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMAND_REPORT_PAGE_H
#define CLI_COMMAND_REPORT_PAGE_H

/* A report (report/report.h) of a model and of the rows of a table, into a file. */

#include "cli/rows/model_input.h"
#include "score/predictions.h"
#include "report/report.h"

struct report_page {
    nim_report *report;
    const char *path;
    const struct table_input *input;
    long name_column; /* whose cells name rows, or NO_COLUMN */
    char *name_bytes; /* of a block */
    const char **name;
    size_t *number;
};

/* `path` is tried before work is done. Free it also after failure. */
bool report_page_open(struct report_page *page, const struct arguments *arguments, const char *path,
                      const struct loaded_model *loaded, const struct table_input *input,
                      struct complaint *complaint);

/* The rows at hand; `predictions` with all parts, or NULL: they are made. */
bool report_page_add(struct report_page *page, const struct rows *rows,
                     const struct predictions *predictions, struct complaint *complaint);

/* The format is "html" or "json". */
bool report_page_write(struct report_page *page, const char *format, struct complaint *complaint);
void report_page_free(struct report_page *page);

#endif
