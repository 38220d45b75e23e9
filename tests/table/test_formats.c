/* SPDX-License-Identifier: Apache-2.0 */
/* Which format a file is taken for. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/table_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- choice ---------------------- */

static void names_of_formats(void **context) {
    (void)context;
    static const struct {
        const char *name;
        enum table_format format;
    } known[] = {{"any", TABLE_ANY},        {"csv", TABLE_CSV},   {"tsv", TABLE_TSV},
                 {"fits", TABLE_FITS},      {"ecsv", TABLE_ECSV}, {"rows", TABLE_ROWS},
                 {"votable", TABLE_VOTABLE}};
    enum table_format format;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_true(table_format_named(known[i].name, &format));
        assert_int_equal(format, known[i].format);
    }
    assert_string_equal(TABLE_FORMAT_NAMES, "any, csv, tsv, ecsv, fits, votable, rows");
    assert_false(table_format_named("xls", &format));
    assert_false(table_format_named("CSV", &format));
    assert_false(table_format_named("", &format));
}

/* A format is recognised by the content of a file, whatever its name. */
static void content_decides(void **context) {
    (void)context;
    struct grid grid;
    grid_of(&grid, text_file("t.fits", "a,b\n1,2\n"), TABLE_ANY, 9);
    assert_int_equal(grid.columns, 2);
    grid_free(&grid);
    assert_refused_table(text_file("t.fits", "a,b\n1,2\n"), TABLE_FITS, BAD_INPUT,
                         WORDS("t.fits", "FITS"));
    text_file("t.csv", "a,b\n1,2\n");
    assert_refused_table(path_of("t.csv[1]"), TABLE_ANY, BAD_INPUT, WORDS("t.csv", "[1]"));
    grid_of(&grid, text_file("u[1]", "a,b\n1,2\n"), TABLE_ANY, 9); /* a file of that very name */
    grid_free(&grid);
}

/* Formats without errors are converted by a script, which the message names. */
static void formats_of_others(void **context) {
    (void)context;
    static const unsigned char images[] = {0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 7, 7};
    assert_refused_table(file_of("t.csv", images, sizeof images), TABLE_ANY, BAD_INPUT,
                         WORDS("IDX", "experiments/to_csv.py"));
    assert_refused_table(text_file("t.svm", "1 1:0.5\n"), TABLE_ANY, BAD_INPUT,
                         WORDS("LIBSVM", "experiments/to_csv.py"));
}

/* A VOTable larger than its reader's buffer, whose rows end anywhere in the pieces it is read in.
 */
static void rows_across_pieces(void **context) {
    (void)context;
    enum { ROWS = 60000, MOST = 61 };
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyz&<>0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const struct column columns[] = {{.name = "n"}, {.name = "t", .kind = COLUMN_TEXT}};
    struct complaint complaint;
    struct table_writer *writer =
        table_writer_open(path_of("large.vot"), TABLE_ANY, 2, columns, &complaint);
    assert_non_null(writer);
    for (size_t i = 0; i < ROWS; i++) {
        table_write_number(writer, (double)i);
        table_write_text(writer, (struct span){letters + i % 3, i * 7 % MOST});
        assert_true(table_write_end(writer, &complaint));
    }
    assert_true(table_writer_close(writer, &complaint));
    struct table *table = table_open(path_of("large.vot"), TABLE_ANY, &complaint);
    assert_non_null(table);
    size_t rows, seen = 0;
    for (double number[1000]; table_next(table, 1000, &rows, &complaint) && rows; seen += rows) {
        assert_true(table_numbers(table, 0, number, 1, &complaint));
        for (size_t k = 0; k < rows; k++) {
            struct span text;
            size_t i = seen + k;
            assert_true(number[k] == (double)i);
            assert_true(table_text(table, k, 1, &text, &complaint));
            assert_int_equal(text.length, i * 7 % MOST);
            assert_memory_equal(text.text, letters + i % 3, text.length);
        }
    }
    assert_int_equal(seen, ROWS);
    table_close(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_across_pieces),
        cmocka_unit_test(names_of_formats),
        cmocka_unit_test(content_decides),
        cmocka_unit_test(formats_of_others),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
