/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMAND_FIT_H
#define CLI_COMMAND_FIT_H

/*
 * The steps of a fit, for commands that learn models of their own: set arguments, table and aside,
 * then settle, read, make as many models as wanted, free.
 */

#include "cli/model/fit_request.h"
#include "cli/model/task.h"
#include "cli/training/monitor.h"
#include "cli/training/row_storage.h"
#include "cli/training/training_table.h"

struct fit {
    const struct arguments *arguments;
    const char *table, *output;
    const char *others;       /* --population-from */
    const char *aside[2];     /* columns that are neither feature nor target, or NULL */
    char *default_checkpoint; /* MODEL.checkpoint */
    const char *checkpoint;   /* the file in force */
    nim_model *model;         /* the one to go on with, then the one that learns */
    nim_options *options;
    const struct task *task;
    struct fit_request request;
    struct training_plan plan;
    struct training_table training;
    struct monitor monitor;
    struct row_storage storage;
};

/* The options of a new model, its task and what is wanted of the table, from the arguments. */
bool fit_settle_new(struct fit *fit, struct complaint *complaint);

/* All rows of the table, and the talk about them. */
bool fit_read_table(struct fit *fit, struct complaint *complaint);

/* A new model for these rows, with its names; it is fit->model, where there was none. */
bool fit_make_model(struct fit *fit, const nim_data *data, struct complaint *complaint);

/* Leaves in the model what applying it to another table takes. */
bool fit_take_notes(struct fit *fit, struct complaint *complaint);

void fit_free(struct fit *fit);

#endif
