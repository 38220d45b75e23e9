/* SPDX-License-Identifier: Apache-2.0 */
#include "math/lattice.h"

#include "math/special.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Candidates are searched only for the first SEARCHED attributes: the weights decrease, so that the
 * others matter less. */
enum { SEARCHED = 64, CANDIDATES = 128 };

static size_t common_divisor(size_t a, size_t b) {
    while (b) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/*
 * Squared worst-case error of a lattice in a weighted Korobov space of smoothness 2, up to
 * constants: (1/n) sum_k prod_j (1 + weight_j B(k z_j / n)) - 1, B(x) = 2 pi^2 (x^2 - x + 1/6). So
 * each component is the candidate that minimises sum_k product_k B(k z / n).
 */
static double badness(size_t n, size_t z, const double *product, const double *bernoulli) {
    double total = 0.0;
    for (size_t k = 0, at = 0; k < n; k++) {
        total += product[k] * bernoulli[at];
        at += z;
        if (at >= n)
            at -= n;
    }
    return total;
}

static size_t best_component(struct random_key key, size_t n, size_t j, const double *product,
                             const double *bernoulli) {
    size_t best = 1;
    double least = INFINITY;
    for (size_t candidate = 0; candidate < CANDIDATES; candidate++) {
        size_t z = n <= CANDIDATES ? candidate + 1 : 1 + random_below(key, 1 + j, candidate, n - 1);
        if (z >= n || common_divisor(z, n) != 1)
            continue;
        double bad = badness(n, z, product, bernoulli);
        if (bad < least) {
            least = bad;
            best = z;
        }
    }
    return best;
}

/* How the lattice is transformed. Coordinate j of point k is at index k * row + j * column. */
struct layout {
    enum { PLAIN_CELLS, NORMAL_CELLS, NORMAL_FOLDED } kind;
    size_t row, column;
    enum { FALLS_FAST, FALLS_SLOWLY } fall; /* of the weights with the attribute: 1/j^2 or 1/j */
};

/* Folded with a shift of a quarter cell, or not folded with a shift of half a cell: each coordinate
 * alone takes the midpoints of n cells. */
static double value_at(size_t n, size_t at, int kind) {
    if (kind == PLAIN_CELLS)
        return (double)at / (double)n;
    bool folded = kind == NORMAL_FOLDED;
    double x = ((double)at + (folded ? 0.25 : 0.5)) / (double)n;
    return normal_quantile(folded ? 1.0 - fabs(2.0 * x - 1.0) : x);
}

static bool lay(struct random_key key, size_t n, size_t d, struct layout layout, double *points) {
    double *bernoulli = malloc(n * sizeof *bernoulli), *product = malloc(n * sizeof *product);
    bool enough = bernoulli && product;
    for (size_t k = 0; enough && k < n; k++) {
        double x = (double)k / (double)n;
        bernoulli[k] = 2.0 * 9.8696044010893586 * (x * x - x + 1.0 / 6.0);
        product[k] = 1.0;
    }
    for (size_t j = 0; enough && j < d; j++) {
        size_t z = j < SEARCHED && n > 2 ? best_component(key, n, j, product, bernoulli)
                                         : 1 + random_below(key, 1 + j, 0, n > 1 ? n - 1 : 1);
        while (layout.kind != NORMAL_FOLDED && common_divisor(z, n) != 1)
            z++;
        double weight = 1.0 / (double)(layout.fall == FALLS_SLOWLY ? j + 1 : (j + 1) * (j + 1));
        for (size_t k = 0, at = 0; k < n; k++, at = (at + z) % n) {
            product[k] *= 1.0 + weight * bernoulli[at];
            points[k * layout.row + j * layout.column] = value_at(n, at, layout.kind);
        }
    }
    free(bernoulli);
    free(product);
    return enough;
}

bool lattice_normal(struct random_key key, size_t n, size_t d, double *points) {
    return lay(key, n, d, (struct layout){.kind = NORMAL_FOLDED, .row = d, .column = 1}, points);
}

bool lattice_few(struct random_key key, size_t n, size_t d, double *points) {
    return lay(key, n, d, (struct layout){.kind = NORMAL_CELLS, .row = 1, .column = n}, points);
}

bool lattice_uniform(struct random_key key, size_t n, size_t d, double *points) {
    return lay(key, n, d, (struct layout){.kind = PLAIN_CELLS, .row = d, .column = 1}, points);
}

bool lattice_pairs(struct random_key key, size_t n, size_t d, double *normal) {
    double *cell = calloc((2 * n + 1) * d, sizeof *cell);
    struct layout layout = {.kind = PLAIN_CELLS, .row = d, .column = 1, .fall = FALLS_SLOWLY};
    bool enough = cell && lay(key, 2 * n + 1, d, layout, cell);
    for (size_t i = 0; enough && i < n * d; i++)
        normal[i] = normal_quantile(cell[d + i]);
    free(cell);
    return enough;
}

/*
 * The variance of the points is 1 + e times that of the normal distribution. Because the weights
 * vary, n points count as n / (1 + e^2 / (1 + 2 e))^(d/2), which is set to n / SPENT.
 */
#define LOG_SPENT 0.59 /* log 1.8 */
static double extra_variance(size_t d) {
    double t = 2.0 * LOG_SPENT / (double)d;
    return fmin(t + sqrt(t * t + t), 1.0);
}

/* A coordinate whose variance given the previous ones is below this share is only scaled. */
#define LEAST_OWN 0.01

/* The Cholesky factor of sum_k weight_k xi_i xi_j. A coordinate that is nearly a linear function of
 * the previous ones at these points is treated as independent of them. */
static void factorise_moments(size_t n, size_t d, const double *points, const double *weight,
                              double *factor) {
    for (size_t i = 0; i < d; i++) {
        double *row = factor + i * d, all = 0.0, own;
        memset(row, 0, d * sizeof *row);
        for (size_t k = 0; k < n; k++)
            all += weight[k] * points[k * d + i] * points[k * d + i];
        own = all;
        for (size_t j = 0; j < i; j++) {
            for (size_t k = 0; k < n; k++)
                row[j] += weight[k] * points[k * d + i] * points[k * d + j];
            for (size_t l = 0; l < j; l++)
                row[j] -= row[l] * factor[j * d + l];
            row[j] /= factor[j * d + j];
            own -= row[j] * row[j];
        }
        if (!(own > LEAST_OWN * all)) {
            memset(row, 0, d * sizeof *row);
            own = all;
        }
        row[i] = sqrt(own);
    }
}

void mirrored_pairs(size_t n, size_t d, const double *normal, size_t used, double *points,
                    double *weight, double *work) {
    double extra = extra_variance(used), total = 0.0;
    for (size_t k = 0; k < n; k++) {
        double square = 0.0;
        for (size_t j = 0; j < used; j++) {
            double x = points[k * used + j] = normal[k * d + j];
            square += x * x;
        }
        total += weight[k] = exp(-0.5 * extra * square);
    }
    for (size_t k = 0; k < n; k++)
        weight[k] /= total;
    factorise_moments(n, used, points, weight, work);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < used; i++) {
            double *x = points + k * used;
            for (size_t j = 0; j < i; j++)
                x[i] -= work[i * used + j] * x[j];
            x[i] /= work[i * used + i];
        }
}
