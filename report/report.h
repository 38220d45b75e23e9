/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

/*
 * What a model says of a table, as JSON and as a page that opens in any browser without a network
 * (docs/report.md). Rows come block by block and are not kept: of any number of them there are
 * sums, samples and the few most worth a second look.
 *
 *     nim_report *report = NULL;
 *     nim_report_create(model, predictor, &report, &error);
 *     nim_report_fact(report, "table", "test.csv", &error);
 *     nim_report_add(report, &(nim_report_rows){.data = data}, &error);   as often as wanted
 *     nim_report_text(report, "html", &text, &size, &error);
 *     nim_report_free(report);
 *
 * The rules of nimgp.h hold here too. It is no part of libnimgp, but of the program and of the
 * Python package.
 */

#include "nimgp.h"

typedef struct nim_report nim_report;

/* Model and predictor must outlive it. */
NIM_API nim_status nim_report_create(const nim_model *model, nim_predictor *predictor,
                                     nim_report **report, nim_error *error);
NIM_API void nim_report_free(nim_report *report);

/* Something only the caller knows, shown as it is: "model", "table", "command", "label", ... */
NIM_API nim_status nim_report_fact(nim_report *report, const char *key, const char *text,
                                   nim_error *error);

/* Likewise of an attribute; NULL where there is none. */
NIM_API nim_status nim_report_attribute(nim_report *report, size_t attribute, const char *unit,
                                        const char *error_column, nim_error *error);

/* Rows left out because they have no target, or one the model does not know. */
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

/* The report as "json" or "html". The text is the report's own. No rows come after the first. */
NIM_API nim_status nim_report_text(nim_report *report, const char *format, const char **text,
                                   size_t *size, nim_error *error);

#endif
