/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and TSV: what is read, and which errors are reported with which words. */
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
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---------------------------------------------------------------- helpers --------------------- */

/* The table as "name|name\ncell|cell\n...", to be freed. */
static char *joined(const struct grid *grid) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; i < grid->columns; i++)
        fprintf(out, "%s%s", grid->column[i].name, i + 1 < grid->columns ? "|" : "\n");
    for (size_t i = 0; i < grid->rows * grid->columns; i++)
        fprintf(out, "%s%s", grid->text[i], (i + 1) % grid->columns ? "|" : "\n");
    fclose(out);
    return text;
}

static void assert_bytes_read_as(const char *bytes, size_t size, enum table_format format,
                                 const char *wanted) {
    static const size_t blocks[] = {1, 2, 7, 4096};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct grid grid;
        grid_of(&grid, file_of("t", bytes, size), format, blocks[i]);
        char *got = joined(&grid);
        assert_string_equal(got, wanted);
        free(got);
        grid_free(&grid);
    }
}

static void assert_reads_as(const char *text, enum table_format format, const char *wanted) {
    assert_bytes_read_as(text, strlen(text), format, wanted);
}

static void assert_csv(const char *text, const char *wanted) {
    assert_reads_as(text, TABLE_ANY, wanted);
}

static void assert_refused(const char *text, const char *const *words) {
    assert_refused_table(text_file("bad.csv", text), TABLE_ANY, BAD_INPUT, words);
}

/* ---------------------------------------------------------------- what is read ---------------- */

static void plain_tables(void **context) {
    (void)context;
    assert_csv("a,b\n1,2\n3,4\n", "a|b\n1|2\n3|4\n");
    assert_csv("a,b\n1,2\n3,4", "a|b\n1|2\n3|4\n");         /* no newline at the end */
    assert_csv("a,b\r\n1,2\r\n3,4\r\n", "a|b\n1|2\n3|4\n"); /* Windows */
    assert_csv("a,b\r\n1,2\r\n3,4\r", "a|b\n1|2\n3|4\n");   /* cut there */
    assert_csv("\xef\xbb\xbf"
               "a,b\n1,2\n",
               "a|b\n1|2\n");                                 /* byte order mark */
    assert_csv("a,b\n1,2\n\n\r\n  \n", "a|b\n1|2\n");         /* empty lines at the end */
    assert_csv("\n\na,b\n\n1,2\n\n3,4\n", "a|b\n1|2\n3|4\n"); /* and elsewhere */
    assert_csv("# one\n# two, three\na,b\n1,2\n", "a|b\n1|2\n");
    assert_csv("a,b\n#1,2\n", "a|b\n#1|2\n"); /* after the header it is no comment */
    assert_csv("a , b\n 1 ,\t2 \n", "a|b\n1|2\n");
    assert_csv("a\nx\n\ny\n", "a\nx\ny\n");
    assert_csv("a\n1\n \n2\n", "a\n1\n2\n");
    assert_csv("a,b\n", "a|b\n");
    assert_csv("a,b", "a|b\n");
    assert_csv(",a,\n1,2,3\n", "|a|\n1|2|3\n");
}

/* The time that they take grows with their number, not with its square: otherwise this test does
 * not end in time. */
static void many_comments(void **context) {
    (void)context;
    enum { LINES = 30000000 };
    static const char table[] = "a,b\n1,2\n3\n";
    size_t size = 2 * (size_t)LINES + sizeof table - 1;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < LINES; i++)
        memcpy(text + 2 * i, "#\n", 2);
    memcpy(text + 2 * (size_t)LINES, table, sizeof table - 1);
    assert_refused_table(file_of("bad.csv", text, size), TABLE_ANY, BAD_INPUT,
                         WORDS("bad.csv:30000003: 1 cell, but the header has 2"));
    free(text);
}

