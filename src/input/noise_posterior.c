/* SPDX-License-Identifier: Apache-2.0 */
#include "input/noise_posterior.h"

#include "math/simd.h"
#include "math/special.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum {
    ROWS_PER_UNIT = 8,
    FACTORS = 16, /* factors that are multiplied before their logarithm is taken */
};

struct job {
    const struct input_batch *batch;
    const double *q;
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
    work->root = arena_doubles(arena, area);
    work->d_noise = arena_doubles(arena, area);
}

/* c = m + (x~ - m) s/(s+V) and sqrt(T) = sqrt(V s/(s+V)) of one row. */
SIMD_CLONES static void condition(size_t d, const double *mean, const double *prior,
                                  const double *measured, const double *noise, double *centre,
                                  double *root) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double share = prior[j] / (prior[j] + noise[j]);
        centre[j] = mean[j] + share * (measured[j] - mean[j]);
        root[j] = sqrt(share * noise[j]);
    }
}

/* xi = shift + exp(spread/2) epsilon; deviation holds exp(spread/2). */
SIMD_CLONES static void find_xi(size_t d, const double *shift, const double *deviation,
                                const double *epsilon, double *xi) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++)
        xi[j] = shift[j] + deviation[j] * epsilon[j];
}

/* x = c + sqrt(T) xi. */
SIMD_CLONES static void place_point(size_t d, const double *centre, const double *root,
                                    const double *xi, double *x) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++)
        x[j] = centre[j] + root[j] * xi[j];
}

