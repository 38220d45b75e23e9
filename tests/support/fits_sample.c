/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/fits_sample.h"

#include <fitsio.h>
#include <stdbool.h>
#include <unistd.h>

static void write_row(fitsfile *file, int type, LONGLONG row, int *status) {
    double values[6] = {(double)row, -2, 3.25, 40000, 5e-3, 6};
    char logical = row % 3 == 0;
    char *text = row % 4 ? "text" : " two words";
    for (int i = 1; i <= 7; i++)
        if (type == ASCII_TBL)
            fits_write_col_dbl(file, i, row, 1, 1, values, status);
        else if (i == 1)
            fits_write_col_log(file, i, row, 1, 1, &logical, status);
        else if ((row + i) % 5 == 0 && i != 4 && i != 5)
            fits_write_col_null(file, i, row, 1, 1, status);
        else
            fits_write_col_dbl(file, i, row, 1, 1, values, status);
    fits_write_col_str(file, 8, row, 1, 1, &text, status);
    if (type == BINARY_TBL) {
        fits_write_col_dbl(file, 9, row, 1, 6, values, status);
        fits_write_col_dbl(file, 10, row, 1, 1 + (row % 3), values, status);
    }
}

void fits_sample(const char *path, int type, int rows, bool with_sums) {
    static char *names[] = {"L", "B", "I", "J", "K", "E", "D", "A", "V", "P", "X", "M"};
    static char *units[] = {"", "", "erg", "", "", "km / s", "", "", "mag", "", "", ""};
    static char *binary[] = {"1L", "1B",  "1I", "1J",  "1K",  "1E",
                             "1D", "10A", "6E", "1PE", "17X", "1M"};
    static char *ascii[] = {"I4", "I6", "I8", "I10", "I12", "F12.4", "D25.17", "A9"};
    bool packed = type == BINARY_TBL;
    int status = 0;
    fitsfile *file = NULL;
    unlink(path);
    fits_create_diskfile(&file, path, &status);
    fits_create_img(file, 8, 0, NULL, &status);
    fits_create_tbl(file, type, 0, packed ? 12 : 8, names, packed ? binary : ascii, units, "DATA",
                    &status);
    if (packed) {
        fits_write_key_lng(file, "TNULL2", 255, "", &status);
        fits_write_key_lng(file, "TNULL3", -1, "", &status);
        fits_write_key_dbl(file, "TSCAL4", 0.5, 3, "", &status);
        fits_write_key_dbl(file, "TZERO4", 100, 3, "", &status);
        fits_write_key_str(file, "TDIM9", "(2,3)", "", &status);
    }
    fits_set_hdustruc(file, &status);
    for (int row = 1; row <= rows; row++)
        write_row(file, type, row, &status);
    if (with_sums)
        fits_write_chksum(file, &status);
    fits_close_file(file, &status);
    if (status)
        fits_report_error(stderr, status);
    assert_int_equal(status, 0);
}
