/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much worse predictions become if the cells of one attribute, with their errors, are exchanged
 * among rows: what the attribute tells, be its lengthscale short or long.
 */
#include "report/learned.h"

#include "score/moments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXCHANGED = 24, LEAST_ROWS = 20, MOST_ROWS = 300, FEWEST_ROWS = 50 };

/* Known rows of the sample, as they are and with an attribute exchanged. */
struct exchange {
    nim_report *report;
    size_t rows, d;
    double *x, *sigma, *trial_x, *trial_sigma, *y, *nll, *before; /* all in the memory of x */
    struct predictions predictions;
};

static bool exchange_create(struct exchange *exchange, nim_report *report) {
    const struct kept_rows *sample = &report->sample;
    size_t d = report->attributes, tries = d < EXCHANGED ? d : EXCHANGED;
    size_t most = 100000 / (tries * d + 1); /* rows of many attributes take longer */
    most = most > MOST_ROWS ? MOST_ROWS : most < FEWEST_ROWS ? FEWEST_ROWS : most;
    *exchange = (struct exchange){
        .report = report, .d = d, .predictions = predictions_for(report->model, 0, most)};
    exchange->x = calloc(most * (4 * d + 3), sizeof(double));
    if (!predictions_ask(&exchange->predictions, report->classes ? ASK_P : ASK_LOG_DENSITY) ||
        !exchange->x)
        return report_no_memory(report);
    exchange->sigma = exchange->x + most * d;
    exchange->trial_x = exchange->sigma + most * d;
    exchange->trial_sigma = exchange->trial_x + most * d;
    exchange->y = exchange->trial_sigma + most * d;
    exchange->nll = exchange->y + most;
    exchange->before = exchange->nll + most;
    for (size_t k = 0; k < sample->top.count && exchange->rows < most; k++) {
        const struct kept_row *row = kept_rows_nth(sample, k);
        if (!row->known)
            continue;
        memcpy(exchange->x + exchange->rows * d, kept_rows_x(sample, k), d * sizeof(double));
        memcpy(exchange->sigma + exchange->rows * d, kept_rows_sigma(sample, k),
               d * sizeof(double));
        exchange->y[exchange->rows++] = row->y;
    }
    return true;
}

/* -log p of each row's target. */
static bool rate(struct exchange *exchange, const double *x, const double *sigma, double *nll) {
    nim_report *report = exchange->report;
    struct predictions *predictions = &exchange->predictions;
    bool classes = report->classes > 0;
    nim_data data = NIM_DATA(.rows = exchange->rows, .attributes = exchange->d, .x = x,
                             .sigma = report->errors ? sigma : NULL,
                             .sigma_rows = report->errors ? exchange->rows : 0,
                             .targets = classes ? NULL : exchange->y, .outputs = classes ? 0 : 1);
    if (predictions_make(predictions, report->predictor, &data, &report->failure) != NIM_OK)
        return false;
    for (size_t i = 0; i < exchange->rows; i++)
        nll[i] = classes ? -log(predictions->p[i * report->classes + (size_t)exchange->y[i]])
                         : -predictions->log_density[i];
    return true;
}

/* Each row gets the cell of the next one: the sample is in random order. */
static bool exchange_attribute(struct exchange *exchange, size_t j, struct json_writer *json) {
    size_t n = exchange->rows, d = exchange->d;
    memcpy(exchange->trial_x, exchange->x, n * d * sizeof(double));
    memcpy(exchange->trial_sigma, exchange->sigma, n * d * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        exchange->trial_x[i * d + j] = exchange->x[(i + 1) % n * d + j];
        exchange->trial_sigma[i * d + j] = exchange->sigma[(i + 1) % n * d + j];
    }
    if (!rate(exchange, exchange->trial_x, exchange->trial_sigma, exchange->nll))
        return false;
    struct moments moments = {0};
    for (size_t i = 0; i < n; i++)
        moments_add(&moments, exchange->nll[i] - exchange->before[i]);
    struct score rise = moments_mean(&moments);
    json_array(json, NULL);
    write_rounded(json, NULL, rise.value);
    write_rounded(json, NULL, rise.deviation);
    json_close(json);
    return true;
}

bool write_exchanges(const struct learned *learned, struct json_writer *json) {
    nim_report *report = learned->report;
    struct exchange exchange = {0};
    bool possible = report->predicts != PREDICTS_LABELS && report->predicts != PREDICTS_COUNT;
    bool fine = !possible || exchange_create(&exchange, report);
    bool enough = fine && exchange.rows >= LEAST_ROWS;
    if (enough)
        fine = rate(&exchange, exchange.x, exchange.sigma, exchange.before);
    json_array(json, "exchanged");
    for (size_t k = 0; fine && enough && k < report->attributes && k < EXCHANGED; k++)
        fine = exchange_attribute(&exchange, learned->order[k], json);
    json_close(json);
    free(exchange.x);
    predictions_free(&exchange.predictions);
    return fine;
}
