/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_MODEL_INPUT_H
#define CLI_ROWS_MODEL_INPUT_H

/* A model and the table it is applied to. */

#include "cli/model/files.h"
#include "cli/rows/table_input.h"
#include "cli/rows/units.h"

struct loaded_model {
    nim_model *model;
    nim_predictor *predictor;
};

/* The options of all commands that apply a model. */
#define MODEL_INPUT_OPTIONS                                                                        \
    {.name = "exposure",                                                                           \
     .value = "COLUMN",                                                                            \
     .help = "For counts: the column of the time, area or effort of each row; default as in "      \
             "training."},                                                                         \
        {.name = "errors",                                                                         \
         .value = "A=B,...|none",                                                                  \
         .help = "A=B: column B holds the 1-sigma errors of feature A. A=B:C: B holds the lower, " \
                 "C the upper errors. A=[B:C]: B and C hold the ends of the error bars. A=: the "  \
                 "values of A are exact. Default as in training, or found by name."},              \
        WHERE_OPTION, {.name = "ignore-case", .help = "Ignore case in labels and --where."},       \
        MISSING_VALUE_OPTION("; default as in training"), UNITS_OPTION, FORMAT_OPTION,             \
        {.name = "threads", .value = "N", .engine = "threads"},                                    \
        {.name = "points", .value = "N", .engine = "points", .fallback = "the model's"}, {         \
        .name = "tolerance", .value = "X", .engine = "tolerance", .fallback = "the model's"        \
    }

/* Targets are in the column --label, or in that of training. TARGETS_IF_THERE: rows without a
 * target are used too. */
enum wanted_targets { TARGETS_IGNORED, TARGETS_NEEDED, TARGETS_IF_THERE };

/* Both must be closed, also after failure. */
bool model_input_open(struct loaded_model *loaded, struct table_input *input,
                      const struct arguments *arguments, const char *model, const char *table,
                      enum wanted_targets targets, struct complaint *complaint);

/* Opens a table for a loaded model without messages about missing errors. */
bool model_table_open(const struct loaded_model *loaded, struct table_input *input,
                      const struct arguments *arguments, const char *table,
                      enum wanted_targets targets, struct complaint *complaint);

/* Opens a table without a model: `classes` are the names of the classes, and rows have no features.
 */
bool classes_input_open(struct table_input *input, const struct arguments *arguments,
                        const struct name_list *classes, const char *table,
                        struct complaint *complaint);

void loaded_model_free(struct loaded_model *loaded);

#endif
