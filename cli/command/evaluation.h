/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What `evaluate` has found. */

#include "cli/command/cross_validation.h"
#include "cli/command/prediction_table.h"
#include "cli/command/report_page.h"
#include "cli/rows/row_weights.h"
#include "cli/score/outside_probabilities.h"
#include "score/assessment.h"

struct evaluation {
    const struct arguments *arguments;
    const char *rival; /* the file whose probabilities are rated */
    char title[32];    /* in its place with --folds */
    struct loaded_model loaded;
    struct table_input input;
    struct outside_probabilities outside; /* in place of a model */
    struct predictions predictions;       /* of a block */
    struct row_weights weights;           /* of its rows */
    size_t rated;                         /* rows so far */
    struct assessment assessment;
    struct report_page page;            /* with --report */
    struct cross_validation validation; /* with --folds, and its predictions */
    struct prediction_table out;
};

/* The name of a class. */
const char *evaluation_class(const struct evaluation *evaluation, size_t c);

/* Prints the scores, as JSON or as text. False when a table found no memory. */
bool evaluation_print(const struct evaluation *evaluation, bool as_json);
