/* SPDX-License-Identifier: Apache-2.0 */
#include "wave.h"

#include "random.h"

#include <math.h>

#define REACH 3.0        /* of x */
#define TARGET_NOISE 0.1 /* of numbers */
#define LEVEL_NOISE 0.2

static const double threshold[WAVE_LEVELS - 1] = {-0.5, 0.0, 0.5};

static double height(double x) {
    return sin(2.0 * x);
}

struct wave wave_create(enum wave_kind kind, uint64_t seed, double noise) {
    /* Problems of the same seed have nothing in common. */
    uint64_t state = seed * 3 + (uint64_t)kind + 0x9e3779b97f4a7c15u;
    return (struct wave){.kind = kind, .scale = sqrt(noise), .state = next_bits(&state)};
}

/* ---------------------------------------------------------------- drawing --------------------- */

static double uniform(struct wave *wave, double low, double high) {
    return low + (high - low) * next_uniform(&wave->state);
}

/* By inversion, from zero on: rates here are below 40. */
static double draw_count(struct wave *wave, double rate) {
    double u = next_uniform(&wave->state), term = exp(-rate), sum = term, count = 0.0;
    while (u > sum && count < 1000.0) {
        term *= rate / ++count;
        sum += term;
    }
    return count;
}

struct wave_row wave_next(struct wave *wave) {
    double x = uniform(wave, -REACH, REACH), f = height(x);
    double error = wave->scale * 0.05 * pow(10.0, next_uniform(&wave->state));
    struct wave_row row = {
        .value = x + error * next_normal(&wave->state), .error = error, .exposure = 1.0};
    if (wave->kind == WAVE_NUMBER) {
        row.y = f + TARGET_NOISE * next_normal(&wave->state);
    } else if (wave->kind == WAVE_COUNT) {
        row.exposure = uniform(wave, 0.5, 5.0);
        row.y = draw_count(wave, row.exposure * exp(1.0 + f));
    } else {
        double g = f + LEVEL_NOISE * next_normal(&wave->state);
        for (size_t k = 0; k < WAVE_LEVELS - 1; k++)
            row.y += threshold[k] < g;
    }
    return row;
}

/* ---------------------------------------------------------------- the best answer ------------- */

/* P(level) given f; E y and E y^2 likewise for all kinds, and p(y | f). */
static void add_point(const struct wave *wave, const struct wave_row *row, double f, double weight,
                      struct wave_answer *sum, double *second, double *density) {
    double y = row->y;
    if (wave->kind == WAVE_NUMBER) {
        double z = (y - f) / TARGET_NOISE;
        sum->mean += weight * f;
        *second += weight * (f * f + TARGET_NOISE * TARGET_NOISE);
        *density += weight * exp(-0.5 * z * z) / (TARGET_NOISE * sqrt(2.0 * PI));
    } else if (wave->kind == WAVE_COUNT) {
        double rate = row->exposure * exp(1.0 + f);
        sum->mean += weight * rate;
        *second += weight * rate * (1.0 + rate);
        *density += weight * exp(y * log(rate) - rate - lgamma(y + 1.0));
    } else {
        double below = 0.0;
        for (size_t k = 0; k < WAVE_LEVELS; k++) {
            double up_to = k < WAVE_LEVELS - 1
                               ? 0.5 * erfc((f - threshold[k]) / (LEVEL_NOISE * sqrt(2.0)))
                               : 1.0;
            double p = weight * (up_to - below), level = (double)k;
            below = up_to;
            sum->p[k] += p;
            sum->mean += p * level;
            *second += p * level * level;
            *density += level == y ? p : 0.0;
        }
    }
}

/*
 * Averages over where x may be, by midpoints: x ~ N(value, error^2) within [-3, 3]. Beyond ten
 * errors from the value, or from the end that is nearest, nothing is left.
 */
struct wave_answer wave_bayes(const struct wave *wave, const struct wave_row *row) {
    enum { POINTS = 4000 };
    struct wave_answer sum = {0};
    double centre = fmin(fmax(row->value, -REACH), REACH), total = 0.0, second = 0.0, density = 0.0;
    double low = fmax(-REACH, centre - 10.0 * row->error);
    double high = fmin(REACH, centre + 10.0 * row->error), step = (high - low) / POINTS;
    double z = (row->value - centre) / row->error, least = 0.5 * z * z;
    for (size_t i = 0; i < POINTS; i++) {
        double x = low + ((double)i + 0.5) * step, distance = (x - row->value) / row->error;
        double weight = exp(least - 0.5 * distance * distance);
        total += weight;
        add_point(wave, row, height(x), weight, &sum, &second, &density);
    }
    sum.mean /= total;
    sum.deviation = sqrt(fmax(0.0, second / total - sum.mean * sum.mean));
    sum.log_density = log(density / total);
    for (size_t k = 0; k < WAVE_LEVELS; k++)
        sum.p[k] /= total;
    return sum;
}
