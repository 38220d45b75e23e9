/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/panel.h"

#include "base/status.h"
#include "train/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200 };

#define PRIOR 2.0
#define LEAST_PROBABILITY 1e-6

/* What the parts see. */
static const char *const part_views[] = {"sizes gaps tails", "sizes gaps tails axes"};

enum { PARTS = sizeof part_views / sizeof *part_views };

/* The rows of a table as a view shows them. */
struct sight {
    nim_data data;
    double *x, *sigma;
};

static bool sight_create(struct sight *sight, const struct view *view, const nim_data *data) {
    size_t width = view_width(view), room = view_scratch(view), rows = data->rows;
    double *x = malloc((rows * width + 3 * room) * sizeof *x);
    double *sigma = malloc((rows * width + 1) * sizeof *sigma), *row = x ? x + rows * width : NULL;
    *sight = (struct sight){.x = x, .sigma = sigma};
    for (size_t i = 0; x && sigma && i < rows; i++) {
        view_row(view, data, i, row, row + room, row + 2 * room);
        memcpy(x + i * width, row, width * sizeof *x);
        memcpy(sigma + i * width, row + room, width * sizeof *x);
    }
    sight->data = NIM_DATA(.rows = rows, .attributes = width, .x = x, .sigma = sigma,
                           .sigma_rows = rows, .labels = data->labels, .weights = data->weights);
    return x && sigma;
}

static void sight_free(struct sight *sight) {
    free(sight->x);
    free(sight->sigma);
}

/* The options of a part: those of the model, as they were requested, but for one fit. */
static nim_options *options_of(const nim_model *model) {
    static const char *const set[][2] = {{"views", "one"}, {"input", "auto"}};
    nim_options *options = nim_options_copy(nim_model_request(model));
    for (size_t i = 0; options && i < sizeof set / sizeof *set; i++)
        nim_options_set(options, set[i][0], set[i][1], NULL);
    if (options)
        options->classes = model->classes;
    return options;
}

static nim_status train_part(const nim_model *model, const nim_data *data, const char *steps,
                             struct panelist *part, nim_progress_function progress, void *context,
                             nim_error *error) {
    struct sight sight = {0};
    nim_options *options = options_of(model);
    nim_status status = view_learn(&part->view, steps, data, error);
    if (status == NIM_OK && (!options || !sight_create(&sight, &part->view, data)))
        status = failure(error, NIM_OUT_OF_MEMORY, "no memory for the rows of a view");
    if (status == NIM_OK)
        status = nim_model_create(options, &sight.data, &part->model, error);
    if (status == NIM_OK)
        status = training_run(part->model, &sight.data, progress, context, error);
    if (status == NIM_OK)
        training_end(part->model);
    sight_free(&sight);
    nim_options_free(options);
    return status;
}

nim_status panel_train(nim_model *model, const nim_data *data, nim_progress_function progress,
                       void *context, nim_error *error) {
    struct panel *panel = calloc(1, sizeof *panel);
    if (!panel)
        return failure(error, NIM_OUT_OF_MEMORY, "no memory for a panel");
    nim_status status = NIM_OK;
    for (; status == NIM_OK && panel->parts < PARTS; panel->parts++)
        status = train_part(model, data, part_views[panel->parts], &panel->part[panel->parts],
                            progress, context, error);
    for (size_t k = 0; k <= panel->parts; k++)
        panel->weight[0][k] = panel->weight[1][k] = 1.0 / (double)(panel->parts + 1);
    if (status != NIM_OK) {
        panel_free(panel);
        return status;
    }
    panel_free(model->panel);
    model->panel = panel;
    return status;
}

/* One round of expectation maximisation. */
static void improve(size_t parts, size_t rows, size_t classes, const double *p, size_t stride,
                    const int32_t *labels, const double *weights, double *w) {
    double sum[PANEL_MOST_PARTS + 1], all = 0.0;
    for (size_t k = 0; k < parts; k++)
        sum[k] = PRIOR;
    for (size_t i = 0; i < rows; i++) {
        double share[PANEL_MOST_PARTS + 1], total = 0.0;
        for (size_t k = 0; k < parts; k++)
            total += share[k] =
                w[k] * fmax(p[k * stride + i * classes + (size_t)labels[i]], LEAST_PROBABILITY);
        for (size_t k = 0; k < parts; k++)
            sum[k] += weights[i] * share[k] / total;
    }
    for (size_t k = 0; k < parts; k++)
        all += sum[k];
    for (size_t k = 0; k < parts; k++)
        w[k] = sum[k] / all;
}

void panel_weigh(struct panel *panel, size_t rows, size_t classes, double *p, size_t stride,
                 const int32_t *labels, const double *weights) {
    for (int round = 0; round < ROUNDS; round++)
        improve(panel->parts + 1, rows, classes, p, stride, labels, weights, panel->weight[0]);
    for (size_t i = 0; i < rows; i++) {
        const double *part[PANEL_MOST_PARTS];
        for (size_t k = 0; k < panel->parts; k++)
            part[k] = p + (k + 1) * stride + i * classes;
        panel_combine(panel, classes, 1.0, part, p + i * classes);
    }
}
