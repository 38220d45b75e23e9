/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FIT_HELD_OUT_H
#define NIMGP_FIT_HELD_OUT_H

/*
 * Cross-validation of a fit. Rows are held out in FOLDS parts with equal shares of each class; they
 * are predicted by a copy of the trained model whose training continues without them. Of many
 * exact rows those to be held out are a small share, and one part does. Where inputs are drawn, a
 * copy is too noisy to stand for the model, and four make the calibration better.
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

/* Held-out rows are dealt to MOST_FOLDS parts; fold f of n are the parts f, f + n, ... */
enum { FOLDS = 4, MOST_FOLDS = 8 };

struct held_out {
    const nim_data *data;
    size_t folds;                 /* FOLDS or, with many exact rows of classes, 1 */
    size_t count, *row, *part_of; /* rows used, a sample if there are very many, and the part of
                                     each; MOST_FOLDS for rows that are never held out */
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
size_t held_out_steps(const struct nim_model *model, size_t rows);

/* What is predicted of a held-out row: probabilities of classes; or of a number or count P(Y < y),
 * P(Y <= y) and p(y), a number in standard units. */
enum { HELD_OUT_BELOW, HELD_OUT_REACHED, HELD_OUT_DENSITY, HELD_OUT_NUMBERS };
size_t held_out_width(const struct nim_model *model);

/* These numbers p ((1 + ways) x judged x held_out_width) of held-out rows. */
nim_status held_out_judge(const struct held_out *held, const struct nim_model *model,
                          const struct outlook *outlook, double *p, nim_error *error);

/* The same of numbers and counts, by the model itself as it is. */
nim_status held_out_glance(const struct held_out *held, const struct nim_model *model, double *p,
                           nim_error *error);

/* All held-out rows in the outlook's ways, in the order of held_out_judge. False when out of
 * memory.
 */
bool held_out_rows(const struct held_out *held, const struct outlook *outlook,
                   struct own_rows *own);

/* The rows of fold `fold` of `folds`, or all others. The others have larger weights to represent
 * the omitted rows. False when out of memory. */
bool held_out_fold(const struct held_out *held, size_t fold, size_t folds, bool own,
                   struct own_rows *rows);

/* Writes what is predicted for a fold's rows, own (1 + ways x rows of the fold x width), to their
 * places in p. */
void held_out_place(const struct held_out *held, size_t fold, size_t folds, size_t ways,
                    size_t rows, size_t width, const double *own, double *p);

/* Training copies of rows: the rows themselves, then `copies` times DEGRADE_ALL, as the outlook's
 * view shows them, if it has one. False when out of memory. */
bool outlook_rows(const struct outlook *outlook, const nim_data *data, const size_t *row,
                  struct own_rows *own);

/* Calls the listener; stops with NIM_CANCELLED. */
nim_status listener_hears(struct listener *listener, const nim_collectives *all, nim_error *error);

#endif
