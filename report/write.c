/* SPDX-License-Identifier: Apache-2.0 */
/* The report as JSON (docs/report.md has the members), and as the page: one self-contained document
 * around it. */
#include "report/gathered.h"

#include "score/panel_told.h"
#include "score/prediction_names.h"
#include "text/memory_file.h"

#include <report_page_parts.h> /* made from page/ by embed.py: page_head, page_tail */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void write_rounded(struct json_writer *json, const char *key, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.5g", value);
    json_real(json, key, isfinite(value) ? strtod(text, NULL) : (double)NAN);
}

/* ---------------------------------------------------------------- what it is ------------------ */

static bool write_options(const nim_report *report, struct json_writer *json) {
    nim_options *defaults = nim_options_create();
    if (!defaults)
        return false;
    json_array(json, "options"); /* name, value, and whether it was left open */
    for (size_t i = 0; i < nim_option_count(); i++) {
        const char *name = nim_option_describe(i)->name;
        char value[64] = "", asked[64] = "", usual[64] = "";
        nim_options_get(nim_model_options(report->model), name, value, sizeof value, NULL);
        nim_options_get(nim_model_request(report->model), name, asked, sizeof asked, NULL);
        nim_options_get(defaults, name, usual, sizeof usual, NULL);
        json_array(json, NULL);
        json_text(json, NULL, name);
        json_text(json, NULL, value);
        json_bool(json, NULL, strcmp(asked, usual) == 0 || strcmp(name, "classes") == 0);
        json_close(json);
    }
    json_close(json);
    nim_options_free(defaults);
    return true;
}

/* What the likelihood has learned, of all that any may have. */
static void write_quantities(const nim_report *report, struct json_writer *json) {
    static const char *const name[] = {"epsilon",   "noise_deviation", "scale",      "freedom",
                                       "base_rate", "thresholds",      "temperature"};
    json_object(json, "quantities");
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        double value[64];
        size_t count;
        if (nim_model_get(report->model, name[i], NULL, 0, &count, NULL) == NIM_OK && count &&
            nim_model_get(report->model, name[i], value, 64, &count, NULL) == NIM_OK)
            json_vector(json, name[i], value, count);
    }
    json_close(json);
}

static bool write_what(nim_report *report, struct json_writer *json) {
    char name[FUNCTION_NAME];
    json_text(json, "nimgp", nim_version());
    json_text(json, "target", nim_target_name(nim_model_target(report->model)));
    json_object(json, "facts");
    for (size_t i = 0; i < report->facts; i++)
        json_text(json, report->fact[i].key, report->fact[i].text);
    json_close(json);
    json_array(json, "classes");
    for (size_t c = 0; c < report->classes; c++)
        json_text(json, NULL, nim_model_class_name(report->model, c));
    json_close(json);
    json_array(json, "functions");
    for (size_t f = 0; f < report->functions; f++)
        json_text(json, NULL, function_name(report->model, f, name));
    json_close(json);
    json_whole(json, "attribute_count", report->attributes);
    json_whole(json, "inducing", nim_model_inducing(report->model));
    json_bool(json, "errors", report->errors);
    if (!write_options(report, json))
        return report_no_memory(report);
    write_quantities(report, json);
    panel_write(report->model, json);
    return true;
}

/* ---------------------------------------------------------------- how good -------------------- */

static bool write_evaluation(nim_report *report, struct json_writer *json) {
    if (!report->known) {
        json_null(json, "evaluation");
        return true;
    }
    const char **name = calloc(report->classes + 1, sizeof *name);
    bool fine = (name && assessment_finish(&report->assessment)) || report_no_memory(report);
    for (size_t c = 0; fine && c < report->classes; c++)
        name[c] = nim_model_class_name(report->model, c);
    json_object(json, "evaluation");
    if (fine)
        assessment_write(&report->assessment, name, json);
    json_close(json);
    free(name);
    return fine;
}

