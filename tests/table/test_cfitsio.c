/* SPDX-License-Identifier: Apache-2.0 */
/* FITS tables compared with cfitsio: we read what it writes in the same way, and it reads what we
 * write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/fits_sample.h"
#include "support/table_case.h"

#include <fitsio.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* cfitsio treats subnormal numbers as zero, and is one bit off in some decimals. */
static bool same(double theirs, double ours, bool decimal) {
    return theirs == ours || (isnan(theirs) && isnan(ours)) ||
           (theirs == 0 && fabs(ours) < DBL_MIN) ||
           (decimal && fabs(theirs - ours) <= 2 * DBL_EPSILON * fabs(ours));
}

/* One of cfitsio's columns, `element` of `repeat`, against one of ours. */
static void compare_numbers(fitsfile *file, int field, int element, int repeat,
                            const struct grid *grid, size_t column) {
    for (size_t row = 0; row < grid->rows; row++) {
        double value = NAN, null = NAN;
        char logical = 0;
        int status = 0, any = 0, type = 0, hdu = 0;
        long dummy;
        fits_get_hdu_type(file, &hdu, &status);
        fits_get_coltype(file, field, &type, &dummy, &dummy, &status);
        if (type == TLOGICAL) {
            fits_read_col_log(file, field, (LONGLONG)row + 1, 1, 1, 2, &logical, &any, &status);
            value = logical == 2 ? NAN : logical;
        } else {
            fits_read_col_dbl(file, field, (LONGLONG)row + 1, element, 1, null, &value, &any,
                              &status);
            if (any)
                value = NAN;
        }
        assert_int_equal(status, 0);
        if (!same(value, grid->number[row * grid->columns + column], hdu == ASCII_TBL))
            fail_msg("row %zu, %s (element %d of %d): cfitsio %a, here %a", row + 1,
                     grid->column[column].name, element, repeat, value,
                     grid->number[row * grid->columns + column]);
    }
}

static void compare_text(fitsfile *file, int field, const struct grid *grid, size_t column) {
    for (size_t row = 0; row < grid->rows; row++) {
        char text[256] = "", *pointer = text, null[] = "";
        int status = 0, any;
        fits_read_col_str(file, field, (LONGLONG)row + 1, 1, 1, null, &pointer, &any, &status);
        assert_int_equal(status, 0);
        for (size_t end = strlen(text); end && text[end - 1] == ' '; end--)
            text[end - 1] = '\0';
        assert_string_equal(text + strspn(text, " "), grid->text[row * grid->columns + column]);
    }
}

/* All columns that we have, in the file's order; `skipped` of the last fields have none. */
static void compare(const char *path, int skipped) {
    fitsfile *file;
    struct grid grid;
    int status = 0, fields = 0, data_good = 0, all_good = 0;
    long rows = 0;
    grid_of(&grid, path, TABLE_ANY, 64);
    fits_open_diskfile(&file, path, READONLY, &status);
    fits_movabs_hdu(file, 2, NULL, &status);
    fits_get_num_cols(file, &fields, &status);
    fits_get_num_rows(file, &rows, &status);
    fits_verify_chksum(file, &data_good, &all_good, &status);
    assert_int_equal(status, 0);
    assert_int_equal(rows, grid.rows);
    assert_true(data_good >= 0 && all_good >= 0);
    size_t column = 0;
    for (int field = 1; field <= fields - skipped; field++) {
        int type;
        long repeat, width;
        char key[FLEN_KEYWORD], unit[FLEN_VALUE] = "";
        fits_get_coltype(file, field, &type, &repeat, &width, &status);
        assert_int_equal(status, 0);
        fits_make_keyn("TUNIT", field, key, &status);
        if (fits_read_key(file, TSTRING, key, unit, NULL, &status) == 0 && *unit)
            assert_string_equal(grid.column[column].unit, unit);
        status = 0;
        if (type == TSTRING)
            compare_text(file, field, &grid, column++);
        else
            for (int element = 1; element <= repeat; element++)
                compare_numbers(file, field, element, (int)repeat, &grid, column++);
    }
    assert_int_equal(column, grid.columns);
    fits_close_file(file, &status);
    fits_clear_errmsg();
    grid_free(&grid);
}

static void what_cfitsio_writes(void **context) {
    (void)context;
    for (int sums = 0; sums < 2; sums++) { /* rows that do not end with a word of the sum */
        fits_sample(path_of("b.fits"), BINARY_TBL, 201, sums);
        compare(path_of("b.fits"), 3); /* P, X and M */
        fits_sample(path_of("a.fits"), ASCII_TBL, 201, sums);
        compare(path_of("a.fits"), 0);
    }
}

static void what_we_write(void **context) {
    (void)context;
    struct column columns[] = {{.name = "x", .unit = "erg"},
                               {.name = "it's", .kind = COLUMN_TEXT},
                               {.name = "", .kind = COLUMN_TEXT},
                               {.name = "last column"}};
    static const char *const words[] = {"", "a", "two words", "0123456789012345678901234567890"};
    struct complaint complaint;
    uint64_t state = 1;
    for (size_t rows = 0; rows < 2000; rows = 3 * rows + 1) {
        const char *path = path_of("o.fits");
        struct table_writer *writer = table_writer_open(path, TABLE_ANY, 4, columns, &complaint);
        assert_non_null(writer);
        for (size_t row = 0; row < rows; row++) {
            uint64_t bits = random_bits(&state);
            double value;
            const char *word = words[bits % 4];
            memcpy(&value, &bits, sizeof value);
            table_write_number(writer, value);
            table_write_text(writer, (struct span){word, strlen(word)});
            table_write_text(writer, (struct span){"", 0});
            table_write_number(writer, row % 7 ? (double)row : NAN);
            assert_true(table_write_end(writer, &complaint));
        }
        assert_true(table_writer_close(writer, &complaint));
        compare(path, 0);
        fitsfile *file;
        int status = 0, data_good = 0, all_good = 0;
        fits_open_diskfile(&file, path, READONLY, &status);
        fits_movabs_hdu(file, 2, NULL, &status);
        fits_verify_chksum(file, &data_good, &all_good, &status);
        assert_int_equal(status, 0);
        assert_true(data_good == 1 && all_good == 1); /* there are sums, and they are right */
        fits_close_file(file, &status);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cfitsio_writes),
        cmocka_unit_test(what_we_write),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
