/* SPDX-License-Identifier: Apache-2.0 */
#include "model/panel.h"

#include "math/vector.h"
#include "model/model_file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_PROBABILITY 1e-4

static void part_free(struct panelist *part) {
    nim_model_free(part->model);
    view_free(&part->view);
}

void panel_free(struct panel *panel) {
    if (!panel)
        return;
    for (size_t k = 0; k < panel->parts; k++)
        part_free(&panel->part[k]);
    part_free(&panel->gate);
    joint_free(&panel->joint);
    free(panel);
}

void panel_take_logs(size_t count, const double *p, double *log_p) {
    for (size_t i = 0; i < count; i++)
        log_p[i] = log(fmax(p[i], LEAST_PROBABILITY));
}

void panel_pool(size_t parts, size_t classes, const double *w, const double *const *log_p,
                double *p) {
    double largest = -INFINITY, total = 0.0;
    for (size_t c = 0; c < classes; c++) {
        double value = 0.0; /* p may be log_p[0] */
        for (size_t k = 0; k < parts; k++)
            value += w[k] * log_p[k][c];
        largest = fmax(largest, p[c] = value);
    }
    for (size_t c = 0; c < classes; c++)
        total += p[c] = exp(p[c] - largest);
    scale(classes, 1.0 / total, p);
}

void panel_row_weights(size_t parts, const panel_weights *weight, const double *gate, double *w) {
    for (size_t k = 0; k <= parts; k++) {
        w[k] = k == 0 ? gate[PANEL_BETTER] : 0.0;
        for (size_t r = 0; r < PANEL_WEIGHED; r++)
            w[k] += gate[r] * weight[r][k];
    }
}

void panel_combine(const struct panel *panel, size_t classes, const double *gate,
                   double *const *part, double *p) {
    double w[PANEL_MOST_PARTS + 1];
    const double *log_p[PANEL_MOST_PARTS + 1] = {p};
    for (size_t k = 0; k <= panel->parts; k++) {
        double *own = k ? part[k - 1] : p;
        panel_take_logs(classes, own, own);
        log_p[k] = own;
    }
    panel_row_weights(panel->parts, panel->weight, gate, w);
    panel_pool(panel->parts + 1, classes, w, log_p, p);
}

size_t nim_model_view(const nim_model *model, size_t k, char *text, size_t size) {
    if (!model || !model->panel || k >= panel_fits(model->panel)) {
        if (size)
            *text = '\0';
        return 0;
    }
    if (k > model->panel->parts)
        return (size_t)snprintf(text, size, "mixtures of Gaussians over attributes and target");
    const struct panelist *part = &model->panel->part[k - (k > 0)];
    int used = snprintf(text, size, "%s",
                        k == 0 ? "the rows as they are"
                        : nim_model_rows(part->model) > nim_model_rows(model)
                            ? "the rows and copies measured worse"
                            : "the rows");
    for (size_t step = 0; k && step < part->view.steps; step++) {
        size_t at = (size_t)used < size ? (size_t)used : size;
        used += snprintf(text + at, size - at, ", %s", part->view.step[step]->says);
    }
    return (size_t)used;
}

/* ---------------------------------------------------------------- files ----------------------- */

/* "part1." and so on, "gate.". */
static void part_prefix(size_t k, char prefix[16]) {
    if (k < PANEL_MOST_PARTS)
        snprintf(prefix, 16, "part%zu.", k + 1);
    else
        snprintf(prefix, 16, "gate.");
}

enum { ARRAYS = 2 };

static void panel_arrays(const struct panel *panel, struct array array[ARRAYS]) {
    array[0] = ARRAY("panel.weights", SHAPE(2, PANEL_WEIGHED, PANEL_MOST_PARTS + 1), 0.0, 1.0,
                     .values = (double *)(uintptr_t)panel->weight[0]);
    array[1] = ARRAY("panel.gain", SHAPE(1, 2), -DBL_MAX, DBL_MAX,
                     .values = (double *)(uintptr_t)panel->gain);
}

static void step_array(const struct view *view, size_t step, char name[40]) {
    snprintf(name, 40, "view.%zu.%s", step + 1, view->step[step]->name);
}

static bool save_view(struct model_writer *writer, const char *prefix, const struct view *view) {
    char text[128], name[40];
    view_name(view, text, sizeof text);
    bool good = model_writer_text(writer, prefix, "view", text);
    for (size_t k = 0; good && k < view->steps; k++) {
        if (view->step[k]->numbers(view->shape[k]) == 0)
            continue;
        step_array(view, k, name);
        struct array array = ARRAY(name, SHAPE(1, view->step[k]->numbers(view->shape[k])), -DBL_MAX,
                                   DBL_MAX, .values = view->own[k]);
        good = model_writer_array(writer, prefix, &array, false);
    }
    return good;
}

