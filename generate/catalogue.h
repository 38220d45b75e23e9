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
 * The latitude is exact: pulsars crowd at the plane, the others are spread over the sphere.
 *
 * Missing cells. Each x_j goes missing with a probability p, and its error with it; of the others
 * the error alone goes missing with probability q = 0.04. A row whose measured x_j would all be
 * without an error loses cells and errors anew, so that g is known wherever an x_j is:
 *
 *     CATALOGUE_FEW     p = 0.05
 *     CATALOGUE_RANDOM  p = 0.3
 *     CATALOGUE_FAINT   p(f) = Phi((0.08 - f) / 0.3): faint sources lose more, 30 % on average
 *
 * Only in the last does what is missing tell something of f, and so of the class. With n cells
 * missing of the three,
 *
 *     P(these are missing | f) ~ p^n (1 - p)^(3 - n) / (1 - (p + (1 - p) q)^3 + p^3)
 *
 * Of x_j with lopsided errors no error goes missing alone, q = 0.
 *
 * Measured worse. With a factor K > 1 sources are listed as ever; then flux and x_j are measured
 * anew with errors K times as large, true + N(0, (K error)^2), and that is what the row holds, with
 * K error as errors. The measurement that decided on the listing is not seen any more, so being
 * listed tells something of f as well, with e_F = listed error / K:
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
    uint64_t again; /* a stream of its own for measuring anew: the same sources for any K */
    double scale;   /* all errors are multiplied by it */
    double worse;   /* K >= 1; may be set before any row */
    enum catalogue_missing missing;
    enum catalogue_measured measured;
    uint64_t odd; /* a stream for that: the same sources however they are measured */
};

struct catalogue_row {
    double value[CATALOGUE_ATTRIBUTES], error[CATALOGUE_ATTRIBUTES]; /* NaN where there is none */
    int32_t label;
    double upper[CATALOGUE_ATTRIBUTES]; /* upper errors, where `error` is the lower one */
    double correlation[3];              /* of errors: curvature with spectral index, variability
                                           with spectral index, with curvature */
    int8_t limit[CATALOGUE_ATTRIBUTES]; /* -1: the truth is below the value */
};

/* `noise` > 0 multiplies the errors' variances. K is 1 and few cells go missing until set. */
struct catalogue catalogue_create(uint64_t seed, double noise);
struct catalogue_row catalogue_next(struct catalogue *catalogue);

/*
 * Optimal probabilities of a row as listed (the label is not looked at) when it was drawn with the
 * catalogue's present settings: a one-dimensional integral over f, good to 1e-6. For K = 1 being
 * listed depends on what is seen alone and so teaches nothing more.
 */
void catalogue_bayes(const struct catalogue *catalogue, const struct catalogue_row *row,
                     double p[CATALOGUE_CLASSES]);

#endif
