/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The sections on learned quantities. What returns false has left the reason in report->failure. */

#include "report/gathered.h"

struct learned {
    nim_report *report;
    double *relevance, *by_function, *noise; /* attributes; functions x attributes; attributes */
    size_t *order;                           /* attributes, the most relevant first */
    double *scratch;                         /* SAMPLE_ROWS */
    size_t shown;                            /* attributes that have curves, the first in order */
    size_t pair[2]; /* of these, the two along which predictions change most */
    double effect[2];
};

/* Where pictures of an attribute begin and end; false where it has but one value. */
bool learned_range(const struct learned *learned, size_t attribute, double *low, double *high);

/* Predictions along the attributes shown, and along the two that matter most (after the former). */
bool write_curves(struct learned *learned, struct json_writer *json);
bool write_map(const struct learned *learned, struct json_writer *json);

/* By how much -log p of the target rises, with its standard error, if the cells of an attribute are
 * exchanged among rows; of the first attributes in order. */
bool write_exchanges(const struct learned *learned, struct json_writer *json);

/* Where rows of the sample are believed to be. */
bool write_denoised(const struct learned *learned, struct json_writer *json);
