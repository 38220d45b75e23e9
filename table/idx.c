/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IDX, the format of MNIST: two zero bytes, the type of the elements, the number of dimensions, the
 * dimensions, then the elements, all with the highest byte first. The first dimension counts rows,
 * the others become the columns x1, x2, ... If a file is named "...images-idx3..." and the same
 * directory has "...labels-idx1...", the labels become the last column, `class`.
 */
#define _POSIX_C_SOURCE 200809L
#include "table/buffer_size.h"
#include "table/reader.h"

#include "table/big_endian.h"
#include "text/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK = BUFFER_SIZE(1 << 20),         /* bytes read at a time, more when a row is longer */
    MOST_COLUMNS = COLUMN_LIMIT(1 << 20), /* of a row */
    LONGEST_ELEMENT = 8                   /* bytes */
};

/* One IDX file: its elements in order. */
struct idx_file {
    struct byte_stream *input;
    unsigned char type;
    size_t bytes;         /* of an element */
    size_t rows, columns; /* from its header */
};

struct idx {
    struct table table;
    struct idx_file images, labels; /* labels.input is NULL where there are none */
    size_t block;                   /* rows the buffers hold */
    unsigned char *image, *label;
};

/* ---------------------------------------------------------------- one file -------------------- */

static size_t bytes_of(unsigned char type) {
    switch (type) {
    case 0x08: /* unsigned */
    case 0x09: /* signed */
        return 1;
    case 0x0b:
        return 2;
    case 0x0c:
    case 0x0d: /* float */
        return 4;
    case 0x0e: /* double */
        return 8;
    }
    return 0;
}

static double element(unsigned char type, const unsigned char *bytes) {
    uint64_t bits = big_endian(bytes, bytes_of(type));
    switch (type) {
    case 0x08:
        return (double)bits;
    case 0x09:
        return (int8_t)bits;
    case 0x0b:
        return (int16_t)bits;
    case 0x0c:
        return (int32_t)bits;
    case 0x0d:
        return big_endian_float(bytes);
    case 0x0e:
        return big_endian_double(bytes);
    }
    return NAN;
}

static bool ends_early(const struct idx_file *file, size_t row, struct complaint *complaint) {
    return complain(complaint, BAD_INPUT,
                    "%s: row %zu: the file ends here; its header says %zu rows",
                    byte_stream_name(file->input), row + 1, file->rows);
}

static bool read_head(struct idx_file *file, struct complaint *complaint) {
    unsigned char head[4], size[4];
    size_t got;
    const char *name = byte_stream_name(file->input);
    if (!byte_stream_read(file->input, head, sizeof head, &got, complaint))
        return false;
    if (got < sizeof head || head[0] || head[1] || !bytes_of(head[2]) || !head[3])
        return complain(complaint, BAD_INPUT, "%s: is not an IDX file", name);
    file->type = head[2];
    file->bytes = bytes_of(head[2]);
    file->columns = 1;
    for (unsigned i = 0; i < head[3]; i++) {
        if (!byte_stream_read(file->input, size, sizeof size, &got, complaint))
            return false;
        if (got < sizeof size)
            return complain(complaint, BAD_INPUT, "%s: the file ends within its header", name);
        size_t dimension = (size_t)big_endian(size, 4);
        if (!i)
            file->rows = dimension;
        else if (!dimension || dimension > MOST_COLUMNS / file->columns)
            return complain(complaint, BAD_INPUT,
                            "%s: dimension %u is %zu; a row has 1 to %d elements", name, i + 1,
                            dimension, MOST_COLUMNS);
        else
            file->columns *= dimension;
    }
    return true;
}

static bool read_rows(struct idx_file *file, size_t before, size_t rows, unsigned char *bytes,
                      struct complaint *complaint) {
    size_t row = file->columns * file->bytes, got;
    if (!byte_stream_read(file->input, bytes, rows * row, &got, complaint))
        return false;
    return got == rows * row || ends_early(file, before + got / row, complaint);
}

/* Also makes sure of the check sum at the end of a gzipped file. */
static bool read_end(struct idx_file *file, struct complaint *complaint) {
    unsigned char byte;
    size_t got;
    if (!byte_stream_read(file->input, &byte, 1, &got, complaint))
        return false;
    return !got || complain(complaint, BAD_INPUT,
                            "%s: there are more bytes than the header's %zu rows have",
                            byte_stream_name(file->input), file->rows);
}

/* ---------------------------------------------------------------- labels ---------------------- */

/* The path of the labels that belong to images into *found, NULL when there is no such file. False
 * without memory. */
