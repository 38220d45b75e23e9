/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp report: writes a page about a model and a table. */
#include "cli/command/report_page.h"
#include "cli/rows/input_report.h"

#include <string.h>

static const struct option options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .help =
         "The file to write the page to; - is standard output. Required unless --json is given."},
    {.name = "json",
     .help = "Write the numbers of the page as one JSON object instead of the page."},
    {.name = "label",
     .value = "COLUMN",
     .help =
         "The column of true classes, levels, numbers or counts, or the columns A,B,... of labels; "
         "default as in training. Without such a column the page shows the predictions only."},
    {.name = "name",
     .value = "COLUMN",
     .help =
         "The column of rows' names; by default one that is named like an identifier, otherwise "
         "the first of text."},
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
                    rows_all_filtered(rows) ? "no row satisfies --where"
                                            : "there are no rows to report");
}

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct loaded_model loaded = {0};
    struct table_input input = {0};
    struct report_page page = {0};
    bool json = argument_given(arguments, "json");
    const char *path = argument_text(arguments, "output");
    if (!path && !json)
        return complain(complaint, BAD_USAGE,
                        "report: no output file is given; use -o FILE, such as -o report.html");
    bool fine = model_input_open(&loaded, &input, arguments, argument_operand(arguments, 0),
                                 argument_operand(arguments, 1), TARGETS_IF_THERE, complaint) &&
                report_page_open(&page, arguments, path ? path : "-", json ? "json" : "html",
                                 argument_text(arguments, "name"), &loaded, &input, complaint) &&
                read_rows(&page, &input.rows, complaint);
    if (fine) {
        report_tally(&input, arguments);
        fine = report_page_write(&page, complaint);
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
    .summary = "Writes an HTML page about a model and its predictions",
    .operands = "MODEL TABLE",
    .least_operands = 2,
    .most_operands = 2,
    .description =
        "Predicts the rows of TABLE and writes one HTML file, which opens in any browser without a "
        "network. It shows how good the predictions are, also by noise level; what the model "
        "learned; which rows are worth a label; and which measurements are worth repeating. Rows "
        "without a target are predicted but not scored.\n\n"
        "The file contains sums and samples of the rows, so it stays small for tables of any size.",
    .examples = "# The page\n"
                "nimgp report toy.nimgp test.csv -o report.html\n"
                "# Its numbers\n"
                "nimgp report toy.nimgp test.csv --json | jq .entropy\n",
    .options = options,
    .run = run,
};
