/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integrates over the true inputs: the points of a row are drawn from p(x | x~), the error bar
 * combined with the population, and the term of a row is
 *
 *     log int p(x | x~) p(y | x) dx,   p(y | x) = exp(the likelihood's term at x),
 *
 * estimated by the average over S points of equal weight. No parameters are stored for a row, and
 * none have to converge. It is `latent` with q fixed at its start, shift = spread = 0, and with
 * better points: a lattice with a random shift for every row and step. An additional coordinate
 * chooses the component of a mixture.
 */
#include "input/noise_posterior.h"

#include "math/lattice.h"
#include "math/special.h"
#include "math/vector.h"

#include <math.h>

static void layout(struct input_work *work, const struct input_setting *setting,
                   struct arena *arena) {
    size_t d = setting->attributes;
    noise_posterior_layout(work, setting, arena);
    work->component = arena_sizes(arena, setting->most_rows * setting->samples);
    work->lattice = arena_doubles(arena, setting->samples * (d + 1));
}

static bool prepare(struct input_work *work, const struct input_setting *setting, uint64_t seed) {
    struct random_key key = {seed, STREAM_INPUT_DRAW};
    return lattice_uniform(key, setting->samples, setting->attributes + 1, work->lattice);
}

/* The component of the row whose interval of the cumulative shares contains u. */
static size_t choose_component(size_t components, const double *share, double u) {
    size_t k = 0;
    while (k + 1 < components && (u -= share[k]) > 0.0)
        k++;
    return k;
}

/* (point + shift) mod 1, kept away from 0 and 1, where the normal quantile is infinite. */
static double moved(double point, double shift) {
    double u = point + shift;
    u -= u >= 1.0;
    return fmin(fmax(u, 1e-12), 1.0 - 1e-12);
}

/* Draws epsilon (S x d) and components of row i. */
static void draw_row(void *context, size_t i, size_t worker) {
    (void)worker;
    const struct input_batch *batch = *(const struct input_batch *const *)context;
    const struct input_prior *prior = &batch->prior;
    struct input_work *work = batch->work;
    size_t d = batch->setting->attributes, samples = batch->setting->samples;
    double *epsilon = work->epsilon + i * samples * d;
    struct random_key key = {batch->seed, STREAM_INPUT_SHIFT};
    double *shift = work->d_noise + i * d, last; /* unused until the points are placed */
    random_uniform(key, batch->step, 2 * batch->row[i], d, shift);
    random_uniform(key, batch->step, 2 * batch->row[i] + 1, 1, &last);
    for (size_t s = 0; s < samples; s++) {
        const double *point = work->lattice + s * (d + 1);
        for (size_t j = 0; j < d; j++)
            epsilon[s * d + j] = moved(point[j], shift[j]);
        work->component[i * samples + s] =
            prior->components > 1
                ? choose_component(prior->components, prior->share + i * prior->components,
                                   moved(point[d], last))
                : 0;
    }
    normal_quantile_array(samples * d, epsilon, epsilon);
    if (batch->width != 1.0)
        scale(samples * d, batch->width, epsilon);
}

static void place(const struct input_batch *batch) {
    size_t samples = batch->setting->samples;
    pool_run(batch->pool, batch->rows, draw_row, &batch);
    for (size_t p = 0; samples > 1 && p < batch->rows * samples; p++)
        batch->log_weight[p] = 0.0;
    noise_posterior_place(batch, NULL);
}

static void place_backward(const struct input_batch *batch) {
    noise_posterior_backward(batch, NULL, NULL);
}

const struct input_model input_marginal = {
    .name = "marginal",
    .summary = "integrates over the true inputs, which are distributed as the error bars say",
    .uses_errors = true,
    .joins_errors = true,
    .copies = 1,
    .noise_start = 0.3,
    .averages = true,
    .samples = true,
    .inside = true,
    .mixes = true,
    .layout = layout,
    .prepare = prepare,
    .place = place,
    .place_backward = place_backward,
};
