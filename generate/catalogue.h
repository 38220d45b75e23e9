/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GENERATE_CATALOGUE_H
#define GENERATE_CATALOGUE_H

/*
 * A mock catalogue of sources: three classes of unequal size, heteroscedastic errors that follow
 * the flux, a detection threshold, missing cells and missing errors; and the best possible
 * prediction for every row.
 *
 * With f = log10 of the true flux F, and j = spectral index, curvature, variability:
 *
 *     f | class        ~ N(m, s^2)
 *     true x_j | f     ~ N(m_j + b_j (f - m), s_j^2)
 *     log10 e_F        = a_F + f/2 + N(0, tau^2)       the flux's error grows with its root
 *     log10 g          =     - f/2 + N(0, tau^2)       all others shrink; e_j = k_j g
 *     measured         = true + N(0, error^2);         a source is listed when F~ > 4 e_F
 *
 * The latitude is exact: pulsars crowd at the plane, the others are spread over the sphere. Cells
 * and errors other than the flux's go missing by chance; one error at least is left to measured
 * x_j, so that g is known.
 */

#include <stddef.h>
#include <stdint.h>

enum {
    CATALOGUE_CLASSES = 3,
    CATALOGUE_FLUX = 0,
    CATALOGUE_LATITUDE = 4, /* the only attribute without errors */
    CATALOGUE_ATTRIBUTES = 5
};

extern const char *const catalogue_class[CATALOGUE_CLASSES];
extern const char *const catalogue_attribute[CATALOGUE_ATTRIBUTES];
extern const char *const catalogue_unit[CATALOGUE_ATTRIBUTES]; /* or NULL */

struct catalogue {
    uint64_t state;
    double scale; /* all errors are multiplied by it */
};

struct catalogue_row {
    double value[CATALOGUE_ATTRIBUTES], error[CATALOGUE_ATTRIBUTES]; /* NaN where there is none */
    int32_t label;
};

/* `noise` > 0 multiplies the errors' variances. */
struct catalogue catalogue_create(uint64_t seed, double noise);
struct catalogue_row catalogue_next(struct catalogue *catalogue);

/*
 * Optimal probabilities of a row as listed (the label is not looked at): a one-dimensional integral
 * over f, good to 1e-6. Being listed depends on what is seen alone and so teaches nothing more.
 */
void catalogue_bayes(const struct catalogue *catalogue, const struct catalogue_row *row,
                     double p[CATALOGUE_CLASSES]);

#endif
