/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/scratch.h"
#include "support/table_case.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

size_t random_below(uint64_t *state, size_t most) {
    return (size_t)(random_bits(state) % most);
}

/* ---------------------------------------------------------------- files ----------------------- */

static char directory[SCRATCH_SIZE];

int directory_make(void **context) {
    (void)context;
    return mkdtemp(scratch_name(directory)) ? 0 : -1;
}

static size_t each_entry(bool remove_them) {
    size_t count = 0;
    DIR *open = opendir(directory);
    assert_non_null(open);
    for (struct dirent *entry; (entry = readdir(open));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (remove_them && remove(path_of(entry->d_name)) != 0)
            print_message("%s stays behind\n", entry->d_name);
    }
    closedir(open);
    return count;
}

int directory_remove(void **context) {
    (void)context;
    each_entry(true);
    return rmdir(directory);
}

size_t directory_entries(void) {
    return each_entry(false);
}

const char *path_of(const char *name) {
    static char paths[16][600];
    static unsigned next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

const char *file_of(const char *name, const void *bytes, size_t size) {
    const char *path = path_of(name);
    unlink(path); /* some file systems wait for the disk when a file is written over */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

const char *text_file(const char *name, const char *text) {
    return file_of(name, text, strlen(text));
}

const char *gzip_file(const char *name, const void *bytes, size_t size) {
    const char *path = path_of(name);
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    if (size)
        assert_int_equal(gzwrite(file, bytes, (unsigned)size), size);
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

char *contents_of(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

/* ---------------------------------------------------------------- grids ----------------------- */

static void *grown(void *old, size_t count, size_t size) {
    void *new = realloc(old, (count ? count : 1) * size);
    assert_non_null(new);
    return new;
}

static void make_room(struct grid *grid, size_t more) {
    size_t cells = (grid->rows + more) * grid->columns;
    grid->number = grown(grid->number, cells, sizeof *grid->number);
    grid->is_number = grown(grid->is_number, cells, sizeof *grid->is_number);
    grid->text = grown(grid->text, cells, sizeof *grid->text);
    grid->length = grown(grid->length, cells, sizeof *grid->length);
    grid->place = grown(grid->place, grid->rows + more, sizeof *grid->place);
}

static void take_columns(struct grid *grid, const struct table *table) {
    grid->columns = table_columns(table);
    grid->column = grown(NULL, grid->columns, sizeof *grid->column);
    for (size_t i = 0; i < grid->columns; i++) {
        grid->column[i] = *table_column(table, i);
        grid->column[i].name = strdup(grid->column[i].name);
        grid->column[i].unit = grid->column[i].unit ? strdup(grid->column[i].unit) : NULL;
    }
}

static void take_numbers(struct grid *grid, struct table *table, size_t rows, size_t column) {
    struct complaint complaint;
    double *number = grid->number + grid->rows * grid->columns + column;
    bool good = table_numbers(table, column, number, grid->columns, &complaint);
    for (size_t row = 0; row < rows; row++) {
        if (!good)
            number[row * grid->columns] = NAN;
        grid->is_number[(grid->rows + row) * grid->columns + column] = good;
    }
}

static bool take_rows(struct grid *grid, struct table *table, size_t rows,
                      struct complaint *complaint) {
    char place[1000];
    make_room(grid, rows);
    for (size_t i = 0; i < grid->columns; i++)
        take_numbers(grid, table, rows, i);
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < grid->columns; i++) {
            struct span span;
            size_t cell = grid->rows * grid->columns + i;
            if (!table_text(table, row, i, &span, complaint)) {
                for (size_t k = 0; k < i; k++)
                    free(grid->text[grid->rows * grid->columns + k]);
                return false;
            }
            grid->text[cell] = grown(NULL, span.length + 1, 1);
            memcpy(grid->text[cell], span.text, span.length);
            grid->text[cell][span.length] = '\0';
            grid->length[cell] = span.length;
        }
        table_place(table, row, place, sizeof place);
        grid->place[grid->rows++] = strdup(place);
    }
    return true;
}

bool grid_read(struct grid *grid, const char *path, enum table_format format, size_t most,
               struct complaint *complaint) {
    size_t rows;
    bool good;
    *grid = (struct grid){0};
    struct table *table = table_open(path, format, complaint);
    if (!table)
        return false;
    take_columns(grid, table);
    do {
        good = table_next(table, most, &rows, complaint) && rows <= most &&
               take_rows(grid, table, rows, complaint);
    } while (good && rows);
    if (good) /* the end stays the end */
        good = table_next(table, most, &rows, complaint) && !rows;
    table_close(table);
    if (!good)
        grid_free(grid);
    return good;
}

void grid_free(struct grid *grid) {
    for (size_t i = 0; i < grid->columns; i++) {
        free((char *)(uintptr_t)grid->column[i].name);
        free((char *)(uintptr_t)grid->column[i].unit);
    }
    for (size_t i = 0; i < grid->rows * grid->columns; i++)
        free(grid->text[i]);
    for (size_t i = 0; i < grid->rows; i++)
        free(grid->place[i]);
    free(grid->column);
    free(grid->number);
    free(grid->is_number);
    free(grid->text);
    free(grid->length);
    free(grid->place);
    *grid = (struct grid){0};
}

void assert_same_grid(const struct grid *a, const struct grid *b) {
    assert_int_equal(a->columns, b->columns);
    assert_int_equal(a->rows, b->rows);
    for (size_t i = 0; i < a->columns; i++) {
        assert_string_equal(a->column[i].name, b->column[i].name);
        assert_int_equal(a->column[i].kind, b->column[i].kind);
    }
    for (size_t i = 0; i < a->rows * a->columns; i++) {
        if (a->column[i % a->columns].kind == COLUMN_NUMBER) {
            bool nan = isnan(a->number[i]) && isnan(b->number[i]);
            if (!a->is_number[i] || !b->is_number[i] ||
                (!nan && memcmp(&a->number[i], &b->number[i], sizeof(double)) != 0))
                fail_msg("row %zu, column %s: %a and %a", i / a->columns + 1,
                         a->column[i % a->columns].name, a->number[i], b->number[i]);
        }
        if (a->length[i] != b->length[i] || memcmp(a->text[i], b->text[i], a->length[i]) != 0)
            fail_msg("row %zu, column %s: '%s' and '%s'", i / a->columns + 1,
                     a->column[i % a->columns].name, a->text[i], b->text[i]);
    }
}

void grid_of(struct grid *grid, const char *path, enum table_format format, size_t most) {
    struct complaint complaint = {0};
    if (!grid_read(grid, path, format, most, &complaint))
        fail_msg("%s", complaint.text);
}

void assert_refused_table(const char *path, enum table_format format, enum complaint_kind kind,
                          const char *const *words) {
    struct complaint complaint = {0};
    struct grid grid;
    if (grid_read(&grid, path, format, 4096, &complaint))
        fail_msg("%s is not refused", path);
    if (complaint.kind != kind)
        fail_msg("kind %d instead of %d: %s", complaint.kind, kind, complaint.text);
    if (!complaint.text[0] || strchr(complaint.text, '\n'))
        fail_msg("'%s' is not one line", complaint.text);
    for (; *words; words++)
        if (!strstr(complaint.text, *words))
            fail_msg("'%s' does not say '%s'", complaint.text, *words);
}
