/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/lesson.h"

#include "cli/model/files.h"
#include "cli/terminal/grid.h"
#include "text/nearest.h"
#include "text/ascii.h"
#include "text/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What stays the same while a table is read. */
struct reading {
    struct lesson *lesson;
    const struct arguments *arguments;
    const struct fit_request *request;
    const nim_model *model;
    struct rows rows;
};

static bool no_memory(struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "out of memory");
}

static const char *column_name(const struct lesson *lesson, size_t column) {
    return table_column(lesson->table, column)->name;
}

static bool same_but_case(const char *a, const char *b) {
    return strlen(a) == strlen(b) && ascii_starts(a, b);
}

/* ---------------------------------------------------------------- before reading -------------- */

static bool find_target(struct reading *reading, struct complaint *complaint) {
    struct lesson *lesson = reading->lesson;
    char *const *wish = reading->request->text;
    struct target_wishes wishes = {.label = wish[REQUEST_LABEL],
                                   .exposure = wish[REQUEST_EXPOSURE],
                                   .model = reading->model,
                                   .rows = reading->rows.waiting};
    lesson->target.classes.fold = wish[REQUEST_IGNORE_CASE] != NULL;
    return target_find(&lesson->target, lesson->table, &wishes, complaint) &&
           target_name_classes(&lesson->target, lesson->table, wish[REQUEST_CLASSES],
                               reading->model, complaint);
}

static bool find_columns(struct reading *reading, struct complaint *complaint) {
    struct lesson *lesson = reading->lesson;
    char *const *wish = reading->request->text;
    struct column_wishes wishes = {.features = wish[REQUEST_FEATURES],
                                   .errors = wish[REQUEST_ERRORS],
                                   .log = wish[REQUEST_LOG]};
    struct taken *taken = target_taken(&lesson->target, &wishes.taken_count);
    bool fine = taken != NULL;
    if (!fine)
        no_memory(complaint);
    wishes.taken = taken;
    if (fine && !reading->model)
        fine = columns_choose(&lesson->columns, lesson->table, reading->rows.waiting, &wishes,
                              complaint);
    else if (fine) {
        wishes.errors = argument_text(reading->arguments, "errors");
        fine = columns_match(&lesson->columns, lesson->table, reading->model, &wishes, complaint);
    }
    free(taken);
    return fine;
}

static bool open_table(struct reading *reading, const char *path, struct complaint *complaint) {
    struct lesson *lesson = reading->lesson;
    lesson->table = file_open_table(reading->arguments, path, complaint);
    return lesson->table &&
           table_next(lesson->table, ROWS_BLOCK, &reading->rows.waiting, complaint) &&
           find_target(reading, complaint) && find_columns(reading, complaint);
}

static bool read_rows(struct reading *reading, struct complaint *complaint) {
    struct lesson *lesson = reading->lesson;
    struct rows *rows = &reading->rows;
    struct name_list conditions = {0};
    const char *wish = reading->request->text[REQUEST_WHERE];
    rows->table = lesson->table;
    rows->columns = &lesson->columns;
    rows->target = &lesson->target;
    rows->lost_is_unknown = reading->model != NULL;
    bool fine = !wish || name_list_split(&conditions, wish, "--where", complaint);
    if (fine)
        rows->where =
            where_create_from(&conditions, lesson->table, lesson->target.classes.fold, complaint);
    fine = rows->where && training_set_read(&lesson->set, rows, complaint);
    name_list_free(&conditions);
    where_free(rows->where);
    lesson->missing = rows->missing; /* the lesson's from here on */
    rows->missing = NULL;
    return fine;
}

/* ---------------------------------------------------------------- after reading --------------- */

static bool count_classes(struct lesson *lesson, struct complaint *complaint) {
    size_t classes = lesson->target.classes.name.count;
    const struct target_values *targets = &lesson->set.targets;
    free(lesson->class_rows);
    lesson->class_rows = calloc(classes + 1, sizeof *lesson->class_rows);
    for (size_t i = 0; lesson->class_rows && i < lesson->set.rows; i++)
        if (targets->classed)
            lesson->class_rows[targets->class[i]]++;
        else
            for (size_t c = 0; c < classes; c++)
                lesson->class_rows[c] += targets->y[i * classes + c] > 0.0;
    return lesson->class_rows || no_memory(complaint);
}

