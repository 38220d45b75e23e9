/* SPDX-License-Identifier: Apache-2.0 */
#include "report/kept_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool kept_rows_create(struct kept_rows *kept, size_t most, size_t attributes) {
    *kept = (struct kept_rows){.attributes = attributes};
    kept->row = calloc(most + 1, sizeof *kept->row);
    kept->x = calloc(most * attributes + 1, sizeof(double));
    kept->sigma = calloc(most * attributes + 1, sizeof(double));
    return top_scores_create(&kept->top, most) && kept->row && kept->x && kept->sigma;
}

void kept_rows_free(struct kept_rows *kept) {
    top_scores_free(&kept->top);
    free(kept->row);
    free(kept->x);
    free(kept->sigma);
    free(kept->upper);
    free(kept->correlation);
    free(kept->limit);
    *kept = (struct kept_rows){0};
}

static size_t pairs_of(const struct kept_rows *kept) {
    return kept->attributes * (kept->attributes - 1) / 2;
}

bool kept_rows_expect(struct kept_rows *kept, const nim_data *data) {
    size_t cells = kept->top.most * kept->attributes;
    if (data->sigma_upper && !kept->upper) {
        kept->upper = malloc((cells + 1) * sizeof(double));
        for (size_t i = 0; kept->upper && i < cells; i++)
            kept->upper[i] = (double)NAN; /* like the lower error */
    }
    if (data->correlation && !kept->correlation)
        kept->correlation = calloc(kept->top.most * pairs_of(kept) + 1, sizeof(double));
    if (data->limit && !kept->limit)
        kept->limit = calloc(cells + 1, sizeof *kept->limit);
    return (kept->upper || !data->sigma_upper) && (kept->correlation || !data->correlation) &&
           (kept->limit || !data->limit);
}

/* Upper errors, correlations and limits of row i; nothing of what it does not have. */
static void keep_shape(struct kept_rows *kept, size_t slot, const nim_data *data, size_t i) {
    size_t d = kept->attributes, pairs = pairs_of(kept);
    size_t errors = data->sigma_rows > 1 ? i : 0, related = data->correlation_rows > 1 ? i : 0;
    for (size_t j = 0; kept->upper && j < d; j++)
        kept->upper[slot * d + j] =
            data->sigma_upper ? data->sigma_upper[errors * d + j] : (double)NAN;
    for (size_t j = 0; kept->limit && j < d; j++)
        kept->limit[slot * d + j] = data->limit ? data->limit[i * d + j] : 0;
    for (size_t k = 0; kept->correlation && k < pairs; k++)
        kept->correlation[slot * pairs + k] =
            data->correlation ? data->correlation[related * pairs + k] : 0.0;
}

double error_at(const nim_data *data, size_t i, size_t j) {
    size_t row = data->sigma_rows > 1 ? i : 0;
    return data->sigma && data->sigma_rows ? data->sigma[row * data->attributes + j] : 0.0;
}

void copy_name(char name[NAME_BYTES], const char *text, size_t length) {
    if (length >= NAME_BYTES)
        for (length = NAME_BYTES - 1; length && ((unsigned char)text[length] & 0xC0) == 0x80;)
            length--;
    memcpy(name, text, length);
    name[length] = '\0';
}

static void describe_class(struct kept_row *row, const struct predictions *predictions, size_t i) {
    const double *p = predictions->p + i * predictions->classes;
    row->best = most_probable(predictions->classes, p);
    row->probability = p[row->best];
    row->entropy = predictions->entropy[i];
    row->measurement_part = predictions->measurement_part[i];
    row->rest = predictions->model_part ? predictions->model_part[i] : (double)NAN;
    if (predictions->label)
        row->y = (double)predictions->label[i];
}

/* The central interval of nine rows in ten is the second of three. */
static void describe_number(struct kept_row *row, const struct predictions *predictions, size_t i) {
    row->mean = predictions->mean[i];
    row->deviation = predictions->deviation[i];
    row->latent_deviation = predictions->latent_deviation[i];
    row->low = predictions->quantile ? predictions->quantile[i * QUANTILES + 2] : (double)NAN;
    row->high = predictions->quantile ? predictions->quantile[i * QUANTILES + 3] : (double)NAN;
    if (predictions->y)
        row->y = predictions->y[i];
}

struct kept_row *kept_rows_offer(struct kept_rows *kept, double score,
                                 const struct block_of_rows *block, size_t i) {
    const nim_data *data = block->data;
    size_t slot, d = kept->attributes;
    if (!top_scores_offer(&kept->top, score, block->number[i], &slot))
        return NULL;
    struct kept_row *row = &kept->row[slot];
    bool targets = data->labels || data->targets;
    *row = (struct kept_row){.number = block->number[i],
                             .known = targets && (!block->known || block->known[i]),
                             .exposure = data->exposure ? data->exposure[i] : 1.0};
    row->novelty = block->predictions->novelty ? block->predictions->novelty[i] : (double)NAN;
    if (block->name && block->name[i])
        copy_name(row->name, block->name[i], strlen(block->name[i]));
    (predicts_classes(block->predictions->predicts) ? describe_class
                                                    : describe_number)(row, block->predictions, i);
    kept->errors = kept->errors || data->sigma;
    memcpy(kept->x + slot * d, data->x + i * d, d * sizeof(double));
    for (size_t j = 0; j < d; j++)
        kept->sigma[slot * d + j] = error_at(data, i, j);
    keep_shape(kept, slot, data, i);
    return row;
}

void kept_rows_sort(struct kept_rows *kept) {
    top_scores_sort(&kept->top);
}

const struct kept_row *kept_rows_nth(const struct kept_rows *kept, size_t k) {
    return &kept->row[kept->top.candidate[k].slot];
}

const double *kept_rows_x(const struct kept_rows *kept, size_t k) {
    return kept->x + kept->top.candidate[k].slot * kept->attributes;
}

const double *kept_rows_sigma(const struct kept_rows *kept, size_t k) {
    return kept->sigma + kept->top.candidate[k].slot * kept->attributes;
}

nim_data kept_rows_data(const struct kept_rows *kept, size_t k) {
    size_t slot = kept->top.candidate[k].slot, d = kept->attributes;
    nim_data data = NIM_DATA(.rows = 1, .attributes = d, .x = kept_rows_x(kept, k));
    if (kept->limit)
        data.limit = kept->limit + slot * d;
    if (!kept->errors)
        return data;
    data.sigma = kept_rows_sigma(kept, k);
    data.sigma_rows = 1;
    if (kept->upper)
        data.sigma_upper = kept->upper + slot * d;
    if (kept->correlation) {
        data.correlation = kept->correlation + slot * pairs_of(kept);
        data.correlation_rows = 1;
    }
    return data;
}
