/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp inspect: prints the content of a model file. */
#include "cli/command/inspection.h"
#include "cli/command/plan_table.h"
#include "cli/model/files.h"
#include "cli/model/fit_request.h"
#include "cli/rows/columns.h"
#include "cli/terminal/command.h"
#include "cli/terminal/grid.h"
#include "score/panel_told.h"
#include "score/prediction_names.h"
#include "text/ascii.h"
#include "text/json_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {.name = "json", .help = "Print one JSON object instead of text."}, {0}};

/* ---------------------------------------------------------------- text ------------------------ */

static void print_line(struct grid *grid, const char *name, const char *text) {
    if (!text)
        return;
    grid_cell(grid, "%s", name);
    grid_cell(grid, "%s", text);
}

/* "a, b, c" as far as there is room, of numbers. */
static void list_numbers(char *text, size_t size, size_t count, const double *values) {
    for (size_t k = 0, used = strlen(text); k < count && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%.3g", k ? ", " : "", values[k]);
}

/* Single numbers, and short rows of them; a map has a table. */
static void print_quantities(const struct inspection *inspection, struct grid *grid) {
    for (int which = FIRST_QUANTITY; which < MAP; which++) {
        char text[256] = "";
        if (!inspection->learned[which])
            continue;
        list_numbers(text, sizeof text, inspection->count[which], inspection->learned[which]);
        print_line(grid, learned_name[which].name, text);
    }
}

/* What is assumed of true inputs, which missing cells are seen, how sharp probabilities are. */
static void print_surroundings(const struct inspection *inspection, struct grid *grid) {
    size_t components = inspection->count[SHARES], flags = inspection->count[MISSING_COLUMNS];
    const double *missing = inspection->learned[MISSING_COLUMNS];
    double temperature = *inspection->learned[TEMPERATURE];
    char text[256];
    snprintf(text, sizeof text, "%s", inspection_population(inspection));
    if (components > 1) {
        snprintf(text, sizeof text, "%smixture of %zu, shares ",
                 inspection_is_wide(inspection) ? "wide " : "", components);
        list_numbers(text, sizeof text, components, inspection->learned[SHARES]);
    }
    print_line(grid, "population", text);
    text[0] = '\0';
    for (size_t k = 0, used = 0; k < flags && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s (relevance %.3f)",
                                 k ? ", " : "",
                                 nim_model_attribute_name(inspection->model, (size_t)missing[k]),
                                 inspection->learned[MISSING_RELEVANCE][k]);
    print_line(grid, "gaps seen in", flags ? text : NULL);
    snprintf(text, sizeof text, "%.4g%s", temperature,
             temperature == 1.0   ? ", not calibrated"
             : isinf(temperature) ? "inite: the shares of the classes are predicted for every row"
                                  : "");
    print_line(grid, "temperature", inspection_has_temperature(inspection) ? text : NULL);
}

static void print_origin(const struct inspection *inspection) {
    const nim_model *model = inspection->model;
    const char *table = nim_model_note(model, NOTE_TABLE),
               *held = nim_model_note(model, NOTE_HELD_OUT);
    struct grid *grid = grid_create("ll");
    char text[256];
    print_line(grid, "table", table);
    print_line(grid, inspection->task->role, nim_model_note(model, NOTE_LABEL));
    print_line(grid, "exposure", fit_request_noted(model, REQUEST_EXPOSURE));
    snprintf(text, sizeof text, "%zu%s%s%s", nim_model_rows(model), held ? ", and " : "",
             held ? held : "", held ? " held out" : "");
    print_line(grid, "rows", text);
    snprintf(text, sizeof text, "%zu epoch%s%s", nim_model_epochs(model),
             plural_s(nim_model_epochs(model)),
             nim_model_under_way(model)     ? ", not finished: nimgp fit --resume continues it"
             : nim_model_epochs(model) == 0 ? ", not trained yet"
                                            : "");
    print_line(grid, "training", text);
    snprintf(text, sizeof text, "%.6g", nim_model_bound(model));
    print_line(grid, "bound", isnan(nim_model_bound(model)) ? NULL : text);
    print_line(grid, "held out", nim_model_note(model, NOTE_VALIDATION));
    snprintf(text, sizeof text, "%zu%s", nim_model_inducing(model),
             inspection_function_each(inspection) ? " a class"
             : inspection->functions > 1          ? " a latent function"
                                                  : "");
    print_line(grid, "inducing inputs", text);
    inspection_option(inspection, "likelihood", text);
    print_line(grid, "likelihood", text);
    print_quantities(inspection, grid);
    print_surroundings(inspection, grid);
    grid_print(grid, stdout);
}

static void print_head(struct grid *grid, size_t count, const char *const *head) {
    for (size_t i = 0; i < count; i++)
        grid_cell(grid, "%s", head[i]);
}

static const char *rows_of_class(const struct inspection *inspection, size_t c) {
    return c < inspection->rows.count ? inspection->rows.item[c] : "";
}

/* Columns `first`, and those of a kernel: a variance for each term, and white noise. */
static struct grid *create_kernel_grid(const struct inspection *inspection, const char *first,
                                       bool kernel) {
    char alignment[16];
    snprintf(alignment, sizeof alignment, "%s%.*s", first,
             kernel ? (int)inspection->terms.count + 1 : 0, "rrrrrrrr");
    return grid_create(alignment);
}

/* What tells a sum's terms apart; nothing where there is one. */
static const char *term_name(const struct inspection *inspection, size_t t) {
    return inspection->terms.count > 1 ? inspection->terms.item[t] : "";
}

static void print_kernel_head(const struct inspection *inspection, struct grid *grid) {
    for (size_t t = 0; t < inspection->terms.count; t++)
        grid_cell(grid, "variance%s%s", inspection->terms.count > 1 ? " " : "",
                  term_name(inspection, t));
    grid_cell(grid, "white noise");
}

static void print_kernel(const struct inspection *inspection, struct grid *grid, size_t f) {
    size_t terms = inspection->terms.count;
    for (size_t t = 0; t < terms; t++)
        grid_cell(grid, "%.4g", inspection->learned[VARIANCES][f * terms + t]);
    grid_cell(grid, "%.2g", inspection->learned[WHITE_NOISE][f]);
}

/* A class's rows, and its own latent function's kernel where it has one. */
static void print_classes(const struct inspection *inspection) {
    bool each = inspection_function_each(inspection);
    const char *const head[] = {inspection->task->one, "rows"};
    struct grid *grid = create_kernel_grid(inspection, "lr", each);
    print_head(grid, 2, head);
    if (each)
        print_kernel_head(inspection, grid);
    for (size_t c = 0; c < inspection->classes; c++) {
        grid_cell(grid, "%s", nim_model_class_name(inspection->model, c));
        grid_cell(grid, "%s", rows_of_class(inspection, c));
        if (each)
            print_kernel(inspection, grid, c);
    }
    puts("");
    grid_print(grid, stdout);
}

static void print_functions(const struct inspection *inspection) {
    struct grid *grid = create_kernel_grid(inspection, "l", true);
    char name[FUNCTION_NAME];
    grid_cell(grid, "latent function");
    print_kernel_head(inspection, grid);
    for (size_t f = 0; f < inspection->functions; f++) {
        grid_cell(grid, "%s", function_name(inspection->model, f, name));
        print_kernel(inspection, grid, f);
    }
    puts("");
    grid_print(grid, stdout);
}

/* Which functions speak for which labels. */
static void print_map(const struct inspection *inspection) {
    const double *map = inspection->learned[MAP];
    size_t functions = inspection->functions;
    char name[FUNCTION_NAME];
    if (!map)
        return;
    struct grid *grid = grid_create_wide("l", functions, "");
    grid_cell(grid, "map");
    for (size_t f = 0; f < functions; f++)
        grid_cell(grid, "%s", function_name(inspection->model, f, name));
    for (size_t c = 0; c < inspection->classes; c++) {
        grid_cell(grid, "%s", nim_model_class_name(inspection->model, c));
        for (size_t f = 0; f < functions; f++)
            grid_cell(grid, "%.3g", map[c * functions + f]);
    }
    puts("");
    grid_print(grid, stdout);
}

/* What the fits of a panel see, and their weights. */
static void print_panel(const nim_model *model) {
    const struct panel_told told = panel_told_of(model);
    char sees[PANEL_SEES];
    if (!told.fits)
        return;
    struct grid *grid = grid_create("rrl");
    grid_cell(grid, "typical");
    grid_cell(grid, "larger");
    grid_cell(grid, "a fit of the panel sees");
    for (size_t k = 0; k < told.fits; k++) {
        nim_model_view(model, k, sees, sizeof sees);
        grid_cell(grid, "%.2f", told.weight[k]);
        grid_cell(grid, "%.2f", told.weight[told.fits + k]);
        grid_cell(grid, "%s", sees);
    }
    puts("");
    grid_print(grid, stdout);
    printf("  log p of held-out rows, compared with the first fit: %+.3f ± %.3f\n", told.gain[0],
           told.gain[1]);
}

/* Lengthscales and noise in the user's units; a logarithm has none. */
static void print_features(const struct inspection *inspection) {
    size_t functions = inspection->functions, terms = inspection->terms.count;
    size_t lengths = functions * terms;
    char text[FUNCTION_NAME];
    bool used = nim_model_can(inspection->model, NIM_USES_ERRORS);
    struct grid *grid = grid_create_wide("ll", lengths + 2, "l");
    grid_cell(grid, "feature");
    grid_cell(grid, "error");
    grid_cell(grid, "relevance");
    for (size_t row = 0; row < lengths; row++)
        grid_cell(grid, "length%s%s%s%s", functions > 1 ? " " : "",
                  functions > 1 ? function_name(inspection->model, row / terms, text) : "",
                  terms > 1 ? " " : "", term_name(inspection, row % terms));
    grid_cell(grid, "%s", nim_model_can(inspection->model, NIM_LEARNS_NOISE) ? "noise" : "");
    grid_cell(grid, "%s", inspection->units.count ? "unit" : "");
    for (size_t j = 0; j < inspection->attributes; j++) {
        j += grid_pass_over(grid, j, inspection->attributes);
        char columns[ERRORS_TEXT];
        const char *error = inspection_errors(inspection, j, columns),
                   *unit = inspection_unit(inspection, j);
        const char *name = nim_model_attribute_name(inspection->model, j);
        bool log = strncmp(name, "log(", 4) == 0;
        grid_cell(grid, "%s", name);
        grid_cell(grid, "%s%s", error ? error : "-", error && !used ? " (not used)" : "");
        grid_cell(grid, "%.3f", inspection->learned[RELEVANCE][j]);
        for (size_t row = 0; row < lengths; row++)
            grid_cell(grid, "%.3g",
                      inspection->learned[LENGTHSCALES][row * inspection->attributes + j]);
        if (nim_model_can(inspection->model, NIM_LEARNS_NOISE))
            grid_cell(grid, "%.3g", sqrt(inspection->learned[NOISE][j]));
        else
            grid_cell(grid, "%s", "");
        grid_cell(grid, "%s%s", unit && log ? "ln " : "", unit ? unit : "");
    }
    puts("");
    grid_print(grid, stdout);
}

static void print_text(const struct inspection *inspection) {
    char input[64], noise[64];
    inspection_option(inspection, "input", input);
    inspection_option(inspection, "noise", noise);
    char what[64];
    if (inspection->classes)
        snprintf(what, sizeof what, "%zu %s", inspection->classes,
                 inspection->classes == 1 ? inspection->task->one : inspection->task->many);
    else
        snprintf(what, sizeof what, "%s", inspection->task->many);
    printf("%s: %s from %zu feature%s; %s inputs, noise %s, %s kernel\n\n", inspection->path, what,
           inspection->attributes, inspection->attributes == 1 ? "" : "s", input, noise,
           inspection->kernel);
    print_origin(inspection);
    puts("");
    plan_table_print(inspection->model, false);
    if (inspection->classes)
        print_classes(inspection);
    if (!inspection_function_each(inspection))
        print_functions(inspection);
    print_map(inspection);
    print_panel(inspection->model);
    print_features(inspection);
}

/* ---------------------------------------------------------------- JSON ------------------------ */

static void write_options(const struct inspection *inspection, struct json_writer *json) {
    json_object(json, "options");
    for (size_t i = 0; i < nim_option_count(); i++) {
        const char *name = nim_option_describe(i)->name;
        char value[64];
        inspection_option(inspection, name, value);
        json_text(json, name, value);
    }
    json_close(json);
    json_object(json, "reasons");
    for (size_t i = 0; i < nim_option_count(); i++) {
        const char *name = nim_option_describe(i)->name;
        char reason[512];
        if (nim_model_reason(inspection->model, name, reason, sizeof reason))
            json_text(json, name, reason);
    }
    json_close(json);
}

/* Function by function, and term by term. */
static void write_term(const struct inspection *inspection, struct json_writer *json, size_t row) {
    size_t d = inspection->attributes;
    json_real(json, "variance", inspection->learned[VARIANCES][row]);
    json_vector(json, "lengthscales", inspection->learned[LENGTHSCALES] + row * d, d);
}

/* A sum has its terms in a list. */
static void write_kernel(const struct inspection *inspection, struct json_writer *json, size_t f) {
    json_real(json, "white_noise", inspection->learned[WHITE_NOISE][f]);
    size_t terms = inspection->terms.count;
    if (terms == 1) {
        write_term(inspection, json, f);
        return;
    }
    json_array(json, "terms");
    for (size_t t = 0; t < terms; t++) {
        json_object(json, NULL);
        json_text(json, "name", inspection->terms.item[t]);
        write_term(inspection, json, f * terms + t);
        json_close(json);
    }
    json_close(json);
}

/* A class with its own latent function also has its own kernel. */
static void write_classes(const struct inspection *inspection, struct json_writer *json) {
    json_array(json, "classes");
    for (size_t c = 0; c < inspection->classes; c++) {
        const char *rows = c < inspection->rows.count ? inspection->rows.item[c] : NULL;
        json_object(json, NULL);
        json_text(json, "name", nim_model_class_name(inspection->model, c));
        if (rows)
            json_whole(json, "rows", (size_t)strtoull(rows, NULL, 10));
        else
            json_null(json, "rows");
        if (inspection_function_each(inspection))
            write_kernel(inspection, json, c);
        json_close(json);
    }
    json_close(json);
}

static void write_functions(const struct inspection *inspection, struct json_writer *json) {
    char name[FUNCTION_NAME];
    json_array(json, "functions");
    for (size_t f = 0; f < inspection->functions; f++) {
        json_object(json, NULL);
        json_text(json, "name", function_name(inspection->model, f, name));
        write_kernel(inspection, json, f);
        json_close(json);
    }
    json_close(json);
}

/* Under the names of nim_model_get. */
static void write_quantities(const struct inspection *inspection, struct json_writer *json) {
    for (int which = FIRST_QUANTITY; which < LEARNED; which++) {
        const double *value = inspection->learned[which];
        const char *key = learned_name[which].key;
        if (value && which == MAP)
            json_matrix(json, key, value, inspection->classes, inspection->functions);
        else if (value && (which == THRESHOLDS || which == OFFSETS))
            json_vector(json, key, value, inspection->count[which]);
        else if (value)
            json_real(json, key, *value);
    }
}

static void write_features(const struct inspection *inspection, struct json_writer *json) {
    json_array(json, "features");
    for (size_t j = 0; j < inspection->attributes; j++) {
        char columns[ERRORS_TEXT];
        json_object(json, NULL);
        json_text(json, "name", nim_model_attribute_name(inspection->model, j));
        json_text(json, "error", inspection_errors(inspection, j, columns));
        json_text(json, "unit", inspection_unit(inspection, j));
        json_real(json, "relevance", inspection->learned[RELEVANCE][j]);
        if (nim_model_can(inspection->model, NIM_LEARNS_NOISE))
            json_real(json, "learned_noise", sqrt(inspection->learned[NOISE][j]));
        else
            json_null(json, "learned_noise");
        json_close(json);
    }
    json_close(json);
}

static void write_surroundings(const struct inspection *inspection, struct json_writer *json) {
    double *const *values = inspection->learned;
    size_t d = inspection->attributes;
    json_object(json, "population");
    json_text(json, "kind", inspection_population(inspection));
    json_array(json, "components");
    for (size_t k = 0; k < inspection->count[SHARES]; k++) {
        json_object(json, NULL);
        json_real(json, "share", values[SHARES][k]);
        json_vector(json, "mean", values[MEANS] + k * d, d);
        json_close(json);
    }
    json_close(json);
    json_close(json);
    json_array(json, "missing");
    for (size_t k = 0; k < inspection->count[MISSING_COLUMNS]; k++) {
        size_t j = (size_t)values[MISSING_COLUMNS][k];
        json_object(json, NULL);
        json_text(json, "feature", nim_model_attribute_name(inspection->model, j));
        json_real(json, "relevance", values[MISSING_RELEVANCE][k]);
        json_close(json);
    }
    json_close(json);
    if (inspection_has_temperature(inspection))
        isinf(*values[TEMPERATURE]) ? json_text(json, "temperature", "infinite")
                                    : json_real(json, "temperature", *values[TEMPERATURE]);
    else
        json_null(json, "temperature");
}

static void print_json(const struct inspection *inspection) {
    const nim_model *model = inspection->model;
    struct json_writer json = json_start(stdout);
    const char *held = nim_model_note(model, NOTE_HELD_OUT);
    json_object(&json, NULL);
    char likelihood[64];
    inspection_option(inspection, "likelihood", likelihood);
    json_text(&json, "model", inspection->path);
    json_text(&json, "task", inspection->task->name);
    json_text(&json, "target", nim_target_name(inspection->task->target));
    json_text(&json, "likelihood", likelihood);
    json_text(&json, "table", nim_model_note(model, NOTE_TABLE));
    json_text(&json, "label", nim_model_note(model, NOTE_LABEL));
    json_text(&json, "exposure", fit_request_noted(model, REQUEST_EXPOSURE));
    json_whole(&json, "rows", nim_model_rows(model));
    json_whole(&json, "held_out", held ? (size_t)strtoull(held, NULL, 10) : 0);
    json_text(&json, "validation", nim_model_note(model, NOTE_VALIDATION));
    json_whole(&json, "epochs", nim_model_epochs(model));
    json_bool(&json, "under_way", nim_model_under_way(model));
    json_real(&json, "bound", nim_model_bound(model));
    json_whole(&json, "inducing", nim_model_inducing(model));
    write_quantities(inspection, &json);
    write_surroundings(inspection, &json);
    write_classes(inspection, &json);
    write_functions(inspection, &json);
    write_features(inspection, &json);
    write_options(inspection, &json);
    panel_write(inspection->model, &json);
    json_close(&json);
}

/* ---------------------------------------------------------------- all of it ------------------- */

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct inspection inspection = {0};
    bool fine = inspection_open(&inspection, argument_operand(arguments, 0), complaint);
    if (fine && argument_given(arguments, "json"))
        print_json(&inspection);
    else if (fine)
        print_text(&inspection);
    inspection_free(&inspection);
    return fine;
}

const struct command command_inspect = {
    .name = "inspect",
    .summary = "Prints what a model has learned",
    .operands = "MODEL",
    .least_operands = 1,
    .most_operands = 1,
    .description =
        "Prints the settings of a model with the reasons for those that nimgp chose, the table it "
        "was trained on, and what it learned: the "
        "variance and the lengthscales of each kernel; the relevance of each feature; the noise of "
        "each feature (1 sigma), if it was learned; and what the likelihood learned, such as the "
        "noise of a number or the thresholds between levels. It also prints the population of true "
        "inputs, the features whose missing cells the model sees, and the temperature of the "
        "calibration: above 1 it softens the probabilities, below 1 it sharpens them. Lengthscales "
        "and noise are in the units of the table, those of log(A) in natural logarithms. A "
        "checkpoint can be inspected as well.",
    .examples = "nimgp inspect toy.nimgp\n"
                "# The relevance of the features\n"
                "nimgp inspect toy.nimgp --json | jq '.features[] | {name, relevance}'\n",
    .options = options,
    .run = run,
};
