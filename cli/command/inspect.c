/* SPDX-License-Identifier: Apache-2.0 */
/* nimgp inspect: prints the content of a model file. */
#include "cli/terminal/command.h"
#include "cli/rows/columns.h"
#include "cli/model/files.h"
#include "cli/terminal/grid.h"
#include "text/json_writer.h"
#include "score/prediction_names.h"
#include "text/ascii.h"
#include "cli/model/fit_request.h"
#include "cli/model/task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {.name = "json", .help = "Print one JSON object instead of text."}, {0}};

/* What a likelihood may have learned, in the words of nim_model_get and for people. */
static const struct {
    const char *key, *name;
} quantity[] = {{"epsilon", "label noise"},  {"noise_deviation", "noise of the target"},
                {"scale", "width of noise"}, {"freedom", "degrees of freedom"},
                {"base_rate", "base rate"},  {"thresholds", "thresholds"},
                {"offsets", "offsets"},      {"map", "map"}};

enum { QUANTITIES = sizeof quantity / sizeof *quantity };

/* What was learned, with the shapes of nim_model_get. */
struct learned {
    double *lengthscales, *variances, *white_noise, *noise, *relevance;
    double *missing_columns, *missing_relevance, *shares, *means, *temperature;
    size_t flags, components;     /* of missing cells; of the population */
    double *quantity[QUANTITIES]; /* NULL where the likelihood has none */
    size_t count[QUANTITIES];
};

struct inspection {
    const char *path;
    nim_model *model;
    nim_options *defaults;
    const struct task *task;
    size_t classes, functions, attributes;
    char kernel[64];
    struct name_list terms; /* of the kernel */
    struct learned learned;
    struct name_list units, rows, errors; /* from the notes; empty where there are none */
};

/* ---------------------------------------------------------------- fetching -------------------- */

static bool fetch(const nim_model *model, const char *name, double **values,
                  struct complaint *complaint) {
    nim_error error;
    size_t count = 0;
    if (nim_model_get(model, name, NULL, 0, &count, &error) != NIM_OK)
        return complain_of(complaint, &error);
    *values = calloc(count + 1, sizeof **values);
    if (!*values)
        return complain_of_memory(complaint);
    return nim_model_get(model, name, *values, count, &count, &error) == NIM_OK ||
           complain_of(complaint, &error);
}

static void option_value(const struct inspection *inspection, const char *name, char value[64]) {
    value[0] = '\0';
    nim_options_get(nim_model_options(inspection->model), name, value, 64, NULL);
}

/* What this likelihood has learned, of all that any may have. */
static bool fetch_quantities(struct inspection *inspection, struct complaint *complaint) {
    struct learned *learned = &inspection->learned;
    for (size_t i = 0; i < QUANTITIES; i++)
        if (nim_model_get(inspection->model, quantity[i].key, NULL, 0, &learned->count[i], NULL) ==
                NIM_OK &&
            !fetch(inspection->model, quantity[i].key, &learned->quantity[i], complaint))
            return false;
    return true;
}

static bool fetch_list(const nim_model *model, const char *key, struct name_list *list,
                       struct complaint *complaint) {
    const char *note = nim_model_note(model, key);
    return !note || !*note || name_list_split(list, note, key, complaint);
}

static size_t count_of(const nim_model *model, const char *name) {
    size_t count = 0;
    nim_model_get(model, name, NULL, 0, &count, NULL);
    return count;
}

/* A kernel's name is those of its terms, with + between them. */
static bool fetch_terms(struct inspection *inspection, struct complaint *complaint) {
    char list[sizeof inspection->kernel];
    option_value(inspection, "kernel", inspection->kernel);
    snprintf(list, sizeof list, "%s", inspection->kernel);
    for (char *sign = list; (sign = strchr(sign, '+'));)
        *sign = ',';
    return name_list_split(&inspection->terms, list, "kernel", complaint);
}

static bool fetch_surroundings(struct inspection *inspection, struct complaint *complaint) {
    const nim_model *model = inspection->model;
    struct learned *learned = &inspection->learned;
    learned->flags = count_of(model, "missing_columns");
    learned->components = count_of(model, "population_shares");
    return fetch(model, "missing_columns", &learned->missing_columns, complaint) &&
           fetch(model, "missing_relevance", &learned->missing_relevance, complaint) &&
           fetch(model, "population_shares", &learned->shares, complaint) &&
           fetch(model, "population_means", &learned->means, complaint) &&
           fetch(model, "temperature", &learned->temperature, complaint);
}

