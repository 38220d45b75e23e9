/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are cut or have flipped bits: never a crash (this runs under the sanitizers), always
 * either a table or one line that names the file. A file with a checksum is read as it was written
 * or not at all.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/fits_sample.h"
#include "support/sanitized.h"
#include "support/table_case.h"

#include <fitsio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Only a sanitizer detects the effects of most damage. */
enum { FLIPS = SANITIZED ? 1000 : 500 };

/* ---------------------------------------------------------------- helpers --------------------- */

/* Reads what may be anything. True when it was a table; `whole`, or NULL, is what it must be then.
 */
static bool try_to_read(const char *path, enum table_format format, const struct grid *whole) {
    struct complaint complaint = {0};
    struct grid grid;
    if (!grid_read(&grid, path, format, 7, &complaint)) {
        if (complaint.kind != BAD_INPUT || !strstr(complaint.text, "damaged") ||
            strchr(complaint.text, '\n'))
            fail_msg("kind %d: '%s'", complaint.kind, complaint.text);
        return false;
    }
    if (whole)
        assert_same_grid(&grid, whole);
    grid_free(&grid);
    return true;
}

static void flip_bits(const char *path, enum table_format format, bool has_sum) {
    struct grid whole;
    size_t size, read = 0;
    uint64_t state = 1;
    char *bytes = contents_of(path, &size), name[64];
    snprintf(name, sizeof name, "%s", strrchr(path, '/') + 1);
    grid_of(&whole, path, format, 100);
    for (int i = 0; i < FLIPS; i++) {
        /* One bit, which every checksum detects; then several. */
        size_t flips = has_sum || i % 2 ? 1 : 1 + random_below(&state, 8), at[8], bit[8];
        for (size_t k = 0; k < flips; k++) {
            at[k] = random_below(&state, size);
            bit[k] = random_below(&state, 8);
            bytes[at[k]] = (char)(bytes[at[k]] ^ 1 << bit[k]);
        }
        read += try_to_read(file_of("damaged", bytes, size), format, has_sum ? &whole : NULL);
        for (size_t k = 0; k < flips; k++)
            bytes[at[k]] = (char)(bytes[at[k]] ^ 1 << bit[k]);
    }
    print_message("%s: %zu of %d read\n", name, read, FLIPS);
    grid_free(&whole);
    free(bytes);
}

/* Cut at every byte up to `most`. A format that stores its length rejects every piece. */
static void cut(const char *path, enum table_format format, size_t step, bool has_length) {
    struct grid whole;
    size_t size;
    char *bytes = contents_of(path, &size);
    grid_of(&whole, path, format, 100);
    for (size_t length = 0; length < size; length += step) {
        const char *piece = file_of("damaged", bytes, length);
        if (length == 0)
            assert_refused_table(piece, format, BAD_INPUT, WORDS("damaged", "empty"));
        else
            try_to_read(piece, format, has_length ? &whole : NULL);
    }
    grid_free(&whole);
    free(bytes);
}

/* ---------------------------------------------------------------- files ----------------------- */

static const char csv_text[] = "id,flux,flux_err,class\n"
                               "1,1.5e-9,0.1,\"bll\"\n"
                               "2,-2.25,,\"fs\"\"rq\"\n"
                               "3,17,NaN,\"two\nlines\"\n"
                               "4,0.333333333333333333333,1e-400,\n";

/* With check sums, as our own writers make them. */
static const char *own_table(const char *name, enum table_format format) {
    struct column columns[] = {
        {.name = "x", .unit = "erg"}, {.name = "name", .kind = COLUMN_TEXT}, {.name = "y"}};
    struct complaint complaint;
    const char *path = path_of(name);
    struct table_writer *writer = table_writer_open(path, format, 3, columns, &complaint);
    assert_non_null(writer);
    for (size_t i = 0; i < 10; i++) {
        table_write_number(writer, sqrt((double)i));
        table_write_text(writer, (struct span){"abcdefghij", i});
        table_write_number(writer, i == 3 ? NAN : 1e300);
        assert_true(table_write_end(writer, &complaint));
    }
    assert_true(table_writer_close(writer, &complaint));
    return path;
}

/* Without checksums, so that the damage reaches the reader. */
static const char *bare_fits(const char *name, int type) {
    const char *path = path_of(name);
    fits_sample(path, type, 12, false);
    return path;
}

/* ---------------------------------------------------------------- tests ----------------------- */

static void csv_flipped(void **context) {
    (void)context;
    flip_bits(text_file("t.csv", csv_text), TABLE_ANY, false);
}

static void csv_cut(void **context) {
    (void)context;
    cut(text_file("t.csv", csv_text), TABLE_ANY, 1, false);
}

static void gzip_flipped(void **context) {
    (void)context;
    flip_bits(gzip_file("t.csv.gz", csv_text, strlen(csv_text)), TABLE_CSV, true);
}

static void gzip_cut(void **context) {
    (void)context;
    cut(gzip_file("t.csv.gz", csv_text, strlen(csv_text)), TABLE_CSV, 1, false);
}

static void fits_flipped(void **context) {
    (void)context;
    flip_bits(own_table("t.fits", TABLE_FITS), TABLE_ANY, true);
}

static void fits_cut(void **context) {
    (void)context;
    cut(own_table("t.fits", TABLE_FITS), TABLE_FITS, 1, true);
    cut(bare_fits("bare.fits", BINARY_TBL), TABLE_FITS, 13, true);
}

static void rows_flipped(void **context) {
    (void)context;
    flip_bits(own_table("t.nimrows", TABLE_ROWS), TABLE_ROWS, true);
}

static void rows_cut(void **context) {
    (void)context;
    cut(own_table("t.nimrows", TABLE_ROWS), TABLE_ROWS, 1, true);
}

static void bare_fits_flipped(void **context) {
    (void)context;
    flip_bits(bare_fits("bare.fits", BINARY_TBL), TABLE_ANY, false);
    flip_bits(bare_fits("ascii.fits", ASCII_TBL), TABLE_ANY, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_flipped),       cmocka_unit_test(csv_cut),
        cmocka_unit_test(gzip_flipped),      cmocka_unit_test(gzip_cut),
        cmocka_unit_test(fits_flipped),      cmocka_unit_test(fits_cut),
        cmocka_unit_test(bare_fits_flipped), cmocka_unit_test(rows_flipped),
        cmocka_unit_test(rows_cut),
    };
    return cmocka_run_group_tests(tests, directory_make, directory_remove);
}
