/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows of the sample are believed to be, given what was measured of them. */
#include "report/learned.h"

#include <math.h>
#include <stdlib.h>

enum { DENOISED_ROWS = 60 };

/* Whether rows other than those of the training can be denoised: not where each has parameters of
 * its own, nor without the targets that go into it. */
static bool can_denoise(const nim_report *report) {
    return report->errors && !nim_model_can(report->model, NIM_OWNS_ROWS) &&
           (!nim_model_can(report->model, NIM_READS_TARGET) ||
            (report->all_known && report->predicts != PREDICTS_LABELS));
}

/* Mean and deviation of row k's true input, for which its target counts where it is known. `y` has
 * zeros, and room for it. */
static bool denoise(nim_report *report, size_t k, double *y, double *mean, double *deviation) {
    const struct kept_row *row = kept_rows_nth(&report->sample, k);
    nim_data data = kept_rows_data(&report->sample, k);
    bool labels = report->predicts == PREDICTS_LABELS, one = predicts_one_class(report->predicts);
    *y = row->known && !labels ? row->y : 0.0;
    const int32_t label = one ? (int32_t)*y : 0;
    data.labels = one ? &label : NULL;
    data.targets = one ? NULL : y;
    data.outputs = one ? 0 : labels ? report->classes : 1;
    data.exposure = report->predicts == PREDICTS_COUNT ? &row->exposure : NULL;
    return nim_model_denoise(report->model, &data, mean, deviation, &report->failure) == NIM_OK;
}

/* Whether anything is believed to be elsewhere than where it was measured. */
static bool has_moved(const struct kept_rows *sample, size_t k, const double *mean) {
    for (size_t j = 0; j < sample->attributes; j++)
        if (fabs(mean[j] - kept_rows_x(sample, k)[j]) > 1e-6 * kept_rows_sigma(sample, k)[j])
            return true;
    return false;
}

/* Pairs of numbers of the attributes shown. */
static void write_pairs(struct json_writer *json, const char *key, const struct learned *learned,
                        const double *first, const double *second) {
    json_array(json, key);
    for (size_t i = 0; i < learned->shown; i++) {
        json_array(json, NULL);
        write_rounded(json, NULL, first[learned->order[i]]);
        write_rounded(json, NULL, second[learned->order[i]]);
        json_close(json);
    }
    json_close(json);
}

bool write_denoised(const struct learned *learned, struct json_writer *json) {
    nim_report *report = learned->report;
    const struct kept_rows *sample = &report->sample;
    size_t count = sample->top.count < DENOISED_ROWS ? sample->top.count : DENOISED_ROWS;
    size_t rows = can_denoise(report) ? count : 0, d = report->attributes;
    double *mean = calloc(2 * rows * d + 1, sizeof *mean), *deviation = mean + rows * d;
    double *y = calloc(report->classes + 1, sizeof *y);
    bool fine = (mean && y) || report_no_memory(report), moved = false;
    for (size_t k = 0; fine && k < rows; k++) {
        fine = denoise(report, k, y, mean + k * d, deviation + k * d);
        moved = moved || has_moved(sample, k, mean + k * d);
    }
    json_array(json, "denoised");
    for (size_t k = 0; fine && moved && k < rows; k++) {
        json_object(json, NULL);
        json_whole(json, "row", kept_rows_nth(sample, k)->number + 1);
        write_pairs(json, "before", learned, kept_rows_x(sample, k), kept_rows_sigma(sample, k));
        write_pairs(json, "after", learned, mean + k * d, deviation + k * d);
        json_close(json);
    }
    json_close(json);
    free(mean);
    free(y);
    return fine;
}
