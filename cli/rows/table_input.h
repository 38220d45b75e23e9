/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_TABLE_INPUT_H
#define CLI_ROWS_TABLE_INPUT_H

/*
 * From a table in a file to rows in the form of the library, for every command: opens the table,
 * finds target and features, and reads rows that satisfy --where.
 *
 *     struct table_request request = {.path = "train.csv", .task = task, .with_targets = true};
 *     struct table_input input;
 *     if (table_input_open(&input, &request, &complaint))
 *         while (rows_next(&input.rows, &complaint) && input.rows.count) ...
 *     table_input_close(&input);
 */

#include "cli/rows/rows.h"

/* The request of a command; texts as typed, NULL if not given. */
struct table_request {
    const char *path;
    enum table_format format;
    const struct task *task;
    const nim_model *model;     /* whose features and classes are used; NULL: they are chosen */
    bool with_targets;          /* rows without a target are left out */
    bool targets_optional;      /* targets are used if there are any; no row is left out */
    bool without_features;      /* only targets are read */
    bool ignore_case;           /* in labels and conditions */
    bool ignore_units;          /* with a model: units may differ from those in training */
    const char *label;          /* the target's column, or a list of columns */
    const char *exposure;       /* a column */
    const char *features;       /* "a,log(b)"; ignored with a model, as are some others below */
    const char *exclude;        /* "a,*_flag" */
    const char *weights;        /* a column that is not a feature */
    const char *missing_value;  /* "-99,mag=99" or "none"; NULL: as in training, or found */
    const char *errors;         /* "flux=dflux,..." or "none" */
    const nim_options *options; /* of a new model, or NULL: whether correlations are used */
    const char *log;            /* "a,b", "auto" or "none" */
    const char *classes;        /* "a,b=x|y,c" */
    bool plain_classes;         /* names of classes may contain "=" */
    const char *aside[2];       /* columns that are neither feature nor target */
    const struct name_list *conditions; /* of --where; not used after opening */
};

/* The option as it stands in a command's table. */
#define MISSING_VALUE_OPTION(more)                                                                 \
    {                                                                                              \
        .name = "missing-value", .value = "X,A=X,...|none",                                        \
        .help =                                                                                    \
            "Numbers that mean a missing value or error, in all columns or in column A" more "."   \
    }

/* Rows refer to the other members, so it must not be moved. */
struct table_input {
    struct table *table;
    struct target target;
    struct columns columns;
    struct rows rows;
    nim_judge *judge; /* of a new model; or NULL */
    struct missing_values missing;
};

/* Must be closed, also after failure. */
bool table_input_open(struct table_input *input, const struct table_request *request,
                      struct complaint *complaint);
void table_input_close(struct table_input *input);

#endif