static void quoted_cells(void **context) {
    (void)context;
    assert_csv("a,b\n\"x\",\"y\"\n", "a|b\nx|y\n");
    assert_csv("\"a\",\"b,c\"\n1,2\n", "a|b,c\n1|2\n");
    assert_csv("a,b\n\"1,5\",\"say \"\"hi\"\"\"\n", "a|b\n1,5|say \"hi\"\n");
    assert_csv("a,b\n\"two\nlines\",\"\"\n", "a|b\ntwo\nlines|\n");
    assert_csv("a,b\n\"two\r\nlines\",x\r\n", "a|b\ntwo\r\nlines|x\n");
    assert_csv("a,b\n\"\"\"\",\"\"\"\"\"\"\n", "a|b\n\"|\"\"\n");
    assert_csv("a,b\n \"x\" ,\t\"y\"\r\n", "a|b\nx|y\n"); /* blanks around quotes */
    assert_csv("a,b\nx\"y,3\"\n", "a|b\nx\"y|3\"\n");     /* quotes within: letters */
    assert_csv("a\n\"\"\n1\n", "a\n\n1\n");               /* an empty cell, not an empty line */
    assert_csv("a,b\n\"x\",\"y\"", "a|b\nx|y\n");
    assert_csv("\"a\nb\",c\n1,2\n", "a\nb|c\n1|2\n");
    assert_csv("a,b\n\"1.5\",\"2\"\n3,4\n", "a|b\n1.5|2\n3|4\n");
}

static void separators(void **context) {
    (void)context;
    assert_csv("a\tb\n1\t2\n", "a|b\n1|2\n");
    assert_csv("a;b\n1;2\n", "a|b\n1|2\n");
    assert_csv("a,x\tb;y\tc\n1\t2\t3\n", "a,x|b;y|c\n1|2|3\n");
    assert_csv("\"a;b;c\",d\n1,2\n", "a;b;c|d\n1|2\n");
    assert_reads_as("a,b\tc\n1,2\t3\n", TABLE_CSV, "a|b\tc\n1|2\t3\n");
    assert_reads_as("a,b\tc\n1,2\t3\n", TABLE_TSV, "a,b|c\n1,2|3\n");
    assert_reads_as("a\tb\n\t\n1\t\n", TABLE_TSV, "a|b\n|\n1|\n"); /* missing, not empty lines */
    struct grid grid;
    grid_of(&grid, text_file("t.tsv", "a,b,c\n1,2,3\n"), TABLE_ANY, 10);
    assert_int_equal(grid.columns, 1); /* the name says tabs */
    grid_free(&grid);
}

static void kinds_and_missing(void **context) {
    (void)context;
    enum { COLUMNS = 7 };
    struct grid grid;
    grid_of(&grid,
            text_file("t.csv", "number,gaps,more,text,id,words,blank\n"
                               "1,NaN,,x,5853498713190525696,NA,\n"
                               "-2.5e3,NA,--,1,2,bll,NaN\n"
                               "inf, null ,n/a,2,3,--,\n"
                               "1,2,3,4,5,6,\n"),
            TABLE_ANY, 10);
    static const enum column_kind kinds[COLUMNS] = {COLUMN_NUMBER, COLUMN_NUMBER, COLUMN_NUMBER,
                                                    COLUMN_TEXT,   COLUMN_TEXT,   COLUMN_TEXT,
                                                    COLUMN_NUMBER};
    for (size_t i = 0; i < COLUMNS; i++) {
        assert_int_equal(grid.column[i].kind, kinds[i]);
        assert_int_equal(grid.column[i].empty, i == 6); /* that might be anything */
    }
    assert_true(grid.number[COLUMNS] == -2500 && isinf(grid.number[2 * COLUMNS]));
    for (size_t row = 0; row < 3; row++)
        for (size_t column = 1; column < 3; column++) {
            size_t cell = row * COLUMNS + column;
            assert_true(grid.is_number[cell] && isnan(grid.number[cell]));
            assert_string_equal(grid.text[cell], "");
        }
    assert_true(grid.is_number[6] &&
                isnan(grid.number[6])); /* numbers are to be had all the same */
    /* In text these are words like others. */
    assert_string_equal(grid.text[5], "NA");
    assert_string_equal(grid.text[2 * COLUMNS + 5], "--");
    assert_string_equal(grid.text[4], "5853498713190525696");
    grid_free(&grid);
    grid_of(&grid, text_file("t.csv", "a,b\n"), TABLE_ANY, 10);
    assert_true(grid.column[1].kind == COLUMN_NUMBER && grid.column[1].empty);
    grid_free(&grid);
}

