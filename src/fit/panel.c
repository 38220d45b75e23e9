/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/panel.h"

#include "base/status.h"
#include "fit/weigh.h"
#include "math/row_sample.h"
#include "train/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const enum degrading panel_way[PANEL_WAYS] = {DEGRADE_ONE, DEGRADE_ALL, DEGRADE_OWN};

/* What the parts see, and how many degraded copies of each row they are trained on. */
static const struct sketch {
    const char *view;
    size_t copies;
} part_list[] = {
    {"sizes gaps tails usual exact axes", 0},
    {"sizes gaps tails exact", 2},
};

enum {
    PARTS = sizeof part_list / sizeof *part_list,
    MOST_GATED =
        2000, /* most training rows of the gate, which sees each of them GATE_KINDS times */
    GATE_KINDS = 5,
    GATE_DRAW = 32, /* the first of its draws */
};
_Static_assert((int)PARTS <= (int)PANEL_MOST_PARTS, "there is room for all parts");

#define LEAST_DEVIATIONS 2.0 /* of a gain, above zero */
#define GATE_VIEW "sizes gaps tails exact"

struct worse panel_worse(const nim_model *model, const nim_data *data, double *usual) {
    degrade_usual(data, usual, usual + data->attributes);
    return (struct worse){{model->options.seed, STREAM_DEGRADE}, usual};
}

/* The options of a part: those of the model, as they were requested, but for one fit that sees the
 * rows as its view shows them. */
static nim_options *part_options(const nim_model *model) {
    nim_options *options = nim_options_copy(nim_model_request(model));
    if (!options)
        return NULL;
    nim_options_set(options, "views", "one", NULL);
    nim_options_set(options, "input", "auto", NULL);
    options->classes = model->classes;
    return options;
}

static nim_options *gate_options(const nim_model *model) {
    nim_options *options = nim_options_create();
    if (!options)
        return NULL;
    nim_options_set(options, "views", "one", NULL);
    options->classes = PANEL_REGIONS;
    options->seed = model->options.seed;
    options->threads = model->options.threads;
    return options;
}

/* Called during the training of a part: reports steps of the calibration. */
static int pass_on(const nim_progress *progress, void *context) {
    struct listener *listener = context;
    nim_progress report = listener->report;
    double share = progress->epochs ? (double)progress->epoch / (double)progress->epochs : 0.0;
    report.batch += (size_t)(share * (double)listener->steps);
    return listener->progress ? listener->progress(&report, listener->context) : 0;
}

/* Processes train parts each for itself, with the same result. Then their progress functions cannot
 * be called, because that happens at different times. */
static nim_status train(nim_options *options, const nim_data *rows, const nim_model *model,
                        struct listener *listener, nim_model **result, nim_error *error) {
    nim_status status = nim_model_create(options, rows, result, error);
    if (status == NIM_OK)
        status = training_run(*result, rows, NULL, model->collectives.processes ? NULL : pass_on,
                              listener, error);
    if (status == NIM_OK)
        training_end(*result);
    listener->report.batch += listener->steps;
    return status;
}

/* ---------------------------------------------------------------- parts ----------------------- */

struct panel_fit {
    nim_model *model;
    const struct held_out *held;
    const struct worse *worse;
    size_t each; /* numbers of one part's probabilities */
    struct panel *panel;
    /* Logarithms of probabilities: (1 + WAYS) x judged x classes each; the plain fit's first. */
    double *log_p[PANEL_MOST_PARTS + 1];
    double *gate;    /* (1 + WAYS) x judged x PANEL_REGIONS */
    double *scratch; /* classes */
};

static struct outlook outlook_of(const struct panel_fit *fit, size_t copies,
                                 const struct view *view) {
    return (struct outlook){view, fit->worse, copies, PANEL_WAYS, panel_way};
}

