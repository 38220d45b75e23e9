/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/evaluation.h"

#include "cli/terminal/grid.h"
#include "text/ascii.h"

#include <math.h>

const char *evaluation_class(const struct evaluation *evaluation, size_t c) {
    return evaluation->input.target.classes.name.item[c];
}

/* ---------------------------------------------------------------- text ------------------------ */

/* A standard error to so many digits; nothing where one row does not tell. */
static void print_deviation(struct grid *grid, int digits, double deviation) {
    if (isnan(deviation))
        grid_cell(grid, "%s", "");
    else if (digits)
        grid_cell(grid, "+- %.*f", digits, deviation);
    else
        grid_cell(grid, "+- %.2g", deviation);
}

static void print_scores(const struct evaluation *evaluation) {
    struct grid *grid = grid_create("lrrl");
    const struct scores *scores = &evaluation->assessment.scores;
    for (size_t i = 0; i < scores->count; i++) {
        const struct named_score *score = &scores->score[i];
        if (!score->name)
            continue;
        grid_cell(grid, "%s", score->name);
        grid_cell(grid, "%.4g", score->score.value / score->unit);
        print_deviation(grid, 0, score->score.deviation / score->unit);
        grid_cell(grid, "%s", score->remark);
    }
    grid_print(grid, stdout);
}

static void print_labels(const struct evaluation *evaluation) {
    struct grid *grid = grid_create("lrrr");
    static const char *const head[] = {"label", "rows", "error", ""};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        grid_cell(grid, "%s", head[i]);
    for (size_t c = 0; c < evaluation->assessment.classes; c++) {
        struct score error = assessment_label(&evaluation->assessment, c);
        grid_cell(grid, "%s", evaluation_class(evaluation, c));
        grid_cell(grid, "%.0f", evaluation->assessment.has_label[c]);
        grid_cell(grid, "%.1f %%", 100.0 * error.value);
        print_deviation(grid, 1, 100.0 * error.deviation);
    }
    grid_print(grid, stdout);
}

static void print_confusion(const struct evaluation *evaluation) {
    size_t classes = evaluation->assessment.classes;
    struct grid *grid = grid_create_wide("l", classes + 2, "");
    grid_cell(grid, "true \\ predicted");
    for (size_t c = 0; c < classes; c++)
        grid_cell(grid, "%s", evaluation_class(evaluation, c));
    grid_cell(grid, "right");
    grid_cell(grid, "%s", "");
    for (size_t c = 0; c < classes; c++) {
        const double *row = evaluation->assessment.confusion + c * classes;
        grid_cell(grid, "%s", evaluation_class(evaluation, c));
        for (size_t k = 0; k < classes; k++)
            grid_cell(grid, evaluation->weights.name ? "%.4g" : "%.0f", row[k]);
        struct score right = assessment_confused(&evaluation->assessment, c, c);
        if (!isnan(right.value))
            grid_cell(grid, "%.1f %%", 100.0 * right.value);
        else
            grid_cell(grid, "-");
        print_deviation(grid, 1, 100.0 * right.deviation);
    }
    grid_print(grid, stdout);
}

/* The first score, in per cent or in units of the target. */
static void print_miss(struct grid *grid, const struct named_score *score) {
    if (score->unit < 1.0) {
        grid_cell(grid, "%.1f %%", score->score.value / score->unit);
        print_deviation(grid, 1, score->score.deviation / score->unit);
    } else {
        grid_cell(grid, "%.4g", score->score.value);
        print_deviation(grid, 0, score->score.deviation);
    }
}

static void print_groups(const struct evaluation *evaluation) {
    struct grid *grid = grid_create("lrrrrr");
    const char *const head[] = {
        "noise level", "rows", evaluation->assessment.scores.score[0].name, "", "NLL", ""};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        grid_cell(grid, "%s", head[i]);
    for (size_t g = 0; g < evaluation->assessment.groups; g++) {
        const struct noise_group *group = &evaluation->assessment.group[g];
        struct scores scores = tally_scores(&group->tally, evaluation->assessment.predicts);
        struct score nll = scores.score[1].score;
        if (group->least < group->most)
            grid_cell(grid, "%.3g to %.3g", group->least, group->most);
        else
            grid_cell(grid, "%.3g", group->least);
        grid_cell(grid, "%zu", scores.rows);
        print_miss(grid, &scores.score[0]);
        grid_cell(grid, "%.3f", nll.value);
        print_deviation(grid, 3, nll.deviation);
    }
    grid_print(grid, stdout);
    puts("  (noise level: mean over features of error / standard deviation of the feature in this "
         "table)");
}

static void print_text(const struct evaluation *evaluation) {
    const struct assessment *assessment = &evaluation->assessment;
    const char *weights = evaluation->weights.name;
    printf("%s on %s: %zu row%s%s%s\n\n", evaluation->rival, table_path(evaluation->input.table),
           assessment->scores.rows, plural_s(assessment->scores.rows),
           weights ? ", weighted by " : "", weights ? weights : "");
    print_scores(evaluation);
    if (predicts_one_class(assessment->predicts))
        printf("  %s the shares of the classes: error %.4g %%, NLL %.4g\n",
               assessment_no_better(assessment) ? "no better than" : "for comparison,",
               100.0 * assessment->shares_error, assessment->shares_nll);
    if (assessment->classes)
        puts("");
    if (predicts_one_class(assessment->predicts))
        print_confusion(evaluation);
    else if (assessment->classes)
        print_labels(evaluation);
    if (assessment->groups > 1) {
        puts("");
        print_groups(evaluation);
    }
}

/* ---------------------------------------------------------------- JSON ------------------------ */

static void print_json(const struct evaluation *evaluation) {
    const struct target *target = &evaluation->input.target;
    const struct assessment *assessment = &evaluation->assessment;
    struct json_writer json = json_start(stdout);
    json_object(&json, NULL);
    json_text(&json, "model", evaluation->rival);
    json_text(&json, "table", table_path(evaluation->input.table));
    if (evaluation->weights.name)
        json_text(&json, "weights", evaluation->weights.name);
    json_text(&json, "task", target->task->name);
    if (task_has_classes(target->task)) {
        json_array(&json, "classes");
        for (size_t c = 0; c < assessment->classes; c++)
            json_text(&json, NULL, evaluation_class(evaluation, c));
        json_close(&json);
    }
    json_object(&json, "left_out");
    json_whole(&json, "no_label", target->unlabelled);
    json_whole(&json, "other_classes", target->other_class);
    json_close(&json);
    assessment_write(assessment, (const char *const *)target->classes.name.item, &json);
    json_close(&json);
}

bool evaluation_print(const struct evaluation *evaluation, bool as_json) {
    (as_json ? print_json : print_text)(evaluation);
    return !grid_missing_from_output();
}
