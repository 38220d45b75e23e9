/* SPDX-License-Identifier: Apache-2.0 */
#include "model/start.h"

#include "gp/posterior_form.h"
#include "math/row_sample.h"
#include "math/sorted.h"
#include "model/targets.h"

#include <math.h>
#include <string.h>

enum {
    DISTANCE_PAIRS = 2000,
    MOST_CANDIDATES = 1 << 20, /* rows that inducing inputs are drawn from */
};

/* Least initial ratio of the median squared distance to lambda^2 if y has an order: the covariance
 * at this distance is about a tenth. */
#define FARTHEST_START 4.5

/*
 * rows[0 .. wanted-1] for targets that are classes: the classes take turns, each with its next row
 * in random order, until it has none left. order: a permutation of the candidates; next: scratch of
 * classes.
 */
static void draw_rows(const nim_data *data, size_t classes, size_t wanted, const size_t *order,
                      size_t candidates, size_t *next, size_t *rows) {
    memset(next, 0, classes * sizeof *next);
    for (size_t got = 0; got < wanted;)
        for (size_t label = 0; label < classes && got < wanted; label++) {
            size_t at = next[label];
            while (at < candidates && (size_t)data->labels[order[at]] != label)
                at++;
            if (at < candidates)
                rows[got++] = order[at++];
            next[label] = at;
        }
}

/* Median squared distance of random pairs of rows, and the mean squared norm. */
static void typical_sizes(const struct nim_model *model, const nim_data *data, double *x,
                          double *noise, double *sizes, double *distance, double *norm) {
    size_t d = model->attributes;
    struct random_key key = {model->options.seed, STREAM_DISTANCE};
    double norms = 0.0;
    for (size_t p = 0; p < DISTANCE_PAIRS; p++) {
        size_t pair[2] = {random_below(key, 0, p, data->rows), random_below(key, 1, p, data->rows)};
        scaling_take(&model->scaling, data, false, 2, pair, x, noise, NULL);
        sizes[p] = 0.0;
        for (size_t j = 0; j < d; j++) {
            sizes[p] += (x[j] - x[d + j]) * (x[j] - x[d + j]);
            norms += x[j] * x[j];
        }
    }
    sort_numbers(DISTANCE_PAIRS, sizes);
    *distance = fmax(sizes[DISTANCE_PAIRS / 2], 1e-3);
    *norm = fmax(norms / DISTANCE_PAIRS, 1e-3);
}

/*
 * Squared exponential and Matern: s2 = e, lambda^2 = the root of the median squared distance. If y
 * has an order, lambda is limited by FARTHEST_START: functions that start too smooth treat a curve
 * as noise and do not recover.
 * Polynomial and linear: lambda^2 = the mean squared norm, s2 = 1/g(1), so that k(x,x) is about
 * one. The terms of a sum start as they would alone.
 */
static void start_term(const struct nim_model *model, size_t t, double distance, double norm,
                       double *log_variance, double *log_lengthscale) {
    size_t d = model->attributes;
    double one = 1.0, at_one, start = 0.25 * log(distance);
    if (!gp_is_distance(&model->gp, t)) {
        model->gp.kernel->term[t]->evaluate(model->gp.degree, 1.0, 1, &one, &at_one, NULL, NULL);
        *log_variance = -log2(at_one) * log(2.0);
        start = 0.5 * log(norm);
    } else {
        *log_variance = 1.0;
        if (targets_have_order(model))
            start = 0.5 * log(fmin(sqrt(distance), distance / FARTHEST_START));
    }
    for (size_t j = 0; j < d; j++)
        log_lengthscale[j] = start;
}

static void start_kernel(const struct nim_model *model, const struct gp_parameters *theta,
                         double distance, double norm) {
    *theta->log_white = log(model->options.white_start);
    for (size_t t = 0; t < model->gp.kernel->terms; t++)
        start_term(model, t, distance, norm, theta->log_variance + t,
                   theta->log_lengthscale + t * model->attributes);
}

bool model_start_posterior(struct nim_model *model) {
    bool started = true;
    for (size_t c = 0; started && c < model->functions; c++) {
        struct gp_parameters theta = model_gp(model, model->theta, c);
        started = model->gp.form->start(&model->gp, model->jitter[c], &theta);
    }
    return started;
}

bool model_start(struct nim_model *model, const nim_data *data) {
    size_t d = model->attributes, m = model->inducing;
    struct arena arena = {0};
    struct random_key key = {model->options.seed, STREAM_SAMPLE};
    size_t *order = NULL, *next = NULL, *rows = NULL;
    double *x = NULL, *noise = NULL, *sizes = NULL;
    for (int pass = 0; pass < 2; pass++) {
        order = arena_sizes(&arena, row_sample(key, 0, data->rows, MOST_CANDIDATES).count);
        next = arena_sizes(&arena, model->classes + 1);
        rows = arena_sizes(&arena, m);
        size_t most = m > 2 ? m : 2;
        x = arena_doubles(&arena, most * d);
        noise = arena_doubles(&arena, most * d);
        sizes = arena_doubles(&arena, DISTANCE_PAIRS);
        if (pass == 0 && !arena_allocate(&arena))
            return false;
    }
    double distance, norm;
    typical_sizes(model, data, x, noise, sizes, &distance, &norm);
    for (size_t c = 0; c < model->functions; c++) {
        struct gp_parameters theta = model_gp(model, model->theta, c);
        const struct row_sample candidates = row_sample(key, c, data->rows, MOST_CANDIDATES);
        random_permutation((struct random_key){model->options.seed, STREAM_INDUCING}, c,
                           candidates.count, order);
        for (size_t k = 0; k < candidates.count; k++)
            order[k] = row_sample_at(&candidates, order[k]);
        if (targets_are_classes(model))
            draw_rows(data, model->classes, m, order, candidates.count, next, rows);
        else
            memcpy(rows, order, m * sizeof *rows);
        scaling_take(&model->scaling, data, false, m, rows, theta.z, noise, NULL);
        start_kernel(model, &theta, distance, norm);
        model->jitter[c] = model->options.jitter;
    }
    for (size_t j = 0; j < model->noise_count; j++)
        model->theta[model->noise_at + j] = log(fmax(model->options.noise_start, 1e-8));
    if (model->input_count)
        model->options.input->start(&model->input, model->options.seed,
                                    model->theta + model->input_at);
    arena_free(&arena);
    return model_start_posterior(model) && targets_start(model, data);
}
