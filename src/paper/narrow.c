/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baseline: NIMGP as published. Every training row has its own q(x) = N(mu, s) with mu = x~ + shift
 * and s = NARROW_START exp(spread), 2 d parameters per row, which start at zero. The term of a cell
 * is
 *
 *     E log N(x~ | x, V) - KL(q(x) || p(x)),   p(x) = N(m, P):
 *     -1/2 [log 2 pi V + (shift^2 + s)/V] - 1/2 [log P/s + (s + (mu - m)^2)/P - 1].
 *
 * Unlike in `latent`, q does not follow a learned V, and starts narrow: the best V is then
 * shift^2 + s, so V collapses (docs/noise-learning.md). A cell with V = 0 stays at x~, and its term
 * is log p(x~). The population is flat.
 */
#include "paper/narrow.h"
#include "input/noise_posterior.h"
#include "paper/draws.h"

#include <math.h>
#include <string.h>

static const double log_two_pi = 1.837877066409345484;

/* The term of a cell with noise. */
static double cell_value(double noise, double shift, double s, double distance, double prior) {
    double told = log_two_pi + log(noise) + (shift * shift + s) / noise;
    double divergence = log(prior / s) + (s + distance * distance) / prior - 1.0;
    return -0.5 * (told + divergence);
}

static void place(const struct input_batch *batch) {
    const struct population *population = batch->setting->population;
    size_t d = batch->setting->attributes, samples = batch->setting->samples;
    const double *mean = population->mean, *prior = population->variance, *own = batch->own;
    noise_posterior_draw(batch);
    for (size_t i = 0; i < batch->rows; i++) {
        batch->value[i] = 0.0;
        for (size_t j = 0; j < d; j++) {
            double measured = batch->x[i * d + j], noise = batch->noise[i * d + j];
            bool exact = noise == 0.0;
            double shift = exact ? 0.0 : own[2 * i * d + j], away = measured + shift - mean[j];
            double s = exact ? 0.0 : NARROW_START * exp(own[(2 * i + 1) * d + j]);
            batch->value[i] += exact ? -0.5 * (log_two_pi + log(prior[j]) + away * away / prior[j])
                                     : cell_value(noise, shift, s, away, prior[j]);
            for (size_t p = i * samples; p < (i + 1) * samples; p++)
                batch->point[p * d + j] =
                    measured + shift + sqrt(s) * batch->work->epsilon[p * d + j];
        }
    }
}

static void place_backward(const struct input_batch *batch) {
    const struct population *population = batch->setting->population;
    size_t d = batch->setting->attributes, samples = batch->setting->samples;
    const double *mean = population->mean, *prior = population->variance, *own = batch->own;
    memset(batch->d_own, 0, batch->rows * 2 * d * sizeof(double));
    for (size_t i = 0; i < batch->rows; i++)
        for (size_t j = 0; j < d; j++) {
            double noise = batch->noise[i * d + j], weight = batch->weight[i];
            if (noise == 0.0)
                continue;
            double shift = own[2 * i * d + j], s = NARROW_START * exp(own[(2 * i + 1) * d + j]);
            double *d_shift = &batch->d_own[2 * i * d + j], *d_spread = d_shift + d;
            *d_shift =
                -weight * (shift / noise + (batch->x[i * d + j] + shift - mean[j]) / prior[j]);
            *d_spread = 0.5 * weight * (1.0 - s / noise - s / prior[j]);
            for (size_t p = i * samples; p < (i + 1) * samples; p++) {
                double d_x = batch->d_point[p * d + j];
                *d_shift += d_x;
                *d_spread += 0.5 * d_x * sqrt(s) * batch->work->epsilon[p * d + j];
            }
            if (batch->d_noise)
                batch->d_noise[j] += 0.5 * weight * ((shift * shift + s) / noise - 1.0) / noise;
        }
}

static void posterior(const struct input_batch *batch) {
    size_t d = batch->setting->attributes;
    for (size_t i = 0; i < batch->rows; i++)
        for (size_t j = 0; j < d; j++) {
            bool exact = batch->noise[i * d + j] == 0.0;
            batch->mean[i * d + j] =
                batch->x[i * d + j] + (exact ? 0.0 : batch->own[2 * i * d + j]);
            batch->variance[i * d + j] =
                exact ? 0.0 : NARROW_START * exp(batch->own[(2 * i + 1) * d + j]);
        }
}

const struct input_model input_narrow = {
    .name = "narrow",
    .summary = "baseline: latent with the published parametrisation and its narrow start",
    .uses_errors = true,
    .copies = 1,
    .noise_start = 0.1,
    .moves = true,
    .averages = true,
    .samples = true,
    .flat = true,
    .row_parameters = 2,
    .layout = draws_layout,
    .place = place,
    .place_backward = place_backward,
    .posterior = posterior,
};