static void finding_columns(void **context) {
    (void)context;
    struct complaint complaint;
    struct table *table = table_open(text_file("t.csv", "Flux,flux,x,x,y,Y,Z,\n1,2,3,4,5,6,7,8\n"),
                                     TABLE_ANY, &complaint);
    assert_non_null(table);
    assert_int_equal(table_find(table, "Flux"), 0);
    assert_int_equal(table_find(table, "flux"), 1);
    assert_int_equal(table_find(table, "FLUX"), TWO_COLUMNS);
    assert_int_equal(table_find(table, "x"), TWO_COLUMNS);
    assert_int_equal(table_find(table, "z"), 6);
    assert_int_equal(table_find(table, "w"), NO_COLUMN);
    assert_int_equal(table_find(table, ""), NO_COLUMN);
    assert_string_equal(table_column(table, 7)->name, "");
    table_close(table);
}

/* Every row has its line number, whatever comes before it. */
static void lines_are_counted(void **context) {
    (void)context;
    struct grid grid;
    const char *path =
        text_file("t.csv", "# comment\n\n\"a\nb\",c\n1,2\n\n\"x\ny\"\"\n\",3\r\n4,\"5\n6\"\n7,8");
    grid_of(&grid, path, TABLE_ANY, 1);
    static const int lines[] = {5, 7, 10, 12};
    assert_int_equal(grid.rows, 4);
    for (size_t row = 0; row < 4; row++) {
        char wanted[700];
        snprintf(wanted, sizeof wanted, "%s:%d", path, lines[row]);
        assert_string_equal(grid.place[row], wanted);
    }
    grid_free(&grid);
}

/* Rows that cross the ends of the reader's buffer, with and without quotes, are read like
 * others. */
static void many_buffers(void **context) {
    (void)context;
    enum { ROWS = 150000 };
    static const char *const names[] = {"plain", "\"q,uo\nted\"", "\"do\"\"uble\"", ""};
    static const char *const values[] = {"plain", "q,uo\nted", "do\"uble", ""};
    for (int quotes = 0; quotes < 2; quotes++) {
        char *text;
        size_t size, line = 2;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        fprintf(out, "i,name,square\n");
        for (size_t i = 0; i < ROWS; i++)
            fprintf(out, "%zu,%s,%zu\n", i, names[quotes ? i / 3 % 4 : 0], i * i);
        fclose(out);
        assert_true(size > 2 << 20);
        struct complaint complaint;
        struct table *table = table_open(file_of("t.csv", text, size), TABLE_ANY, &complaint);
        static double index[4096], square[4096];
        size_t rows, row = 0;
        char place[1000], wanted[1000];
        while (table_next(table, 4096, &rows, &complaint) && rows) {
            assert_true(table_numbers(table, 0, index, 1, &complaint));
            assert_true(table_numbers(table, 2, square, 1, &complaint));
            for (size_t i = 0; i < rows; i++, row++) {
                struct span span;
                size_t kind = quotes ? row / 3 % 4 : 0;
                assert_true(index[i] == (double)row && square[i] == (double)(row * row));
                assert_true(table_text(table, i, 1, &span, &complaint));
                assert_int_equal(span.length, strlen(values[kind]));
                assert_memory_equal(span.text, values[kind], span.length);
                if (row % 1000 == 17) {
                    table_place(table, i, place, sizeof place);
                    snprintf(wanted, sizeof wanted, "%s:%zu", table_path(table), line);
                    assert_string_equal(place, wanted);
                }
                line += kind == 1 ? 2 : 1;
            }
        }
        assert_int_equal(row, ROWS);
        table_close(table);
        free(text);
    }
}

