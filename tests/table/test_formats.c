/* SPDX-License-Identifier: Apache-2.0 */
/* IDX and LIBSVM files, and which format a file is taken for. */
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

/* ---------------------------------------------------------------- IDX ------------------------- */

/* 4 images of 2 x 3: element k of image i is 10 i + k. */
static const unsigned char images[] = {
    0, 0, 8, 3, 0, 0, 0,  4,  0,  0,  0,  2,  0,  0,  0,  3, /* head */
    0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 255, 31, 32, 33, 34, 35};
static const unsigned char labels[] = {0, 0, 8, 1, 0, 0, 0, 4, 7, 0, 255, 3};

static void assert_images(const struct grid *grid, bool labelled) {
    assert_int_equal(grid->columns, labelled ? 7 : 6);
    assert_int_equal(grid->rows, 4);
    assert_string_equal(grid->column[0].name, "x1");
    assert_string_equal(grid->column[5].name, "x6");
    for (size_t row = 0; row < 4; row++)
        for (size_t i = 0; i < 6; i++)
            assert_true(grid->number[row * grid->columns + i] ==
                        (row == 3 && i == 0 ? 255 : (double)(10 * row + i)));
    if (!labelled)
        return;
    static const char *const names[] = {"7", "0", "255", "3"};
    assert_string_equal(grid->column[6].name, "class");
    assert_int_equal(grid->column[6].kind, COLUMN_TEXT);
    for (size_t row = 0; row < 4; row++) {
        assert_string_equal(grid->text[row * 7 + 6], names[row]);
        assert_true(grid->number[row * 7 + 6] == atof(names[row]));
    }
}

static void idx_images(void **context) {
    (void)context;
    struct grid grid;
    for (size_t block = 1; block < 6; block++) {
        grid_of(&grid, file_of("a.idx", images, sizeof images), TABLE_ANY, block);
        assert_images(&grid, false);
        grid_free(&grid);
    }
    grid_of(&grid, gzip_file("t-images-idx3-ubyte.gz", images, sizeof images), TABLE_ANY, 3);
    assert_images(&grid, false);
    grid_free(&grid);
    /* Labels beside it, zipped like it or not. */
    gzip_file("t-labels-idx1-ubyte.gz", labels, sizeof labels);
    grid_of(&grid, path_of("t-images-idx3-ubyte.gz"), TABLE_ANY, 3);
    assert_images(&grid, true);
    grid_free(&grid);
    grid_of(&grid, file_of("t-images-idx3-ubyte", images, sizeof images), TABLE_ANY, 1);
    assert_images(&grid, true);
    grid_free(&grid);
    unlink(path_of("t-labels-idx1-ubyte.gz"));
    file_of("t-labels-idx1-ubyte", labels, sizeof labels);
    grid_of(&grid, path_of("t-images-idx3-ubyte.gz"), TABLE_ANY, 2);
    assert_images(&grid, true);
    grid_free(&grid);
    assert_int_equal(grid.rows, 0);
}

static void idx_types(void **context) {
    (void)context;
    static const unsigned char bytes[][32] = {
        {0, 0, 0x08, 1, 0, 0, 0, 2, 0, 200},
        {0, 0, 0x09, 1, 0, 0, 0, 2, 0, 200},
        {0, 0, 0x0b, 1, 0, 0, 0, 2, 1, 2, 0xff, 0xfe},
        {0, 0, 0x0c, 1, 0, 0, 0, 2, 1, 2, 3, 4, 0xff, 0xff, 0xff, 0xfd},
        {0, 0, 0x0d, 1, 0, 0, 0, 2, 0x3f, 0xc0, 0, 0, 0x7f, 0xc0, 0, 0},
        {0, 0, 0x0e, 1, 0, 0, 0, 2, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0},
    };
    static const size_t sizes[] = {10, 10, 12, 16, 16, 24};
    static const double values[][2] = {{0, 200},         {0, -56},   {258, -2},
                                       {0x01020304, -3}, {1.5, NAN}, {1.5, -2}};
    for (size_t i = 0; i < 6; i++) {
        struct grid grid;
        grid_of(&grid, file_of("t.idx", bytes[i], sizes[i]), TABLE_ANY, 9);
        assert_int_equal(grid.rows, 2);
        assert_int_equal(grid.columns, 1);
        for (size_t row = 0; row < 2; row++)
            assert_true(isnan(values[i][row]) ? isnan(grid.number[row])
                                              : grid.number[row] == values[i][row]);
        grid_free(&grid);
    }
}