static bool complain_of_absent(const struct reading *reading, const char *class,
                               struct complaint *complaint) {
    const struct lesson *lesson = reading->lesson;
    const struct name_list *others = &lesson->target.others.name;
    struct nearest nearest = {.word = class};
    for (size_t i = 0; i < others->count; i++)
        nearest_try(&nearest, others->item[i]);
    return complain(complaint, BAD_INPUT, "%s: column %s: no rows of %s '%s'%s%s%s",
                    table_path(lesson->table), column_name(lesson, lesson->target.column[0]),
                    lesson->target.task->one, class, nearest.found ? "; did you mean '" : "",
                    nearest.found ? nearest.found : "", nearest.found ? "'?" : "");
}

/* "all 7 rows have" or "the only row has" */
static void describe_all(size_t rows, char *text, size_t size) {
    if (rows == 1)
        snprintf(text, size, "the only row has");
    else
        snprintf(text, size, "all %zu rows have", rows);
}

/* The library would refuse as well, but after everything has been said. */
static bool wants_probit(const struct reading *reading) {
    return argument_given(reading->arguments, "likelihood") &&
           strcmp(argument_text(reading->arguments, "likelihood"), "probit") == 0;
}

/* Classes and levels: two at least, and rows of each. */
static bool check_classes(const struct reading *reading, struct complaint *complaint) {
    const struct lesson *lesson = reading->lesson;
    const struct task *task = lesson->target.task;
    const struct name_list *name = &lesson->target.classes.name;
    const char *path = table_path(lesson->table),
               *label = column_name(lesson, lesson->target.column[0]);
    enum column_kind kind = table_column(lesson->table, lesson->target.column[0])->kind;
    char all[64];
    describe_all(lesson->set.rows, all, sizeof all);
    if (name->count == 1)
        return complain(complaint, BAD_INPUT,
                        "%s: column %s: %s the label '%s'; expected two %s or more", path, label,
                        all, name->item[0], task->many);
    if (name->count > 2 && wants_probit(reading))
        return complain(complaint, BAD_INPUT,
                        "%s: column %s: %zu classes; --likelihood probit expects 2 classes, "
                        "softmax takes any number",
                        path, label, name->count);
    if (name->count > 2 && 2 * name->count > lesson->set.rows)
        return complain(complaint, BAD_INPUT,
                        "%s: column %s: %zu different labels in %zu rows; expected %s of several "
                        "rows each (--label chooses another column%s)",
                        path, label, name->count, lesson->set.rows, task->many,
                        kind == COLUMN_NUMBER ? ", --task regress learns numbers" : "");
    for (size_t c = 0; c < name->count; c++)
        if (!lesson->class_rows[c])
            return complain_of_absent(reading, name->item[c], complaint);
    return true;
}

/* A target that is the same everywhere has nothing to teach. */
static bool check_numbers(const struct lesson *lesson, struct complaint *complaint) {
    const double *y = lesson->set.targets.y;
    char all[64];
    size_t i = 0;
    describe_all(lesson->set.rows, all, sizeof all);
    while (i < lesson->set.rows && y[i] == y[0])
        i++;
    return i < lesson->set.rows || lesson->target.task->predicts == PREDICTS_COUNT ||
           complain(
               complaint, BAD_INPUT, "%s: column %s: %s the value %g; expected numbers that differ",
               table_path(lesson->table), column_name(lesson, lesson->target.column[0]), all, y[0]);
}

static bool check_target(const struct reading *reading, struct complaint *complaint) {
    const struct lesson *lesson = reading->lesson;
    char where[320];
    target_describe(&lesson->target, lesson->table, where, sizeof where);
    if (!lesson->set.rows)
        return complain(complaint, BAD_INPUT,
                        "%s: no rows to learn from; expected rows with a %s in %s",
                        table_path(lesson->table), lesson->target.task->role, where);
    if (task_has_one_class(lesson->target.task))
        return check_classes(reading, complaint);
    return task_has_classes(lesson->target.task) || check_numbers(lesson, complaint);
}