/* The reader's buffer may end at any byte of a row. */
static void every_end_of_a_buffer(void **context) {
    (void)context;
    static const char row[] = "\"a\"\"b\",\"x\ny\"\r\n";
    enum { ROWS = 80000, SIZE = sizeof row - 1 };
    char *text = malloc(SIZE * (ROWS + 2));
    assert_non_null(text);
    for (size_t shift = 0; shift < SIZE; shift++) {
        size_t length = shift + 4, rows, count = 0;
        memset(text, 'c', length);
        memcpy(text + shift, ",d\r\n", 4);
        if (!shift)
            continue; /* a header needs its name */
        for (size_t i = 0; i < ROWS; i++, length += SIZE)
            memcpy(text + length, row, SIZE);
        struct complaint complaint;
        struct table *table = table_open(file_of("t.csv", text, length), TABLE_CSV, &complaint);
        assert_non_null(table);
        while (table_next(table, 4096, &rows, &complaint) && rows)
            for (size_t i = 0; i < rows; i++, count++) {
                struct span one, two;
                assert_true(table_text(table, i, 0, &one, &complaint));
                assert_true(table_text(table, i, 1, &two, &complaint));
                if (one.length != 3 || memcmp(one.text, "a\"b", 3) != 0 || two.length != 3 ||
                    memcmp(two.text, "x\ny", 3) != 0)
                    fail_msg("row %zu, shift %zu", count, shift);
            }
        assert_int_equal(count, ROWS);
        table_close(table);
    }
    free(text);
}

/* ---------------------------------------------------------------- what is refused ------------- */

static void ragged_rows(void **context) {
    (void)context;
    assert_refused("a,b,c\n1,2,3\n1,2\n", WORDS("bad.csv:3: 2 cells, but the header has 3"));
    assert_refused("a,b,c\n1,2,3\n\n1,2,3,4\n", WORDS("bad.csv:4: 4 cells, but the header has 3"));
    assert_refused("a,b,c\n1\n2,3\n", WORDS("bad.csv:2: 1 cell, but the header has 3"));
    assert_refused("a,b,c\n\"x\ny\",2,3\n1,2,3,\n", WORDS("bad.csv:4: 4 cells"));
    assert_refused("a\n1\n2,3\n", WORDS("bad.csv:3: 2 cells, but the header has 1"));
}

/* The valid rows before an invalid one are returned. */
static void rows_before_a_bad_one(void **context) {
    (void)context;
    struct complaint complaint;
    struct table *table =
        table_open(text_file("t.csv", "a,b\n1,2\n3,4\n5\n"), TABLE_ANY, &complaint);
    size_t rows;
    double value[2];
    assert_non_null(table);
    assert_true(table_next(table, 10, &rows, &complaint));
    assert_int_equal(rows, 2);
    assert_true(table_numbers(table, 1, value, 1, &complaint));
    assert_true(value[0] == 2 && value[1] == 4);
    assert_false(table_next(table, 10, &rows, &complaint));
    assert_int_equal(rows, 0);
    assert_non_null(strstr(complaint.text, "t.csv:4: 1 cell"));
    table_close(table);
}

static void wrong_quotes(void **context) {
    (void)context;
    assert_refused("a,b\n1,2\n3,\"4\n5,6\n7,8\n",
                   WORDS("bad.csv:3: column b: the quote opened here is never closed"));
    assert_refused("a,b\n\"x\ny\",2\n\"3\"4,5\n",
                   WORDS("bad.csv:4: column a", "after the quoted cell"));
    assert_refused("a,b\n1,\"2\" \"3\"\n", WORDS("bad.csv:2: column b", "after the quoted cell"));
    assert_refused("a,\"b\n1,2\n", WORDS("bad.csv:1: column 2", "never closed"));
    assert_refused("a,b\n1,\"", WORDS("bad.csv:2: column b", "never closed"));
    assert_refused("a,b\n1,\"x\"\"", WORDS("bad.csv:2: column b", "never closed"));
}