/* part[l] = product of s+V over every SUM_PARTS-th attribute. */
SIMD_CLONES static void multiply_totals(size_t d, const double *prior, const double *noise,
                                        double *part) {
    for (size_t l = 0; l < SUM_PARTS; l++)
        part[l] = 1.0;
    size_t whole = d / SUM_PARTS * SUM_PARTS;
    for (size_t j = 0; j < whole; j += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            part[l] *= prior[j + l] + noise[j + l];
    for (size_t j = whole; j < d; j++)
        part[j - whole] *= prior[j] + noise[j];
}

/* sum_j log(2 pi (s+V)). Options and scaling.c keep s+V within 1e-3 .. 1e10, so the product of
 * FACTORS of them does not overflow. */
static double log_totals(size_t d, const double *prior, const double *noise) {
    double total = (double)d * log(6.283185307179586477), part[SUM_PARTS];
    for (size_t start = 0; start < d; start += SUM_PARTS * FACTORS) {
        size_t count = d - start < SUM_PARTS * FACTORS ? d - start : SUM_PARTS * FACTORS;
        multiply_totals(count, prior + start, noise + start, part);
        log_array(SUM_PARTS, part, part);
        total += sum(SUM_PARTS, part);
    }
    return total;
}

/* (x~ - m)^2/(s+V) of attribute j, where (x~ - m)/(s+V) = (c - m)/s. */
SIMD_INLINE double surprise(size_t j, const double *mean, const double *prior,
                            const double *measured, const double *centre) {
    return (measured[j] - mean[j]) * (centre[j] - mean[j]) * (1.0 / prior[j]);
}

SIMD_CLONES static double sum_surprises(size_t d, const double *mean, const double *prior,
                                        const double *measured, const double *centre) {
    double part[SUM_PARTS] = {0};
    size_t whole = d / SUM_PARTS * SUM_PARTS;
    for (size_t j = 0; j < whole; j += SUM_PARTS)
        for (size_t l = 0; l < SUM_PARTS; l++)
            part[l] += surprise(j + l, mean, prior, measured, centre);
    for (size_t j = whole; j < d; j++)
        part[j - whole] += surprise(j, mean, prior, measured, centre);
    return sum(SUM_PARTS, part);
}

/* 2 KL(q(xi) || N(0, I)) = sum_j shift^2 + exp(spread) - spread - 1. */
SIMD_CLONES static double sum_divergences(size_t d, const double *shift, const double *spread,
                                          const double *deviation) {
    double part[SUM_PARTS] = {0};
    for (size_t j = 0; j < d; j++)
        part[j % SUM_PARTS] += shift[j] * shift[j] + deviation[j] * deviation[j] - spread[j] - 1.0;
    return sum(SUM_PARTS, part);
}

/* sum_j (epsilon^2 - xi^2 + spread)/2 of one point. */
static double weigh_point(size_t d, const double *shift, const double *spread,
                          const double *deviation, const double *epsilon) {
    double total = 0.0;
    for (size_t j = 0; j < d; j++) {
        double xi = shift[j] + deviation[j] * epsilon[j];
        total += 0.5 * (epsilon[j] * epsilon[j] - xi * xi + spread[j]);
    }
    return total;
}

void noise_posterior_draw(const struct input_batch *batch) {
    size_t each = batch->setting->samples * batch->setting->attributes;
    double *epsilon = batch->work->epsilon;
    struct random_key key = {batch->seed, STREAM_INPUT_DRAW};
    for (size_t i = 0; i < batch->rows; i++) {
        random_normal(key, batch->step, batch->row[i], each, epsilon + i * each);
        if (batch->width != 1.0)
            scale(each, batch->width, epsilon + i * each);
    }
}

/* The component of the prior to which point p of row i belongs: its index in the batch. */
static size_t component_of(const struct input_batch *batch, size_t i, size_t p) {
    size_t own = batch->work->component ? batch->work->component[p] : 0;
    return i * batch->prior.components + own;
}

/* Places the points of row i if its attributes are correlated; returns log p(x~). */
static double place_along(const struct input_batch *batch, const double *q, size_t i) {
    size_t d = batch->setting->attributes, samples = batch->setting->samples;
    const struct input_prior *prior = &batch->prior;
    double *moved = batch->work->d_noise + i * d; /* unused until the backward pass */
    for (size_t p = i * samples; p < (i + 1) * samples; p++) {
        size_t at = component_of(batch, i, p);
        const double *epsilon = batch->work->epsilon + p * d;
        for (size_t j = 0; q && j < d; j++)
            moved[j] = q[2 * i * d + j] + batch->work->deviation[i * d + j] * epsilon[j];
        population_point(d, prior->centre + at * d, prior->root + at * d * d, q ? moved : epsilon,
                         batch->point + p * d);
    }
    return prior->evidence[i];
}

/* As place_along, if the attributes are independent. */
static double place_apart(const struct input_batch *batch, const double *q, size_t i) {
    const struct population *population = batch->setting->population;
    struct input_work *work = batch->work;
    size_t d = batch->setting->attributes, samples = batch->setting->samples;
    const double *measured = batch->x + i * d, *noise = batch->noise + i * d;
    double *root = work->root + i * d, *centre = work->d_noise + i * d;
    condition(d, population->mean, population->variance, measured, noise, centre, root);
    for (size_t p = i * samples; p < (i + 1) * samples; p++) {
        double *x = batch->point + p * d;
        if (q)
            find_xi(d, q + 2 * i * d, work->deviation + i * d, work->epsilon + p * d, x);
        place_point(d, centre, root, q ? x : work->epsilon + p * d, x);
    }
    return -0.5 * (sum_surprises(d, population->mean, population->variance, measured, centre) +
                   log_totals(d, population->variance, noise));
}

/* Adds -KL(q(xi) || N(0, I)) to the value of row i or, with several points, weighs each of them. */
static void weigh(const struct input_batch *batch, const double *q, size_t i) {
    size_t d = batch->setting->attributes, samples = batch->setting->samples;
    const double *shift = q + 2 * i * d, *spread = shift + d;
    const double *deviation = batch->work->deviation + i * d;
    if (samples == 1)
        batch->value[i] -= 0.5 * sum_divergences(d, shift, spread, deviation);
    for (size_t p = i * samples; samples > 1 && p < (i + 1) * samples; p++)
        batch->log_weight[p] =
            weigh_point(d, shift, spread, deviation, batch->work->epsilon + p * d);
}

static void place_unit(void *context, size_t unit, size_t worker) {
    (void)worker;
    const struct job *job = context;
    const struct input_batch *batch = job->batch;
    size_t d = batch->setting->attributes;
    for (size_t i = unit * ROWS_PER_UNIT; i < unit_end(job, unit); i++) {
        if (job->q)
            exp_scaled_array(d, 1.0, 0.5, job->q + (2 * i + 1) * d, batch->work->deviation + i * d);
        batch->value[i] =
            batch->prior.components ? place_along(batch, job->q, i) : place_apart(batch, job->q, i);
        if (job->q)
            weigh(batch, job->q, i);
    }
}

void noise_posterior_place(const struct input_batch *batch, const double *q) {
    struct job job = {.batch = batch, .q = q};
    for_rows(&job, place_unit);
}

/* The derivative of log N(x~; m, s + V) by the noise. */
SIMD_CLONES static void noise_from_value(size_t d, const double *mean, const double *prior,
                                         double weight, const double *measured, const double *noise,
                                         double *d_noise) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double total = prior[j] + noise[j], distance = measured[j] - mean[j];
        d_noise[j] = 0.5 * weight * (distance * distance / total - 1.0) / total;
    }
}

