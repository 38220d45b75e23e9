/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predictions of a panel. Before the plain fit predicts a unit of rows, the parts predict the same
 * rows, each through its view, in the same thread. A part's predictor works on a table of its own
 * in which every thread has COARSE rows.
 */
#include "predict/predictor.h"

void looker_layout(struct looker *looker, const struct panelist *part, size_t threads,
                   struct arena *arena) {
    const struct view *view = &part->view;
    size_t rows = threads * COARSE, width = view_width(view);
    looker->x = arena_doubles(arena, rows * width);
    looker->sigma = arena_doubles(arena, rows * width);
    looker->scratch = arena_doubles(arena, threads * view_scratch(view));
    looker->probability = arena_doubles(arena, rows * part->model->classes);
    looker->data = NIM_DATA(.rows = rows, .attributes = width, .x = looker->x,
                            .sigma = looker->sigma, .sigma_rows = rows);
    looker->wanted = NIM_PREDICTION(.probabilities = looker->probability);
}

size_t panel_lookers(const struct nim_model *model) {
    return model->panel ? model->panel->parts + (model->panel->gate.model != NULL) : 0;
}

nim_status panel_predictors_create(struct nim_predictor *predictor, nim_error *error) {
    nim_status status = NIM_OK;
    for (size_t k = 0; status == NIM_OK && k < predictor->lookers; k++) {
        struct looker *looker = &predictor->looker[k];
        status = predictor_create(panel_part(predictor->model->panel, k)->model, predictor->pool,
                                  &looker->predictor, error);
        if (status != NIM_OK)
            break;
        predictor_begin(looker->predictor, &looker->data);
        looker->predictor->wanted = &looker->wanted;
    }
    return status;
}

/* The rows of a unit as a part sees them, in the thread's part of its table. */
static void take_views(const struct nim_predictor *predictor, struct looker *looker, size_t k,
                       size_t first, size_t count, size_t worker) {
    const struct view *view = &panel_part(predictor->model->panel, k)->view;
    size_t width = view_width(view);
    double *scratch = looker->scratch + worker * view_scratch(view);
    for (size_t i = 0; i < count; i++) {
        size_t at = (worker * COARSE + i) * width;
        view_row(view, predictor->data, first + i, looker->x + at, looker->sigma + at, scratch);
    }
}

void panel_look(struct nim_predictor *predictor, size_t first, size_t count, size_t worker) {
    for (size_t k = 0; k < predictor->lookers; k++) {
        struct looker *looker = &predictor->looker[k];
        take_views(predictor, looker, k, first, count, worker);
        predictor_take_unit(looker->predictor, worker * COARSE, count, worker);
    }
}

void panel_mix(const struct nim_predictor *predictor, const struct prediction_work *work,
               size_t row, double *p) {
    const struct panel *panel = predictor->model->panel;
    size_t classes = predictor->model->classes, worker = (size_t)(work - predictor->work);
    size_t at = worker * COARSE + row - work->row[0];
    double *part[PANEL_MOST_PARTS];
    for (size_t k = 0; k < panel->parts; k++)
        part[k] = predictor->looker[k].probability + at * classes;
    panel_combine(panel, classes, panel_gate(predictor, work, row), part, p);
}

const double *panel_gate(const struct nim_predictor *predictor, const struct prediction_work *work,
                         size_t row) {
    static const double none[PANEL_REGIONS] = {[PANEL_TYPICAL] = 1.0};
    const struct panel *panel = predictor->model->panel;
    size_t worker = (size_t)(work - predictor->work), at = worker * COARSE + row - work->row[0];
    return predictor->mixes && panel->gate.model
               ? predictor->looker[panel->parts].probability + PANEL_REGIONS * at
               : none;
}
