/* SPDX-License-Identifier: Apache-2.0 */
#include "latent.h"

#include "random.h"

#include <stdlib.h>
#include <string.h>

bool latent_draw(struct latent *latent, size_t dims, size_t classes, double lambda_square,
                 uint64_t *state) {
    *latent = (struct latent){.dims = dims, .classes = classes};
    latent->term = calloc(classes * COSINES, (dims + 1) * sizeof *latent->term);
    if (!latent->term)
        return false;
    double *term = latent->term;
    for (size_t i = 0; i < classes * COSINES; i++, term += dims + 1) {
        for (size_t j = 0; j < dims; j++)
            term[j] = next_normal(state) / sqrt(lambda_square);
        term[dims] = 2.0 * PI * next_uniform(state);
    }
    return true;
}

void latent_free(struct latent *latent) {
    free(latent->term);
    latent->term = NULL;
}

/* w . x, added up from the first attribute on. */
static inline double project(const double *term, const double *x, size_t dims) {
    double sum = term[0] * x[0];
    for (size_t j = 1; j < dims; j++)
        sum += term[j] * x[j];
    return sum;
}

int32_t latent_label(const struct latent *latent, const double *x) {
    int32_t best = 0;
    double most = -INFINITY;
    const double *term = latent->term;
    for (size_t c = 0; c < latent->classes; c++) {
        double value = 0.0;
        for (size_t k = 0; k < COSINES; k++, term += latent->dims + 1)
            value += cos(project(term, x, latent->dims) + term[latent->dims]);
        if (value > most) {
            most = value;
            best = (int32_t)c;
        }
    }
    return best;
}

/* ---------------------------------------------------------------- many points ----------------- */

/*
 * cos(2 pi t) for |t| < 2^21. With r the distance to the nearest whole number it is sin(v) for
 * v = 2 pi (1/4 - r), |v| <= pi/2, where the series up to v^11 is good to 6e-8. Without a branch,
 * so that the compiler does several at once.
 */
static inline float cosine_of_turns(float turns) {
    const float whole = 0x1.8p23f; /* adding and taking it away rounds */
    float r = fabsf(turns - ((turns + whole) - whole)), v = 2.0f * (float)PI * (0.25f - r);
    float square = v * v, sum = -1.0f / 39916800;
    sum = 1.0f / 362880 + sum * square;
    sum = -1.0f / 5040 + sum * square;
    sum = 1.0f / 120 + sum * square;
    sum = -1.0f / 6 + sum * square;
    return v + v * sum * square;
}

enum { TILE = 64 };

/* One function at up to TILE points. */
static void add_cosines(const double *term, size_t dims, size_t rows, size_t count, const double *x,
                        float *value) {
    for (size_t k = 0; k < COSINES; k++, term += dims + 1) {
        float turns[TILE];
        for (size_t i = 0; i < TILE; i++)
            turns[i] = (float)(term[dims] * (0.5 / PI));
        for (size_t j = 0; j < dims; j++) {
            float frequency = (float)(term[j] * (0.5 / PI));
            for (size_t i = 0; i < count; i++)
                turns[i] += frequency * (float)x[j * rows + i];
        }
        for (size_t i = 0; i < TILE; i++)
            value[i] += cosine_of_turns(turns[i]);
    }
}

void latent_labels(const struct latent *latent, size_t rows, const double *x, int32_t *label) {
    for (size_t start = 0; start < rows; start += TILE) {
        size_t count = rows - start < TILE ? rows - start : TILE;
        float most[TILE];
        for (size_t c = 0; c < latent->classes; c++) {
            float value[TILE] = {0.0f};
            add_cosines(latent->term + c * COSINES * (latent->dims + 1), latent->dims, rows, count,
                        x + start, value);
            for (size_t i = 0; i < count; i++)
                if (c == 0 || value[i] > most[i]) {
                    most[i] = value[i];
                    label[start + i] = (int32_t)c;
                }
        }
    }
}

/* ---------------------------------------------------------------- grids ----------------------- */

/* Cosine and sine of every w_k . x (+ b_k) of one class, COSINES x points each. */
static void turn(const double *term, size_t dims, bool with_offset, size_t points, const double *x,
                 double *cosine, double *sine) {
    for (size_t k = 0; k < COSINES; k++, term += dims + 1)
        for (size_t i = 0; i < points; i++) {
            double phase = project(term, x + i * dims, dims) + (with_offset ? term[dims] : 0.0);
            cosine[k * points + i] = cos(phase);
            sine[k * points + i] = sin(phase);
        }
}

/* value[rows x columns] = cos_a' cos_b - sin_a' sin_b, four rows at a time. */
static void multiply(size_t rows, const double *cos_a, const double *sin_a, size_t columns,
                     const double *cos_b, const double *sin_b, double *value) {
    enum { TOGETHER = 4 };
    memset(value, 0, rows * columns * sizeof *value);
    for (size_t start = 0; start < rows; start += TOGETHER) {
        size_t end = start + TOGETHER < rows ? start + TOGETHER : rows;
        for (size_t k = 0; k < COSINES; k++)
            for (size_t i = start; i < end; i++) {
                double c = cos_a[k * rows + i], s = sin_a[k * rows + i];
                double *restrict to = value + i * columns;
                const double *cos_k = cos_b + k * columns, *sin_k = sin_b + k * columns;
                for (size_t j = 0; j < columns; j++)
                    to[j] += c * cos_k[j] - s * sin_k[j];
            }
    }
}

/* value[i] of class c: the largest so far names the label. */
static void keep_largest(int32_t c, size_t count, const double *value, double *most,
                         int32_t *label) {
    for (size_t i = 0; i < count; i++)
        if (c == 0 || value[i] > most[i]) {
            most[i] = value[i];
            label[i] = c;
        }
}

bool latent_cross_labels(const struct latent *latent, size_t rows, const double *a, size_t columns,
                         const double *b, int32_t *label) {
    size_t cells = rows * columns;
    double *memory = malloc((2 * COSINES * (rows + columns) + 2 * cells) * sizeof *memory);
    if (!memory)
        return false;
    double *cos_a = memory, *sin_a = cos_a + COSINES * rows, *cos_b = sin_a + COSINES * rows;
    double *sin_b = cos_b + COSINES * columns, *value = sin_b + COSINES * columns;
    double *most = value + cells;
    for (size_t c = 0; c < latent->classes; c++) {
        const double *term = latent->term + c * COSINES * (latent->dims + 1);
        turn(term, latent->dims, true, rows, a, cos_a, sin_a);
        turn(term, latent->dims, false, columns, b, cos_b, sin_b);
        multiply(rows, cos_a, sin_a, columns, cos_b, sin_b, value);
        keep_largest((int32_t)c, cells, value, most, label);
    }
    free(memory);
    return true;
}
