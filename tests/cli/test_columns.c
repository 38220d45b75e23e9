/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names, classes, the choice of columns, and what is held out. */
#define _POSIX_C_SOURCE 200809L
#include "cli/rows/classes.h"
#include "cli/rows/columns.h"
#include "cli/rows/judged_table.h"
#include "cli/rows/units.h"
#include "cli/training/training_set.h"
#include "support/scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---------------------------------------------------------------- lists ----------------------- */

static void assert_list(const char *text, size_t count, const char *const *items) {
    struct name_list list = {0}, again = {0};
    struct complaint complaint = {0};
    assert_true(name_list_split(&list, text, "--it", &complaint));
    assert_int_equal(list.count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(list.item[i], items[i]);
    /* Splitting what was joined gives the same list. */
    char *joined = name_list_join(&list);
    assert_non_null(joined);
    assert_true(name_list_split(&again, joined, "--it", &complaint));
    assert_int_equal(again.count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(again.item[i], items[i]);
    free(joined);
    name_list_free(&list);
    name_list_free(&again);
}

static void test_lists(void **state) {
    (void)state;
    assert_list("a", 1, (const char *const[]){"a"});
    assert_list(" a ,b b, c", 3, (const char *const[]){"a", "b b", "c"});
    assert_list("\"a,b\",c", 2, (const char *const[]){"a,b", "c"});
    assert_list("\"say \"\"x\"\"\" , log(y)", 2, (const char *const[]){"say \"x\"", "log(y)"});
    assert_list("\" \",\"\"", 2, (const char *const[]){" ", ""});
    static const char *const broken[] = {"", "a,,b", ",a", "a,", "\"a", "\"a\"b,c", "a, ,b"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct name_list list = {0};
        struct complaint complaint = {0};
        assert_false(name_list_split(&list, broken[i], "--it", &complaint));
        assert_int_equal(complaint.kind, BAD_USAGE);
        assert_non_null(strstr(complaint.text, "--it"));
        name_list_free(&list);
    }
}

/* ---------------------------------------------------------------- classes --------------------- */

static void test_class_order(void **state) {
    (void)state;
    static const struct {
        const char *label[5], *sorted[5];
        bool fold;
    } cases[] = {
        {{"10", "9", "-1", "2.5", "9"}, {"-1", "2.5", "9", "10"}, false},
        {{"10", "9", "x", "9", "9"}, {"10", "9", "x"}, false},
        {{"b", "B", "a", "ab", "b"}, {"B", "a", "ab", "b"}, false},
        {{"b", "B", "a", "AB", "ab"}, {"a", "ab", "b"}, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct classes classes = {.fold = cases[k].fold};
        struct complaint complaint;
        int32_t class[5];
        for (size_t i = 0; i < 5; i++)
            assert_true(classes_of(&classes, span_of(cases[k].label[i]), &class[i], &complaint));
        assert_true(classes_order(&classes, 5, class, &complaint));
        for (size_t c = 0; c < classes.name.count; c++)
            assert_string_equal(classes.name.item[c], cases[k].sorted[c]);
        assert_true(classes.name.count == 5 || !cases[k].sorted[classes.name.count]);
        /* Every label is still its own class, by number and by name. */
        for (size_t i = 0; i < 5; i++) {
            int32_t again;
            assert_true(classes_of(&classes, span_of(cases[k].label[i]), &again, &complaint));
            assert_int_equal(again, class[i]);
        }
        classes_free(&classes);
    }
}

static void test_closed_classes(void **state) {
    (void)state;
    struct classes classes = {.fold = true};
    struct name_list names = {0};
    struct complaint complaint;
    int32_t class;
    assert_true(name_list_split(&names, "psr,BLL,agn", "names", &complaint));
    assert_true(classes_fix(&classes, &names, &complaint));
    assert_true(classes_of(&classes, span_of("bll"), &class, &complaint));
    assert_int_equal(class, 1);
    assert_true(classes_of(&classes, span_of("bl"), &class, &complaint));
    assert_int_equal(class, NO_CLASS);
    assert_true(classes_of(&classes, span_of("blll"), &class, &complaint));
    assert_int_equal(class, NO_CLASS);
    assert_string_equal(classes.name.item[1], "BLL");
    struct classes twice = {.fold = true};
    assert_true(name_list_add(&names, "Psr", 3, &complaint));
    assert_false(classes_fix(&twice, &names, &complaint));
    classes_free(&twice);
    name_list_free(&names);
    classes_free(&classes);
}

/* ---------------------------------------------------------------- columns --------------------- */

static struct table *table_with(const char *head, const char *row, char path[SCRATCH_SIZE]) {
    struct complaint complaint;
    int file = mkstemp(scratch_name(path));
    assert_true(file >= 0);
    FILE *stream = fdopen(file, "w");
    fprintf(stream, "%s\n%s\n", head, row);
    fclose(stream);
    struct table *table = table_open(path, TABLE_CSV, &complaint);
    assert_non_null(table);
    return table;
}

/* Judges the first rows and chooses by them. */
static bool choose(struct columns *columns, struct table *table, const struct column_wishes *wishes,
                   struct complaint *complaint) {
    size_t rows;
    assert_true(table_next(table, 100, &rows, complaint));
    assert_true(column_names_read(&columns->names, table, complaint));
    nim_judge *judge = table_judge(table, TABLE_CSV, rows, &columns->names, complaint);
    assert_non_null(judge);
    bool fine = columns_choose(columns, table, judge, wishes, complaint);
    nim_judge_free(judge);
    return fine;
}

/* "feature:error feature:- ..." of a table whose last column is the label. */
static void assert_pairs(const char *head, const char *row, const struct column_wishes *wishes,
                         const char *expected) {
    char path[SCRATCH_SIZE], found[512] = "";
    struct table *table = table_with(head, row, path);
    struct columns columns = {0};
    struct complaint complaint = {.text = ""};
    struct column_wishes all = *wishes;
    struct taken label = {table_columns(table) - 1, "label", NIM_ASIDE_CLASSES};
    all.taken = &label;
    all.taken_count = 1;
    if (!choose(&columns, table, &all, &complaint))
        fail_msg("%s: %s", head, complaint.text);
    for (size_t j = 0; j < columns.count; j++) {
        const struct feature *feature = &columns.feature[j];
        size_t used = strlen(found);
        char *errors = feature_errors(feature, table);
        snprintf(found + used, sizeof found - used, "%s%s:%s", j ? " " : "", feature->name,
                 *errors ? errors : "-");
        free(errors);
    }
    assert_string_equal(found, expected);
    columns_free(&columns);
    table_close(table);
    unlink(path);
}

static void test_pairs(void **state) {
    (void)state;
    const struct column_wishes none = {0};
    assert_pairs("x,x_err,y,c", "1,1,1,a", &none, "x:x_err y:-");
    assert_pairs("E_X,x,c", "1,1,a", &none, "x:E_X");
    /* The first spelling in the rule is used, and the other is not a feature either. */
    assert_pairs("x,e_x,x_err,c", "1,1,1,a", &none, "x:x_err");
    /* A column d... is an error only if no other column is, and has no error of its own. */
    assert_pairs("x,dx,c", "1,1,a", &none, "x:dx");
    assert_pairs("x,dx,x_err,c", "1,1,1,a", &none, "x:x_err dx:-");
    assert_pairs("x,dx,dx_err,c", "1,1,1,a", &none, "x:- dx:dx_err");
    /* An error without its value is not a feature, unless it is requested or has errors itself. */
    assert_pairs("e_x,y_err,z,Unc_w_1_1,w_err_2,c", "1,1,1,1,1,a", &none, "z:-");
    assert_pairs("e_x,z,c", "1,1,a", &(struct column_wishes){.features = "e_x"}, "e_x:-");
    assert_pairs("sigma_v,sigma_v_err,c", "1,1,a", &none, "sigma_v:sigma_v_err");
    /* Names of rows and text are not features; text with errors is reported as a mistake. */
    assert_pairs("ID,name,x,c", "1,me,1,a", &none, "x:-");
    assert_pairs("x,x_err,c", "oops,1,a", &none, "x:x_err");
    /* Explicit wishes of the user. */
    assert_pairs("x,x_err,y,z,c", "1,1,1,1,a", &(struct column_wishes){.errors = "y=z"},
                 "x:x_err y:z");
    assert_pairs("x,x_err,y,c", "1,1,1,a", &(struct column_wishes){.errors = "none"}, "x:- y:-");
    assert_pairs("x,x_err,y,c", "1,1,1,a", &(struct column_wishes){.errors = "x="}, "x:- y:-");
    assert_pairs("x,x_err,y,c", "1,1,1,a", &(struct column_wishes){.features = "y,log( x )"},
                 "y:- log(x):x_err");
    assert_pairs("x,x_err,y,c", "1,1,1,a", &(struct column_wishes){.log = "x"}, "log(x):x_err y:-");
    assert_pairs("log(x),x,c", "1,1,a", &(struct column_wishes){.features = "log(x)"}, "log(x):-");
    assert_pairs("x,x_err,y,c", "1,1,1,a", &(struct column_wishes){.features = "x_err,x"},
                 "x_err:- x:-");
    assert_pairs("a=b,s,c", "1,1,a", &(struct column_wishes){.errors = "a=b=s"}, "a=b:s");
}

/* Patterns skip columns that are not features: labels, errors, text. */
static void test_patterns_and_formulas(void **state) {
    (void)state;
    const char *head = "Gmag,e_Gmag,W1mag,W1mag_err,flux,id,name,umag";
    const char *row = "1,1,1,1,1,1,a,b";
    static const struct {
        const char *features, *exclude, *errors, *expected;
    } cases[] = {
        {"*mag", NULL, NULL, "Gmag:e_Gmag W1mag:W1mag_err"},
        {"?MAG,flux", NULL, NULL, "Gmag:e_Gmag flux:-"},
        {"flux,*", NULL, NULL, "flux:- Gmag:e_Gmag W1mag:W1mag_err"},
        {"log(*mag),log10(flux)", NULL, NULL,
         "log(Gmag):e_Gmag log(W1mag):W1mag_err log10(flux):-"},
        {"Gmag - w1mag", NULL, NULL, "Gmag-W1mag:e_Gmag, W1mag_err"},
        {"Gmag-W1mag,W1mag", NULL, "W1mag=flux,gmag=", "Gmag-W1mag:flux W1mag:flux"},
        {NULL, "*err,flux", NULL, "Gmag:e_Gmag W1mag:-"},
        {"*mag", "W*", NULL, "Gmag:e_Gmag"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_pairs(head, row,
                     &(struct column_wishes){.features = cases[i].features,
                                             .exclude = cases[i].exclude,
                                             .errors = cases[i].errors},
                     cases[i].expected);
    /* A column with exactly that name is used before a pattern or formula. */
    assert_pairs("a,b,a-b,x*,c", "1,1,1,1,l", &(struct column_wishes){.features = "a-b,x*"},
                 "a-b:- x*:-");
    assert_pairs("a-1,b,c", "1,1,l", &(struct column_wishes){.features = "a-1-b"}, "a-1-b:-");
}

/* Differences and logarithms of readings. */
static void test_formula_numbers(void **state) {
    (void)state;
    struct reading a = {5.0, 3.0, 12.0, 0}, b = {2.0, 5.0, 4.0, 0};
    formula_subtract(&a, &b); /* low: a is lower, or b is higher */
    assert_true(a.value == 3.0 && a.lower == 5.0 && a.upper == 13.0 && a.limit == 0);
    formula_subtract(&a, &(struct reading){(double)NAN, (double)NAN, 1.0, 0});
    assert_true(isnan(a.value) && isnan(a.upper) && isfinite(a.lower));
    static const int8_t sides[][3] = {{0, -1, 1}, {0, 1, -1}, {-1, 0, -1}, {-1, 1, -1}, {1, -1, 1}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        a = (struct reading){5.0, 0.0, 0.0, sides[i][0]};
        formula_subtract(&a, &(struct reading){2.0, 0.0, 0.0, sides[i][1]});
        assert_true(a.value == 3.0 && a.limit == sides[i][2]);
    }
    a = (struct reading){5.0, 0.0, 0.0, -1};
    formula_subtract(&a, &(struct reading){2.0, 0.0, 0.0, -1});
    assert_true(isnan(a.value) && a.limit == 0);
    struct reading x = {100.0, 10.0, 10.0, 1};
    assert_false(formula_take_log(FORM_LOG10, &x));
    assert_true(x.value == 2.0 && fabs(x.lower + log10(0.9)) < 1e-15 && x.limit == 1);
    assert_true(fabs(x.upper - log10(1.1)) < 1e-15);
    x = (struct reading){2.0, 3e-7, 4e-7, 0}; /* far from zero: as usual */
    assert_false(formula_take_log(FORM_LOG, &x));
    assert_true(fabs(x.lower - 1.5e-7) < 1e-13 && fabs(x.upper - 2e-7) < 1e-13);
    x = (struct reading){2.0, (double)NAN, 0.0, 0};
    assert_false(formula_take_log(FORM_LOG, &x));
    assert_true(isnan(x.lower) && x.upper == 0.0);
    x = (struct reading){1e-320, 1.0, 1.0, 0};
    assert_false(formula_take_log(FORM_LOG, &x));
    assert_true(isfinite(x.value) && isfinite(x.lower) && isfinite(x.upper));
    x = (struct reading){0.0, 1.0, 1.0, -1};
    assert_true(formula_take_log(FORM_LOG, &x) && isnan(x.value) && x.limit == 0);
    x.value = (double)NAN;
    assert_false(formula_take_log(FORM_LOG, &x));
}

/* A numeric target and its errors are not features, and the target is not an error of another
 * column. */
static void test_taken(void **state) {
    (void)state;
    static const struct {
        const char *head, *features, *found, *unused;
        bool numbers;
    } cases[] = {{"x,x_err,y,y_err,z", NULL, "x z", "y_err", true},
                 {"x,x_err,y,dy,z", NULL, "x z", "dy", true},
                 {"x,x_err,y,dy,z", NULL, "x dy z", "", false},
                 {"x,x_err,y,y_err,e_y", NULL, "x", "y_err, e_y", true},
                 {"x,x_err,y,y_err,z", "z,y_err", "z y_err", "", true},
                 {"z,x,y,w,x_err", "z", "z", "", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[SCRATCH_SIZE], found[128] = "", unused[128];
        struct table *table = table_with(cases[i].head, "1,2,3,4,5", path);
        struct columns columns = {0};
        struct complaint complaint = {.text = ""};
        struct taken target = {2, "target",
                               cases[i].numbers ? NIM_ASIDE_NUMBERS : NIM_ASIDE_CLASSES};
        struct column_wishes wishes = {
            .features = cases[i].features, .taken = &target, .taken_count = 1};
        assert_true(choose(&columns, table, &wishes, &complaint));
        for (size_t j = 0; j < columns.count; j++) {
            size_t used = strlen(found);
            snprintf(found + used, sizeof found - used, "%s%s", j ? " " : "",
                     columns.feature[j].name);
        }
        name_list_show(&columns.without[NIM_UNUSED_ERRORS], 9, unused, sizeof unused);
        assert_string_equal(found, cases[i].found);
        assert_string_equal(unused, cases[i].unused);
        columns_free(&columns);
        table_close(table);
        unlink(path);
    }
    char path[SCRATCH_SIZE];
    struct table *table = table_with("x,dx,z", "1,2,3", path);
    struct taken target = {1, "target", NIM_ASIDE_NUMBERS};
    struct column_wishes wishes = {.taken = &target, .taken_count = 1};
    struct columns columns = {0};
    struct complaint complaint = {.text = ""};
    assert_true(choose(&columns, table, &wishes, &complaint));
    assert_int_equal(columns.count, 2);
    assert_int_equal(columns.feature[0].value.errors.lower, NO_COLUMN);
    columns_free(&columns);
    table_close(table);
    unlink(path);
}

static void test_label(void **state) {
    (void)state;
    static const struct {
        const char *head, *wish;
        size_t column;
    } cases[] = {{"a,CLASS,b", NULL, 1}, {"a,b,Kind", NULL, 2}, {"a,class,b", "A", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[SCRATCH_SIZE];
        struct table *table = table_with(cases[i].head, "1,2,3", path);
        struct complaint complaint;
        size_t column;
        assert_false(column_label(table, "klass", NULL, "class", &column, &complaint));
        assert_int_equal(complaint.kind, BAD_INPUT);
        if (i == 1) {
            assert_true(column_label(table, NULL, "kind", "class", &column, &complaint));
            assert_int_equal(column, cases[i].column);
            assert_false(column_label(table, NULL, NULL, "class", &column, &complaint));
        } else {
            assert_true(column_label(table, cases[i].wish, NULL, "class", &column, &complaint));
            assert_int_equal(column, cases[i].column);
            assert_false(column_label(table, NULL, "kind", "class", &column, &complaint));
            assert_non_null(strstr(complaint.text, "no column 'kind', the label in training"));
        }
        table_close(table);
        unlink(path);
    }
}

/* ---------------------------------------------------------------- training sets --------------- */

enum { ROWS = 1000, CLASSES = 3 };

/* Row i is (i, i / 10); classes of very different size. */
static struct training_set set_of(size_t rows) {
    struct training_set set = {.rows = rows, .attributes = 2, .targets.classed = true};
    set.x = calloc(2 * rows, sizeof *set.x);
    set.sigma = calloc(2 * rows, sizeof *set.sigma);
    set.targets.class = calloc(rows, sizeof *set.targets.class);
    for (size_t i = 0; i < rows; i++) {
        set.x[2 * i] = set.sigma[2 * i + 1] = (double)i;
        set.x[2 * i + 1] = set.sigma[2 * i] = (double)i / 10.0;
        set.targets.class[i] = i % 50 == 0 ? 2 : i % 3 == 0;
    }
    return set;
}

/* Each row is in one part, with its errors and class, in order. */
static void assert_parts(const struct training_set *set, const struct training_set *held,
                         size_t rows) {
    size_t a = 0, b = 0;
    assert_int_equal(set->rows + held->rows, rows);
    for (size_t i = 0; i < rows; i++) {
        bool here = a < set->rows && set->x[2 * a] == (double)i;
        const struct training_set *part = here ? set : held;
        size_t k = here ? a++ : b++;
        assert_true(k < part->rows);
        assert_true(part->x[2 * k] == (double)i && part->sigma[2 * k + 1] == (double)i);
        assert_int_equal(part->targets.class[k], i % 50 == 0 ? 2 : i % 3 == 0);
    }
}

static void test_holding_out(void **state) {
    (void)state;
    static const double shares[] = {0.5, 0.3, 0.1, 0.07, 0.01};
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            struct training_set set = set_of(ROWS), held = {0};
            struct complaint complaint;
            double count[CLASSES] = {0}, out[CLASSES] = {0};
            for (size_t i = 0; i < ROWS; i++)
                count[set.targets.class[i]]++;
            assert_true(training_set_hold_out(&set, CLASSES, shares[s], seed, &held, &complaint));
            assert_parts(&set, &held, ROWS);
            for (size_t i = 0; i < held.rows; i++)
                out[held.targets.class[i]]++;
            for (size_t c = 0; c < CLASSES; c++) /* one of each cell of 1 / share rows */
                assert_true(fabs(out[c] - shares[s] * count[c]) <= 1.0);
            assert_int_equal(set.targets.class[0], 2); /* the first of a class stays */
            assert_true(set.x[0] == 0.0);
            /* More rows at the end change nothing for the others. */
            struct training_set more = set_of(ROWS + 77), more_held = {0};
            assert_true(
                training_set_hold_out(&more, CLASSES, shares[s], seed, &more_held, &complaint));
            assert_true(more_held.rows >= held.rows);
            for (size_t i = 0; i < held.rows; i++)
                assert_true(held.x[2 * i] == more_held.x[2 * i]);
            training_set_free(&set);
            training_set_free(&held);
            training_set_free(&more);
            training_set_free(&more_held);
        }
}

/* Rows without classes: one of each cell of 1 / share rows, with its targets and exposure. */
static void test_holding_out_numbers(void **state) {
    (void)state;
    enum { OUTPUTS = 2 };
    struct training_set set = set_of(ROWS), held = {0};
    struct complaint complaint;
    free(set.targets.class);
    set.targets = (struct target_values){.outputs = OUTPUTS, .exposed = true};
    assert_true(target_values_grow(&set.targets, ROWS));
    for (size_t i = 0; i < ROWS; i++) {
        set.targets.y[OUTPUTS * i] = 2.0 * (double)i;
        set.targets.y[OUTPUTS * i + 1] = 3.0 * (double)i;
        set.targets.exposure[i] = 5.0 * (double)i;
    }
    assert_true(training_set_hold_out(&set, 0, 0.1, 7, &held, &complaint));
    assert_int_equal(held.rows, ROWS / 10);
    assert_int_equal(set.rows, ROWS - ROWS / 10);
    const struct training_set *parts[] = {&set, &held};
    for (size_t part = 0; part < 2; part++)
        for (size_t k = 0; k < parts[part]->rows; k++) {
            const struct target_values *targets = &parts[part]->targets;
            double i = parts[part]->x[2 * k];
            assert_true(targets->y[OUTPUTS * k] == 2.0 * i &&
                        targets->y[OUTPUTS * k + 1] == 3.0 * i);
            assert_true(targets->exposure[k] == 5.0 * i);
            assert_true(part == 0 || floor(i / 10.0) == (double)k);
        }
    nim_data data = training_set_data(&held);
    assert_true(!data.labels && data.targets == held.targets.y && data.outputs == OUTPUTS &&
                data.exposure == held.targets.exposure);
    training_set_free(&set);
    training_set_free(&held);
}

static void test_seeds_differ(void **state) {
    (void)state;
    struct training_set first = set_of(ROWS), second = set_of(ROWS), a = {0}, b = {0};
    struct complaint complaint;
    assert_true(training_set_hold_out(&first, CLASSES, 0.1, 1, &a, &complaint));
    assert_true(training_set_hold_out(&second, CLASSES, 0.1, 2, &b, &complaint));
    size_t same = 0;
    for (size_t i = 0; i < a.rows && i < b.rows; i++)
        same += a.x[2 * i] == b.x[2 * i];
    assert_true(same < a.rows / 2);
    training_set_free(&first);
    training_set_free(&second);
    training_set_free(&a);
    training_set_free(&b);
}

static void test_logs(void **state) {
    (void)state;
    struct training_set set = set_of(200);
    for (size_t i = 0; i < set.rows; i++) {
        double z = 6.0 * ((double)i + 0.5) / 200.0 - 3.0;
        set.x[2 * i] = 1e-9 * exp(z); /* skewed, its logarithm is not */
        set.x[2 * i + 1] = 10.0 + z;  /* not skewed */
    }
    assert_true(training_set_skewed(&set, 0));
    assert_false(training_set_skewed(&set, 1));
    double first[4] = {set.x[0], set.x[2], set.x[4], set.x[6]};
    for (size_t i = 0; i < 4; i++) { /* of 200 rows one may have no logarithm */
        set.x[2 * i] = i % 2 ? -1e-9 : 0.0;
        assert_true(training_set_skewed(&set, 0) == (i < 1));
    }
    for (size_t i = 0; i < 4; i++)
        set.x[2 * i] = first[i];
    set.sigma[0] = 2e-9;
    double x = set.x[0];
    size_t lost;
    struct complaint complaint;
    assert_true(training_set_take_log(&set, 0, &lost, &complaint));
    assert_true(lost == 0);
    assert_true(fabs(set.x[0] - log(x)) < 1e-12);
    assert_true(fabs(set.shapes.upper[0] - log(x + 2e-9) + log(x)) < 1e-12);
    double low = x * exp(-set.sigma[0]); /* 68 % of the half curve above zero lie above it */
    assert_true(low > 0.0 && fabs(erf((x - low) / 2e-9 * sqrt(0.5)) -
                                  0.682689492137 * erf(x / 2e-9 * sqrt(0.5))) < 1e-10);
    assert_false(training_set_skewed(&set, 0)); /* negative now */
    for (size_t i = 0; i < set.rows; i++)
        set.x[2 * i + 1] = i % 20 == 0 ? 2.0 : 1.0;
    assert_false(training_set_skewed(&set, 1)); /* two values stay as skewed as they are */
    bool wanted[] = {false, true};
    training_set_keep(&set, wanted);
    assert_int_equal(set.attributes, 1);
    assert_true(set.x[20] == 2.0 && set.x[21] == 1.0 && set.sigma[30] == 30.0);
    training_set_free(&set);
}

/* Equal units, and units of which no two are equal; python/tests/test_columns.py has both lists. */
static void test_units(void **state) {
    (void)state;
    static const char *const same[] = {"erg cm-2 s-1",  "erg.cm**-2.s**-1", "s^-1 * erg cm-2",
                                       "erg/cm2/s",     "erg / (s cm2)",    "erg/(s.cm^2)",
                                       "1/(s cm2/erg)", "erg s-2 cm-2 s"};
    static const char *const different[] = {"erg cm-2 s-1",
                                            "erg cm-2",
                                            "erg cm2 s-1",
                                            "erg/cm2 s",
                                            "Erg cm-2 s-1",
                                            "",
                                            "10-3 erg",
                                            "10-4 erg",
                                            "m(1/2)",
                                            "m(1/3)",
                                            "mag(AB)",
                                            "mag(ST)",
                                            "m9223372036854775807",
                                            "s/m-9223372036854775808"};
    enum { SAME = sizeof same / sizeof *same, UNITS = sizeof different / sizeof *different };
    for (size_t i = 0; i < SAME; i++)
        for (size_t j = 0; j < SAME; j++)
            assert_true(nim_units_agree(same[i], same[j]));
    for (size_t i = 0; i < UNITS; i++)
        for (size_t j = 0; j < UNITS; j++)
            assert_true(nim_units_agree(different[i], different[j]) == (i == j));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists),
                                       cmocka_unit_test(test_class_order),
                                       cmocka_unit_test(test_closed_classes),
                                       cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_patterns_and_formulas),
                                       cmocka_unit_test(test_formula_numbers),
                                       cmocka_unit_test(test_label),
                                       cmocka_unit_test(test_taken),
                                       cmocka_unit_test(test_holding_out_numbers),
                                       cmocka_unit_test(test_holding_out),
                                       cmocka_unit_test(test_seeds_differ),
                                       cmocka_unit_test(test_logs),
                                       cmocka_unit_test(test_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
