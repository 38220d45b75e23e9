/* SPDX-License-Identifier: Apache-2.0 */
#include "input/noise_posterior.h"

#include "math/simd.h"
#include "math/special.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum {
    ROWS_PER_UNIT = 8,
    FACTORS = 16, /* multiplied before one logarithm is taken of them all */
};

struct job {
    const struct input_setting *setting;
    const struct input_batch *batch;
    const double *q;
    struct input_work *work;
    double *x, *value;
    const double *d_x;
    double *d_q;
    bool noise_is_learned;
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
    work->root = arena_doubles(arena, area);
    work->d_noise = arena_doubles(arena, area);
}

/* c = x~ s/(s+V) and sqrt(T) = sqrt(V s/(s+V)) of one row. */
SIMD_CLONES static void condition(size_t d, double prior, const double *measured,
                                  const double *noise, double *centre, double *root) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double share = prior / (prior + noise[j]);
        centre[j] = share * measured[j];
        root[j] = sqrt(share * noise[j]);
    }
}

/* x = c + sqrt(T) (shift + exp(spread/2) epsilon); deviation holds exp(spread/2). */
SIMD_CLONES static void place_point(size_t d, const double *centre, const double *root,
                                    const double *shift, const double *deviation,
                                    const double *epsilon, double *x) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++)
        x[j] = centre[j] + root[j] * (shift[j] + deviation[j] * epsilon[j]);
}

/* part[l] = product of s+V over every SUM_PARTS-th attribute. */
SIMD_CLONES static void multiply_totals(size_t d, double prior, const double *noise, double *part) {
    for (size_t l = 0; l < SUM_PARTS; l++)
        part[l] = 1.0;
    size_t whole = d / SUM_PARTS * SUM_PARTS;
    for (size_t j = 0; j < whole; j += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            part[l] *= prior + noise[j + l];
    for (size_t j = whole; j < d; j++)
        part[j - whole] *= prior + noise[j];
}

/* sum_j log(2 pi (s+V)). Options and scaling.c keep s+V within 1e-3 .. 1e10: FACTORS of them are
 * far from overflow. */
static double log_totals(size_t d, double prior, const double *noise) {
    double total = (double)d * log(6.283185307179586477), part[SUM_PARTS];
    for (size_t start = 0; start < d; start += SUM_PARTS * FACTORS) {
        size_t count = d - start < SUM_PARTS * FACTORS ? d - start : SUM_PARTS * FACTORS;
        multiply_totals(count, prior, noise + start, part);
        log_array(SUM_PARTS, part, part);
        total += sum(SUM_PARTS, part);
    }
    return total;
}

/* x~^2/(s+V) + shift^2 + exp(spread) - spread - 1 of attribute j, where x~/(s+V) = c/s. */
SIMD_INLINE double term(size_t j, double per_prior, const double *measured, const double *centre,
                        const double *shift, const double *spread, const double *deviation) {
    return measured[j] * centre[j] * per_prior + shift[j] * shift[j] + deviation[j] * deviation[j] -
           spread[j] - 1.0;
}

SIMD_CLONES static double sum_terms(size_t d, double prior, const double *measured,
                                    const double *centre, const double *shift, const double *spread,
                                    const double *deviation) {
    double part[SUM_PARTS] = {0}, per_prior = 1.0 / prior;
    size_t whole = d / SUM_PARTS * SUM_PARTS;
    for (size_t j = 0; j < whole; j += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            part[l] += term(j + l, per_prior, measured, centre, shift, spread, deviation);
    for (size_t j = whole; j < d; j++)
        part[j - whole] += term(j, per_prior, measured, centre, shift, spread, deviation);
    return sum(SUM_PARTS, part);
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
        double *epsilon = work->epsilon + i * samples * d, *root = work->root + i * d;
        double *deviation = work->deviation + i * d;
        double *centre = work->d_noise + i * d; /* free until the way back */
        random_normal(key, batch->step, batch->row[i], samples * d, epsilon);
        if (batch->width != 1.0)
            scale(samples * d, batch->width, epsilon);
        exp_scaled_array(d, 1.0, 0.5, spread, deviation);
        condition(d, prior, measured, noise, centre, root);
        for (size_t s = 0; s < samples; s++)
            place_point(d, centre, root, shift, deviation, epsilon + s * d,
                        job->x + (i * samples + s) * d);
        job->value[i] = -0.5 * (sum_terms(d, prior, measured, centre, shift, spread, deviation) +
                                log_totals(d, prior, noise));
    }
}

void noise_posterior_place(const struct input_setting *setting, const struct input_batch *batch,
                           const double *q, struct input_work *work, double *x, double *value) {
    struct job job = {setting, batch, q, work, x, value, NULL, NULL, false};
    for_rows(&job, place_unit);
}

/* What the value itself says about the noise: log N(x~; 0, s + V). */
SIMD_CLONES static void noise_from_value(size_t d, double prior, double weight,
                                         const double *measured, const double *noise,
                                         double *d_noise) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double total = prior + noise[j];
        d_noise[j] = 0.5 * weight * (measured[j] * measured[j] / total - 1.0) / total;
    }
}