static bool complain_of_empty(const struct lesson *lesson, size_t j, struct complaint *complaint) {
    return complain(complaint, BAD_INPUT,
                    "%s: column %s: every value is missing or has no logarithm; expected "
                    "numbers",
                    table_path(lesson->table),
                    column_name(lesson, lesson->columns.feature[j].value));
}

/* Columns nobody asked for that turned out to be empty are left out. */
static bool drop_empty(struct reading *reading, struct complaint *complaint) {
    struct lesson *lesson = reading->lesson;
    struct columns *columns = &lesson->columns;
    size_t kept = 0;
    bool *wanted = calloc(columns->count, sizeof *wanted);
    if (!wanted)
        return no_memory(complaint);
    for (size_t j = 0; j < columns->count; j++)
        kept += wanted[j] = lesson->missing[j] < lesson->set.rows;
    size_t empty = 0;
    while (empty < columns->count && wanted[empty])
        empty++;
    bool chosen = reading->model || reading->request->text[REQUEST_FEATURES];
    bool fine =
        empty == columns->count || (kept && !chosen) || complain_of_empty(lesson, empty, complaint);
    if (fine && kept < columns->count) {
        training_set_keep(&lesson->set, wanted);
        kept = 0;
        for (size_t j = 0; j < columns->count; j++) {
            if (wanted[j]) {
                lesson->missing[kept] = lesson->missing[j];
                reading->rows.nonpositive[kept] = reading->rows.nonpositive[j];
                columns->feature[kept++] = columns->feature[j];
                continue;
            }
            const char *name = columns->feature[j].name;
            fine = fine && name_list_add(&columns->empty, name, strlen(name), complaint);
            feature_free(&columns->feature[j]);
        }
        columns->count = kept;
    }
    free(wanted);
    return fine;
}

/* Whether a logarithm suggests itself. A name such as log_x, log(x), ln_x or logX says that it has
 * been taken. */
static bool wants_log(const struct lesson *lesson, size_t j) {
    static const char *const words[] = {"log", "ln"};
    const struct feature *feature = &lesson->columns.feature[j];
    const char *name = column_name(lesson, feature->value);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ascii_starts(name, words[i]) && !ascii_is_lower(name[strlen(words[i])]))
            return false;
    return !feature->logarithm && training_set_skewed(&lesson->set, j);
}

/* --log auto */
static bool take_logs(struct reading *reading, struct complaint *complaint) {
    struct lesson *lesson = reading->lesson;
    const char *wish = reading->request->text[REQUEST_LOG];
    if (reading->model || !wish || strcmp(wish, "auto") != 0)
        return true;
    for (size_t j = 0; j < lesson->columns.count; j++) {
        struct feature *feature = &lesson->columns.feature[j];
        if (!wants_log(lesson, j))
            continue;
        if (!feature_take_log(feature, complaint))
            return false;
        training_set_take_log(&lesson->set, j);
    }
    return true;
}

/* ---------------------------------------------------------------- what was understood --------- */

static void say_range_of_exposure(const struct reading *reading) {
    const struct lesson *lesson = reading->lesson;
    const double *exposure = lesson->set.targets.exposure;
    double least = exposure[0], most = least;
    for (size_t i = 0; i < lesson->set.rows; i++) {
        least = fmin(least, exposure[i]);
        most = fmax(most, exposure[i]);
    }
    say(reading->arguments, "exposure is column '%s', from %.4g to %.4g",
        column_name(lesson, (size_t)lesson->target.exposure), least, most);
}

/* The exposure, or a column of that name nobody has called so. */
static void say_exposure(const struct reading *reading) {
    const struct lesson *lesson = reading->lesson;
    if (lesson->target.task->predicts != PREDICTS_COUNT)
        return;
    if (lesson->target.exposure != NO_COLUMN) {
        say_range_of_exposure(reading);
        return;
    }
    for (size_t j = 0; j < lesson->columns.count; j++) {
        const char *name = column_name(lesson, lesson->columns.feature[j].value);
        if (same_but_case(name, "exposure"))
            say(reading->arguments,
                "column '%s' is a feature like any other; --exposure %s makes it the exposure",
                name, name);
    }
}

