/* SPDX-License-Identifier: Apache-2.0 */
#include "fit/joint.h"

#include "base/collectives.h"
#include "fit/panel.h"
#include "math/row_sample.h"
#include "model/targets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_WEIGHT 0.02   /* of the plain fit beside mixtures */
#define MUCH_BETTER 0.2     /* nats per row, than a plain fit at the start of its training */
#define LEAST_DENSITY 1e-12 /* in standard units */
#define PRIOR_ROWS 2.0      /* of either, in the weights */

enum {
    MOST_LEARNED = 20000, /* rows for each mixture */
    WEIGHING_ROUNDS = 300
};
_Static_assert((int)JOINT_MOST == (int)MOST_FOLDS, "there is a mixture for each fold");

/* How strongly the covariances of a mixture are regularised, relative to population_pull: which of
 * them suits depends on the rows, and mixtures that differ are better together. */
static const double pull_factor[] = {0.05, 0.25};
enum { PULLS = sizeof pull_factor / sizeof *pull_factor };

struct joint_fit {
    nim_model *model;
    const struct held_out *held;
    struct pool *pool;
    struct panel *panel;
    double *p; /* judged x HELD_OUT_NUMBERS: what the mixtures say, and room for as much */
};

/* The rows from which mixture m learns: all but those of its fold, or a sample. */
static bool learning_rows(const struct joint_fit *fit, size_t m, struct population_rows *rows) {
    const struct held_out *held = fit->held;
    struct random_key key = {fit->model->options.seed, STREAM_SAMPLE};
    struct own_rows all = {0}, some = {0};
    bool good = held_out_fold(held, m, JOINT_MOST, false, &all);
    const struct row_sample sample = row_sample(key, 4 + m, all.data.rows, MOST_LEARNED);
    size_t *row = malloc((sample.count + 1) * sizeof *row);
    for (size_t k = 0; row && k < sample.count; k++)
        row[k] = all.row[row_sample_at(&sample, k)];
    good = good && row && own_rows_pick(&some, held->data, sample.count, row, 1.0) &&
           joint_rows(fit->model, &some.data, rows);
    own_rows_free(&all);
    own_rows_free(&some);
    free(row);
    return good;
}

/* What mixture m says of rows, for which memory is at work: rows x HELD_OUT_NUMBERS. */
static bool judge_rows(const nim_model *model, const struct population *mixture,
                       const nim_data *data, double *own) {
    const struct joint alone = {.mixtures = 1, .mixture = {*mixture}};
    struct joint_work work = {0};
    struct arena arena = {0};
    joint_layout(&work, model, &alone, &arena);
    bool good = arena_allocate(&arena);
    if (good)
        joint_layout(&work, model, &alone, &arena);
    for (size_t i = 0; good && i < data->rows; i++) {
        double target[2], *row = own + HELD_OUT_NUMBERS * i;
        targets_take(model, data, 1, &i, target);
        joint_look(model, &alone, &work, data, i);
        row[HELD_OUT_REACHED] = joint_cumulative(&work, target[0], target[1]);
        row[HELD_OUT_BELOW] = row[HELD_OUT_REACHED];
        row[HELD_OUT_DENSITY] = exp(joint_log_density(&work, target[0], target[1]));
    }
    arena_free(&arena);
    return good;
}

/* Learns mixture m, and what it says of the rows of its fold. False if memory runs out. */
static bool learn_mixture(const struct joint_fit *fit, size_t m) {
    const struct held_out *held = fit->held;
    struct joint *joint = &fit->panel->joint;
    struct population_rows learn = {0}, judge = {0};
    struct own_rows own = {0};
    bool good = learning_rows(fit, m, &learn) && held_out_fold(held, m, JOINT_MOST, true, &own) &&
                joint_rows(fit->model, &own.data, &judge);
    double *value = good ? malloc((HELD_OUT_NUMBERS * judge.rows + 1) * sizeof *value) : NULL;
    double pull = pull_factor[m % PULLS] * population_pull(fit->model->columns + 1);
    good = value && population_learn_last(&joint->mixture[m], &learn, &judge, pull, fit->pool);
    joint->mixtures += good;
    good = good && judge_rows(fit->model, &joint->mixture[m], &own.data, value);
    if (good)
        held_out_place(held, m, JOINT_MOST, 0, own.data.rows, HELD_OUT_NUMBERS, value, fit->p);
    free(value);
    own_rows_free(&own);
    population_rows_free(&learn);
    population_rows_free(&judge);
    return good;
}

static nim_status learn_mixtures(const struct joint_fit *fit, nim_error *error) {
    struct listener *listener = fit->held->listener;
    nim_status status = NIM_OK;
    for (size_t m = 0; status == NIM_OK && m < JOINT_MOST; m++) {
        if (!learn_mixture(fit, m))
            status = failure(error, NIM_OUT_OF_MEMORY, "no memory for a panel");
        status = collective_agree(&fit->model->collectives, status, error);
        listener->report.batch += listener->steps / JOINT_MOST;
        if (status == NIM_OK)
            status = listener_hears(listener, &fit->model->collectives, error);
    }
    return status;
}

