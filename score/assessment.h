/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * All scores of a stream of predictions, in total and by parts, in memory that does not grow with
 * the rows.
 *
 *     struct assessment assessment;
 *     assessment_create(&assessment, predicts, classes, attributes);
 *     assessment_add(&assessment, &predictions, &data, NULL);   block by block
 *     assessment_finish(&assessment);
 *     assessment_write(&assessment, class_names, &json);
 *     assessment_free(&assessment);
 */

#include "score/noise_level.h"
#include "score/scatter.h"
#include "text/json_writer.h"

enum { NOISE_GROUPS = 3, PIT_BINS = 20, PIT_FINE = 1000 }; /* fine bins: a multiple of the others */

struct assessment {
    enum predicts predicts;
    size_t classes;
    struct tally tally;
    double *confusion;            /* classes x classes, where a row has one class: of each class
                                     (down) how many rows were taken for each (across), by weight */
    double *class_squares;        /* classes: sum of the squared weights of their rows */
    double *has_label, *is_wrong; /* classes: rows, and weights, of sets of labels */
    double place[PIT_FINE]; /* numbers and counts: weights of rows by the cumulative probability of
                               the target, in equal bins */
    struct scatter scatter; /* numbers and counts */
    struct noise_levels noise;

    /* After assessment_finish. */
    struct scores scores;
    double shares_nll, shares_error; /* rows of one class: what the best constant prediction, the
                                        shares of the classes in these rows, would score */
    struct noise_group group[NOISE_GROUPS];
    size_t groups;

    struct row_figures *figures; /* of a block */
    size_t room;
};

/* False when out of memory; must be freed then too. Without attributes there are no scores by
 * noise. */
bool assessment_create(struct assessment *assessment, enum predicts predicts, size_t classes,
                       size_t attributes);

/* Rows with their targets, and what was predicted of them; those that are not `known` are left out,
 * unless it is NULL. False when out of memory. */
bool assessment_add(struct assessment *assessment, const struct predictions *predictions,
                    const nim_data *data, const unsigned char *known);
bool assessment_finish(struct assessment *assessment);
void assessment_free(struct assessment *assessment);

/* Whether the predictions are no better than that, by their NLL. */
bool assessment_no_better(const struct assessment *assessment);

/* The share of the rows of class c that are predicted as class k. */
struct score assessment_confused(const struct assessment *assessment, size_t c, size_t k);

/* The share of rows in which label c is wrong. */
struct score assessment_label(const struct assessment *assessment, size_t c);

/* {"value": ..., "standard_error": ...} */
void write_score(struct json_writer *json, const char *key, struct score score);

/* Writes members of an open JSON object: rows, every score with its standard error, and the parts.
 * `name` (classes) are the names of the labels. */
void assessment_write(const struct assessment *assessment, const char *const *name,
                      struct json_writer *json);
