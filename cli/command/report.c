/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp report: a page about a model and a table. */
#include "cli/command/report_page.h"
#include "cli/rows/input_report.h"

#include <string.h>

static const struct option options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .help = "Where the page goes; - is standard output. Must be given, but with --json.",
     .complete = COMPLETE_FILE},
    {.name = "json", .help = "The numbers of the page as one JSON object instead."},
    {.name = "label",
     .value = "COLUMN",
     .help =
         "The column of true classes, levels, numbers or counts, or A,B,... of labels; as in "
         "training unless given. Without such a column the page is about the predictions alone."},
    MODEL_INPUT_OPTIONS,
    {0}};

static bool read_rows(struct report_page *page, struct rows *rows, struct complaint *complaint) {
    size_t count = 0;
    do {
        if (!rows_next(rows, complaint) ||
            (rows->count && !report_page_add(page, rows, NULL, complaint)))
            return false;
        count += rows->count;
    } while (rows->count);
    if (count)
        return true;
    return complain(complaint, BAD_INPUT, "%s: %s", table_path(rows->table),
                    rows_all_filtered(rows) ? "no row meets --where"
                                            : "no row to report on: all are of classes the model "
                                              "does not know");
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct loaded_model loaded = {0};
    struct table_input input = {0};
    struct report_page page = {0};
    bool json = argument_given(arguments, "json");
    const char *path = argument_text(arguments, "output");
    if (!path && !json)
        return complain(complaint, BAD_USAGE,
                        "report: where to? -o FILE names the page, such as report.html");
    bool fine = model_input_open(&loaded, &input, arguments, argument_operand(arguments, 0),
                                 argument_operand(arguments, 1), TARGETS_IF_THERE, complaint) &&
                report_page_open(&page, arguments, path ? path : "-", &loaded, &input, complaint) &&
                read_rows(&page, &input.rows, complaint);
    if (fine) {
        report_tally(&input, arguments);
        fine = report_page_write(&page, json ? "json" : "html", complaint);
    }
    if (fine && path && strcmp(path, "-") != 0)
        say(arguments, "the report is in %s", path);
    report_page_free(&page);
    table_input_close(&input);
    loaded_model_free(&loaded);
    return fine;
}

const struct command command_report = {
    .name = "report",
    .summary = "A page with pictures of a model and its predictions",
    .operands = "MODEL TABLE",
    .least_operands = 2,
    .most_operands = 2,
    .description =
        "Predicts the rows of TABLE and writes one HTML file that any browser shows, without a "
        "network: how good the predictions are where the truth is known, also by how noisy rows "
        "are; what the model learned; which rows are worth a label and which measurements are "
        "worth repeating. Rows without a target are predicted and may be suggested, but not "
        "rated.\n"
        "\n"
        "The file has sums and samples of the rows, never all of them, and stays small for tables "
        "of any size.",
    .examples = "# A page to look at\n"
                "nimgp report toy.nimgp test.csv -o report.html\n"
                "# Its numbers\n"
                "nimgp report toy.nimgp test.csv --json | jq .entropy\n",
    .options = options,
    .run = run,
};
