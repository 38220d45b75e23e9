/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A report about a model and its predictions for a table, as JSON and as a page that opens in any
 * browser without a network (docs/report.md). Rows are added block by block and not kept; the
 * report has sums, a sample, and the rows for its tables.
 *
 *     nim_report *report = NULL;
 *     nim_report_create(model, predictor, &report, &error);
 *     nim_report_fact(report, "table", "test.csv", &error);
 *     nim_report_add(report, &(nim_report_rows){.data = data}, &error);   as often as wanted
 *     nim_report_text(report, "html", &text, &size, &error);
 *     nim_report_free(report);
 *
 * The rules of nimgp.h also hold here. This interface is not part of libnimgp, but of the program
 * and the Python package.
 */

#include "nimgp.h"

typedef struct nim_report nim_report;

/* Model and predictor must exist until the report is freed. */
NIM_API nim_status nim_report_create(const nim_model *model, nim_predictor *predictor,
                                     nim_report **report, nim_error *error);
NIM_API void nim_report_free(nim_report *report);

/* Adds a text from the caller, which is shown unchanged: "model", "table", "command", "label", ...
 */
NIM_API nim_status nim_report_fact(nim_report *report, const char *key, const char *text,
                                   nim_error *error);

/* The same for an attribute; NULL if there is none. */
NIM_API nim_status nim_report_attribute(nim_report *report, size_t attribute, const char *unit,
                                        const char *error_column, nim_error *error);

/* The numbers of rows left out because they have no target, or one that the model does not know. */
NIM_API void nim_report_left_out(nim_report *report, size_t no_target, size_t unknown_target);

/* A block of rows. */
typedef struct nim_report_rows {
    const nim_data *data;    /* with targets, or without any */
    const uint8_t *known;    /* rows: 1 where the target counts; NULL: all there are */
    const size_t *number;    /* rows: numbers of the rows, from 0; NULL: they follow the last */
    const char *const *name; /* rows: names of the rows; NULL: they have none */
} nim_report_rows;
NIM_API nim_status nim_report_add(nim_report *report, const nim_report_rows *rows,
                                  nim_error *error);

/* The report as "json" or "html". The report owns the text. No rows may be added after the first
 * call. */
NIM_API nim_status nim_report_text(nim_report *report, const char *format, const char **text,
                                   size_t *size, nim_error *error);