static bool find_labels(const char *path, char **found) {
    const char *directory = strrchr(path, '/');
    size_t size = strlen(path) + 4;
    char *labels = *found = malloc(size);
    if (!labels)
        return false;
    snprintf(labels, size, "%s", path);
    char *word = strstr(labels + (directory ? directory - path : 0), "images-idx3");
    size_t length = strlen(labels);
    if (word) {
        memcpy(word, "labels-idx1", 11);
        if (access(labels, F_OK) == 0)
            return true;
        if (length > 3 && strcmp(labels + length - 3, ".gz") == 0)
            labels[length - 3] = '\0';
        else
            memcpy(labels + length, ".gz", sizeof ".gz");
        if (access(labels, F_OK) == 0)
            return true;
    }
    free(labels);
    *found = NULL;
    return true;
}

static bool open_labels(struct idx *idx, const char *path, struct complaint *complaint) {
    char *labels = NULL;
    if (!find_labels(path, &labels))
        return table_complain_of_memory(&idx->table, complaint);
    if (!labels)
        return true;
    idx->labels.input = byte_stream_open(labels, complaint);
    free(labels);
    if (!idx->labels.input || !read_head(&idx->labels, complaint))
        return false;
    if (idx->labels.columns != 1 || idx->labels.rows != idx->images.rows)
        return complain(complaint, BAD_INPUT, "%s: %zu x %zu labels for the %zu images of %s",
                        byte_stream_name(idx->labels.input), idx->labels.rows, idx->labels.columns,
                        idx->images.rows, idx->table.path);
    idx->table.beside = byte_stream_name(idx->labels.input);
    return true;
}

/* ---------------------------------------------------------------- the reader ------------------ */

static bool make_columns(struct idx *idx, struct complaint *complaint) {
    size_t columns = idx->images.columns;
    bool labelled = idx->labels.input != NULL;
    if (!table_make_columns(&idx->table, columns + labelled, complaint) ||
        !table_name_numbered(&idx->table, 1, columns, complaint))
        return false;
    if (labelled) /* names of classes, whatever digits they are written in */
        idx->table.column[columns] =
            (struct column){.name = "class",
                            .kind = COLUMN_TEXT,
                            .width = idx->labels.bytes == 1 ? 4 : NUMBER_LENGTH};
    size_t row = columns * idx->images.bytes;
    idx->block = row < BLOCK ? BLOCK / row : 1;
    idx->image = malloc(idx->block * row);
    idx->label = malloc(idx->block * LONGEST_ELEMENT);
    return (idx->image && idx->label) || table_complain_of_memory(&idx->table, complaint);
}

static struct table *idx_open(struct byte_stream *input, const struct opening *opening,
                              struct complaint *complaint) {
    struct idx *idx = table_create(sizeof *idx, &idx_reader, byte_stream_name(input), complaint);
    if (!idx) {
        byte_stream_close(input);
        return NULL;
    }
    idx->images.input = input;
    if (!read_head(&idx->images, complaint) || !open_labels(idx, opening->path, complaint) ||
        !make_columns(idx, complaint)) {
        table_close(&idx->table);
        return NULL;
    }
    return &idx->table;
}

static void idx_close(struct table *table) {
    struct idx *idx = (struct idx *)table;
    byte_stream_close(idx->images.input);
    byte_stream_close(idx->labels.input);
    free(idx->image);
    free(idx->label);
}

static bool idx_next(struct table *table, size_t most, struct complaint *complaint) {
    struct idx *idx = (struct idx *)table;
    size_t left = idx->images.rows - table->before, rows = left < most ? left : most;
    bool labelled = idx->labels.input != NULL;
    if (!rows)
        return read_end(&idx->images, complaint) &&
               (!labelled || read_end(&idx->labels, complaint));
    if (rows > idx->block)
        rows = idx->block;
    table->rows = rows;
    return read_rows(&idx->images, table->before, rows, idx->image, complaint) &&
           (!labelled || read_rows(&idx->labels, table->before, rows, idx->label, complaint));
}

static double value_at(const struct idx *idx, size_t row, size_t column) {
    const struct idx_file *file = &idx->images;
    if (column == file->columns)
        return element(idx->labels.type, idx->label + row * idx->labels.bytes);
    return element(file->type, idx->image + (row * file->columns + column) * file->bytes);
}

static bool idx_numbers(struct table *table, size_t column, double *out, size_t stride,
                        struct complaint *complaint) {
    (void)complaint;
    for (size_t row = 0; row < table->rows; row++)
        out[row * stride] = value_at((struct idx *)table, row, column);
    return true;
}

static bool idx_text(struct table *table, size_t row, size_t column, struct span *span,
                     struct complaint *complaint) {
    return table_show_number(table, value_at((struct idx *)table, row, column), span, complaint);
}

const struct reader idx_reader = {
    .open = idx_open,
    .close = idx_close,
    .next = idx_next,
    .numbers = idx_numbers,
    .text = idx_text,
    .place = table_place_row,
};
