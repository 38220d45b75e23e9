/* SPDX-License-Identifier: Apache-2.0 */
#include "latent.h"

#include "random.h"

#include <stdlib.h>

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

/* value[i] of class c: the largest so far names the label. */
static void keep_largest(int32_t c, size_t count, const double *value, double *most,
                         int32_t *label) {
    for (size_t i = 0; i < count; i++)
        if (c == 0 || value[i] > most[i]) {
            most[i] = value[i];
            label[i] = c;
        }
}

/* ---------------------------------------------------------------- many points ----------------- */

/*
 * cos(2 pi t) for |t| up to 2^50: t less the nearest whole number, then the Taylor series of
 * cos 2u at u = pi t' (|2u| <= pi), where 13 terms leave less than 1e-12. No branch, so that the
 * compiler can do several at once.
 */
static inline double cosine_of_turns(double turns) {
    const double nearest = 0x1.8p52;
    double rest = turns - ((turns + nearest) - nearest);
    double square = 2.0 * PI * rest * (2.0 * PI * rest), sum = 1.0;
    for (int n = 13; n > 0; n--)
        sum = 1.0 - sum * square / (double)(2 * n * (2 * n - 1));
    return sum;
}

size_t latent_scratch(size_t rows) {
    return 3 * rows;
}

void latent_labels(const struct latent *latent, size_t rows, const double *x, int32_t *label,
                   double *scratch) {
    double *value = scratch, *most = scratch + rows, *phase = scratch + 2 * rows;
    const double *term = latent->term;
    const size_t dims = latent->dims;
    for (size_t c = 0; c < latent->classes; c++) {
        for (size_t i = 0; i < rows; i++)
            value[i] = 0.0;
        for (size_t k = 0; k < COSINES; k++, term += dims + 1) {
            for (size_t i = 0; i < rows; i++)
                phase[i] = project(term, x + i * dims, dims) + term[dims];
            for (size_t i = 0; i < rows; i++)
                value[i] += cosine_of_turns(phase[i] * (0.5 / PI));
        }
        keep_largest((int32_t)c, rows, value, most, label);
    }
}
