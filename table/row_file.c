/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads row files. The file is mapped, so that nothing is copied and all processes on a machine
 * share its pages. A pipe or a gzipped file is refused. In a file of the other byte order, the
 * bytes of each cell are swapped when it is read.
 */
#define _POSIX_C_SOURCE 200809L
#include "table/row_file.h"

#include "file/checksum.h"
#include "table/buffer_size.h"
#include "table/reader.h"
#include "text/growing.h"
#include "text/json_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEAD = sizeof(struct row_file_head),
    TAIL = sizeof(struct row_file_tail),
    MOST_COLUMNS = COLUMN_LIMIT(1 << 20),
    BLOCK = BUFFER_SIZE(1 << 20), /* bytes summed at a time, more when a row is longer */
};

/* The different texts of a column; its cells are their numbers. */
struct words {
    const char **word;
    size_t count;
    bool no_memory; /* for more of them */
};

struct row_file {
    struct table table;
    unsigned char *bytes; /* mapped */
    size_t size;
    bool swapped; /* written by a machine of the other byte order */
    struct row_file_tail tail;
    char *json;          /* decoded in place; names and words point into it */
    struct words *words; /* of each column; none in those of numbers */
    uint32_t checksum;   /* of what has been handed out, the head before it included */
};

/* ---------------------------------------------------------------- the frame ------------------- */

static bool is_damaged(struct row_file *file, const char *what) {
    return table_fail(&file->table, 0, "the row file is damaged: %s", what);
}

static bool map_file(struct row_file *file, const char *path) {
    struct stat state;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    bool good = descriptor >= 0 && fstat(descriptor, &state) == 0;
    file->size = good ? (size_t)state.st_size : 0;
    if (good && file->size)
        bytes = mmap(NULL, file->size, PROT_READ, MAP_SHARED, descriptor, 0);
    int reason = errno;
    if (descriptor >= 0)
        close(descriptor);
    if (bytes == MAP_FAILED)
        return table_fail(&file->table, 0, "cannot be mapped: %s", strerror(reason));
    file->bytes = bytes;
    return true;
}

static uint64_t in_order(const struct row_file *file, uint64_t value) {
    return file->swapped ? __builtin_bswap64(value) : value;
}

static bool read_head(struct row_file *file) {
    struct row_file_head head;
    if (file->size < HEAD + TAIL)
        return is_damaged(file, "it is too short");
    memcpy(&head, file->bytes, HEAD);
    file->swapped = head.order == __builtin_bswap64(ROW_FILE_ORDER);
    if (memcmp(head.magic, ROW_FILE_MAGIC, ROW_FILE_MAGIC_SIZE) != 0 ||
        in_order(file, head.order) != ROW_FILE_ORDER)
        return is_damaged(file, "its header is not valid");
    uint64_t version = in_order(file, head.version), columns = in_order(file, head.columns);
    if (version != ROW_FILE_VERSION)
        return table_fail(&file->table, 0,
                          "a row file of version %llu; this program reads version %d",
                          (unsigned long long)version, ROW_FILE_VERSION);
    if (columns < 1 || columns > MOST_COLUMNS)
        return is_damaged(file, "its header has an invalid number of columns");
    file->table.column = calloc(columns, sizeof *file->table.column);
    file->table.columns = file->table.column ? (size_t)columns : 0;
    return file->table.column || table_no_memory(&file->table);
}

/* Also that head, rows, columns and tail are as long as the file. */
static bool read_tail(struct row_file *file) {
    struct row_file_tail *tail = &file->tail;
    size_t row = file->table.columns * sizeof(double), room = file->size - HEAD - TAIL;
    memcpy(tail, file->bytes + file->size - TAIL, TAIL);
    tail->rows = in_order(file, tail->rows);
    tail->json = in_order(file, tail->json);
    tail->checksum = in_order(file, tail->checksum);
    if (memcmp(tail->magic, ROW_FILE_MAGIC, ROW_FILE_MAGIC_SIZE) != 0)
        return is_damaged(file, "its last bytes are wrong; is it truncated?");
    if (tail->json > room || tail->json % sizeof(double) != 0 || tail->rows > room / row ||
        tail->rows * row != room - tail->json)
        return is_damaged(file, "its length does not match its number of rows");
    return true;
}

/* ---------------------------------------------------------------- the columns ----------------- */

static bool take_words(struct json_reader *json, struct words *words) {
    bool good = json_take(json, '[');
    for (; good && !json_take(json, ']'); words->count++) {
        const char **grown = grow_by_one(words->word, words->count, sizeof *grown);
        words->no_memory = !grown;
        if (!grown)
            return false;
        words->word = grown;
        good = (words->count == 0 || json_take(json, ',')) &&
               (words->word[words->count] = json_take_string(json));
    }
    return good;
}

/* {"name": "class", "unit": "...", "words": ["a", "b"]}; only the name must be there. */
static bool take_column(struct json_reader *json, struct column *column, struct words *words) {
    bool good = json_take(json, '{');
    for (size_t members = 0; good && !json_take(json, '}'); members++) {
        char *key = members == 0 || json_take(json, ',') ? json_take_string(json) : NULL;
        good = key && json_take(json, ':');
        if (!good)
            return false;
        if (strcmp(key, "name") == 0 && !column->name)
            good = (column->name = json_take_string(json));
        else if (strcmp(key, "unit") == 0 && !column->unit)
            good = (column->unit = json_take_string(json));
        else if (strcmp(key, "words") == 0 && column->kind != COLUMN_TEXT) {
            column->kind = COLUMN_TEXT;
            good = take_words(json, words);
        } else
            return false;
    }
    return good && column->name;
}