/* All talk comes after the reading: who gave an unusable table gets to read one line. */
static void say_target(const struct reading *reading) {
    const struct lesson *lesson = reading->lesson;
    const struct target *target = &lesson->target;
    const struct name_list *unused = &lesson->columns.unused;
    char names[256];
    if (target->chosen)
        say(reading->arguments, "the %s is column '%s'%s; --label chooses another",
            target->task->role, column_name(lesson, target->column[0]),
            table_find(lesson->table, target->task->column) == NO_COLUMN ? ", the last one" : "");
    if (table_beside(lesson->table))
        say(reading->arguments, "the labels are those of %s", table_beside(lesson->table));
    name_list_show(unused, 4, names, sizeof names);
    if (unused->count)
        say(reading->arguments,
            "errors of the target are not used, its noise is learned: %s is left out", names);
}

/* Whether the model to be looks at errors. */
static bool uses_errors(const struct reading *reading) {
    if (reading->model)
        return errors_count(nim_model_options(reading->model));
    return strcmp(argument_text(reading->arguments, "noise"), "learned") != 0 &&
           strcmp(argument_text(reading->arguments, "input"), "exact") != 0;
}

static void show_feature(const struct reading *reading, size_t j, struct grid *grid) {
    const struct lesson *lesson = reading->lesson;
    const struct feature *feature = &lesson->columns.feature[j];
    const char *unit = table_column(lesson->table, feature->value)->unit;
    bool errors = feature->error != NO_COLUMN;
    grid_cell(grid, "%s", feature->name);
    grid_cell(grid, "%s%s", errors ? column_name(lesson, (size_t)feature->error) : "-",
              errors && !uses_errors(reading) ? " (not used)" : "");
    grid_cell(grid, "%zu", lesson->missing[j]);
    grid_cell(grid, "%s", unit ? unit : "");
}