/* The weight w of the plain fit, whose densities are p, that maximises sum_i v_i log(w p_i + (1 -
 * w) q_i), by expectation maximisation, with a weak prior. */
static double weigh_plain(const struct joint_fit *fit, const double *p) {
    const double *v = fit->held->weights, *q = fit->p;
    double w = 0.5;
    for (size_t round = 0; round < WEIGHING_ROUNDS; round++) {
        double own = PRIOR_ROWS, all = 2.0 * PRIOR_ROWS;
        for (size_t i = 0; i < fit->held->judged; i++) {
            size_t at = HELD_OUT_NUMBERS * i + HELD_OUT_DENSITY;
            double part = w * fmax(p[at], LEAST_DENSITY);
            own += v[i] * part / (part + (1.0 - w) * fmax(q[at], LEAST_DENSITY));
            all += v[i];
        }
        w = own / all;
    }
    return w;
}

/* What is predicted with these weights, in p, and log p of the rows less that of the plain fit: its
 * mean and standard error. */
static void combine(const struct joint_fit *fit, double weight, double *p, double gain[2]) {
    size_t rows = fit->held->judged;
    double total = 0.0, mean = 0.0, square = 0.0;
    for (size_t i = 0; i < rows; i++) {
        double *row = p + HELD_OUT_NUMBERS * i, v = fit->held->weights[i];
        double before = fmax(row[HELD_OUT_DENSITY], LEAST_DENSITY);
        for (size_t k = 0; k < HELD_OUT_NUMBERS; k++)
            row[k] = weight * row[k] + (1.0 - weight) * fit->p[HELD_OUT_NUMBERS * i + k];
        double own = log(fmax(row[HELD_OUT_DENSITY], LEAST_DENSITY) / before);
        total += v, mean += v * own, square += v * own * own;
    }
    gain[0] = mean / total;
    gain[1] = sqrt(fmax(square / total - gain[0] * gain[0], 0.0) / (double)rows);
}

static double mean_gain(const struct joint_fit *fit, const double *p) {
    double total = 0.0, gain = 0.0;
    for (size_t i = 0; i < fit->held->judged; i++) {
        size_t at = HELD_OUT_NUMBERS * i + HELD_OUT_DENSITY;
        double v = fit->held->weights[i];
        total += v;
        gain += v * log(fmax(fit->p[at], LEAST_DENSITY) / fmax(p[at], LEAST_DENSITY));
    }
    return gain / total;
}

bool joint_suffices(const struct joint_fit *fit, const double *p) {
    return mean_gain(fit, p) > MUCH_BETTER && weigh_plain(fit, p) < LEAST_WEIGHT;
}

void joint_weigh(struct joint_fit *fit, double *p) {
    struct panel *panel = fit->panel;
    size_t size = HELD_OUT_NUMBERS * fit->held->judged;
    double *both = fit->p + size, weight = weigh_plain(fit, p);
    weight = weight < LEAST_WEIGHT ? 0.0 : weight; /* then the plain fit need not predict */
    memcpy(both, p, size * sizeof *both);
    combine(fit, weight, both, panel->gain);
    for (size_t r = 0; r < PANEL_WEIGHED; r++) { /* conditioning knows what larger errors mean */
        panel->weight[r][0] = weight;
        panel->weight[r][1] = 1.0 - weight;
    }
    panel_free(fit->model->panel);
    fit->model->panel = NULL;
    if (!panel_gains(panel))
        return;
    memcpy(p, both, size * sizeof *both);
    fit->model->panel = panel;
    fit->panel = NULL;
}

void joint_fit_free(struct joint_fit *fit) {
    if (!fit)
        return;
    panel_free(fit->panel);
    pool_free(fit->pool);
    free(fit->p);
    free(fit);
}

nim_status joint_learn(nim_model *model, const struct held_out *held, struct joint_fit **result,
                       nim_error *error) {
    struct joint_fit *fit = calloc(1, sizeof *fit);
    if (fit)
        *fit = (struct joint_fit){
            .model = model,
            .held = held,
            .pool = pool_create(model_threads(model)),
            .panel = calloc(1, sizeof *fit->panel),
            .p = calloc(2 * HELD_OUT_NUMBERS * held->judged + 1, sizeof *fit->p)};
    nim_status status = fit && fit->pool && fit->panel && fit->p
                            ? NIM_OK
                            : failure(error, NIM_OUT_OF_MEMORY, "no memory for a panel");
    status = collective_agree(&model->collectives, status, error);
    if (status == NIM_OK)
        status = learn_mixtures(fit, error);
    if (status == NIM_OK)
        *result = fit;
    else
        joint_fit_free(fit);
    return status;
}
