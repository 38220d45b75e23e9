/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

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
 * The latitude is exact: pulsars crowd at the plane, the others are spread over the sphere.
 *
 * Missing cells. Each x_j is missing with a probability p, together with its error; of the others
 * only the error is missing with probability q = 0.04. If all measured x_j of a row would have no
 * error, its missing cells and errors are drawn again, so that g is known if an x_j is:
 *
 *     CATALOGUE_FEW     p = 0.05
 *     CATALOGUE_RANDOM  p = 0.3
 *     CATALOGUE_FAINT   p(f) = Phi((0.08 - f) / 0.3): more in faint sources, 30 % on average
 *
 * Only in the last case do missing cells have information about f, and so about the class. With n
 * of the three cells missing,
 *
 *     P(these are missing | f) ~ p^n (1 - p)^(3 - n) / (1 - (p + (1 - p) q)^3 + p^3)
 *
 * For x_j with asymmetric errors q = 0: no error is missing alone.
 *
 * Larger errors. With a factor K > 1 the sources are listed as before. Then flux and x_j are
 * measured again with errors K times as large, true + N(0, (K error)^2). The row contains these
 * values, and K error as errors. The measurement that decided on the listing is not in the row, so
 * the fact that a source is listed has information about f, with e_F = listed error / K:
 *
 *     P(listed | f, e_F) = P(10^f + N(0, e_F^2) > 4 e_F) = Phi((10^f - 4 e_F) / e_F)
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

enum catalogue_missing { CATALOGUE_FEW, CATALOGUE_RANDOM, CATALOGUE_FAINT };

/* How the x_j are measured: measured.h. */
enum catalogue_measured {
    CATALOGUE_PLAIN,
    CATALOGUE_CORRELATED,
    CATALOGUE_LOPSIDED,
    CATALOGUE_LIMITS
};

struct catalogue {
    uint64_t state;
    uint64_t again; /* a separate stream for the second measurement: the same sources for any K */
    double scale;   /* all errors are multiplied by it */
    double worse;   /* K >= 1; may be set before any row */
    enum catalogue_missing missing;
    enum catalogue_measured measured;
    uint64_t odd; /* a separate stream for that: the same sources for any kind */
};

struct catalogue_row {
    double value[CATALOGUE_ATTRIBUTES], error[CATALOGUE_ATTRIBUTES]; /* NaN where there is none */
    int32_t label;
    double upper[CATALOGUE_ATTRIBUTES]; /* upper errors, where `error` is the lower one */
    double correlation[3];              /* of errors: curvature with spectral index, variability
                                           with spectral index, with curvature */
    int8_t limit[CATALOGUE_ATTRIBUTES]; /* -1: the truth is below the value */
};

/* `noise` > 0 multiplies the variances of the errors. By default K is 1 and few cells are missing.
 */
struct catalogue catalogue_create(uint64_t seed, double noise);
struct catalogue_row catalogue_next(struct catalogue *catalogue);

/*
 * Optimal probabilities of a row (its label is not used) that was drawn with the catalogue's
 * present settings: a one-dimensional integral over f, accurate to 1e-6. For K = 1 the listing
 * depends only on the row itself and has no additional information.
 */
void catalogue_bayes(const struct catalogue *catalogue, const struct catalogue_row *row,
                     double p[CATALOGUE_CLASSES]);