static bool fetch_all(struct inspection *inspection, struct complaint *complaint) {
    const nim_model *model = inspection->model;
    struct learned *learned = &inspection->learned;
    inspection->task = task_of_model(model);
    inspection->classes = nim_model_classes(model);
    inspection->functions = nim_model_functions(model);
    inspection->attributes = nim_model_attributes(model);
    return fetch_terms(inspection, complaint) && fetch_quantities(inspection, complaint) &&
           fetch_surroundings(inspection, complaint) &&
           fetch(model, "lengthscales", &learned->lengthscales, complaint) &&
           fetch(model, "variances", &learned->variances, complaint) &&
           fetch(model, "white_noise", &learned->white_noise, complaint) &&
           fetch(model, "noise_variance", &learned->noise, complaint) &&
           fetch(model, "relevance", &learned->relevance, complaint) &&
           fetch_list(model, NOTE_UNITS, &inspection->units, complaint) &&
           fetch_list(model, NOTE_CLASS_ROWS, &inspection->rows, complaint) &&
           fetch_list(model, NOTE_ERRORS, &inspection->errors, complaint);
}

/* What a pair "name + more=columns" of the note of errors has behind the sign, or NULL. */
static const char *noted_errors(const struct inspection *inspection, const char *name,
                                const char *more) {
    size_t length = strlen(name), behind = strlen(more);
    for (size_t i = 0; i < inspection->errors.count; i++) {
        const char *pair = inspection->errors.item[i];
        if (strncmp(pair, name, length) == 0 && strncmp(pair + length, more, behind) == 0 &&
            pair[length + behind] == '=')
            return pair + length + behind + 1;
    }
    return NULL;
}

enum { ERRORS_TEXT = 512 };

/* The error columns an attribute was learned with, those of a difference with a comma between; NULL
 * where there are none. */
static const char *errors_text(const struct inspection *inspection, size_t j,
                               char text[ERRORS_TEXT]) {
    const char *name = nim_model_attribute_name(inspection->model, j);
    const char *own = noted_errors(inspection, name, "");
    const char *other = noted_errors(inspection, name, NOTE_TAKEN_AWAY);
    snprintf(text, ERRORS_TEXT, "%s%s%s", own ? own : "", own && other ? ", " : "",
             other ? other : "");
    return own || other ? text : NULL;
}

static const char *unit_of(const struct inspection *inspection, size_t j) {
    return j < inspection->units.count && *inspection->units.item[j] ? inspection->units.item[j]
                                                                     : NULL;
}

/* Whether each class has its own latent function. */
static bool function_each(const struct inspection *inspection) {
    return inspection->task->predicts == PREDICTS_CLASS &&
           inspection->functions == inspection->classes;
}

static bool learns_noise(const struct inspection *inspection) {
    char noise[64];
    option_value(inspection, "noise", noise);
    return strcmp(noise, "given") != 0;
}

/* Whether its probabilities may have been calibrated. */
static bool has_temperature(const struct inspection *inspection) {
    return inspection->classes && inspection->task->predicts != PREDICTS_LABELS;
}

static bool has_wide_population(const struct inspection *inspection) {
    char population[64];
    option_value(inspection, "population", population);
    return strcmp(population, "wide") == 0;
}

static const char *population_kind(const struct inspection *inspection) {
    size_t components = inspection->learned.components;
    return components == 0                   ? "flat"
           : has_wide_population(inspection) ? "wide"
           : components == 1                 ? "gaussian"
                                             : "mixture";
}

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
    const struct learned *learned = &inspection->learned;
    for (size_t i = 0; i < QUANTITIES; i++) {
        char text[256] = "";
        if (!learned->quantity[i] || strcmp(quantity[i].key, "map") == 0)
            continue;
        list_numbers(text, sizeof text, learned->count[i], learned->quantity[i]);
        print_line(grid, quantity[i].name, text);
    }
}

/* What is assumed of true inputs, which missing cells are seen, how sharp probabilities are. */
static void print_surroundings(const struct inspection *inspection, struct grid *grid) {
    const struct learned *learned = &inspection->learned;
    char text[256];
    snprintf(text, sizeof text, "%s", population_kind(inspection));
    if (learned->components > 1) {
        snprintf(text, sizeof text, "%smixture of %zu, shares ",
                 has_wide_population(inspection) ? "wide " : "", learned->components);
        list_numbers(text, sizeof text, learned->components, learned->shares);
    }
    print_line(grid, "population", text);
    text[0] = '\0';
    for (size_t k = 0, used = 0; k < learned->flags && used < sizeof text; k++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%s (relevance %.3f)", k ? ", " : "",
            nim_model_attribute_name(inspection->model, (size_t)learned->missing_columns[k]),
            learned->missing_relevance[k]);
    print_line(grid, "gaps seen in", learned->flags ? text : NULL);
    snprintf(text, sizeof text, "%.4g%s", *learned->temperature,
             *learned->temperature == 1.0 ? ", not calibrated" : "");
    print_line(grid, "temperature", has_temperature(inspection) ? text : NULL);
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
             function_each(inspection)   ? " a class"
             : inspection->functions > 1 ? " a latent function"
                                         : "");
    print_line(grid, "inducing inputs", text);
    option_value(inspection, "likelihood", text);
    print_line(grid, "likelihood", text);
    print_quantities(inspection, grid);
    print_surroundings(inspection, grid);
    grid_print(grid, stdout);
}

