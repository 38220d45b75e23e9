/* SPDX-License-Identifier: Apache-2.0 */
/* The rows most worth a label, the measurements most worth repeating, and the most unusual rows. */
#include "report/gathered.h"

#include <math.h>
#include <stdlib.h>

/* The two attributes whose exact measurement tells most; gains not above zero are none. */
static void write_gains(const nim_report *report, const double *gain, struct json_writer *json) {
    size_t best[2] = {0, 0}, found = 0;
    for (size_t j = 0; j < report->attributes; j++) {
        if (!(gain[j] > 0.0))
            continue;
        if (found == 0 || gain[j] > gain[best[0]]) {
            best[1] = best[0];
            best[0] = j;
        } else if (found == 1 || gain[j] > gain[best[1]]) {
            best[1] = j;
        }
        found++;
    }
    json_array(json, "remeasure");
    for (size_t k = 0; k < 2 && k < found; k++) {
        json_array(json, NULL);
        json_text(json, NULL, nim_model_attribute_name(report->model, best[k]));
        write_rounded(json, NULL, gain[best[k]]);
        json_close(json);
    }
    json_close(json);
}

static nim_status write_row(const nim_report *report, const struct kept_rows *kept, size_t k,
                            double *gain, struct json_writer *json, nim_error *error) {
    const struct kept_row *row = kept_rows_nth(kept, k);
    nim_data data = kept_rows_data(kept, k);
    if (gain) {
        nim_status status = nim_remeasure(report->predictor, &data, gain, error);
        if (status != NIM_OK)
            return status;
    }
    json_object(json, NULL);
    json_whole(json, "row", row->number + 1);
    if (*row->name)
        json_text(json, "name", row->name);
    if (row->known && report->predicts != PREDICTS_LABELS)
        json_real(json, "y", row->y);
    if (report->classes) {
        json_whole(json, "best", row->best);
        write_rounded(json, "p", row->probability);
        write_rounded(json, "entropy", row->entropy);
        write_rounded(json, "measurement", row->measurement_part);
    } else {
        write_rounded(json, "mean", row->mean);
        write_rounded(json, "sd", row->deviation);
        write_rounded(json, "latent_sd", row->latent_deviation);
    }
    if (report->knows_novelty)
        write_rounded(json, "novelty", row->novelty);
    if (gain)
        write_gains(report, gain, json);
    json_close(json);
    return NIM_OK;
}

static nim_status write_list(const nim_report *report, const char *key, struct kept_rows *kept,
                             bool unknown_only, double *gain, struct json_writer *json,
                             nim_error *error) {
    nim_status status = NIM_OK;
    json_array(json, key);
    for (size_t k = 0; status == NIM_OK && k < kept->top.count; k++)
        if (!unknown_only || !kept_rows_nth(kept, k)->known)
            status = write_row(report, kept, k, gain, json, error);
    json_close(json);
    return status;
}

/* To try every attribute of a row takes as long as predicting many rows for each; so of tables with
 * many attributes fewer rows are listed, and of very many none is tried. */
enum { TRIALS = 400, MOST_TRIED = 64 };

nim_status report_write_worthy(nim_report *report, struct json_writer *json, nim_error *error) {
    double *gain = calloc(report->attributes, sizeof *gain);
    if (!gain)
        return report_failure(error, NIM_OUT_OF_MEMORY, "no memory for a report");
    nim_status status =
        write_list(report, "to_label", &report->to_label, !report->all_known, NULL, json, error);
    bool tried = report->attributes <= MOST_TRIED;
    size_t most = TRIALS / report->attributes;
    if (tried && report->to_measure.top.count > most)
        report->to_measure.top.count = most;
    if (status == NIM_OK && report->errors)
        status = write_list(report, "to_measure", &report->to_measure, false, tried ? gain : NULL,
                            json, error);
    if (status == NIM_OK && report->knows_novelty)
        status = write_list(report, "strangers", &report->strangers, false, NULL, json, error);
    free(gain);
    return status;
}
