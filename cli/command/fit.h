/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The steps of a fit, for commands that train models: set arguments, table and aside, then call
 * fit_settle or fit_settle_new, fit_read_table, fit_make_model as often as needed, and fit_free.
 */

#include "cli/model/fit_request.h"
#include "cli/model/task.h"
#include "cli/training/monitor.h"
#include "cli/training/row_storage.h"
#include "cli/training/training_table.h"

/* Options about columns, of commands that read a table for a new model. */
#define COLUMN_OPTIONS                                                                             \
    {.name = "label",                                                                              \
     .value = "COLUMN",                                                                            \
     .help =                                                                                       \
         "The column to predict: class names, levels, numbers or counts; for multilabel "          \
         "A,B,...: one column of 0 and 1 per label. log(COLUMN) is a positive number, whose "      \
         "logarithm is learned, as with --lowest 0. Default: 'class' or 'level', otherwise the "   \
         "last column if it can be a label; 'y' for regress, 'count' for count."},                 \
        {.name = "exposure",                                                                       \
         .value = "COLUMN",                                                                        \
         .help = "The column of the time, area or effort over which each count was collected."},   \
        {.name = "features",                                                                       \
         .value = "A,B,...",                                                                       \
         .help =                                                                                   \
             "The columns to learn from, in this order. log(A) and log10(A) are logarithms, A-B "  \
             "is "                                                                                 \
             "a difference, and *mag stands for all columns whose names end in mag. Default: all " \
             "columns of numbers."},                                                               \
        {.name = "exclude",                                                                        \
         .value = "A,B,...",                                                                       \
         .help = "Columns to use neither as features nor as errors; * matches any characters, ? "  \
                 "matches one."},                                                                  \
        {.name = "errors",                                                                         \
         .value = "A=B,...|none",                                                                  \
         .help =                                                                                   \
             "A=B: column B holds the 1-sigma errors of feature A, or of a target of numbers. "    \
             "A=B:C: B holds the lower, C "                                                        \
             "the "                                                                                \
             "upper errors. A=[B:C]: B and C hold the ends of the error bars. A=: the values of "  \
             "A "                                                                                  \
             "are exact. *=s*: the errors of every column A are in column sA. Other error "        \
             "columns "                                                                            \
             "are found by name, such as A_err, e_A, Unc_A, "                                      \
             "AErr_g, "                                                                            \
             "A_sigma or dA; pairs of lower and upper errors such as A_err2 and A_err1; ends of "  \
             "error bars A_lo and A_hi. Two more "                                                 \
             "kinds of columns are found by name: A_B_corr holds the correlations of the errors "  \
             "of "                                                                                 \
             "A and B, and A_limit or l_A holds < or > where a value is a limit."},                \
        {.name = "log",                                                                            \
         .value = "A,B,...|auto|none",                                                             \
         .help = "Features whose logarithm is used; auto: those that are positive and skewed."},   \
        {.name = "classes",                                                                        \
         .value = "A,B,...",                                                                       \
         .help = "Use only rows of these classes; also sets the order of the classes, for levels " \
                 "from lowest to highest. A=X|Y: the labels X and Y are class A."},                \
        {.name = "ignore-case", .help = "Ignore case in labels and --where."},                     \
        {.name = "weights",                                                                        \
         .value = "COLUMN",                                                                        \
         .help =                                                                                   \
             "The column of row weights in training, which are not negative. It is not used as a " \
             "feature."},                                                                          \
        MISSING_VALUE_OPTION("")

struct fit {
    const struct arguments *arguments;
    const char *table, *output;
    const char *like;         /* a model whose settings hold where others are not given, or NULL */
    const char *others;       /* --population-from */
    const char *aside[2];     /* columns that are neither feature nor target, or NULL */
    char *default_checkpoint; /* MODEL.checkpoint */
    const char *checkpoint;   /* the file to use */
    nim_model *model;         /* the one to continue, then the one that is trained */
    nim_options *options;
    const struct task *task;
    struct fit_request request;
    struct training_plan plan;
    struct training_table training;
    double start; /* seconds_now() before the model was created or continued */
    struct monitor monitor;
    struct row_storage storage;
};

/* All settings of `nimgp fit`: files, memory, progress, and the options and request of a new model
 * or of one to continue (--from, --resume). */
bool fit_settle(struct fit *fit, struct complaint *complaint);

/* Only the options, the task and the request of a new model. */
bool fit_settle_new(struct fit *fit, struct complaint *complaint);

/* Opens the table, whose columns are then chosen and judged; no row is read. without_target: no
 * label is looked for. The input must be closed, also after failure. */
bool fit_open_table(struct fit *fit, bool without_target, struct table_input *input,
                    struct complaint *complaint);

/* Reads all rows of the table, and prints how it was read. */
bool fit_read_table(struct fit *fit, struct complaint *complaint);

/* Creates fit->model for these rows, with its names. */
bool fit_make_model(struct fit *fit, const nim_data *data, struct complaint *complaint);

/* Writes notes to the model that are needed to apply it to other tables. */
bool fit_take_notes(struct fit *fit, struct complaint *complaint);

/* Learns the population of fit->model again, together with the rows of --population-from. */
bool fit_learn_population(struct fit *fit, struct complaint *complaint);

void fit_free(struct fit *fit);
