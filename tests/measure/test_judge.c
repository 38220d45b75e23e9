/* SPDX-License-Identifier: Apache-2.0 */
/* Columns judged by their cells: sentinels, row numbers, give-aways; the same for any blocks. */
#include "measure/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t state;

static double uniform(void) {
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / (double)(1 << 24);
}

/* What is found in a column, and what it is. */
static struct nim_column_facts judge_column(const char *name, const double *value, size_t rows,
                                            size_t block, enum nim_standing *standing) {
    static const bool is_text[1];
    nim_names *read = nim_names_create(&name, is_text, 1);
    nim_judge *judge = nim_judge_create(read, 1);
    struct nim_column_facts facts;
    for (size_t i = 0; i < rows; i += block) {
        size_t count = rows - i < block ? rows - i : block;
        assert_true(nim_judge_numbers(judge, 0, value + i, count));
    }
    assert_true(nim_judge_finish(judge));
    nim_judge_facts(judge, 0, &facts);
    *standing = nim_judge_standing(judge, 0);
    nim_judge_free(judge);
    nim_names_free(read);
    return facts;
}

/* Values in [low, high], of which some are replaced by another number. */
static void fill(double *value, size_t rows, double low, double high, double other, size_t cells) {
    for (size_t i = 0; i < rows; i++)
        value[i] = i < cells ? other : low + (high - low) * uniform();
}

static void test_sentinels(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        double low, high, other;
        size_t cells, found;
    } cases[] = {{"mag", 14, 30, 99, 5, 1},
                 {"mag", 14, 30, 99.99, 2, 1},
                 {"mag", 14, 30, (float)-99.99, 2, 1},
                 {"mag", 14, 30, 99, 1, 1},
                 {"percent", 0, 98, 99, 5, 0},
                 {"percent", 0, 120, 99, 5, 0},
                 {"flux", 0, 1e6, -999, 1, 1},
                 {"flux", 0, 1e6, 999, 50, 0},
                 {"flux", -1e6, 1e6, -999, 50, 0},
                 {"dec", -90, 90, -99, 7, 0},
                 {"rate", -2.5, 0.1, -9, 30, 1},
                 {"mass", 2, 14, -9, 2, 0},
                 {"mass", 2, 14, -9, 3, 1},
                 {"mass", 2, 12, -1, 30, 0},
                 {"flux_err", 0.1, 2, -1, 3, 1},
                 {"flux_err", 0.1, 2, -1, 1, 0},
                 {"flux_err", -2, -0.1, -1, 9, 0},
                 {"counts", 0, 5000, -32768, 1, 1},
                 {"day", 100, 600, 999, 2, 0},
                 {"mag", 14, 30, 98, 5, 0}};
    enum { ROWS = 400 };
    double value[ROWS];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        enum nim_standing standing;
        state = (uint32_t)k;
        fill(value, ROWS, cases[k].low, cases[k].high, cases[k].other, cases[k].cells);
        struct nim_column_facts facts = judge_column(cases[k].name, value, ROWS, ROWS, &standing);
        if (facts.sentinels != cases[k].found ||
            (facts.sentinels && (facts.sentinel[0] != cases[k].other ||
                                 facts.sentinel_cells[0] != cases[k].cells || facts.most > 1e6)))
            fail_msg("%s, %g in %zu cells: %zu found", cases[k].name, cases[k].other,
                     cases[k].cells, facts.sentinels);
    }
}

/* However the rows are cut, and where there are more than the sample holds. */
static void test_blocks(void **unused) {
    (void)unused;
    enum { ROWS = 50000 };
    double *value = malloc(ROWS * sizeof *value);
    enum nim_standing standing[2];
    fill(value, ROWS, 10, 20, 99, 17);
    struct nim_column_facts one = judge_column("x", value, ROWS, ROWS, &standing[0]);
    struct nim_column_facts two = judge_column("x", value, ROWS, 999, &standing[1]);
    assert_true(standing[0] == NIM_LEARNED && standing[1] == NIM_LEARNED);
    assert_true(one.spread == two.spread && one.different == two.different &&
                one.least == two.least && one.most == two.most &&
                one.sentinel_cells[0] == two.sentinel_cells[0]);
    assert_true(one.sentinels == 1 && one.least >= 10 && one.most <= 20);
    for (size_t i = 0; i < ROWS; i++)
        value[i] = (double)((i * 7919) % ROWS);
    judge_column("x", value, ROWS, 4096, &standing[0]);
    assert_int_equal(standing[0], NIM_ROW_NUMBER);
    value[40001] = value[40000]; /* one object in two rows */
    judge_column("x", value, ROWS, 4096, &standing[0]);
    assert_int_equal(standing[0], NIM_LEARNED);
    judge_column("x", value, 20, 4096, &standing[0]); /* few rows say nothing */
    assert_int_equal(standing[0], NIM_LEARNED);
    free(value);
}

