/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMAND_PREDICTION_COLUMNS_H
#define CLI_COMMAND_PREDICTION_COLUMNS_H

/* The columns of predictions, in the order of the output. */

#include "nimgp.h"
#include "table/table.h"
#include "table/text_pool.h"

enum prediction_part {
    PROBABILITY,
    PREDICTED, /* text, from the probabilities */
    ENTROPY,
    MEAN,
    DEVIATION,
    QUANTILE,
    DENSITY, /* one column where the output has vectors */
    MEASUREMENT,
    REST, /* what is left of the entropy */
    LATENT_MEAN,
    LATENT_DEVIATION,
    PLAUSIBILITY, /* written as a set of classes */
    INTERVAL,     /* of numbers */
    NOVELTY,
    TYPICAL,
    FIT_WEIGHT,
    PREDICTION_PARTS
};

struct prediction_columns {
    const nim_model *model;
    size_t levels; /* of quantiles */
    const double *level;
    size_t points; /* of the grid of densities */
    const double *grid;
    const char *grid_note;           /* what a vector of them is */
    bool vectors;                    /* the output has vectors */
    double coverage;                 /* of sets of classes, or intervals of numbers */
    bool wanted[PREDICTION_PARTS];   /* parts that the output has */
    double *value[PREDICTION_PARTS]; /* rows x prediction_width; NULL where there are none */
    size_t count;                    /* columns */
    struct column *column;
    struct text_pool names; /* of theirs */
    char *text;             /* of a cell */
};

/* Numbers that a row of a part has: none in the text of the prediction, which has no array. */
size_t prediction_width(const struct prediction_columns *columns, enum prediction_part part);

/* Lists the columns of what is wanted; `value` may be set later. */
bool prediction_columns_list(struct prediction_columns *columns, struct complaint *complaint);

/* The request for the arrays there are, from row `first` on. The array of LATENT_DEVIATION receives
 * variances until prediction_columns_complete. */
nim_prediction prediction_columns_request(const struct prediction_columns *columns, size_t first);
void prediction_columns_complete(struct prediction_columns *columns, size_t rows);

bool prediction_columns_write(const struct prediction_columns *columns, size_t row,
                              struct table_writer *writer, struct complaint *complaint);
void prediction_columns_free(struct prediction_columns *columns); /* without the arrays */

#endif
