/* SPDX-License-Identifier: Apache-2.0 */
/* The rows most worth a label, the measurements most worth repeating, and the most unusual rows. */
#include "report/gathered.h"

#include <stdlib.h>

/* The two attributes whose exact measurement tells most; gains not above zero are none. */
static void write_gains(const nim_report *report, const double *gain, struct json_writer *json) {
    size_t best[2] = {0}, found = two_largest(report->attributes, gain, best);
    json_array(json, "remeasure");
    for (size_t k = 0; k < found; k++) {
        json_array(json, NULL);
        json_text(json, NULL, nim_model_attribute_name(report->model, best[k]));
        write_rounded(json, NULL, gain[best[k]]);
        json_close(json);
    }
    json_close(json);
}

static bool write_row(nim_report *report, const struct kept_rows *kept, size_t k, double *gain,
                      struct json_writer *json) {
    const struct kept_row *row = kept_rows_nth(kept, k);
    nim_data data = kept_rows_data(kept, k);
    if (gain && nim_remeasure(report->predictor, &data, gain, &report->failure) != NIM_OK)
        return false;
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
    return true;
}

static bool write_list(nim_report *report, const char *key, const struct kept_rows *kept,
                       bool unknown_only, double *gain, struct json_writer *json) {
    json_array(json, key);
    for (size_t k = 0; k < kept->top.count; k++)
        if ((!unknown_only || !kept_rows_nth(kept, k)->known) &&
            !write_row(report, kept, k, gain, json))
            return false;
    json_close(json);
    return true;
}

/* To try every attribute of a row takes as long as predicting many rows for each; so of tables with
 * many attributes fewer rows are listed, and of very many none is tried. */
enum { TRIALS = 400, MOST_TRIED = 64 };

bool report_write_worthy(nim_report *report, struct json_writer *json) {
    double *gain = calloc(report->attributes, sizeof *gain);
    bool tried = report->attributes <= MOST_TRIED;
    size_t most = TRIALS / report->attributes;
    if (tried && report->to_measure.top.count > most)
        report->to_measure.top.count = most;
    bool fine = (gain || report_no_memory(report)) &&
                write_list(report, "to_label", &report->to_label, !report->all_known, NULL, json) &&
                (!report->errors || write_list(report, "to_measure", &report->to_measure, false,
                                               tried ? gain : NULL, json)) &&
                (!report->knows_novelty ||
                 write_list(report, "strangers", &report->strangers, false, NULL, json));
    free(gain);
    return fine;
}