static void idx_refused(void **context) {
    (void)context;
    unsigned char bytes[sizeof images + 1] = {0};
    for (size_t length = 4; length < sizeof images; length++)
        assert_refused_table(file_of("cut.idx", images, length), TABLE_IDX, BAD_INPUT,
                             WORDS("cut.idx", "ends"));
    assert_refused_table(file_of("cut.idx", images, 3), TABLE_IDX, BAD_INPUT,
                         WORDS("cut.idx", "not an IDX file"));
    assert_refused_table(file_of("cut.idx", images, sizeof images - 8), TABLE_IDX, BAD_INPUT,
                         WORDS("cut.idx: row 3"));
    memcpy(bytes, images, sizeof images);
    assert_refused_table(file_of("long.idx", bytes, sizeof bytes), TABLE_IDX, BAD_INPUT,
                         WORDS("long.idx", "more bytes"));
    bytes[8] = 0x7f; /* rows of 2^31 x 3 elements */
    assert_refused_table(file_of("wide.idx", bytes, sizeof bytes), TABLE_IDX, BAD_INPUT,
                         WORDS("wide.idx", "dimension 2"));
    memset(bytes + 8, 0, 4);
    assert_refused_table(file_of("flat.idx", bytes, sizeof bytes), TABLE_IDX, BAD_INPUT,
                         WORDS("flat.idx", "dimension 2"));
    assert_refused_table(text_file("t.idx", "x1,x2\n1,2\n"), TABLE_IDX, BAD_INPUT,
                         WORDS("t.idx", "not an IDX file"));

    file_of("u-images-idx3-ubyte", images, sizeof images);
    file_of("u-labels-idx1-ubyte", labels, sizeof labels - 1);
    assert_refused_table(path_of("u-images-idx3-ubyte"), TABLE_ANY, BAD_INPUT,
                         WORDS("u-labels-idx1-ubyte", "row 4"));
    memcpy(bytes, labels, sizeof labels);
    bytes[7] = 3;
    file_of("u-labels-idx1-ubyte", bytes, sizeof labels - 1);
    assert_refused_table(path_of("u-images-idx3-ubyte"), TABLE_ANY, BAD_INPUT,
                         WORDS("u-labels-idx1-ubyte", "4 images"));
}

/* ---------------------------------------------------------------- LIBSVM ---------------------- */

static void libsvm_rows(void **context) {
    (void)context;
    struct grid grid;
    const char *path = text_file("t.libsvm", "+1 1:0.5 3:-2e3 # comment\n"
                                             "\n"
                                             "# a line of its own\n"
                                             "-1 qid:7 2:nan\r\n"
                                             "b\n"
                                             "2.0  3:4");
    static const double values[4][3] = {{0.5, 0, -2000}, {0, NAN, 0}, {0, 0, 0}, {0, 0, 4}};
    static const char *const names[] = {"+1", "-1", "b", "2.0"};
    static const char *const lines[] = {":1", ":4", ":5", ":6"};
    for (size_t block = 1; block < 6; block++) {
        grid_of(&grid, path, TABLE_ANY, block);
        assert_int_equal(grid.columns, 4);
        assert_int_equal(grid.rows, 4);
        assert_string_equal(grid.column[2].name, "x3");
        assert_string_equal(grid.column[3].name, "class");
        assert_int_equal(grid.column[3].kind, COLUMN_TEXT);
        assert_int_equal(grid.column[3].width, 3);
        for (size_t row = 0; row < 4; row++) {
            for (size_t i = 0; i < 3; i++)
                assert_true(isnan(values[row][i]) ? isnan(grid.number[row * 4 + i])
                                                  : grid.number[row * 4 + i] == values[row][i]);
            assert_string_equal(grid.text[row * 4 + 3], names[row]);
            assert_non_null(strstr(grid.place[row], lines[row]));
        }
        grid_free(&grid);
    }
    grid_of(&grid, text_file("zero.svm", "a 0:1 2:3\nb 1:2\n"), TABLE_ANY, 9);
    assert_int_equal(grid.columns, 4);
    assert_string_equal(grid.column[0].name, "x0");
    assert_true(grid.number[0] == 1 && grid.number[2] == 3 && grid.number[5] == 2);
    grid_free(&grid);
    grid_of(&grid, text_file("bare.svm", "a\nb\n"), TABLE_ANY, 9);
    assert_int_equal(grid.columns, 1);
    assert_int_equal(grid.rows, 2);
    grid_free(&grid);
}

