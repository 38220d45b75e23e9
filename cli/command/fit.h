/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMAND_FIT_H
#define CLI_COMMAND_FIT_H

/*
 * The steps of a fit, for commands that train models: set arguments, table and aside, then call
 * fit_settle or fit_settle_new, fit_read_table, fit_make_model as often as needed, and fit_free.
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

/* Reads all rows of the table, and prints how it was read. */
bool fit_read_table(struct fit *fit, struct complaint *complaint);

/* Creates fit->model for these rows, with its names. */
bool fit_make_model(struct fit *fit, const nim_data *data, struct complaint *complaint);

/* Writes notes to the model that are needed to apply it to other tables. */
bool fit_take_notes(struct fit *fit, struct complaint *complaint);

/* Learns the population of fit->model again, together with the rows of --population-from. */
bool fit_learn_population(struct fit *fit, struct complaint *complaint);

void fit_free(struct fit *fit);

#endif