/* Which columns of numbers give three classes, or a number, away. */
static void test_tells(void **unused) {
    (void)unused;
    enum { ROWS = 600, COLUMNS = 8 };
    static const char *const names[COLUMNS] = {"label", "copy",  "flag",   "honest",
                                               "score", "noise", "linear", "cubic"};
    static const bool is_text[COLUMNS];
    static const int of_classes[COLUMNS] = {0, 1, 1, 0, 1, 0, 0, 0},
                     of_numbers[COLUMNS] = {0, 0, 0, 0, 0, 0, 1, 0};
    static double cell[COLUMNS][ROWS];
    for (int numbers = 0; numbers < 2; numbers++) {
        nim_names *read = nim_names_create(names, is_text, COLUMNS);
        nim_judge *judge = nim_judge_create(read, COLUMNS);
        state = 5;
        for (size_t i = 0; i < ROWS; i++) {
            int class = (int)(i % 3);
            double noise = uniform();
            cell[0][i] = numbers ? uniform() : class;
            cell[1][i] = class + 0.9 * noise;
            cell[2][i] = class == 1 && noise < 0.3; /* says nothing where it is zero */
            cell[3][i] = class + 1.5 * uniform();
            cell[4][i] = class == 0 ? 0.8 * noise : 0.5 + noise;
            cell[5][i] = uniform();
            cell[6][i] = i % 10 ? 3.0 - 2.0 * cell[0][i] + 1e-3 * noise : (double)NAN;
            cell[7][i] = cell[0][i] + 0.1 * noise;
            if (!numbers)
                cell[6][i] = cell[7][i] = noise;
        }
        for (size_t j = 0; j < COLUMNS; j++)
            assert_true(nim_judge_numbers(judge, j, cell[j], ROWS));
        nim_judge_set_aside(judge, 0, numbers ? NIM_ASIDE_NUMBERS : NIM_ASIDE_CLASSES);
        assert_true(nim_judge_finish(judge));
        for (size_t j = 1; j < COLUMNS; j++) {
            struct nim_column_facts facts;
            nim_judge_facts(judge, j, &facts);
            if (facts.tells != (numbers ? of_numbers : of_classes)[j])
                fail_msg("%s of %s: %d", names[j], numbers ? "numbers" : "classes", facts.tells);
        }
        nim_judge_free(judge);
        nim_names_free(read);
    }
}

static void add_texts(nim_judge *judge, size_t column, const char *const *text, size_t count) {
    for (size_t i = 0; i < 60; i++) {
        size_t length = strlen(text[i % count]);
        assert_true(nim_judge_texts(judge, column, text[i % count], &length, 1));
    }
}

static void test_texts(void **unused) {
    (void)unused;
    static const char *const names[] = {"kind", "seen", "number", "empty"};
    static const bool is_text[] = {true, true, true, true};
    nim_names *read = nim_names_create(names, is_text, 4);
    nim_judge *judge = nim_judge_create(read, 4);
    struct nim_column_facts facts;
    size_t cells;
    add_texts(judge, 0, (const char *const[]){"b", "a", "", "c", "b"}, 5);
    add_texts(judge, 1, (const char *const[]){"True", "False", "True", ""}, 4);
    add_texts(judge, 2, (const char *const[]){"1", "2.5", "oops"}, 3);
    add_texts(judge, 3, (const char *const[]){""}, 1);
    assert_true(nim_judge_finish(judge));
    nim_judge_facts(judge, 0, &facts);
    assert_true(facts.words == 3 && facts.missing == 12 && facts.different == 3 && !facts.truth);
    assert_string_equal(nim_judge_word(judge, 0, 0, NULL), "a");
    assert_string_equal(nim_judge_word(judge, 0, 1, &cells), "b");
    assert_int_equal(cells, 24);
    static const enum nim_standing expected[] = {NIM_WORDS, NIM_LEARNED_TRUTH, NIM_LEARNED,
                                                 NIM_NOTHING};
    for (size_t j = 0; j < 4; j++)
        assert_int_equal(nim_judge_standing(judge, j), expected[j]);
    nim_judge_free(judge);
    nim_names_free(read);
}

/* x_lower and x_upper: the ends of error bars, or their lengths, as their cells say. */
static void test_ends_and_lengths(void **unused) {
    (void)unused;
    static const char *const name[] = {"spin", "spin_lower", "spin_upper"};
    static const bool is_text[3];
    for (int lengths = 0; lengths < 2; lengths++) {
        nim_names *names = nim_names_create(name, is_text, 3);
        nim_judge *judge = nim_judge_create(names, 3);
        struct nim_sides sides;
        long also;
        state = 2;
        for (size_t i = 0; i < 100; i++) {
            double value = 2.0 * uniform() - 1.0, low = 0.2 * uniform(), high = 0.2 * uniform();
            low = i == 7 ? (double)NAN : lengths ? -low : value - low;
            high = lengths ? high : value + high;
            assert_true(nim_judge_numbers(judge, 0, &value, 1));
            assert_true(nim_judge_numbers(judge, 1, &low, 1));
            assert_true(nim_judge_numbers(judge, 2, &high, 1));
        }
        assert_true(nim_judge_finish(judge));
        nim_names_errors(names, 0, NULL, &sides, &also);
        assert_int_equal(sides.lower, 1);
        assert_int_equal(sides.upper, 2);
        assert_int_equal(sides.ends, !lengths);
        nim_judge_free(judge);
        nim_names_free(names);
    }
}

/* A column without a name, as spreadsheets have them: nothing is read behind its end. */
static void test_no_name(void **unused) {
    (void)unused;
    static const bool is_text[1];
    char *name = calloc(1, 1);
    nim_names *names = nim_names_create((const char *const *)&name, is_text, 1);
    long of[2];
    assert_int_equal(nim_names_role(names, 0, of), NIM_IDENTITY);
    nim_names_free(names);
    free(name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentinels), cmocka_unit_test(test_ends_and_lengths),
        cmocka_unit_test(test_no_name),   cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_tells),     cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
