/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A panel: fits that see the rows through views of their own, besides the plain fit, which is the
 * model itself. The probabilities are a weighted geometric mean,
 *
 *     log p(y | row) = sum_k w_k(row) log p_k(y | row) + constant,
 *     w_k(row) = g_typical w_k^typical + g_worse w_k^worse + g_better [k is the plain fit],
 *
 * where g(row), the gate, are the probabilities that the row's errors are such as training rows
 * have, larger or smaller, by a fit of its own. Rows cannot be measured better to learn what to do
 * then; the plain fit knows how noise acts. Each part is an ordinary model, which sees the rows
 * through its view. A panel without a gate has g_typical = 1.
 *
 * Where y is a number, the only other part are mixtures over attributes and y (joint.h), and the
 * densities are averaged: p(y | row) = w_0 p_plain + w_1 p_joint.
 */

#include "model/joint.h"
#include "view/view.h"

enum { PANEL_MOST_PARTS = 4 };

/* The classes of the gate; the first two have weights of their own. */
enum panel_region { PANEL_TYPICAL, PANEL_WORSE, PANEL_BETTER, PANEL_REGIONS, PANEL_WEIGHED = 2 };
typedef double panel_weights[PANEL_MOST_PARTS + 1]; /* the plain fit first */

struct panelist {
    struct view view;
    struct nim_model *model; /* NULL: there is none */
};

struct panel {
    size_t parts; /* besides the plain fit */
    struct panelist part[PANEL_MOST_PARTS];
    struct panelist gate;
    struct joint joint; /* for a number, in place of parts */
    panel_weights weight[PANEL_WEIGHED];
    double gain[2]; /* log p of held-out rows, minus that of the plain fit and what flatters the
                       parts (weigh.h): mean, standard error */
};

void panel_free(struct panel *panel);

/* The plain fit, the parts, and the mixtures over attributes and y. */
static inline size_t panel_fits(const struct panel *panel) {
    return 1 + panel->parts + (panel->joint.mixtures > 0);
}

/* The parts in order, and after them the gate. */
static inline const struct panelist *panel_part(const struct panel *panel, size_t k) {
    return k < panel->parts ? &panel->part[k] : &panel->gate;
}

/* Logarithms of `count` probabilities; one that is nearly 0 must not outweigh all other parts. */
void panel_take_logs(size_t count, const double *p, double *log_p);

/* w (1 + parts) of a row, from its gate (PANEL_REGIONS). */
void panel_row_weights(size_t parts, const panel_weights *weight, const double *gate, double *w);

/* What a row's parts together predict, from logarithms log_p[k] (classes), the plain fit's first,
 * with weights w (1 + parts). */
void panel_pool(size_t parts, size_t classes, const double *w, const double *const *log_p,
                double *p);

/* Combines the probabilities of one row: p (classes), those of the plain fit, in place, and
 * part[k] (classes), those of the parts, which become their logarithms. */
void panel_combine(const struct panel *panel, size_t classes, const double *gate,
                   double *const *part, double *p);

/* Files. A model whose file has no panel is left as it is. */
nim_status panel_save(struct model_writer *writer, const struct panel *panel, nim_error *error);
nim_status panel_load(const struct model_reader *reader, struct nim_model *plain);
