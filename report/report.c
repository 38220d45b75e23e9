/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "report/gathered.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

nim_status report_failure(nim_error *error, nim_status status, const char *message) {
    if (error) {
        *error = (nim_error){.status = status, .row = NIM_NONE, .attribute = NIM_NONE};
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

nim_status report_out_of_memory(nim_error *error) {
    return report_failure(error, NIM_OUT_OF_MEMORY, "no memory for a report");
}

static nim_status succeed(nim_error *error) {
    return report_failure(error, NIM_OK, "");
}

/* ---------------------------------------------------------------- making ---------------------- */

static bool allocate(nim_report *report) {
    size_t d = report->attributes, classes = report->classes;
    report->attribute = calloc(d, sizeof *report->attribute);
    report->predicted = calloc(classes + 1, sizeof(double));
    report->expected = calloc(classes + 1, sizeof(double));
    report->part_of = calloc(classes + 1, sizeof *report->part_of);
    report->number = calloc(PORTION, sizeof *report->number);
    report->set_size = calloc(classes + 1, sizeof(double));
    bool fine = assessment_create(&report->assessment, report->predicts, classes, d);
    fine = kept_rows_create(&report->sample, SAMPLE_ROWS, d) && fine;
    fine = kept_rows_create(&report->strangers, WORTHY_ROWS, d) && fine;
    fine = kept_rows_create(&report->to_label, WORTHY_ROWS, d) && fine;
    fine = kept_rows_create(&report->to_measure, WORTHY_ROWS, d) && fine;
    if (predicts_one_class(report->predicts) && classes <= MOST_RANKED)
        fine = (report->ranking = calloc(classes, sizeof *report->ranking)) && fine;
    return fine && report->attribute && report->predicted && report->expected && report->part_of &&
           report->number && report->set_size;
}

nim_status nim_report_create(const nim_model *model, nim_predictor *predictor, nim_report **result,
                             nim_error *error) {
    if (!model || !predictor || !result)
        return report_failure(error, NIM_INVALID_ARGUMENT, "model, predictor or report is NULL");
    nim_report *report = calloc(1, sizeof *report);
    *result = NULL;
    if (!report)
        return report_out_of_memory(error);
    report->model = model;
    report->predictor = predictor;
    report->predicts = predicts_of(nim_model_target(model));
    report->classes = nim_model_classes(model);
    report->functions = nim_model_functions(model);
    report->attributes = nim_model_attributes(model);
    report->all_known = true;
    if (!allocate(report)) {
        nim_report_free(report);
        return report_out_of_memory(error);
    }
    *result = report;
    return succeed(error);
}

void nim_report_free(nim_report *report) {
    if (!report)
        return;
    for (size_t i = 0; i < report->facts; i++) {
        free(report->fact[i].key);
        free(report->fact[i].text);
    }
    free(report->fact);
    for (size_t j = 0; report->attribute && j < report->attributes; j++) {
        free(report->attribute[j].unit);
        free(report->attribute[j].error_column);
    }
    free(report->attribute);
    free(report->predicted);
    free(report->expected);
    free(report->part_of);
    free(report->number);
    free(report->set_size);
    free(report->ranking);
    free(report->json);
    free(report->page);
    predictions_free(&report->predictions);
    assessment_free(&report->assessment);
    kept_rows_free(&report->strangers);
    kept_rows_free(&report->sample);
    kept_rows_free(&report->to_label);
    kept_rows_free(&report->to_measure);
    free(report);
}

nim_status nim_report_fact(nim_report *report, const char *key, const char *text,
                           nim_error *error) {
    if (!report || !key || !text)
        return report_failure(error, NIM_INVALID_ARGUMENT, "report, key or text is NULL");
    struct fact *more = realloc(report->fact, (report->facts + 1) * sizeof *more);
    if (!more)
        return report_out_of_memory(error);
    report->fact = more;
    struct fact *fact = &more[report->facts++];
    *fact = (struct fact){strdup(key), strdup(text)};
    return fact->key && fact->text ? succeed(error) : report_out_of_memory(error);
}

static bool replace(char **text, const char *with) {
    free(*text);
    *text = with ? strdup(with) : NULL;
    return *text || !with;
}

nim_status nim_report_attribute(nim_report *report, size_t attribute, const char *unit,
                                const char *error_column, nim_error *error) {
    if (!report || attribute >= report->attributes)
        return report_failure(error, NIM_INVALID_ARGUMENT, "no such attribute");
    struct attribute_facts *facts = &report->attribute[attribute];
    return replace(&facts->unit, unit) && replace(&facts->error_column, error_column)
               ? succeed(error)
               : report_out_of_memory(error);
}

void nim_report_left_out(nim_report *report, size_t no_target, size_t unknown_target) {
    report->no_target = no_target;
    report->unknown_target = unknown_target;
}

/* ---------------------------------------------------------------- gathering ------------------- */

/* A number in [0, 1) that depends on the row's number alone (SplitMix64): the highest of them are a
 * sample that is the same however rows are portioned. */
static double chance_of(size_t number) {
    uint64_t z = (uint64_t)number + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void gather_cells(nim_report *report, const nim_data *data, size_t i) {
    for (size_t j = 0; j < report->attributes; j++) {
        struct attribute_facts *facts = &report->attribute[j];
        double x = data->x[i * report->attributes + j];
        if (isnan(x)) {
            facts->missing++;
            continue;
        }
        moments_add(&facts->value, x);
        facts->without_error += isnan(error_at(data, i, j)) != 0;
    }
}

static void gather_classes(nim_report *report, const struct predictions *predictions, size_t i) {
    const double *p = predictions->p + i * report->classes;
    size_t best = most_probable(report->classes, p);
    double entropy = predictions->entropy[i];
    double measurement = predictions->measurement_part[i];
    double part[ENTROPY_PARTS] = {
        [PART_REST] = fmax(entropy - measurement, 0.0), [PART_MEASUREMENT] = measurement};
    bool labels = report->predicts == PREDICTS_LABELS;
    for (size_t c = 0; c < report->classes; c++) {
        report->expected[c] += p[c];
        report->predicted[c] += labels ? p[c] > 0.5 : c == best;
    }
    moments_add(&report->entropy, entropy);
    for (size_t k = 0; k < ENTROPY_PARTS; k++) {
        moments_add(&report->part[k], part[k]);
        report->part_of[best][k] += part[k];
    }
    double bin = floor(p[best] * CONFIDENCE_BINS);
    report->confidence[bin < CONFIDENCE_BINS ? (size_t)bin : CONFIDENCE_BINS - 1]++;
}

static void gather_numbers(nim_report *report, const struct predictions *predictions, size_t i) {
    moments_add(&report->mean, predictions->mean[i]);
    moments_add(&report->deviation, predictions->deviation[i]);
    moments_add(&report->latent_deviation, predictions->latent_deviation[i]);
}

static void gather_set(nim_report *report, const struct predictions *predictions, size_t i,
                       bool known) {
    const double *plausible = predictions->plausibility + i * report->classes;
    size_t size = 0;
    for (size_t c = 0; c < report->classes; c++)
        size += plausible[c] > 1.0 - SET_COVERAGE;
    report->knows_sets = true;
    report->set_size[size]++;
    if (known)
        moments_add(&report->held, plausible[predictions->label[i]] > 1.0 - SET_COVERAGE);
}

static void gather_novelty(nim_report *report, const struct block_of_rows *block, size_t i) {
    double novelty = block->predictions->novelty[i], bin = floor(novelty / NOVELTY_BIN);
    report->knows_novelty = true;
    report->novelty[bin < NOVELTY_BINS ? (size_t)bin : NOVELTY_BINS - 1]++;
    kept_rows_offer(&report->strangers, novelty, block, i);
}

/* Rows whose targets are known already are worth a label only as long as there are no others. */
static void offer_row(nim_report *report, const struct block_of_rows *block, size_t i, bool known) {
    bool numbers = !predicts_classes(report->predicts);
    const struct predictions *predictions = block->predictions;
    kept_rows_offer(&report->sample, chance_of(block->number[i]), block, i);
    double worth = numbers ? predictions->latent_deviation[i] : predictions->entropy[i];
    kept_rows_offer(&report->to_label, worth - (known ? 1e6 : 0.0), block, i);
    if (!numbers)
        kept_rows_offer(&report->to_measure, predictions->measurement_part[i], block, i);
}

static const size_t *row_numbers(nim_report *report, const nim_report_rows *rows) {
    if (rows->number)
        return rows->number;
    for (size_t i = 0; i < rows->data->rows; i++)
        report->number[i] = report->next_number + i;
    report->next_number += rows->data->rows;
    return report->number;
}

nim_status report_gather(nim_report *report, const nim_report_rows *rows,
                         const struct predictions *predictions, nim_error *error) {
    const nim_data *data = rows->data;
    bool targets = data->labels || data->targets;
    struct block_of_rows block = {.data = data,
                                  .predictions = predictions,
                                  .known = rows->known,
                                  .number = row_numbers(report, rows),
                                  .name = rows->name};
    report->errors = report->errors || (data->sigma && data->sigma_rows);
    report->names = report->names || rows->name;
    if (!kept_rows_expect(&report->sample, data) || !kept_rows_expect(&report->to_measure, data))
        return report_out_of_memory(error);
    for (size_t i = 0; i < data->rows; i++) {
        bool known = targets && (!rows->known || rows->known[i]);
        report->all_known = report->all_known && known;
        report->known += known;
        gather_cells(report, data, i);
        (predicts_classes(report->predicts) ? gather_classes : gather_numbers)(report, predictions,
                                                                               i);
        offer_row(report, &block, i, known);
        if (predictions->plausibility)
            gather_set(report, predictions, i, known);
        if (predictions->novelty)
            gather_novelty(report, &block, i);
    }
    report->rows += data->rows;
    if (targets && report->ranking)
        rankings_add(report->ranking, predictions, rows->known);
    return !targets || assessment_add(&report->assessment, predictions, data, rows->known)
               ? succeed(error)
               : report_out_of_memory(error);
}

/* Rows first .. first+count-1 of a block. */
static nim_report_rows portion_of(const nim_report_rows *rows, nim_data *data, size_t first,
                                  size_t count) {
    const nim_data *all = rows->data;
    *data = *all;
    data->rows = count;
    data->x = all->x + first * all->attributes;
    if (all->sigma && all->sigma_rows > 1) {
        data->sigma = all->sigma + first * all->attributes;
        data->sigma_rows = count;
        data->sigma_upper = all->sigma_upper ? all->sigma_upper + first * all->attributes : NULL;
    }
    if (all->correlation && all->correlation_rows > 1) {
        data->correlation =
            all->correlation + first * (all->attributes * (all->attributes - 1) / 2);
        data->correlation_rows = count;
    }
    data->limit = all->limit ? all->limit + first * all->attributes : NULL;
    data->labels = all->labels ? all->labels + first : NULL;
    data->targets = all->targets ? all->targets + first * all->outputs : NULL;
    data->exposure = all->exposure ? all->exposure + first : NULL;
    data->target_sigma = all->target_sigma ? all->target_sigma + first : NULL;
    data->weights = NULL;
    return (nim_report_rows){.data = data,
                             .known = rows->known ? rows->known + first : NULL,
                             .number = rows->number ? rows->number + first : NULL,
                             .name = rows->name ? rows->name + first : NULL};
}

nim_status nim_report_add(nim_report *report, const nim_report_rows *rows, nim_error *error) {
    if (!report || !rows || !rows->data || !rows->data->x)
        return report_failure(error, NIM_INVALID_ARGUMENT, "report or rows are NULL");
    if (report->json)
        return report_failure(error, NIM_INVALID_ARGUMENT,
                              "rows cannot be added after the report was written");
    if (!report->predictions.room &&
        !(predictions_create(&report->predictions, report->model, 0, PORTION, true) &&
          predictions_ask_more(&report->predictions, report->model)))
        return report_out_of_memory(error);
    for (size_t first = 0; first < rows->data->rows; first += PORTION) {
        size_t left = rows->data->rows - first;
        nim_data data;
        nim_report_rows portion = portion_of(rows, &data, first, left < PORTION ? left : PORTION);
        nim_status status = predictions_make(&report->predictions, report->predictor, &data, error);
        if (status == NIM_OK)
            status = report_gather(report, &portion, &report->predictions, error);
        if (status != NIM_OK)
            return status;
    }
    return succeed(error);
}