static void say_columns(const struct reading *reading) {
    const struct lesson *lesson = reading->lesson;
    size_t count = lesson->columns.count;
    if (argument_given(reading->arguments, "quiet"))
        return;
    struct grid *grid = grid_create("llrl");
    static const char *const head[] = {"feature", "error", "missing", "unit"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        grid_cell(grid, "%s", head[i]);
    for (size_t j = 0; j < count; j++) {
        j += grid_pass_over(grid, j, count);
        show_feature(reading, j, grid);
    }
    grid_print(grid, stderr);
}

static void say_left_out(const struct reading *reading) {
    const struct lesson *lesson = reading->lesson;
    const struct rows *rows = &reading->rows;
    const struct arguments *arguments = reading->arguments;
    for (size_t i = 0; i < lesson->columns.left_out.count; i++)
        say(arguments, "column '%s' looks like a row's name and is no feature; --features decides",
            lesson->columns.left_out.item[i]);
    if (lesson->columns.orphans.count) {
        char names[256];
        name_list_show(&lesson->columns.orphans, 8, names, sizeof names);
        say(arguments, "errors of no feature, by their names, and left out: %s; --features decides",
            names);
    }
    for (size_t i = 0; i < lesson->columns.empty.count; i++)
        say(arguments, "column '%s' is empty and left out", lesson->columns.empty.item[i]);
    for (size_t j = 0; j < lesson->columns.count; j++) {
        const struct feature *feature = &lesson->columns.feature[j];
        if (feature->also != NO_COLUMN)
            say(arguments, "'%s' looks like the error of %s too and is not used; --errors decides",
                column_name(lesson, (size_t)feature->also), feature->name);
        if (feature->lost)
            say(arguments,
                "no column '%s', the errors of %s so far: their median stands in; --errors %s= "
                "says that the values are exact",
                feature->lost, feature->name, column_name(lesson, feature->value));
    }
    rows_say_nonpositive(rows, arguments);
    rows_say_left_out(rows, arguments);
}

/* The hint that there is such a thing as --log auto. */
static void say_skewed(const struct reading *reading) {
    const struct lesson *lesson = reading->lesson;
    char text[512] = "";
    size_t used = 0;
    if (reading->model || reading->request->text[REQUEST_LOG])
        return;
    for (size_t j = 0; j < lesson->columns.count && used < sizeof text; j++)
        if (wants_log(lesson, j)) {
            int more = snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                lesson->columns.feature[j].name);
            used += more > 0 ? (size_t)more : sizeof text;
        }
    if (used)
        say(reading->arguments, "positive and skewed: %s%s; --log auto would take the logarithm",
            text, used < sizeof text ? "" : "...");
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The upper one of two; NaN when out of memory. */
static double median_target(const struct training_set *set) {
    double *y = malloc(set->rows * sizeof *y), median = (double)NAN;
    if (!y)
        return median;
    memcpy(y, set->targets.y, set->rows * sizeof *y);
    qsort(y, set->rows, sizeof *y, by_size);
    median = y[set->rows / 2];
    free(y);
    return median;
}

/* Whether each row's true input is inferred from its own target too. */
static bool infers_inputs(const struct reading *reading) {
    char input[64] = "";
    if (reading->model)
        nim_options_get(nim_model_options(reading->model), "input", input, sizeof input, NULL);
    else
        snprintf(input, sizeof input, "%s", argument_text(reading->arguments, "input"));
    return strcmp(input, "latent") == 0 || strcmp(input, "amortised") == 0;
}

/* Large counts are far sharper than noisy inputs, and models that infer the inputs then fit poorly.
 */
static void say_large_counts(const struct reading *reading) {
    enum { LARGE_COUNT = 100 };
    const struct lesson *lesson = reading->lesson;
    if (lesson->target.task->predicts == PREDICTS_COUNT && lesson->set.sigma &&
        uses_errors(reading) && infers_inputs(reading) && median_target(&lesson->set) > LARGE_COUNT)
        say(reading->arguments, "counts are large and the features have errors: --input "
                                "first-order, or --task regress on the counts' logarithm, may "
                                "predict better");
}

/* "from -1.2 to 3, mean 0.4" */
static void describe_numbers(const struct lesson *lesson, char *text, size_t size) {
    double least = lesson->set.targets.y[0], most = least, mean = 0.0;
    for (size_t i = 0; i < lesson->set.rows; i++) {
        double y = lesson->set.targets.y[i];
        least = y < least ? y : least;
        most = y > most ? y : most;
        mean += (y - mean) / (double)(i + 1);
    }
    snprintf(text, size, "%s from %.4g to %.4g, mean %.4g",
             column_name(lesson, lesson->target.column[0]), least, most, mean);
}

static void say_rows(const struct reading *reading) {
    const struct lesson *lesson = reading->lesson;
    const struct name_list *name = &lesson->target.classes.name;
    char text[512] = "";
    size_t used = 0;
    if (!task_has_classes(lesson->target.task))
        describe_numbers(lesson, text, sizeof text);
    for (size_t c = 0; c < name->count && used < sizeof text; c++) {
        int more = snprintf(text + used, sizeof text - used, "%s%s: %zu", c ? ", " : "",
                            name->item[c], lesson->class_rows[c]);
        used += more > 0 ? (size_t)more : sizeof text;
    }
    say(reading->arguments, "%zu row%s; %s%s", lesson->set.rows, plural_s(lesson->set.rows), text,
        used < sizeof text ? "" : "...");
}

/* Pairs of classes that are probably one. */
static bool say_case(const struct reading *reading, struct complaint *complaint) {
    const struct name_list *name = &reading->lesson->target.classes.name;
    struct name_list pairs = {0};
    char text[256];
    bool fine = true;
    for (size_t a = 0; fine && a < name->count; a++)
        for (size_t b = a + 1; fine && b < name->count; b++)
            if (same_but_case(name->item[a], name->item[b])) {
                snprintf(text, sizeof text, "%.100s/%.100s", name->item[a], name->item[b]);
                fine = name_list_add(&pairs, text, strlen(text), complaint);
            }
    name_list_show(&pairs, 4, text, sizeof text);
    if (fine && pairs.count)
        say(reading->arguments, "%s differ only in case (%s): --ignore-case merges them",
            reading->lesson->target.task->many, text);
    name_list_free(&pairs);
    return fine;
}

enum { FEW_ROWS = 5 };

static bool say_small(const struct reading *reading, struct complaint *complaint) {
    const struct lesson *lesson = reading->lesson;
    struct name_list small = {0};
    char text[256];
    bool fine = true;
    for (size_t c = 0; fine && c < lesson->target.classes.name.count; c++) {
        const char *name = lesson->target.classes.name.item[c];
        if (lesson->class_rows[c] < FEW_ROWS)
            fine = name_list_add(&small, name, strlen(name), complaint);
    }
    name_list_show(&small, 8, text, sizeof text);
    if (fine && small.count)
        say(reading->arguments, "%s with fewer than %d rows: %s%s", lesson->target.task->many,
            FEW_ROWS, text, task_has_one_class(lesson->target.task) ? "; --classes selects" : "");
    name_list_free(&small);
    return fine;
}

/* What is odd about classes that nobody has fixed before. */
static bool say_odd_classes(const struct reading *reading, struct complaint *complaint) {
    bool one = task_has_one_class(reading->lesson->target.task);
    return reading->model ||
           ((!one || say_case(reading, complaint)) && say_small(reading, complaint));
}

static void say_noise(const struct reading *reading) {
    const struct arguments *arguments = reading->arguments;
    bool exact = strcmp(argument_text(arguments, "input"), "exact") == 0;
    if (reading->model)
        return;
    if (reading->lesson->set.sigma && !uses_errors(reading))
        say(arguments, "with --%s the error columns are not used",
            exact ? "input exact" : "noise learned");
    else if (!reading->lesson->set.sigma && !exact && !argument_given(arguments, "noise"))
        say(arguments, "no error columns: every value counts as exact. --errors names them, "
                       "--noise learned learns how noisy each feature is");
}

/* ---------------------------------------------------------------- all of it ------------------- */

bool lesson_read(struct lesson *lesson, const struct arguments *arguments, const struct task *task,
                 const struct fit_request *request, const nim_model *model, const char *path,
                 struct complaint *complaint) {
    struct reading reading = {
        .lesson = lesson, .arguments = arguments, .request = request, .model = model};
    lesson->target = (struct target){.task = task, .exposure = NO_COLUMN};
    bool fine = open_table(&reading, path, complaint) && read_rows(&reading, complaint) &&
                target_check_order(&lesson->target, lesson->table, complaint);
    if (fine && task_has_one_class(task) && !lesson->target.classes.closed)
        fine = classes_order(&lesson->target.classes, lesson->set.rows, lesson->set.targets.class,
                             complaint);
    fine = fine && count_classes(lesson, complaint) && check_target(&reading, complaint) &&
           drop_empty(&reading, complaint) && take_logs(&reading, complaint);
    if (fine) {
        say_target(&reading);
        say_exposure(&reading);
        say_columns(&reading);
        say_left_out(&reading);
        say_skewed(&reading);
        say_large_counts(&reading);
        say_rows(&reading);
        fine = say_odd_classes(&reading, complaint);
        say_noise(&reading);
    }
    rows_free(&reading.rows);
    return fine;
}

bool lesson_hold_out(struct lesson *lesson, const struct fit_request *request, uint64_t seed,
                     struct complaint *complaint) {
    const char *text = request->text[REQUEST_VALIDATION];
    double share = 0.0;
    if (!text || !number_parse(text, &share) || !(share > 0.0))
        return true;
    if (!training_set_hold_out(&lesson->set, lesson->target.classes.name.count, share, seed,
                               &lesson->held, complaint))
        return false;
    if (!lesson->held.rows)
        return complain(complaint, BAD_USAGE,
                        "fit: --validation %s of %zu row%s holds out none; give a larger share",
                        text, lesson->set.rows, plural_s(lesson->set.rows));
    return count_classes(lesson, complaint);
}

void lesson_free(struct lesson *lesson) {
    table_close(lesson->table);
    columns_free(&lesson->columns);
    target_free(&lesson->target);
    training_set_free(&lesson->set);
    training_set_free(&lesson->held);
    free(lesson->missing);
    free(lesson->class_rows);
}
