/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P(c = argmax f) of every class with an error of about 1e-5, for averages over many points: the
 * quadrature of robust_max.c in single precision, starting CUT deviations below the highest step,
 * at nodes one step of u apart,
 *
 *     f_i = a + s_min sinh(k u_i) / k,   u_i = i STEP,   k = 1 / (2 CUT),
 *
 * until the last step is constant. So sinh and cosh are in a table, and LANES points are computed
 * together. The result of a point does not depend on its neighbours: nodes beyond its own last one
 * have no weight.
 */
#include "likelihood/robust_max_coarse.h"

#include "math/single.h"

#include <stdbool.h>

#define CUT 4.2f
#define STEP 0.9f
#define FARTHEST 12.0f /* steps are constant beyond */

enum { LANES = 16, MOST_NODES = 256 };

/* Sums and limits of a block of LANES points. */
struct block {
    float start[LANES], end[LANES], narrowest[LANES];
    float total[LANES];
};

size_t robust_max_coarse_scratch(size_t classes) {
    return (5 * classes * LANES + 2 * MOST_NODES) / 2 + 1;
}

/* Mean, deviation and its inverse of LANES points of one class. The mean of the first class is
 * subtracted from all means, so that a large common value costs no precision. */
SIMD_CLONES static void take_lanes(const double *first, const double *mean, const double *variance,
                                   float *restrict mu, float *restrict s, float *restrict inverse) {
    for (size_t lane = 0; lane < LANES; lane++) {
        mu[lane] = (float)(mean[lane] - first[lane]);
        s[lane] = sqrtf((float)variance[lane]);
        inverse[lane] = 1.0f / s[lane];
    }
}

/* The points of a block, classes x LANES each. If there are fewer than LANES, the last one is
 * repeated. */
static void gather(size_t classes, size_t count, const double *mean, const double *variance,
                   size_t stride, float *mu, float *s, float *inverse) {
    double first[LANES], own[LANES], spread[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        first[lane] = mean[lane < count ? lane : count - 1];
    for (size_t c = 0; c < classes; c++) {
        const double *m = mean + c * stride, *v = variance + c * stride;
        for (size_t lane = 0; count < LANES && lane < LANES; lane++) {
            own[lane] = m[lane < count ? lane : count - 1];
            spread[lane] = v[lane < count ? lane : count - 1];
        }
        bool whole = count == LANES;
        take_lanes(first, whole ? m : own, whole ? v : spread, mu + c * LANES, s + c * LANES,
                   inverse + c * LANES);
    }
}

SIMD_CLONES static void lay_out(size_t classes, const float *mu, const float *s,
                                struct block *block) {
    for (size_t lane = 0; lane < LANES; lane++) {
        block->start[lane] = block->end[lane] = -INFINITY;
        block->narrowest[lane] = INFINITY;
        block->total[lane] = 0.0f;
    }
    for (size_t i = 0; i < classes * LANES; i++) {
        size_t lane = i % LANES;
        float low = mu[i] - CUT * s[i], high = mu[i] + CUT * s[i];
        block->start[lane] = low > block->start[lane] ? low : block->start[lane];
        block->end[lane] = high > block->end[lane] ? high : block->end[lane];
    }
    for (size_t i = 0; i < classes * LANES; i++) {
        size_t lane = i % LANES;
        bool matters = mu[i] + CUT * s[i] > block->start[lane] && s[i] < block->narrowest[lane];
        block->narrowest[lane] = matters ? s[i] : block->narrowest[lane];
    }
}

/* Adds node i of every lane to the sums of the classes; false if all lanes are past their last
 * node. */
SIMD_INLINE bool add_node(size_t classes, float height, float width, const float *mu,
                          const float *inverse, struct block *block, float *hazard, float *sum) {
    float product[LANES], f[LANES];
    bool any = false;
    for (size_t lane = 0; lane < LANES; lane++) {
        f[lane] = block->start[lane] + block->narrowest[lane] * height;
        bool inside = f[lane] <= block->end[lane];
        product[lane] = inside ? block->narrowest[lane] * width : 0.0f;
    }
    for (size_t lane = 0; lane < LANES; lane++)
        any |= product[lane] > 0.0f;
    for (size_t c = 0; c < classes; c++) {
        SIMD_LOOP
        for (size_t lane = 0; lane < LANES; lane++) {
            size_t i = c * LANES + lane;
            float z = (f[lane] - mu[i]) * inverse[i], density, cdf;
            z = z > FARTHEST ? FARTHEST : z < -FARTHEST ? -FARTHEST : z;
            single_normal(z, &density, &cdf);
            product[lane] *= cdf;
            hazard[i] = density * inverse[i] / cdf;
        }
    }
    for (size_t c = 0; c < classes; c++) {
        SIMD_LOOP
        for (size_t lane = 0; lane < LANES; lane++)
            sum[c * LANES + lane] += product[lane] * hazard[c * LANES + lane];
    }
    return any;
}

/* table: heights and widths of the nodes. */
SIMD_INLINE void add_all(size_t classes, const float *table, const float *mu, const float *inverse,
                         struct block *block, float *hazard, float *sum) {
    memset(sum, 0, classes * LANES * sizeof *sum);
    for (size_t i = 0; i < MOST_NODES; i++)
        if (!add_node(classes, table[i], table[MOST_NODES + i], mu, inverse, block, hazard, sum))
            break;
}

SIMD_CLONES static void add_nodes(size_t classes, const float *table, const float *mu,
                                  const float *inverse, struct block *block, float *hazard,
                                  float *sum) {
    add_all(classes, table, mu, inverse, block, hazard, sum);
}

SIMD_WIDE static void add_nodes_wide(size_t classes, const float *table, const float *mu,
                                     const float *inverse, struct block *block, float *hazard,
                                     float *sum) {
    add_all(classes, table, mu, inverse, block, hazard, sum);
}

void robust_max_coarse(size_t classes, size_t rows, const double *mean, const double *variance,
                       size_t stride, double *probability, double *scratch) {
    float *table = (float *)(void *)scratch, *mu = table + 2 * MOST_NODES;
    float *s = mu + classes * LANES, *inverse = s + classes * LANES;
    float *hazard = inverse + classes * LANES, *sum = hazard + classes * LANES;
    const double k = 0.5 / (double)CUT, grow = exp(k * (double)STEP);
    double up = 1.0;
    bool wide = simd_is_wide();
    for (size_t i = 0; i < MOST_NODES; i++, up *= grow) {
        table[i] = (float)(0.5 * (up - 1.0 / up) / k);
        table[MOST_NODES + i] = (float)(0.5 * (up + 1.0 / up));
    }
    for (size_t first = 0; first < rows; first += LANES) {
        size_t count = rows - first < LANES ? rows - first : LANES;
        struct block block;
        gather(classes, count, mean + first, variance + first, stride, mu, s, inverse);
        lay_out(classes, mu, s, &block);
        (wide ? add_nodes_wide : add_nodes)(classes, table, mu, inverse, &block, hazard, sum);
        for (size_t lane = 0; lane < count; lane++) {
            double *row = probability + (first + lane) * classes, total = 0.0;
            for (size_t c = 0; c < classes; c++)
                total += row[c] = (double)sum[c * LANES + lane];
            for (size_t c = 0; c < classes; c++)
                row[c] /= total;
        }
    }
}