/* Learns a part's view and trains it. */
static nim_status make_part(const struct panel_fit *fit, const struct sketch *sketch,
                            struct panelist *part, nim_error *error) {
    struct own_rows copies = {0}, seen = {0};
    const struct outlook plain = outlook_of(fit, sketch->copies, NULL);
    const nim_data *data = fit->held->data;
    nim_options *options = part_options(fit->model);
    nim_status status = NIM_OK;
    if (!options || !outlook_rows(&plain, data, NULL, &copies))
        status = failure(error, NIM_OUT_OF_MEMORY, "no memory for the rows of a view");
    const nim_data *rows = copies.x ? &copies.data : data;
    if (status == NIM_OK)
        status = view_learn(&part->view, sketch->view, rows, error);
    if (status == NIM_OK && !own_rows_see(&seen, rows, &part->view))
        status = failure(error, NIM_OUT_OF_MEMORY, "no memory for the rows of a view");
    if (status == NIM_OK)
        status = train(options, &seen.data, fit->model, fit->held->listener, &part->model, error);
    own_rows_free(&copies);
    own_rows_free(&seen);
    nim_options_free(options);
    return status;
}

/* Adds a part, and finds what it predicts for held-out rows. */
static nim_status add_part(struct panel_fit *fit, const struct sketch *sketch, nim_error *error) {
    size_t k = fit->panel->parts++;
    struct panelist *part = &fit->panel->part[k];
    nim_status status = make_part(fit, sketch, part, error);
    double *p = malloc((fit->each + 1) * sizeof *p);
    fit->log_p[k + 1] = p;
    if (status == NIM_OK && !p)
        status = failure(error, NIM_OUT_OF_MEMORY, "no memory to weigh the parts of a panel");
    const struct outlook outlook = outlook_of(fit, sketch->copies, &part->view);
    if (status == NIM_OK)
        status = held_out_judge(fit->held, part->model, &outlook, p, error);
    if (status == NIM_OK)
        panel_take_logs(fit->each, p, p);
    return status;
}

/* ---------------------------------------------------------------- gate ------------------------ */

/* Rows, and rows measured otherwise: those with one cell measured worse count as like the rows,
 * because the view of parts puts that right. */
static bool gate_rows(const struct panel_fit *fit, struct own_rows *own) {
    static const enum degrading kind[GATE_KINDS] = {DEGRADE_NOT, DEGRADE_ONE, DEGRADE_ALL,
                                                    DEGRADE_OWN, DEGRADE_SIZES};
    static const int32_t region[GATE_KINDS] = {PANEL_TYPICAL, PANEL_TYPICAL, PANEL_WORSE,
                                               PANEL_WORSE, PANEL_BETTER};
    const nim_data *data = fit->held->data;
    const struct row_sample sample = row_sample(
        (struct random_key){fit->model->options.seed, STREAM_SAMPLE}, 3, data->rows, MOST_GATED);
    struct own_rows some = {0};
    size_t *row = malloc((sample.count + 1) * sizeof *row);
    for (size_t k = 0; row && k < sample.count; k++)
        row[k] = row_sample_at(&sample, k);
    bool good = row && own_rows_pick(&some, data, sample.count, row, 1.0) &&
                own_rows_degrade(own, &some.data, row, GATE_KINDS, kind, fit->worse, GATE_DRAW) &&
                own_rows_see(own, &own->data, &fit->panel->gate.view);
    for (size_t i = 0; good && i < own->data.rows; i++)
        own->labels[i] = region[i / sample.count];
    own_rows_free(&some);
    free(row);
    return good;
}

/* What the gate says of held-out rows. */
static nim_status judge_gate(struct panel_fit *fit, const struct own_rows *rows, nim_error *error) {
    nim_predictor *predictor = NULL;
    fit->gate = malloc((PANEL_REGIONS * rows->data.rows + 1) * sizeof *fit->gate);
    nim_status status = fit->gate ? nim_predictor_create(fit->panel->gate.model, &predictor, error)
                                  : failure(error, NIM_OUT_OF_MEMORY, "no memory for a gate");
    if (status == NIM_OK)
        status =
            nim_predict(predictor, &rows->data, &NIM_PREDICTION(.probabilities = fit->gate), error);
    nim_predictor_free(predictor);
    return status;
}

static nim_status add_gate(struct panel_fit *fit, nim_error *error) {
    struct panelist *gate = &fit->panel->gate;
    struct own_rows rows = {0}, judged = {0};
    nim_options *options = gate_options(fit->model);
    nim_status status = view_learn(&gate->view, GATE_VIEW, fit->held->data, error);
    const struct outlook outlook = outlook_of(fit, 0, &gate->view);
    if (status == NIM_OK &&
        !(options && gate_rows(fit, &rows) && held_out_rows(fit->held, &outlook, &judged)))
        status = failure(error, NIM_OUT_OF_MEMORY, "no memory for a gate");
    if (status == NIM_OK)
        status = train(options, &rows.data, fit->model, fit->held->listener, &gate->model, error);
    if (status == NIM_OK)
        status = judge_gate(fit, &judged, error);
    own_rows_free(&rows);
    own_rows_free(&judged);
    nim_options_free(options);
    return status;
}