static void refuse_number(const char *text, const char *const *words) {
    struct complaint complaint = {0};
    struct table *table = table_open(text_file("bad.csv", text), TABLE_ANY, &complaint);
    size_t rows, last;
    double values[16];
    assert_non_null(table);
    assert_true(table_next(table, 16, &rows, &complaint));
    last = table_columns(table) - 1;
    assert_false(table_numbers(table, last, values, 1, &complaint));
    assert_int_equal(complaint.kind, BAD_INPUT);
    for (; *words; words++)
        if (!strstr(complaint.text, *words))
            fail_msg("'%s' does not say '%s'", complaint.text, *words);
    table_close(table);
}

static void text_among_numbers(void **context) {
    (void)context;
    refuse_number("x,flux_err\n1,2\n3,abc\n",
                  WORDS("bad.csv:3: column flux_err: expected a number, found 'abc'"));
    refuse_number("x,\n1,2\n3,1.2.3\n", WORDS("bad.csv:3: column 2: ", "'1.2.3'"));
    refuse_number("x,y\n\"a\nb\",\"1,5\"\n", WORDS("bad.csv:2: column y", "'1,5'"));
    refuse_number("x,y\n1,0x10\n", WORDS("found '0x10'"));
    refuse_number(
        "x,y\n1,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
        WORDS("aaaaa...'"));
}

static void what_is_no_table(void **context) {
    (void)context;
    assert_refused("", WORDS("bad.csv", "empty"));
    assert_refused("\n\n  \r\n", WORDS("bad.csv", "no header"));
    assert_refused("# only\n# comments\n", WORDS("bad.csv", "no header"));
    assert_refused("\xef\xbb\xbf", WORDS("bad.csv", "no header"));
    assert_refused("1.5,2.5\n3.5,4.5\n", WORDS("bad.csv:1", "column names", "values"));
    assert_refused("a,b\r1,2\r3,4\r", WORDS("bad.csv:1", "carriage returns"));
    assert_refused("<?xml version='1.0'?>\n", WORDS("bad.csv", "XML"));
    assert_refused("\xff\xfe"
                   "a,b\n",
                   WORDS("bad.csv", "UTF-16"));
    assert_refused_table(file_of("z.csv", "a,b\n1,\0\n", 8), TABLE_ANY, BAD_INPUT,
                         WORDS("z.csv:2", "NUL"));
    assert_refused_table(file_of("z.zip", "PK\3\4aaaaaa", 10), TABLE_ANY, BAD_INPUT,
                         WORDS("z.zip", "zip"));
    assert_csv("PAR1,PAR2\n1,2\n", "PAR1|PAR2\n1|2\n"); /* a Parquet file starts so too */
    assert_csv("BZh,b\n1,2\n", "BZh|b\n1|2\n");
    assert_csv("0,1,2\n1.5,2,3\n", "0|1|2\n1.5|2|3\n"); /* whole numbers may be names */
}

static void files_that_cannot_be_read(void **context) {
    (void)context;
    assert_refused_table(path_of("absent.csv"), TABLE_ANY, BAD_INPUT,
                         WORDS("absent.csv", "No such file"));
    assert_refused_table(path_of("."), TABLE_ANY, BAD_INPUT, WORDS("directory"));
    assert_refused_table("/dev/null", TABLE_ANY, BAD_INPUT, WORDS("/dev/null", "empty"));
    const char *path = text_file("shut.csv", "a\n1\n");
    assert_int_equal(chmod(path, 0), 0);
    if (geteuid() == 0)
        print_message("SKIPPED: root may read anything\n");
    else
        assert_refused_table(path, TABLE_ANY, BAD_INPUT, WORDS("shut.csv", "Permission denied"));
}

