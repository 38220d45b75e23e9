/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCORE_ASSESSMENT_H
#define SCORE_ASSESSMENT_H

/*
 * How good a stream of predictions is, all in all and by parts, in memory that does not grow with
 * the rows.
 *
 *     struct assessment assessment;
 *     assessment_create(&assessment, predicts, classes, attributes);
 *     assessment_add(&assessment, &predictions, x, sigma);   block by block
 *     assessment_finish(&assessment);
 *     assessment_write(&assessment, class_names, &json);
 *     assessment_free(&assessment);
 */

#include "score/noise_level.h"
#include "text/json_writer.h"

enum { NOISE_GROUPS = 3, PIT_BINS = 20 };

struct assessment {
    enum predicts predicts;
    size_t classes;
    struct tally tally;
    double *confusion;            /* classes x classes, where a row has one class: of each class
                                     (down) how many rows were taken for each (across), by weight */
    double *class_squares;        /* classes, then: sum of the squared weights of their rows */
    double *has_label, *is_wrong; /* classes: rows, and weights, of sets of labels */
    double pit[PIT_BINS]; /* weights of rows, of numbers and counts: by where the target stands in
                             its predicted distribution, in bins of equal probability */
    struct noise_levels noise;

    /* Once finished. */
    struct scores scores;
    struct noise_group group[NOISE_GROUPS];
    size_t groups;

    struct row_figures *figures; /* of a block */
    size_t room;
};

/* False when out of memory; free it also then. Without attributes nothing is said of noise. */
bool assessment_create(struct assessment *assessment, enum predicts predicts, size_t classes,
                       size_t attributes);

/* Rows with their targets; x and sigma (or NULL) rows x attributes. False when out of memory. */
bool assessment_add(struct assessment *assessment, const struct predictions *predictions,
                    const double *x, const double *sigma);
bool assessment_finish(struct assessment *assessment);
void assessment_free(struct assessment *assessment);

/* Of the rows of class c, the share that is taken for class k. */
struct score assessment_confused(const struct assessment *assessment, size_t c, size_t k);

/* Label c alone: share of rows in which it is wrong. */
struct score assessment_label(const struct assessment *assessment, size_t c);

/* Members of a JSON object that is open: rows, every score with its standard error, and by parts.
 * `name` (classes) are names of labels. */
void assessment_write(const struct assessment *assessment, const char *const *name,
                      struct json_writer *json);

#endif