/* ---------------------------------------------------------------- panel ----------------------- */

/* Columns that a part sees besides those of the table. */
static double more_columns(const struct panelist *part, const nim_model *plain) {
    return (double)part->model->columns - (double)plain->columns;
}

static struct weighing weighing_of(const struct panel_fit *fit, size_t ways) {
    const struct held_out *held = fit->held;
    struct weighing weighing = {.parts = fit->panel->parts + 1,
                                .ways = ways,
                                .rows = held->judged,
                                .classes = fit->model->classes,
                                .labels = held->labels,
                                .weights = held->weights,
                                .gate = fit->gate,
                                .scratch = fit->scratch};
    double share = (double)fit->model->functions / (double)held->data->rows;
    for (size_t k = 0; k < weighing.parts; k++) {
        weighing.log_p[k] = fit->log_p[k];
        weighing.flattery[k] = k ? share * more_columns(&fit->panel->part[k - 1], fit->model) : 0.0;
    }
    return weighing;
}

/* Finds the weights of the parts that there are. Returns whether rows as they are are then
 * predicted better than by the plain fit, by more than chance. */
bool panel_gains(const struct panel *panel) {
    return panel->gain[0] > LEAST_DEVIATIONS * panel->gain[1];
}

static bool gains(const struct panel_fit *fit, size_t ways) {
    struct panel *panel = fit->panel;
    const struct weighing weighing = weighing_of(fit, ways);
    weigh(&weighing, panel->weight);
    weighing_gain(&weighing, panel->weight, panel->gain);
    return panel_gains(panel);
}

/* Where the first part brings no gain, the others are not tried. */
static nim_status make_panel(struct panel_fit *fit, bool *good, nim_error *error) {
    nim_status status = add_part(fit, &part_list[0], error);
    *good = status == NIM_OK && gains(fit, 1);
    for (size_t k = 1; status == NIM_OK && *good && k < PARTS; k++)
        status = add_part(fit, &part_list[k], error);
    if (status == NIM_OK && *good)
        status = add_gate(fit, error);
    *good = status == NIM_OK && *good && gains(fit, 1 + PANEL_WAYS);
    return status;
}

/* What the panel predicts for held-out rows as they are. p: judged x classes. */
static void combine(const struct panel_fit *fit, double *p) {
    size_t classes = fit->model->classes, parts = fit->panel->parts + 1;
    for (size_t i = 0; i < fit->held->judged; i++) {
        panel_weights w;
        const double *log_p[PANEL_MOST_PARTS + 1];
        for (size_t k = 0; k < parts; k++)
            log_p[k] = fit->log_p[k] + i * classes;
        panel_row_weights(parts - 1, fit->panel->weight, fit->gate + PANEL_REGIONS * i, w);
        panel_pool(parts, classes, w, log_p, p + i * classes);
    }
}

nim_status panel_learn(nim_model *model, const struct held_out *held, const struct worse *worse,
                       double *p, nim_error *error) {
    size_t each = (1 + PANEL_WAYS) * held->judged * model->classes;
    struct panel_fit fit = {.model = model,
                            .held = held,
                            .worse = worse,
                            .each = each,
                            .panel = calloc(1, sizeof *fit.panel),
                            .log_p = {malloc((each + 1) * sizeof *p)},
                            .scratch = malloc(model->classes * sizeof *p)};
    bool good = false, room = fit.panel && fit.log_p[0] && fit.scratch;
    nim_status status = room ? NIM_OK : failure(error, NIM_OUT_OF_MEMORY, "no memory for a panel");
    if (status == NIM_OK) {
        panel_take_logs(each, p, fit.log_p[0]);
        status = make_panel(&fit, &good, error);
    }
    panel_free(model->panel);
    model->panel = NULL;
    if (status == NIM_OK && good) {
        combine(&fit, p);
        model->panel = fit.panel;
    } else
        panel_free(fit.panel);
    for (size_t k = 0; k <= PANEL_MOST_PARTS; k++)
        free(fit.log_p[k]);
    free(fit.gate);
    free(fit.scratch);
    return status;
}
