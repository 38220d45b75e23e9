/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FIT_HELD_OUT_H
#define NIMGP_FIT_HELD_OUT_H

/*
 * Cross-validation of a fit. Rows are held out in FOLDS parts with equal shares of each class; they
 * are predicted by a copy of the trained model whose training continues without them.
 */

#include "fit/own_rows.h"
#include "model/model.h"

/* The caller's progress function, which may stop the work after the steps. */
struct listener {
    nim_progress_function progress;
    void *context;
    nim_progress report;
    size_t steps; /* of which it hears for each fit that is judged */
};

struct held_out {
    const nim_data *data;
    size_t count, *row, *fold_of; /* rows used, a sample if there are very many, and the fold of
                                     each; another number for rows that are never held out */
    double weight;                /* rows of the table that each of them represents */
    size_t judged;                /* rows held out */
    int32_t *labels;              /* of these, in the order of the table */
    double *weights;
    struct listener *listener;
};

/* What a fit sees of the rows, and is trained on. */
struct outlook {
    const struct view *view;   /* NULL: the rows as they are */
    const struct worse *worse; /* NULL: rows are not degraded */
    size_t copies;             /* degraded ones of each row, for training */
    size_t ways;               /* kinds of degrading in which held-out rows are judged, besides
                                  DEGRADE_NOT */
    const enum degrading *way;
};

/* Whether the options ask for calibration, and there are enough rows. */
bool held_out_serves(const struct nim_model *model, const nim_data *data);

nim_status held_out_create(struct held_out *held, const struct nim_model *model,
                           const nim_data *data, struct listener *listener, nim_error *error);
void held_out_free(struct held_out *held);

/* The steps of which the listener hears for each fit that is judged. */
size_t held_out_steps(const struct nim_model *model);

/* What is predicted of a held-out row: probabilities of classes, or P(Y < y) and P(Y <= y). */
size_t held_out_width(const struct nim_model *model);

/* These numbers p ((1 + ways) x judged x held_out_width) of held-out rows. */
nim_status held_out_judge(const struct held_out *held, const struct nim_model *model,
                          const struct outlook *outlook, double *p, nim_error *error);

/* All held-out rows in the outlook's ways, in the order of held_out_judge. False when out of
 * memory.
 */
bool held_out_rows(const struct held_out *held, const struct outlook *outlook,
                   struct own_rows *own);

/* Training copies of rows: the rows themselves, then `copies` times DEGRADE_ALL, as the outlook's
 * view shows them, if it has one. False when out of memory. */
bool outlook_rows(const struct outlook *outlook, const nim_data *data, const size_t *row,
                  struct own_rows *own);

/* Calls the listener; stops with NIM_CANCELLED. */
nim_status listener_hears(struct listener *listener, const nim_collectives *all, nim_error *error);

#endif