static nim_status save_part(struct model_writer *writer, size_t k, const struct panelist *part,
                            nim_error *error) {
    char prefix[16];
    if (!part->model)
        return NIM_OK;
    part_prefix(k, prefix);
    if (!save_view(writer, prefix, &part->view))
        return failure(error, NIM_OUT_OF_MEMORY, "%s: no memory to save a view", writer->name);
    return model_save_into(writer, prefix, part->model, error);
}

nim_status panel_save(struct model_writer *writer, const struct panel *panel, nim_error *error) {
    char parts[8];
    snprintf(parts, sizeof parts, "%zu", panel->parts);
    struct array array[ARRAYS];
    nim_status status = NIM_OK;
    panel_arrays(panel, array);
    if (!model_writer_text(writer, "", "parts", parts) ||
        !model_writer_array(writer, "", &array[0], false) ||
        !model_writer_array(writer, "", &array[1], false))
        status = failure(error, NIM_OUT_OF_MEMORY, "%s: no memory to save a panel", writer->name);
    for (size_t k = 0; status == NIM_OK && k < panel->parts; k++)
        status = save_part(writer, k, &panel->part[k], error);
    if (status == NIM_OK)
        status = joint_save(writer, &panel->joint, error);
    return status == NIM_OK ? save_part(writer, PANEL_MOST_PARTS, &panel->gate, error) : status;
}

/* The numbers that each step of the view learned; their count must be what the steps before give.
 */
static nim_status load_view(const struct model_reader *reader, size_t columns, struct view *view) {
    char name[40];
    const char *steps = model_reader_text(reader, "view");
    if (!steps || !view_set_steps(view, steps))
        return model_reader_refuse(reader, "lacks or has an unknown", "view");
    view_start(view, columns);
    for (size_t k = 0; k < view->steps; k++) {
        size_t count = view->step[k]->numbers(view->shape[k]);
        step_array(view, k, name);
        const struct array array = ARRAY(name, SHAPE(1, count), -DBL_MAX, DBL_MAX, .values = NULL);
        const double *values = NULL;
        nim_status status = count ? model_reader_array(reader, &array, &values) : NIM_OK;
        if (status != NIM_OK)
            return status;
        if (!view_take_step(view, k, values))
            return model_reader_no_memory(reader, "a view");
    }
    return NIM_OK;
}

static nim_status load_part(const struct model_reader *reader, size_t k, size_t columns,
                            struct panelist *part) {
    char prefix[16];
    struct model_reader own = *reader;
    part_prefix(k, prefix);
    own.prefix = prefix;
    nim_status status = load_view(&own, columns, &part->view);
    if (status == NIM_OK)
        status = model_load_from(&own, &part->model);
    if (status == NIM_OK && part->model->columns != view_width(&part->view))
        status = model_reader_refuse(&own, "has the wrong number of", "attributes");
    return status;
}

static nim_status load_panel(const struct model_reader *reader, const nim_model *plain,
                             struct panel *panel) {
    struct array array[ARRAYS];
    const double *values;
    nim_status status = NIM_OK;
    panel_arrays(panel, array);
    for (size_t k = 0; status == NIM_OK && k < ARRAYS; k++) {
        status = model_reader_array(reader, &array[k], &values);
        if (status == NIM_OK)
            array_write(&array[k], values);
    }
    for (size_t k = 0; status == NIM_OK && k < panel->parts; k++) {
        status = load_part(reader, k, plain->columns, &panel->part[k]);
        if (status == NIM_OK && panel->part[k].model->classes != plain->classes)
            status = model_reader_refuse(reader, "has a part with other", "classes");
    }
    if (status == NIM_OK && plain->classes == 0)
        status = joint_load(reader, plain->columns, &panel->joint);
    if (status == NIM_OK && !panel->parts && !panel->joint.mixtures)
        return model_reader_refuse(reader, "has a damaged", "parts");
    if (status == NIM_OK && safetensors_text(&reader->file, "gate.", "view"))
        status = load_part(reader, PANEL_MOST_PARTS, plain->columns, &panel->gate);
    if (status == NIM_OK && panel->gate.model && panel->gate.model->classes != PANEL_REGIONS)
        status = model_reader_refuse(reader, "has a gate with other", "classes");
    return status;
}

nim_status panel_load(const struct model_reader *reader, nim_model *plain) {
    const char *parts = *reader->prefix ? NULL : model_reader_text(reader, "parts");
    if (!parts)
        return NIM_OK;
    if (strlen(parts) != 1 || parts[0] < '0' || parts[0] > '0' + PANEL_MOST_PARTS)
        return model_reader_refuse(reader, "has a damaged", "parts");
    plain->panel = calloc(1, sizeof *plain->panel);
    if (!plain->panel)
        return model_reader_no_memory(reader, "a panel");
    plain->panel->parts = (size_t)(parts[0] - '0');
    return load_panel(reader, plain, plain->panel);
}