/* What one point says about the noise. c' = -x~ s/(s+V)^2, T' = (s/(s+V))^2. */
SIMD_CLONES static void noise_from_point(size_t d, double prior, const double *measured,
                                         const double *noise, const double *root,
                                         const double *shift, const double *deviation,
                                         const double *epsilon, const double *d_x,
                                         double *d_noise) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double share = prior / (prior + noise[j]);
        double xi = shift[j] + deviation[j] * epsilon[j];
        double per_root = root[j] > 0.0 ? 0.5 * share * share / root[j] : 0.0;
        d_noise[j] += d_x[j] * (per_root * xi - measured[j] * share / (prior + noise[j]));
    }
}

/* One point's share in d_shift and d_deviation. */
SIMD_CLONES static void point_backward(size_t d, const double *root, const double *epsilon,
                                       const double *d_x, double *d_shift, double *d_deviation) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double d_xi = d_x[j] * root[j];
        d_shift[j] += d_xi;
        d_deviation[j] += d_xi * epsilon[j];
    }
}

/* Adds what the value says, -KL(q(xi) || N(0, 1)), and turns the adjoint of deviation =
 * exp(spread/2) into that of spread. */
SIMD_CLONES static void complete_adjoints(size_t d, double weight, const double *shift,
                                          const double *deviation, double *d_shift,
                                          double *d_spread) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        d_shift[j] -= weight * shift[j];
        d_spread[j] =
            0.5 * (deviation[j] * d_spread[j] - weight * (deviation[j] * deviation[j] - 1.0));
    }
}

static void noise_backward(const struct job *job, size_t i) {
    const struct input_batch *batch = job->batch;
    struct input_work *work = job->work;
    size_t d = job->setting->attributes, samples = job->setting->samples;
    double prior = job->setting->prior_variance, *d_noise = work->d_noise + i * d;
    const double *measured = batch->x + i * d, *noise = batch->noise + i * d;
    noise_from_value(d, prior, batch->weight[i], measured, noise, d_noise);
    for (size_t s = i * samples; s < (i + 1) * samples; s++)
        noise_from_point(d, prior, measured, noise, work->root + i * d, job->q + 2 * i * d,
                         work->deviation + i * d, work->epsilon + s * d, job->d_x + s * d, d_noise);
}

static void backward_unit(void *context, size_t unit, size_t worker) {
    (void)worker;
    struct job *job = context;
    struct input_work *work = job->work;
    size_t d = job->setting->attributes, samples = job->setting->samples;
    for (size_t i = unit * ROWS_PER_UNIT; i < unit_end(job, unit); i++) {
        double *d_shift = job->d_q + 2 * i * d, *d_spread = d_shift + d;
        memset(d_shift, 0, 2 * d * sizeof(double));
        for (size_t s = i * samples; s < (i + 1) * samples; s++)
            point_backward(d, work->root + i * d, work->epsilon + s * d, job->d_x + s * d, d_shift,
                           d_spread);
        complete_adjoints(d, job->batch->weight[i], job->q + 2 * i * d, work->deviation + i * d,
                          d_shift, d_spread);
        if (job->noise_is_learned)
            noise_backward(job, i);
    }
}

void noise_posterior_backward(const struct input_setting *setting, const struct input_batch *batch,
                              const double *q, struct input_work *work, const double *d_x,
                              double *d_q, double *d_noise) {
    struct job job = {setting, batch, q, work, NULL, NULL, d_x, d_q, d_noise != NULL};
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
