/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_TRAINER_H
#define NIMGP_TRAIN_TRAINER_H

/* The trainer itself, for this directory. */

#include "model/bound.h"
#include "train/adam.h"
#include "train/order.h"
#include "train/rules.h"

/* Rows that a thread takes at a time. */
enum { ROWS_PER_UNIT = 16 };

struct nim_trainer {
    struct nim_model *model;
    nim_data data;
    struct bound *bound;
    size_t total;         /* rows of an epoch, including copies */
    size_t batches, next; /* of an epoch */
    struct order *order;  /* of the epoch's rows */
    const size_t *drawn;  /* rows of the present step that this process evaluates */
    size_t target_width;  /* numbers in a row's target */
    bool weighs;          /* targets are classes; rows of rare ones have larger weights at first */
    double *rarity;       /* C: rows of an average class / rows of this one */
    const struct batch_rule *batch_rule;
    const struct row_rule *row_rule;
    double rate, width;      /* of the steps; of the draws of inputs */
    struct adam_step z_step; /* of inducing inputs, in the present step */
    double epoch_sum;        /* of the bounds of this epoch's batches */
};

/* Sets the step size of the following steps. */
void trainer_set_rate(nim_trainer *trainer, double rate);

/* The constants of an update of shared parameters. rate: in units of the trainer's rate. */
struct adam_step update_step(const struct nim_trainer *trainer, double rate);

/* With many attributes nearly all parameters are inducing inputs. Each is updated as soon as its
 * gradient is complete, while it is in cache: the listener of the bound. */
void update_inducing_input(void *trainer, size_t function, size_t row, const double *gradient);

/* Moves all other parameters. */
nim_status update_parameters(struct nim_trainer *trainer, nim_error *error);

#endif
