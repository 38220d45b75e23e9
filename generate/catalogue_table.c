/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue as arrays, for the Python package: the same rows as those of the program. */
#include "catalogue.h"

/* `errors` per row: lower and upper errors of the attributes, then three correlations. The first
 * `rows` are measured as usual, the others with errors `worse` times as large. `best` has the best
 * possible probabilities of these others. */
void nim_mock_catalogue(uint64_t seed, double noise, double worse, int missing, int measured,
                        size_t rows, size_t all, double *value, double *errors, int8_t *limit,
                        int32_t *label, double *best);

enum { ERRORS = 2 * CATALOGUE_ATTRIBUTES + 3 };

void nim_mock_catalogue(uint64_t seed, double noise, double worse, int missing, int measured,
                        size_t rows, size_t all, double *value, double *errors, int8_t *limit,
                        int32_t *label, double *best) {
    struct catalogue catalogue = catalogue_create(seed, noise);
    catalogue.missing = (enum catalogue_missing)missing;
    catalogue.measured = (enum catalogue_measured)measured;
    for (size_t i = 0; i < all; i++) {
        if (i == rows)
            catalogue.worse = worse;
        struct catalogue_row row = catalogue_next(&catalogue);
        for (size_t j = 0; j < CATALOGUE_ATTRIBUTES; j++) {
            value[i * CATALOGUE_ATTRIBUTES + j] = row.value[j];
            limit[i * CATALOGUE_ATTRIBUTES + j] = row.limit[j];
            errors[i * ERRORS + j] = row.error[j];
            errors[i * ERRORS + CATALOGUE_ATTRIBUTES + j] = row.upper[j];
        }
        for (size_t k = 0; k < 3; k++)
            errors[i * ERRORS + 2 * CATALOGUE_ATTRIBUTES + k] = row.correlation[k];
        label[i] = row.label;
        if (i >= rows)
            catalogue_bayes(&catalogue, &row, best + (i - rows) * CATALOGUE_CLASSES);
    }
}
