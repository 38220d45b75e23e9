/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/prior.h"

#include "cli/rows/grow_array.h"
#include "text/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- as given -------------------- */

static bool complain_of_class(const nim_model *model, const char *command, const char *name,
                              size_t length, struct complaint *complaint) {
    char known[256] = "";
    size_t used = 0;
    for (size_t c = 0; c < nim_model_classes(model) && used < sizeof known; c++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", c ? ", " : "",
                                 nim_model_class_name(model, c));
    return complain(complaint, BAD_USAGE,
                    "%s: --prior: the model has no class '%.*s'; its classes are %s%s", command,
                    (int)length, name, known, used < sizeof known ? "" : "...");
}

static bool take_share(const nim_model *model, const char *command, const char *text, double *share,
                       struct complaint *complaint) {
    const char *sign = strrchr(text, '=');
    size_t length = sign ? (size_t)(sign - text) : 0, c = 0;
    double value = 0.0;
    if (!sign || !number_parse(sign + 1, &value) || !(value >= 0.0) || isinf(value))
        return complain(
            complaint, BAD_USAGE,
            "%s: --prior: '%s'; expected CLASS=SHARE with a share that is not negative, or auto",
            command, text);
    while (c < nim_model_classes(model) &&
           (strlen(nim_model_class_name(model, c)) != length ||
            memcmp(nim_model_class_name(model, c), text, length) != 0))
        c++;
    if (c == nim_model_classes(model))
        return complain_of_class(model, command, text, length, complaint);
    if (!isnan(share[c]))
        return complain(complaint, BAD_USAGE, "%s: --prior: class %s is given twice", command,
                        nim_model_class_name(model, c));
    share[c] = value;
    return true;
}

static bool read_shares(const nim_model *model, const struct arguments *arguments, double *share,
                        struct complaint *complaint) {
    const char *command = argument_command(arguments);
    struct name_list texts = {0};
    bool fine = name_list_split(&texts, argument_text(arguments, "prior"), "--prior", complaint);
    for (size_t c = 0; c < nim_model_classes(model); c++)
        share[c] = (double)NAN;
    for (size_t i = 0; fine && i < texts.count; i++)
        fine = take_share(model, command, texts.item[i], share, complaint);
    name_list_free(&texts);
    for (size_t c = 0; fine && c < nim_model_classes(model); c++)
        if (isnan(share[c]))
            fine = complain(complaint, BAD_USAGE,
                            "%s: --prior: no share for class %s; expected one for each class",
                            command, nim_model_class_name(model, c));
    return fine;
}

/* ---------------------------------------------------------------- estimated ------------------- */

/* Probabilities of all rows, with the shares of training. */
struct all_probabilities {
    size_t rows, room, classes;
    double *p; /* rows x classes */
};

static bool predict_block(struct all_probabilities *all, const struct loaded_model *loaded,
                          const struct rows *rows, struct complaint *complaint) {
    bool fine = true;
    if (all->rows + rows->count > all->room) {
        all->room = 2 * all->room + ROWS_BLOCK;
        all->p = grow_array(all->p, all->room, all->classes * sizeof *all->p, &fine);
    }
    if (!fine)
        return complain_of_memory(complaint);
    nim_data data = rows_data(rows);
    nim_prediction wanted = NIM_PREDICTION(.probabilities = all->p + all->rows * all->classes);
    nim_error error;
    all->rows += rows->count;
    return nim_predict(loaded->predictor, &data, &wanted, &error) == NIM_OK ||
           file_complain(complaint, table_path(rows->table), &error);
}

static bool estimate(const struct loaded_model *loaded, const struct arguments *arguments,
                     const char *table, double *share, struct complaint *complaint) {
    struct all_probabilities all = {.classes = nim_model_classes(loaded->model)};
    struct table_input input = {0};
    struct rows *rows = &input.rows;
    nim_error error;
    bool fine = strcmp(table, "-") != 0 ||
                complain(complaint, BAD_USAGE,
                         "%s: --prior auto reads the table twice, so it cannot be standard input",
                         argument_command(arguments));
    fine = fine && model_table_open(loaded, &input, arguments, table, TARGETS_IGNORED, complaint);
    do {
        fine = fine && rows_next(rows, complaint) &&
               (!rows->count || predict_block(&all, loaded, rows, complaint));
    } while (fine && rows->count);
    fine =
        fine && (all.rows || complain(complaint, BAD_INPUT, "%s: no row satisfies --where", table));
    fine = fine &&
           (nim_model_estimate_shares(loaded->model, all.rows, all.p, share, &error) == NIM_OK ||
            file_complain(complaint, table, &error));
    free(all.p);
    table_input_close(&input);
    return fine;
}

/* ---------------------------------------------------------------- all of it ------------------- */

/* "agn 0.205 (0.616), ...": here, and in training. */
static void say_shares(const nim_model *model, const struct arguments *arguments,
                       const double *share) {
    enum { MOST_SHOWN = 8 };
    size_t classes = nim_model_classes(model), used = 0;
    double total = 0.0, *before = calloc(classes + 1, sizeof *before);
    char text[1024] = "";
    for (size_t c = 0; c < classes; c++)
        total += share[c];
    bool known =
        before && nim_model_get(model, "class_shares", before, classes, NULL, NULL) == NIM_OK;
    for (size_t c = 0; known && c < classes && c < MOST_SHOWN && used < sizeof text; c++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%.64s %.3f (%.3f)", c ? ", " : "",
                             nim_model_class_name(model, c), share[c] / total, before[c]);
    if (known)
        say(arguments, "shares of classes here (and in training): %s%s", text,
            classes > MOST_SHOWN ? ", ..." : "");
    free(before);
}

bool prior_apply(const struct loaded_model *loaded, const struct arguments *arguments,
                 const char *model, const char *table, struct complaint *complaint) {
    const char *prior = argument_text(arguments, "prior");
    const struct task *task = task_of_model(loaded->model);
    nim_error error;
    if (!prior)
        return true;
    if (!task_has_one_class(task))
        return complain(complaint, BAD_USAGE, "%s: --prior cannot be used: the model predicts %s",
                        argument_command(arguments), task->many);
    double *share = calloc(nim_model_classes(loaded->model) + 1, sizeof *share);
    bool fine = share != NULL || complain_of_memory(complaint);
    fine = fine &&
           (strcmp(prior, "auto") == 0 ? estimate(loaded, arguments, table, share, complaint)
                                       : read_shares(loaded->model, arguments, share, complaint));
    fine = fine && (nim_predictor_set_shares(loaded->predictor, share, &error) == NIM_OK ||
                    file_complain(complaint, model, &error));
    if (fine)
        say_shares(loaded->model, arguments, share);
    free(share);
    return fine;
}