static void libsvm_refused(void **context) {
    (void)context;
    static const struct {
        const char *text, *words[3];
    } cases[] = {
        {"1 1:2\n1 x\n", {"t.svm:2", "index:value", "'x'"}},
        {"1 1:2\n1 1:x\n", {"t.svm:2", "number", "'1:x'"}},
        {"1 1:\n", {"t.svm:1", "number", "'1:'"}},
        {"1 :5\n", {"t.svm:1", "index", "':5'"}},
        {"1 -1:5\n", {"t.svm:1", "index", "'-1:5'"}},
        {"1 1.5:5\n", {"t.svm:1", "index", "'1.5:5'"}},
        {"1 99999999999999999999:5\n", {"t.svm:1", "index", "999"}},
        {"1 2:1 1:5\n", {"t.svm:1", "ascending", "'1:5'"}},
        {"1 2:1 2:5\n", {"t.svm:1", "ascending", "'2:5'"}},
        {"1:2 2:3\n", {"t.svm:1", "label", "'1:2'"}},
        {"# nothing\n\n", {"t.svm", "no rows", ""}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused_table(text_file("t.svm", cases[i].text), TABLE_ANY, BAD_INPUT,
                             WORDS(cases[i].words[0], cases[i].words[1], cases[i].words[2]));
    assert_refused_table(file_of("t.svm", "1 1:2\n1\0 1:2\n", 13), TABLE_ANY, BAD_INPUT,
                         WORDS("t.svm:2", "NUL"));
}

/* Against the same values kept dense. */
static void libsvm_random(void **context) {
    (void)context;
    enum { ROWS = 3000, COLUMNS = 40 };
    static double dense[ROWS][COLUMNS];
    uint64_t state = 1;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t row = 0; row < ROWS; row++) {
        fprintf(out, "c%zu", row % 5);
        for (size_t i = 0; i < COLUMNS; i++)
            if (random_below(&state, 4) == 0 || (row == 0 && i == COLUMNS - 1)) {
                dense[row][i] = (double)random_bits(&state) / 1e19 - 1;
                fprintf(out, " %zu:%.17g", i + 1, dense[row][i]);
            }
        fputc('\n', out);
    }
    fclose(out);
    struct grid grid;
    grid_of(&grid, gzip_file("t.svm.gz", text, size), TABLE_ANY, 100);
    assert_int_equal(grid.rows, ROWS);
    assert_int_equal(grid.columns, COLUMNS + 1);
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < COLUMNS; i++)
            assert_memory_equal(&grid.number[row * (COLUMNS + 1) + i], &dense[row][i],
                                sizeof(double));
    grid_free(&grid);
    free(text);
}

/* ---------------------------------------------------------------- choice ---------------------- */

static void names_of_formats(void **context) {
    (void)context;
    static const char *const names[] = {"any", "csv", "tsv", "fits", "idx", "libsvm"};
    enum table_format format;
    for (size_t i = 0; i < 6; i++) {
        assert_true(table_format_named(names[i], &format));
        assert_int_equal(format, i);
    }
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
    grid_of(&grid, file_of("t.csv", images, sizeof images), TABLE_ANY, 9);
    assert_int_equal(grid.columns, 6);
    grid_free(&grid);
    assert_refused_table(text_file("t.fits", "a,b\n1,2\n"), TABLE_FITS, BAD_INPUT,
                         WORDS("t.fits", "FITS"));
    text_file("t.csv", "a,b\n1,2\n");
    assert_refused_table(path_of("t.csv[1]"), TABLE_ANY, BAD_INPUT, WORDS("t.csv", "[1]"));
    grid_of(&grid, text_file("u[1]", "a,b\n1,2\n"), TABLE_ANY, 9); /* a file of that very name */
    grid_free(&grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idx_images),       cmocka_unit_test(idx_types),
        cmocka_unit_test(idx_refused),      cmocka_unit_test(libsvm_rows),
        cmocka_unit_test(libsvm_refused),   cmocka_unit_test(libsvm_random),
        cmocka_unit_test(names_of_formats), cmocka_unit_test(content_decides),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
