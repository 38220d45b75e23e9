/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells measured unlike those of training rows. The size of an error is unlike if it is more than
 * LEAST_UNLIKE deviations above what the row's values let expect. Then it says nothing of the row,
 * and the cell's value has the error as noise: both become what the rest of the row says. Errors
 * stay as they were.
 *
 * The coordinates z of training rows are N(m, S). Of the sizes s given the values v the mean is
 * m_s + B'(v - m_v), B = S_vv^-1 S_vs. A row with unlike sizes becomes m + S (S + V)^-1 (z - m),
 * where V is infinite for these sizes, the squared error for their values and 0 for the rest, which
 * stay as they are.
 *
 * Learned: m; S; B; the deviations of the sizes given the values.
 */
#include "view/view.h"

#include "math/vector.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LEAST_UNLIKE 2.5
#define LEAST_VARIANCE 1e-3 /* added to that of values, whose units are their deviations */
#define UNKNOWN 1e6         /* a variance with which nothing is known */

/* What was learned. */
struct normal {
    size_t all, values, sizes;
    double *mean, *covariance, *slope, *deviation; /* all; all x all; sizes x values; sizes */
};

static struct normal normal_of(struct view_shape shape, const double *own) {
    size_t c = shape.coordinates, d = shape.columns;
    double *at = (double *)(uintptr_t)own;
    return (struct normal){c, d, c - d, at, at + c, at + c + c * c, at + c + c * c + (c - d) * d};
}

static size_t numbers(struct view_shape shape) {
    size_t c = shape.coordinates, sizes = c - shape.columns;
    return c + c * c + sizes * shape.columns + sizes;
}

/* a (n x n), of which the lower triangle is read, becomes its Cholesky factor, and x (n) the
 * solution of a y = x. */
static void solve(size_t n, double *a, double *x) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double rest = a[i * n + j] - dot(j, a + i * n, a + j * n);
            a[i * n + j] = i == j ? sqrt(fmax(rest, 1e-12)) : rest / a[j * n + j];
        }
    for (size_t i = 0; i < n; i++)
        x[i] = (x[i] - dot(i, a + i * n, x)) / a[i * n + i];
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            x[i] -= a[j * n + i] * x[j];
        x[i] /= a[i * n + i];
    }
}

/* slope and deviation of size k, from mean and covariance. scratch: values x values. */
static void regress(struct normal own, size_t k, double *scratch) {
    const double *row = own.covariance + (own.values + k) * own.all;
    double *slope = own.slope + k * own.values;
    for (size_t j = 0; j < own.values; j++) {
        memcpy(scratch + j * own.values, own.covariance + j * own.all, own.values * sizeof *row);
        scratch[j * own.values + j] += LEAST_VARIANCE;
        slope[j] = row[j];
    }
    solve(own.values, scratch, slope);
    own.deviation[k] = sqrt(fmax(row[own.values + k] - dot(own.values, slope, row), 1e-6));
}

static bool learn(struct view_shape shape, const struct view_rows *rows, double *numbers) {
    struct normal own = normal_of(shape, numbers);
    view_moments(rows, own.all, own.mean, own.covariance);
    for (size_t k = 0; k < own.sizes; k++)
        regress(own, k, rows->scratch + rows->rows);
    return true;
}

/* How many deviations size k of a row is above what its values let expect. */
static double excess(struct normal own, size_t k, const double *x) {
    double usual = own.mean[own.values + k];
    for (size_t j = 0; j < own.values; j++)
        usual += own.slope[k * own.values + j] * (x[j] - own.mean[j]);
    return (x[own.values + k] - usual) / own.deviation[k];
}

/* V: the noise of each coordinate; whether any has some. */
static bool find_noise(struct view_shape shape, struct normal own, const double *x,
                       const double *sigma, double *noise) {
    bool any = false;
    memset(noise, 0, own.all * sizeof *noise);
    for (size_t j = 0, k = 0; j < own.values && shape.sized; j++) {
        if (shape.sized[j] == 0.0)
            continue;
        if (excess(own, k, x) > LEAST_UNLIKE) {
            noise[j] = isfinite(sigma[j]) ? fmin(sigma[j] * sigma[j], UNKNOWN) : 0.0;
            noise[own.values + k] = UNKNOWN;
            any = true;
        }
        k++;
    }
    return any;
}

static void apply(struct view_shape shape, const double *numbers, double *x, double *sigma,
                  double *scratch) {
    struct normal own = normal_of(shape, numbers);
    size_t n = own.all;
    double *noise = scratch, *away = noise + n, *a = away + n;
    if (find_noise(shape, own, x, sigma, noise)) {
        memcpy(a, own.covariance, n * n * sizeof *a);
        for (size_t j = 0; j < n; j++) {
            a[j * n + j] += noise[j] + 1e-6;
            away[j] = x[j] - own.mean[j];
        }
        solve(n, a, away);
        for (size_t j = 0; j < n; j++)
            if (noise[j] > 0.0)
                x[j] = own.mean[j] + dot(n, own.covariance + j * n, away);
    }
}

const struct view_step view_usual = {.name = "usual",
                                     .says = "unlike cells replaced",
                                     .numbers = numbers,
                                     .learn = learn,
                                     .apply = apply};