/* Names and units as other formats give them. */
static void trim(const char **text) {
    if (!*text)
        return;
    struct span span = span_trim(span_of(*text));
    ((char *)(uintptr_t)span.text)[span.length] = '\0'; /* our own copy */
    *text = span.text;
}

static void settle_column(struct column *column) {
    trim(&column->name);
    trim(&column->unit);
    if (column->unit && !*column->unit)
        column->unit = NULL;
}

static bool read_columns(struct row_file *file) {
    size_t length = (size_t)file->tail.json, columns = file->table.columns;
    file->json = malloc(length + 1);
    file->words = calloc(columns, sizeof *file->words);
    if (!file->json || !file->words)
        return table_no_memory(&file->table);
    memcpy(file->json, file->bytes + file->size - TAIL - length, length);
    struct json_reader json = {file->json, file->json + length};
    bool good = json_take(&json, '{');
    const char *key = good ? json_take_string(&json) : NULL;
    good = key && strcmp(key, "columns") == 0 && json_take(&json, ':') && json_take(&json, '[');
    for (size_t j = 0; good && j < columns; j++) {
        good = (j == 0 || json_take(&json, ',')) &&
               take_column(&json, &file->table.column[j], &file->words[j]);
        if (file->words[j].no_memory)
            return table_no_memory(&file->table);
    }
    if (!good || !json_take(&json, ']') || !json_take(&json, '}') || !json_at_end(&json))
        return is_damaged(file, "its list of columns cannot be read");
    for (size_t j = 0; j < columns; j++)
        settle_column(&file->table.column[j]);
    return true;
}

/* ---------------------------------------------------------------- the reader ------------------ */

static bool row_file_open(struct table *table, const struct opening *opening) {
    struct row_file *file = (struct row_file *)table;
    if (!byte_stream_is_plain_file(table->input))
        return table_fail(table, 0,
                          "a row file is mapped; it must be a file, not gzipped and not a pipe");
    if (!map_file(file, opening->path) || !read_head(file) || !read_tail(file) ||
        !read_columns(file))
        return false;
    file->checksum = checksum(0, file->bytes, HEAD);
    return true;
}

static void row_file_close(struct table *table) {
    struct row_file *file = (struct row_file *)table;
    if (file->bytes)
        munmap(file->bytes, file->size);
    for (size_t j = 0; file->words && j < table->columns; j++)
        free(file->words[j].word);
    free(file->words);
    free(file->json);
}

/* The row `row` of those in memory, or what is behind all rows. */
static const unsigned char *row_at(const struct row_file *file, size_t row) {
    return file->bytes + HEAD + (file->table.before + row) * file->table.columns * sizeof(double);
}

/* All rows were handed out; what is left is the list of columns, and the tail up to its sum. */
static bool check_sum(struct row_file *file) {
    size_t left = (size_t)file->tail.json + offsetof(struct row_file_tail, checksum);
    uint32_t sum = checksum(file->checksum, row_at(file, 0), left);
    return sum == file->tail.checksum ||
           table_fail(&file->table, 0,
                      "the row file is damaged: its check sum is %08x, and should be %08llx",
                      (unsigned)sum, (unsigned long long)file->tail.checksum);
}

static bool row_file_load(struct table *table) {
    struct row_file *file = (struct row_file *)table;
    size_t left = (size_t)file->tail.rows - table->before, width = table->columns * sizeof(double);
    size_t block = width < BLOCK ? BLOCK / width : 1;
    table->loaded = left < block ? left : block;
    if (!left)
        return check_sum(file);
    file->checksum = checksum(file->checksum, row_at(file, 0), table->loaded * width);
    return true;
}

static double cell_at(const struct row_file *file, size_t row, size_t column) {
    uint64_t bits;
    double value;
    memcpy(&bits, row_at(file, row) + column * sizeof value, sizeof bits);
    bits = in_order(file, bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool row_file_cell(struct table *table, size_t row, size_t column, struct cell *cell,
                          struct complaint *complaint) {
    const struct row_file *file = (struct row_file *)table;
    const struct words *words = &file->words[column];
    double number = cell_at(file, row, column);
    *cell = (struct cell){.number = number, .text = {"", 0}};
    if (table->column[column].kind == COLUMN_NUMBER)
        return true;
    cell->kind = CELL_TEXT;
    if (isnan(number))
        return true;
    if (!(number >= 0.0 && number < (double)words->count && number == floor(number)))
        return complain(complaint, BAD_INPUT,
                        "%s: row %zu: column %.200s: the row file is damaged: %g is not one of %zu "
                        "words",
                        table->path, table->before + row + 1, table->column[column].name, number,
                        words->count);
    cell->text = span_trim(span_of(words->word[(size_t)number]));
    return true;
}

static const double *row_file_cells(const struct table *table) {
    const struct row_file *file = (const struct row_file *)table;
    return file->swapped ? NULL : (const double *)(const void *)(file->bytes + HEAD);
}

const struct reader row_file_reader = {
    .size = sizeof(struct row_file),
    .open = row_file_open,
    .load = row_file_load,
    .cell = row_file_cell,
    .close = row_file_close,
    .cells = row_file_cells,
};