/* A row of 65 MiB is too long, as one quoted cell or not; 33 MiB is valid. */
static void long_rows(void **context) {
    (void)context;
    enum { MEGABYTE = 1 << 20 };
    size_t size = 65 * (size_t)MEGABYTE;
    char *text = malloc(size + 8);
    assert_non_null(text);
    memset(text, 'x', size);
    memcpy(text, "a,b\n1,2\n\"", 9);
    assert_refused_table(file_of("long.csv", text, size), TABLE_ANY, BAD_INPUT,
                         WORDS("long.csv:3", "64 MiB", "quote"));
    size = 33 * (size_t)MEGABYTE;
    memcpy(text + size, "\",3\n", 4);
    struct complaint complaint;
    struct table *table = table_open(file_of("long.csv", text, size + 4), TABLE_ANY, &complaint);
    size_t rows;
    struct span span;
    assert_non_null(table);
    assert_true(table_next(table, 1, &rows, &complaint));
    assert_true(table_next(table, 1, &rows, &complaint));
    assert_int_equal(rows, 1);
    assert_true(table_text(table, 0, 0, &span, &complaint));
    assert_int_equal(span.length, size - 9);
    table_close(table);
    free(text);
    unlink(path_of("long.csv"));
}

/* ---------------------------------------------------------------- gzip ------------------------ */

static const char stars[] = "a,b\n1,2\n3,\"4\n5\"\n";

static void gzipped(void **context) {
    (void)context;
    struct grid plain, grid;
    size_t one, two;
    grid_of(&plain, text_file("t.csv", stars), TABLE_ANY, 10);
    grid_of(&grid, gzip_file("t.csv.gz", stars, strlen(stars)), TABLE_ANY, 10);
    assert_same_grid(&plain, &grid);
    grid_free(&grid);

    /* Members one after another, one of them empty, zeros behind: as from tapes and bgzip. */
    char *first = contents_of(gzip_file("1", stars, 9), &one);
    char *second = contents_of(gzip_file("2", stars + 9, strlen(stars) - 9), &two);
    size_t none;
    char *empty = contents_of(gzip_file("3", "", 0), &none);
    char *both = calloc(1, one + none + two + 600);
    assert_non_null(both);
    memcpy(both, first, one);
    memcpy(both + one, empty, none);
    memcpy(both + one + none, second, two);
    grid_of(&grid, file_of("t.gz", both, one + none + two), TABLE_ANY, 10);
    assert_same_grid(&plain, &grid);
    grid_free(&grid);
    grid_of(&grid, file_of("t.gz", both, one + none + two + 600), TABLE_ANY, 10);
    assert_same_grid(&plain, &grid);
    grid_free(&grid);
    strcpy(both + one + none + two, "text");
    assert_refused_table(file_of("t.gz", both, one + none + two + 4), TABLE_ANY, BAD_INPUT,
                         WORDS("t.gz", "after the gzip data"));
    assert_refused_table(file_of("t.gz", empty, none), TABLE_ANY, BAD_INPUT,
                         WORDS("t.gz", "empty"));
    grid_free(&plain);
    free(first);
    free(second);
    free(empty);
    free(both);
}

/* A gzipped file that is cut anywhere is an error. */
static void cut_gzip(void **context) {
    (void)context;
    size_t size;
    char *whole = contents_of(gzip_file("t.gz", stars, strlen(stars)), &size);
    for (size_t length = 2; length < size; length++)
        assert_refused_table(file_of("cut.gz", whole, length), TABLE_ANY, BAD_INPUT,
                             WORDS("cut.gz", "too early"));
    whole[size - 6] ^= 1; /* its check sum */
    assert_refused_table(file_of("t.gz", whole, size), TABLE_ANY, BAD_INPUT,
                         WORDS("t.gz", "damaged"));
    free(whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_tables),     cmocka_unit_test(quoted_cells),
        cmocka_unit_test(separators),       cmocka_unit_test(kinds_and_missing),
        cmocka_unit_test(finding_columns),  cmocka_unit_test(lines_are_counted),
        cmocka_unit_test(many_buffers),     cmocka_unit_test(every_end_of_a_buffer),
        cmocka_unit_test(ragged_rows),      cmocka_unit_test(rows_before_a_bad_one),
        cmocka_unit_test(wrong_quotes),     cmocka_unit_test(text_among_numbers),
        cmocka_unit_test(what_is_no_table), cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(long_rows),        cmocka_unit_test(gzipped),
        cmocka_unit_test(cut_gzip),         cmocka_unit_test(many_comments),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
