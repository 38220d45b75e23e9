/* SPDX-License-Identifier: Apache-2.0 */
#include "input/noise_posterior.h"

#include "base/simd.h"
#include "base/special.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_UNIT = 8 };

struct job {
    const struct input_setting *setting;
    const struct input_batch *batch;
    const double *q;
    struct input_work *work;
    double *x, *value;
    const double *d_x;
    double *d_q;
};

static void for_rows(struct job *job, unit_function *function) {
    size_t units = (job->batch->rows + ROWS_PER_UNIT - 1) / ROWS_PER_UNIT;
    pool_run(job->batch->pool, units, function, job);
}

static size_t unit_end(const struct job *job, size_t unit) {
    size_t end = (unit + 1) * ROWS_PER_UNIT;
    return end < job->batch->rows ? end : job->batch->rows;
}

void noise_posterior_layout(struct input_work *work, const struct input_setting *setting,
                            struct arena *arena) {
    size_t area = setting->most_rows * setting->attributes;
    work->epsilon = arena_doubles(arena, area * setting->samples);
    work->deviation = arena_doubles(arena, area);
    work->d_noise = arena_doubles(arena, area);
}

/* x = c + sqrt(T) (shift + exp(spread/2) epsilon); deviation holds exp(spread/2). */
SIMD_CLONES static void place_point(size_t d, double prior, const double *measured,
                                    const double *noise, const double *shift,
                                    const double *deviation, const double *epsilon, double *x) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double share = prior / (prior + noise[j]);
        double xi = shift[j] + deviation[j] * epsilon[j];
        x[j] = share * measured[j] + sqrt(share * noise[j]) * xi;
    }
}

/*
 * Terms of -2 times a row's value; on entry `term` holds log(2 pi (s+V)):
 * x~^2/(s+V) + log(2 pi (s+V)) + shift^2 + exp(spread) - spread - 1.
 */
SIMD_CLONES static void complete_terms(size_t d, double prior, const double *measured,
                                       const double *noise, const double *shift,
                                       const double *spread, const double *deviation,
                                       double *term) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++)
        term[j] += measured[j] * measured[j] / (prior + noise[j]) + shift[j] * shift[j] +
                   deviation[j] * deviation[j] - spread[j] - 1.0;
}

static void place_unit(void *context, size_t unit, size_t worker) {
    (void)worker;
    struct job *job = context;
    const struct input_batch *batch = job->batch;
    struct input_work *work = job->work;
    size_t d = job->setting->attributes, samples = job->setting->samples;
    double prior = job->setting->prior_variance;
    struct random_key key = {batch->seed, STREAM_INPUT_DRAW};
    for (size_t i = unit * ROWS_PER_UNIT; i < unit_end(job, unit); i++) {
        const double *measured = batch->x + i * d, *noise = batch->noise + i * d;
        const double *shift = job->q + 2 * i * d, *spread = shift + d;
        double *epsilon = work->epsilon + i * samples * d;
        double *deviation = work->deviation + i * d;
        random_normal(key, batch->step, batch->row[i], samples * d, epsilon);
        scale(samples * d, batch->width, epsilon);
        for (size_t j = 0; j < d; j++)
            deviation[j] = 0.5 * spread[j];
        exp_array(d, deviation, deviation);
        for (size_t s = 0; s < samples; s++)
            place_point(d, prior, measured, noise, shift, deviation, epsilon + s * d,
                        job->x + (i * samples + s) * d);
        double *term = work->d_noise + i * d; /* free until the way back */
        for (size_t j = 0; j < d; j++)
            term[j] = 6.283185307179586477 * (prior + noise[j]);
        log_array(d, term, term);
        complete_terms(d, prior, measured, noise, shift, spread, deviation, term);
        job->value[i] = -0.5 * sum(d, term);
    }
}

void noise_posterior_place(const struct input_setting *setting, const struct input_batch *batch,
                           const double *q, struct input_work *work, double *x, double *value) {
    struct job job = {setting, batch, q, work, x, value, NULL, NULL};
    for_rows(&job, place_unit);
}