/* Those that are not at their defaults, in the program's spelling. */
static void print_options(const struct inspection *inspection) {
    bool any = false;
    for (size_t i = 0; i < nim_option_count(); i++) {
        const nim_option_info *info = nim_option_describe(i);
        char value[64], fallback[64] = "";
        option_value(inspection, info->name, value);
        nim_options_get(inspection->defaults, info->name, fallback, sizeof fallback, NULL);
        if (strcmp(value, fallback) == 0 || strcmp(info->name, "classes") == 0 ||
            strcmp(info->name, "likelihood") == 0)
            continue;
        printf("%s %s = %s", any ? "," : "\n  options:", info->name, value);
        any = true;
    }
    if (any)
        puts("");
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
        grid_cell(grid, "%.4g", inspection->learned.variances[f * terms + t]);
    grid_cell(grid, "%.2g", inspection->learned.white_noise[f]);
}

/* A class's rows, and its own latent function's kernel where it has one. */
static void print_classes(const struct inspection *inspection) {
    bool each = function_each(inspection);
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
    const double *map = NULL;
    for (size_t i = 0; i < QUANTITIES; i++)
        if (strcmp(quantity[i].key, "map") == 0)
            map = inspection->learned.quantity[i];
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

/* Lengthscales and noise in the user's units; a logarithm has none. */
static void print_features(const struct inspection *inspection) {
    size_t functions = inspection->functions, terms = inspection->terms.count;
    size_t lengths = functions * terms;
    char text[FUNCTION_NAME];
    bool used = errors_count(nim_model_options(inspection->model));
    struct grid *grid = grid_create_wide("ll", lengths + 2, "l");
    grid_cell(grid, "feature");
    grid_cell(grid, "error");
    grid_cell(grid, "relevance");
    for (size_t row = 0; row < lengths; row++)
        grid_cell(grid, "length%s%s%s%s", functions > 1 ? " " : "",
                  functions > 1 ? function_name(inspection->model, row / terms, text) : "",
                  terms > 1 ? " " : "", term_name(inspection, row % terms));
    grid_cell(grid, "%s", learns_noise(inspection) ? "noise" : "");
    grid_cell(grid, "%s", inspection->units.count ? "unit" : "");
    for (size_t j = 0; j < inspection->attributes; j++) {
        j += grid_pass_over(grid, j, inspection->attributes);
        char columns[ERRORS_TEXT];
        const char *error = errors_text(inspection, j, columns), *unit = unit_of(inspection, j);
        const char *name = nim_model_attribute_name(inspection->model, j);
        bool log = strncmp(name, "log(", 4) == 0;
        grid_cell(grid, "%s", name);
        grid_cell(grid, "%s%s", error ? error : "-", error && !used ? " (not used)" : "");
        grid_cell(grid, "%.3f", inspection->learned.relevance[j]);
        for (size_t row = 0; row < lengths; row++)
            grid_cell(grid, "%.3g",
                      inspection->learned.lengthscales[row * inspection->attributes + j]);
        if (learns_noise(inspection))
            grid_cell(grid, "%.3g", sqrt(inspection->learned.noise[j]));
        else
            grid_cell(grid, "%s", "");
        grid_cell(grid, "%s%s", unit && log ? "ln " : "", unit ? unit : "");
    }
    puts("");
    grid_print(grid, stdout);
}

static void print_text(const struct inspection *inspection) {
    char input[64], noise[64];
    option_value(inspection, "input", input);
    option_value(inspection, "noise", noise);
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
    print_options(inspection);
    if (inspection->classes)
        print_classes(inspection);
    if (!function_each(inspection))
        print_functions(inspection);
    print_map(inspection);
    print_features(inspection);
}

/* ---------------------------------------------------------------- JSON ------------------------ */

static void write_options(const struct inspection *inspection, struct json_writer *json) {
    json_object(json, "options");
    for (size_t i = 0; i < nim_option_count(); i++) {
        const char *name = nim_option_describe(i)->name;
        char value[64];
        option_value(inspection, name, value);
        json_text(json, name, value);
    }
    json_close(json);
}

/* Function by function, and term by term. */
static void write_term(const struct inspection *inspection, struct json_writer *json, size_t row) {
    const struct learned *learned = &inspection->learned;
    json_real(json, "variance", learned->variances[row]);
    json_vector(json, "lengthscales", learned->lengthscales + row * inspection->attributes,
                inspection->attributes);
}

/* A sum has its terms in a list. */
static void write_kernel(const struct inspection *inspection, struct json_writer *json, size_t f) {
    json_real(json, "white_noise", inspection->learned.white_noise[f]);
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
        if (function_each(inspection))
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
    const struct learned *learned = &inspection->learned;
    for (size_t i = 0; i < QUANTITIES; i++) {
        const double *value = learned->quantity[i];
        if (!value)
            continue;
        if (strcmp(quantity[i].key, "map") == 0)
            json_matrix(json, quantity[i].key, value, inspection->classes, inspection->functions);
        else if (strcmp(quantity[i].key, "thresholds") == 0 ||
                 strcmp(quantity[i].key, "offsets") == 0)
            json_vector(json, quantity[i].key, value, learned->count[i]);
        else
            json_real(json, quantity[i].key, *value);
    }
}

static void write_features(const struct inspection *inspection, struct json_writer *json) {
    json_array(json, "features");
    for (size_t j = 0; j < inspection->attributes; j++) {
        char columns[ERRORS_TEXT];
        json_object(json, NULL);
        json_text(json, "name", nim_model_attribute_name(inspection->model, j));
        json_text(json, "error", errors_text(inspection, j, columns));
        json_text(json, "unit", unit_of(inspection, j));
        json_real(json, "relevance", inspection->learned.relevance[j]);
        if (learns_noise(inspection))
            json_real(json, "learned_noise", sqrt(inspection->learned.noise[j]));
        else
            json_null(json, "learned_noise");
        json_close(json);
    }
    json_close(json);
}

static void write_surroundings(const struct inspection *inspection, struct json_writer *json) {
    const struct learned *learned = &inspection->learned;
    json_object(json, "population");
    json_text(json, "kind", population_kind(inspection));
    json_array(json, "components");
    for (size_t k = 0; k < learned->components; k++) {
        json_object(json, NULL);
        json_real(json, "share", learned->shares[k]);
        json_vector(json, "mean", learned->means + k * inspection->attributes,
                    inspection->attributes);
        json_close(json);
    }
    json_close(json);
    json_close(json);
    json_array(json, "missing");
    for (size_t k = 0; k < learned->flags; k++) {
        size_t j = (size_t)learned->missing_columns[k];
        json_object(json, NULL);
        json_text(json, "feature", nim_model_attribute_name(inspection->model, j));
        json_real(json, "relevance", learned->missing_relevance[k]);
        json_close(json);
    }
    json_close(json);
    if (has_temperature(inspection))
        json_real(json, "temperature", *learned->temperature);
    else
        json_null(json, "temperature");
}

static void print_json(const struct inspection *inspection) {
    const nim_model *model = inspection->model;
    struct json_writer json = json_start(stdout);
    const char *held = nim_model_note(model, NOTE_HELD_OUT);
    json_object(&json, NULL);
    char likelihood[64];
    option_value(inspection, "likelihood", likelihood);
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
    json_close(&json);
}

/* ---------------------------------------------------------------- all of it ------------------- */

static bool run(const struct arguments *arguments, struct complaint *complaint) {
    struct inspection inspection = {.path = argument_operand(arguments, 0)};
    inspection.model = file_load_model(inspection.path, complaint);
    inspection.defaults = nim_options_create();
    bool fine = inspection.model && fetch_all(&inspection, complaint) &&
                (inspection.defaults || complain_of_memory(complaint));
    if (fine && argument_given(arguments, "json"))
        print_json(&inspection);
    else if (fine)
        print_text(&inspection);
    struct learned *learned = &inspection.learned;
    free(learned->lengthscales);
    free(learned->variances);
    free(learned->white_noise);
    free(learned->noise);
    free(learned->relevance);
    free(learned->missing_columns);
    free(learned->missing_relevance);
    free(learned->shares);
    free(learned->means);
    free(learned->temperature);
    for (size_t i = 0; i < QUANTITIES; i++)
        free(learned->quantity[i]);
    name_list_free(&inspection.units);
    name_list_free(&inspection.terms);
    name_list_free(&inspection.rows);
    name_list_free(&inspection.errors);
    nim_options_free(inspection.defaults);
    nim_model_free(inspection.model);
    return fine;
}

const struct command command_inspect = {
    .name = "inspect",
    .summary = "Prints what a model has learned",
    .operands = "MODEL",
    .least_operands = 1,
    .most_operands = 1,
    .description =
        "Prints the settings of a model, the table it was trained on, and what it learned: the "
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