/* The derivative of one point by the noise. c' = -(x~ - m) s/(s+V)^2, T' = (s/(s+V))^2. */
SIMD_CLONES static void noise_from_point(size_t d, const double *mean, const double *prior,
                                         const double *measured, const double *noise,
                                         const double *root, const double *xi, const double *d_x,
                                         double *d_noise) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double share = prior[j] / (prior[j] + noise[j]);
        double per_root = root[j] > 0.0 ? 0.5 * share * share / root[j] : 0.0;
        d_noise[j] +=
            d_x[j] * (per_root * xi[j] - (measured[j] - mean[j]) * share / (prior[j] + noise[j]));
    }
}

/* d_xi (d) = R' d_x of one point. */
static void back_to_xi(const struct input_batch *batch, size_t i, size_t p, double *d_xi) {
    size_t d = batch->setting->attributes;
    const struct input_prior *prior = &batch->prior;
    const double *d_x = batch->d_point + p * d;
    if (!prior->components) {
        multiply(d, d_x, batch->work->root + i * d, d_xi);
        return;
    }
    const double *root = prior->root + component_of(batch, i, p) * d * d;
    memset(d_xi, 0, d * sizeof(double));
    for (size_t j = 0; j < d; j++)
        add_scaled(d, d_x[j], root + j * d, d_xi);
}

/*
 * With several points, the doubly reparametrised gradient: d_xi is multiplied by the point's share
 * once more, and the derivative of its own weight is taken through xi only,
 * d log w / d xi = -xi + epsilon / deviation.
 */
static void reparametrise(size_t d, double weight, double share, const double *shift,
                          const double *deviation, const double *epsilon, double *d_xi) {
    for (size_t j = 0; j < d; j++) {
        double xi = shift[j] + deviation[j] * epsilon[j];
        d_xi[j] = share * (d_xi[j] + weight * share * (epsilon[j] / deviation[j] - xi));
    }
}

/* Adds one point's part to d_shift and d_deviation if attributes are independent. */
SIMD_CLONES static void point_backward_apart(size_t d, const double *root, const double *epsilon,
                                             const double *d_x, double *d_shift,
                                             double *d_deviation) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        double d_xi = d_x[j] * root[j];
        d_shift[j] += d_xi;
        d_deviation[j] += d_xi * epsilon[j];
    }
}

/* As point_backward_apart, from d_xi. */
SIMD_CLONES static void point_backward(size_t d, const double *epsilon, const double *d_xi,
                                       double *d_shift, double *d_deviation) {
    SIMD_LOOP
    for (size_t j = 0; j < d; j++) {
        d_shift[j] += d_xi[j];
        d_deviation[j] += d_xi[j] * epsilon[j];
    }
}

/* Adds the derivative of -KL(q(xi) || N(0, 1)), and converts the adjoint of deviation =
 * exp(spread/2) to that of spread. */
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

