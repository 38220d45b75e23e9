/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fuzz.h"

#include "text/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Noreturn void fuzz_stop(const char *file, int line, const char *law) {
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, law);
    abort();
}

/* ---------------------------------------------------------------- files ----------------------- */

static int file_of(size_t slot) {
    static int known[FUZZ_FILES];
    if (!known[slot]) {
        known[slot] = memfd_create("fuzz", MFD_CLOEXEC);
        must(known[slot] > 0);
    }
    return known[slot];
}

const char *fuzz_file(size_t slot, const void *bytes, size_t size) {
    static char path[FUZZ_FILES][64];
    int file = file_of(slot);
    must(size == 0 || pwrite(file, bytes, size, 0) == (ssize_t)size);
    must(ftruncate(file, (off_t)size) == 0); /* afterwards, which keeps the pages it has */
    must(lseek(file, 0, SEEK_SET) == 0);     /* saving goes on where the last one ended */
    snprintf(path[slot], sizeof path[slot], "/proc/self/fd/%d", file);
    return path[slot];
}

char *fuzz_content(size_t slot, size_t *size) {
    struct stat status;
    int file = file_of(slot);
    must(fstat(file, &status) == 0);
    *size = (size_t)status.st_size;
    char *bytes = malloc(*size + 1);
    must(bytes && pread(file, bytes, *size, 0) == (ssize_t)*size);
    return bytes;
}

char *fuzz_line(const uint8_t **data, size_t *size) {
    const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
    size_t length = end ? (size_t)(end - *data) : *size, taken = length + (end != NULL);
    char *line = malloc(length + 1);
    must(line);
    if (length)
        memcpy(line, *data, length);
    line[length] = '\0';
    *data += taken;
    *size -= taken;
    return line;
}

void fuzz_check_complaint(const struct complaint *complaint) {
    must(complaint->kind != NO_COMPLAINT);
    must(complaint->text[0] && strlen(complaint->text) < sizeof complaint->text);
    must(utf8_valid(complaint->text));
    for (const char *c = complaint->text; *c; c++)
        must((unsigned char)*c >= 0x20 && *c != 0x7f);
}

/* ---------------------------------------------------------------- tables ---------------------- */

static uint64_t mix(uint64_t sum, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ byte[i]) * 0x100000001b3u;
    return sum;
}

/* Digests of a column's cells in their order. */
struct digest {
    uint64_t numbers, texts;
    bool text; /* some cell was no number */
};

/* What reading found: how far it came, and the cells. */
struct reading {
    bool opened, whole;
    size_t rows, columns;
    struct digest *digest; /* columns */
    struct complaint complaint;
};

static bool read_column(struct table *table, size_t column, size_t rows, struct reading *reading) {
    struct digest *digest = &reading->digest[column];
    double *numbers = calloc(rows + 1, sizeof *numbers);
    struct complaint no_number = {0};
    must(numbers);
    if (table_numbers(table, column, numbers, 1, &no_number)) {
        digest->numbers = mix(digest->numbers, numbers, rows * sizeof *numbers);
    } else {
        fuzz_check_complaint(&no_number);
        digest->text = true;
    }
    free(numbers);
    bool fine = true;
    for (size_t row = 0; fine && row < rows; row++) {
        struct span span;
        fine = table_text(table, row, column, &span, &reading->complaint);
        digest->texts = fine ? mix(digest->texts, span.text, span.length) : 0;
        fine = fine && table_label(table, row, column, &span, &reading->complaint);
        digest->texts = fine ? mix(digest->texts, span.text, span.length) : 0;
    }
    return fine;
}

/* A sample of the columns of wide tables. */
static bool read_rows(struct table *table, size_t rows, struct reading *reading) {
    enum { MOST_COLUMNS = 64 };
    size_t step = table_columns(table) / MOST_COLUMNS + 1;
    for (size_t column = 0; column < table_columns(table); column += step)
        if (!read_column(table, column, rows, reading))
            return false;
    char place[64];
    table_place(table, rows - 1, place, sizeof place);
    must(place[0]);
    return true;
}

static struct reading read_table(const char *path, enum table_format format, size_t block) {
    struct reading reading = {0};
    struct table *table = table_open(path, format, &reading.complaint);
    if (!table)
        return reading;
    reading.opened = true;
    reading.columns = table_columns(table);
    reading.digest = calloc(reading.columns + 1, sizeof *reading.digest);
    must(reading.digest);
    for (size_t i = 0; i < reading.columns; i++) {
        const char *name = table_column_name(table, i);
        must(name && (!*name || table_find(table, name) != NO_COLUMN));
    }
    size_t rows = 0;
    bool fine;
    while ((fine = table_next(table, block, &rows, &reading.complaint)) && rows) {
        must(rows <= block);
        reading.rows += rows;
        if (!(fine = read_rows(table, rows, &reading)))
            break;
    }
    reading.whole = fine;
    table_close(table);
    return reading;
}

void fuzz_read_file(const char *path, enum table_format format) {
    enum { SMALL = 3, LARGE = 1000 };
    struct reading small = read_table(path, format, SMALL);
    if (!small.opened || !small.whole)
        fuzz_check_complaint(&small.complaint);
    if (!small.opened) /* which it was before the size of blocks was known */
        return;
    struct reading large = read_table(path, format, LARGE);
    must(large.opened && small.whole == large.whole);
    for (size_t i = 0; small.whole && i < small.columns; i++) {
        const struct digest *a = &small.digest[i], *b = &large.digest[i];
        must(small.rows == large.rows && small.columns == large.columns);
        must(a->text == b->text && a->texts == b->texts && (a->text || a->numbers == b->numbers));
    }
    free(small.digest);
    free(large.digest);
}

void fuzz_read_table(const uint8_t *data, size_t size, enum table_format format) {
    fuzz_read_file(fuzz_file(0, data, size), format);
}
