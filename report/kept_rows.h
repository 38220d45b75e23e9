/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The rows of a stream with the highest scores, with their predictions. */

#include "nimgp.h"
#include "score/predictions.h"
#include "score/top_scores.h"

enum { NAME_BYTES = 120 };

struct kept_row {
    size_t number;         /* in the table, from 0 */
    char name[NAME_BYTES]; /* empty where it has none */
    bool known;            /* its target is */
    double y, exposure;    /* class, number or count */
    size_t best;           /* class */
    double probability;    /* of it */
    double entropy, measurement_part, rest;
    double novelty;                                      /* NaN if the model cannot compute it */
    double mean, deviation, low, high, latent_deviation; /* low, high: the central 90 % */
};

struct kept_rows {
    size_t attributes;
    bool errors; /* rows have them */
    struct top_scores top;
    struct kept_row *row; /* by slot */
    double *x, *sigma;    /* most x attributes, by slot */
    /* By slot; NULL until a row has any: see nim_data. */
    double *upper, *correlation;
    int8_t *limit;
};

/* A block as it comes. */
struct block_of_rows {
    const nim_data *data;
    const struct predictions *predictions;
    const unsigned char *known; /* or NULL */
    const size_t *number;
    const char *const *name; /* or NULL */
};

/* False when out of memory; must be freed then too. */
bool kept_rows_create(struct kept_rows *kept, size_t most, size_t attributes);
void kept_rows_free(struct kept_rows *kept);

/* Allocates memory for upper errors, correlations and limits, if the data have them. False when out
 * of memory. */
bool kept_rows_expect(struct kept_rows *kept, const nim_data *data);

/* Keeps row i of the block if its score is among the highest: then it is the result, otherwise
 * NULL. What the predictions have no arrays of is NaN. */
struct kept_row *kept_rows_offer(struct kept_rows *kept, double score,
                                 const struct block_of_rows *block, size_t i);

/* The rows in the order of their scores, once kept_rows_sort was called. */
void kept_rows_sort(struct kept_rows *kept);
const struct kept_row *kept_rows_nth(const struct kept_rows *kept, size_t k);
const double *kept_rows_x(const struct kept_rows *kept, size_t k);
const double *kept_rows_sigma(const struct kept_rows *kept, size_t k);

/* The k-th as a table of one row, without its target. */
nim_data kept_rows_data(const struct kept_rows *kept, size_t k);

/* Copies a name, at most so many bytes of it and whole characters of UTF-8: it is only shown. */
void copy_name(char name[NAME_BYTES], const char *text, size_t length);

/* 1-sigma error of attribute j in row i of a table; zero if there is none. */
double error_at(const nim_data *data, size_t i, size_t j);