static void noise_backward(const struct input_batch *batch, const double *q, size_t i) {
    const struct population *population = batch->setting->population;
    struct input_work *work = batch->work;
    size_t d = batch->setting->attributes, samples = batch->setting->samples;
    const double *mean = population->mean, *prior = population->variance;
    const double *measured = batch->x + i * d, *noise = batch->noise + i * d;
    double *d_noise = work->d_noise + i * d;
    noise_from_value(d, mean, prior, batch->weight[i], measured, noise, d_noise);
    for (size_t p = i * samples; p < (i + 1) * samples; p++) {
        double *xi = work->epsilon + p * d; /* epsilon is not needed again */
        if (q)
            find_xi(d, q + 2 * i * d, work->deviation + i * d, xi, xi);
        noise_from_point(d, mean, prior, measured, noise, work->root + i * d, xi,
                         batch->d_point + p * d, d_noise);
    }
}

/* Row i of d_q. */
static void q_backward(const struct job *job, size_t i) {
    const struct input_batch *batch = job->batch;
    struct input_work *work = batch->work;
    size_t d = batch->setting->attributes, samples = batch->setting->samples;
    const double *shift = job->q + 2 * i * d, *deviation = work->deviation + i * d;
    double *d_shift = job->d_q + 2 * i * d, *d_spread = d_shift + d, *d_xi = work->d_noise + i * d;
    double weight = batch->weight[i];
    memset(d_shift, 0, 2 * d * sizeof(double));
    for (size_t p = i * samples; p < (i + 1) * samples; p++) {
        const double *epsilon = work->epsilon + p * d;
        if (!batch->share && !batch->prior.components) {
            point_backward_apart(d, work->root + i * d, epsilon, batch->d_point + p * d, d_shift,
                                 d_spread);
            continue;
        }
        back_to_xi(batch, i, p, d_xi);
        if (batch->share)
            reparametrise(d, weight, batch->share[p], shift, deviation, epsilon, d_xi);
        point_backward(d, epsilon, d_xi, d_shift, d_spread);
    }
    /* With several points the KL divergence is contained in their weights. */
    complete_adjoints(d, batch->share ? 0.0 : weight, shift, deviation, d_shift, d_spread);
}

static void backward_unit(void *context, size_t unit, size_t worker) {
    (void)worker;
    const struct job *job = context;
    for (size_t i = unit * ROWS_PER_UNIT; i < unit_end(job, unit); i++) {
        if (job->d_q)
            q_backward(job, i);
        if (job->batch->d_noise)
            noise_backward(job->batch, job->q, i);
    }
}

void noise_posterior_backward(const struct input_batch *batch, const double *q, double *d_q) {
    size_t d = batch->setting->attributes;
    struct job job = {batch, q, d_q};
    for_rows(&job, backward_unit);
    for (size_t i = 0; batch->d_noise && i < batch->rows; i++)
        add(d, batch->work->d_noise + i * d, batch->d_noise);
}

/* Variance of attribute j of x = c + R xi. */
static double spread_along(size_t d, const double *root, const double *spread) {
    double total = 0.0;
    for (size_t k = 0; k < d; k++)
        total += root[k] * root[k] * exp(spread[k]);
    return total;
}

void noise_posterior_moments(const struct input_batch *batch, const double *q) {
    const struct population *population = batch->setting->population;
    const struct input_prior *along = &batch->prior;
    size_t d = batch->setting->attributes;
    for (size_t i = 0; i < batch->rows; i++, q += 2 * d) {
        if (along->components)
            population_point(d, along->centre + i * d, along->root + i * d * d, q,
                             batch->mean + i * d);
        for (size_t j = 0; j < d; j++) {
            size_t at = i * d + j;
            if (along->components) {
                batch->variance[at] = spread_along(d, along->root + at * d, q + d);
                continue;
            }
            double noise = batch->noise[at], prior = population->variance[j];
            double share = prior / (prior + noise), centre = population->mean[j];
            batch->mean[at] = centre + share * (batch->x[at] - centre) + sqrt(share * noise) * q[j];
            batch->variance[at] = share * noise * exp(q[d + j]);
        }
    }
}