/* One point's share in d_shift, d_spread and d_noise. c' = -x~ s/(s+V)^2, T' = (s/(s+V))^2. */
SIMD_CLONES static void point_backward(size_t d, double prior, const double *measured,
                                       const double *noise, const double *shift,
                                       const double *deviation, const double *epsilon,
                                       const double *d_x, double *d_shift, double *d_deviation,
                                       double *d_noise) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double share = prior / (prior + noise[j]);
        double width = sqrt(share * noise[j]);
        double xi = shift[j] + deviation[j] * epsilon[j];
        double per_width = width > 0.0 ? 0.5 * share * share / width : 0.0;
        d_shift[j] += d_x[j] * width;
        d_deviation[j] += d_x[j] * width * epsilon[j];
        d_noise[j] += d_x[j] * (per_width * xi - measured[j] * share / (prior + noise[j]));
    }
}

/* What the values themselves say about shift and noise. */
SIMD_CLONES static void value_backward(size_t d, double prior, double weight,
                                       const double *measured, const double *noise,
                                       const double *shift, double *d_shift, double *d_noise) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double total = prior + noise[j];
        d_shift[j] = -weight * shift[j];
        d_noise[j] = 0.5 * weight * (measured[j] * measured[j] / total - 1.0) / total;
    }
}

/* From the adjoint of deviation = exp(spread/2) to that of spread, in place. */
SIMD_CLONES static void spread_backward(size_t d, double weight, const double *deviation,
                                        double *d_spread) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++)
        d_spread[j] =
            0.5 * (deviation[j] * d_spread[j] - weight * (deviation[j] * deviation[j] - 1.0));
}

static void backward_unit(void *context, size_t unit, size_t worker) {
    (void)worker;
    struct job *job = context;
    const struct input_batch *batch = job->batch;
    struct input_work *work = job->work;
    size_t d = job->setting->attributes, samples = job->setting->samples;
    double prior = job->setting->prior_variance;
    for (size_t i = unit * ROWS_PER_UNIT; i < unit_end(job, unit); i++) {
        const double *measured = batch->x + i * d, *noise = batch->noise + i * d;
        const double *shift = job->q + 2 * i * d, *deviation = work->deviation + i * d;
        double *d_shift = job->d_q + 2 * i * d, *d_noise = work->d_noise + i * d;
        double *d_spread = d_shift + d, *d_deviation = d_spread;
        double weight = batch->weight[i];
        value_backward(d, prior, weight, measured, noise, shift, d_shift, d_noise);
        memset(d_deviation, 0, d * sizeof(double));
        for (size_t s = 0; s < samples; s++) {
            size_t at = (i * samples + s) * d;
            point_backward(d, prior, measured, noise, shift, deviation, work->epsilon + at,
                           job->d_x + at, d_shift, d_deviation, d_noise);
        }
        spread_backward(d, weight, deviation, d_spread);
    }
}

void noise_posterior_backward(const struct input_setting *setting, const struct input_batch *batch,
                              const double *q, struct input_work *work, const double *d_x,
                              double *d_q, double *d_noise) {
    struct job job = {setting, batch, q, work, NULL, NULL, d_x, d_q};
    for_rows(&job, backward_unit);
    for (size_t i = 0; d_noise && i < batch->rows; i++)
        add(setting->attributes, work->d_noise + i * setting->attributes, d_noise);
}

void noise_posterior_moments(const struct input_setting *setting, const struct input_batch *batch,
                             const double *q, double *mean, double *variance) {
    double prior = setting->prior_variance;
    size_t d = setting->attributes;
    for (size_t i = 0; i < batch->rows; i++, q += 2 * d)
        for (size_t j = 0; j < d; j++) {
            double noise = batch->noise[i * d + j], share = prior / (prior + noise);
            mean[i * d + j] = share * batch->x[i * d + j] + sqrt(share * noise) * q[j];
            variance[i * d + j] = share * noise * exp(q[d + j]);
        }
}