static void write_ranking(const nim_report *report, struct json_writer *json) {
    if (!report->ranking || !report->known)
        return;
    json_array(json, "ranking");
    for (size_t c = 0; c < report->classes; c++) {
        json_object(json, NULL);
        json_real(json, "area", ranking_area(&report->ranking[c]));
        json_array(json, "with");
        for (size_t b = 0; b < RANKING_BINS; b++)
            json_real(json, NULL, report->ranking[c].with[b]);
        json_close(json);
        json_array(json, "without");
        for (size_t b = 0; b < RANKING_BINS; b++)
            json_real(json, NULL, report->ranking[c].without[b]);
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void write_predictions(const nim_report *report, struct json_writer *json) {
    json_object(json, "predictions");
    json_whole(json, "rows", report->rows);
    if (report->classes) {
        json_vector(json, "predicted", report->predicted, report->classes);
        json_vector(json, "expected", report->expected, report->classes);
        json_vector(json, "confidence", report->confidence, CONFIDENCE_BINS);
    } else {
        write_score(json, "mean", moments_mean(&report->mean));
        json_real(json, "mean_spread", sqrt(report->mean.squares / fmax(report->mean.count, 1.0)));
        write_score(json, "sd", moments_mean(&report->deviation));
        write_score(json, "latent_sd", moments_mean(&report->latent_deviation));
    }
    json_close(json);
}

/* Sets of classes, and novelty, if the model can compute them. */
static void write_sets(const nim_report *report, struct json_writer *json) {
    if (!report->knows_sets)
        return;
    json_object(json, "sets");
    json_real(json, "coverage", SET_COVERAGE);
    json_vector(json, "sizes", report->set_size, report->classes + 1);
    if (report->held.count > 0.0)
        write_score(json, "held", moments_mean(&report->held));
    json_close(json);
}

static void write_novelty(const nim_report *report, struct json_writer *json) {
    if (!report->knows_novelty)
        return;
    json_object(json, "novelty");
    json_real(json, "bin", NOVELTY_BIN);
    json_vector(json, "rows", report->novelty, NOVELTY_BINS);
    json_close(json);
}

/* Mean over all rows, and over those predicted to be of each class. */
static void write_entropy(const nim_report *report, struct json_writer *json) {
    static const char *const name[ENTROPY_PARTS] = {"rest", "measurement"};
    if (!report->classes)
        return;
    json_object(json, "entropy");
    write_score(json, "all", moments_mean(&report->entropy));
    for (size_t k = 0; k < ENTROPY_PARTS; k++)
        write_score(json, name[k], moments_mean(&report->part[k]));
    json_array(json, "by_class");
    for (size_t c = 0; c < report->classes; c++) {
        json_array(json, NULL);
        for (size_t k = 0; k < ENTROPY_PARTS; k++)
            write_rounded(json, NULL, report->part_of[c][k] / report->predicted[c]);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

/* ---------------------------------------------------------------- all of it ------------------- */

static bool write_document(nim_report *report, struct json_writer *json) {
    kept_rows_sort(&report->strangers);
    kept_rows_sort(&report->sample);
    kept_rows_sort(&report->to_label);
    kept_rows_sort(&report->to_measure);
    json_object(json, NULL);
    if (!write_what(report, json))
        return false;
    json_whole(json, "rows", report->rows);
    json_whole(json, "known", report->known);
    json_object(json, "left_out");
    json_whole(json, "no_label", report->no_target);
    json_whole(json, "other_classes", report->unknown_target);
    json_close(json);
    if (!write_evaluation(report, json))
        return false;
    write_ranking(report, json);
    write_predictions(report, json);
    write_sets(report, json);
    write_novelty(report, json);
    write_entropy(report, json);
    if (!report_write_learned(report, json) || !report_write_worthy(report, json))
        return false;
    json_close(json);
    return true;
}

bool report_no_memory(nim_report *report) {
    report_out_of_memory(&report->failure);
    return false;
}

static bool write_json(nim_report *report) {
    struct memory_file memory;
    FILE *file = memory_file_open(&memory);
    struct json_writer json = {0};
    bool whole = false;
    if (file) {
        json = json_start_compact(file);
        whole = write_document(report, &json);
    }
    report->json = memory_file_close(&memory, whole && !json.failed, &report->json_size);
    if (!report->json && (whole || !file))
        report_no_memory(report);
    return report->json != NULL;
}

/* ---------------------------------------------------------------- the page -------------------- */

static bool put(FILE *file, const char *bytes, size_t size) {
    return fwrite(bytes, 1, size, file) == size;
}

static bool put_data(FILE *file, const char *json, size_t length) {
    size_t start = 0;
    bool good = true;
    for (size_t i = 0; good && i < length; i++)
        if (json[i] == '<') {
            good = put(file, json + start, i - start) && fputs("\\u003c", file) >= 0;
            start = i + 1;
        }
    return good && put(file, json + start, length - start);
}

/* The page with these data, to be freed; NULL when out of memory. In the data every '<' is written
 * as \u003c, so that the data cannot end the element that contains them. */
static char *page_of(const char *json, size_t length, size_t *size) {
    struct memory_file memory;
    FILE *file = memory_file_open(&memory);
    bool good = file && put(file, page_head, sizeof page_head) && put_data(file, json, length) &&
                put(file, page_tail, sizeof page_tail);
    return memory_file_close(&memory, good, size);
}

nim_status nim_report_text(nim_report *report, const char *format, const char **text, size_t *size,
                           nim_error *error) {
    if (!report || !format || !text || !size)
        return report_failure(error, NIM_INVALID_ARGUMENT, "report, format or text is NULL");
    bool html = strcmp(format, "html") == 0;
    if (!html && strcmp(format, "json") != 0)
        return report_failure(error, NIM_INVALID_ARGUMENT, "format is neither json nor html");
    if (!report->rows)
        return report_failure(error, NIM_BAD_DATA, "a report needs at least one row");
    if (!report->json && !write_json(report)) {
        if (error)
            *error = report->failure;
        return report->failure.status;
    }
    if (html && !report->page)
        report->page = page_of(report->json, report->json_size, &report->page_size);
    if (html && !report->page)
        return report_out_of_memory(error);
    *text = html ? report->page : report->json;
    *size = html ? report->page_size : report->json_size;
    return report_failure(error, NIM_OK, "");
}
