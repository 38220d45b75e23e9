/* SPDX-License-Identifier: Apache-2.0 */
#include "math/lattice.h"

#include "math/special.h"

#include <math.h>
#include <stdlib.h>

/* Attributes beyond these matter less and less: their weights are 1/j^2. */
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
 * constants: (1/n) sum_k prod_j (1 + weight_j B(k z_j / n)) - 1, B(x) = 2 pi^2 (x^2 - x + 1/6).
 * So each component is the candidate that makes sum_k product_k B(k z / n) least.
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

/* What becomes of the lattice, and where coordinate j of point k goes: k * row + j * column. */
struct layout {
    enum { PLAIN_CELLS, NORMAL_CELLS, NORMAL_FOLDED } kind;
    size_t row, column;
};

/* Folded a quarter of a cell off, and as it is half a cell off, each coordinate alone sees the
 * middles of n cells. */
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
        double weight = 1.0 / (double)((j + 1) * (j + 1));
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
