/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LIBSVM (also SVMlight): a line is "label index:value index:value ... # comment". Absent values
 * are zero. Columns are x1, x2, ... up to the largest index (from x0 if an index is 0), and
 * `class`.
 *
 * The number of columns is known only at the end of the file, so the whole file is read when it is
 * opened and kept in memory: 12 bytes for each value that is not absent, and the labels.
 */
#include "table/buffer_size.h"
#include "table/reader.h"

#include "text/blank.h"
#include "text/number.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFER = BUFFER_SIZE(1 << 20),
    LONGEST_LINE = 64 << 20,
    MOST_COLUMNS = COLUMN_LIMIT(1 << 20),
};

struct row {
    size_t first; /* of its values; they reach up to the next row's */
    size_t line;
    struct span label;
};

struct libsvm {
    struct table table;
    struct row *row; /* one more than there are */
    size_t rows, room_for_rows;
    uint32_t *index; /* of each value, ascending within a row */
    double *value;
    size_t values, room_for_values;
    size_t least, most; /* index seen */
    size_t line;
};

/* ---------------------------------------------------------------- one line -------------------- */

static bool complain_here(const struct libsvm *svm, struct span word, const char *what,
                          struct complaint *complaint) {
    return complain(complaint, BAD_INPUT, "%s:%zu: %s, found '%.*s'", svm->table.path, svm->line,
                    what, word.length < 40 ? (int)word.length : 40, word.text);
}

/* The next word of the line, empty at its end. */
static struct span take_word(struct span *rest) {
    *rest = span_trim(*rest);
    size_t length = 0;
    while (length < rest->length && !is_blank(rest->text[length]))
        length++;
    struct span word = {rest->text, length};
    rest->text += length;
    rest->length -= length;
    return word;
}

static bool make_room(struct libsvm *svm, struct complaint *complaint) {
    if (svm->values == svm->room_for_values) {
        size_t room = svm->room_for_values ? 2 * svm->room_for_values : 4096;
        uint32_t *index = realloc(svm->index, room * sizeof *index);
        if (index)
            svm->index = index;
        double *value = realloc(svm->value, room * sizeof *value);
        if (value)
            svm->value = value;
        if (!index || !value)
            return table_complain_of_memory(&svm->table, complaint);
        svm->room_for_values = room;
    }
    if (svm->rows + 1 >= svm->room_for_rows) {
        size_t room = svm->room_for_rows ? 2 * svm->room_for_rows : 1024;
        struct row *row = realloc(svm->row, room * sizeof *row);
        if (!row)
            return table_complain_of_memory(&svm->table, complaint);
        svm->row = row;
        svm->room_for_rows = room;
    }
    return true;
}

static bool read_index(struct span text, size_t *index) {
    *index = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.text[i] < '0' || text.text[i] > '9')
            return false;
        *index = *index * 10 + (size_t)(text.text[i] - '0');
        if (*index > MOST_COLUMNS)
            return false;
    }
    return text.length > 0;
}

/* "3:0.5"; "qid:7", which groups rows for ranking, is passed over. */
static bool take_value(struct libsvm *svm, struct span word, struct complaint *complaint) {
    const char *colon = memchr(word.text, ':', word.length);
    if (!colon)
        return complain_here(svm, word, "expected index:value", complaint);
    struct span left = {word.text, (size_t)(colon - word.text)};
    struct span right = {colon + 1, word.length - left.length - 1};
    size_t index;
    double value;
    if (left.length == 3 && memcmp(left.text, "qid", 3) == 0)
        return true;
    if (!read_index(left, &index))
        return complain_here(svm, word, "expected an index from 0 to 1048576", complaint);
    if (!right.length || number_read(right.text, right.length, &value) == NUMBER_NOT)
        return complain_here(svm, word, "expected a number after the colon", complaint);
    if (svm->values > svm->row[svm->rows].first && svm->index[svm->values - 1] >= index)
        return complain_here(svm, word, "expected indices in ascending order", complaint);
    if (!make_room(svm, complaint))
        return false;
    svm->index[svm->values] = (uint32_t)index;
    svm->value[svm->values++] = value;
    svm->least = index < svm->least ? index : svm->least;
    svm->most = index > svm->most ? index : svm->most;
    return true;
}

static bool take_line(struct libsvm *svm, struct span line, struct complaint *complaint) {
    if (memchr(line.text, '\0', line.length))
        return complain(complaint, BAD_INPUT, "%s:%zu: there is a NUL byte; this is not plain text",
                        svm->table.path, svm->line);
    const char *comment = memchr(line.text, '#', line.length);
    if (comment)
        line.length = (size_t)(comment - line.text);
    struct span label = take_word(&line);
    if (!label.length)
        return true;
    if (memchr(label.text, ':', label.length))
        return complain_here(svm, label, "expected a label at the start of the line", complaint);
    if (!make_room(svm, complaint))
        return false;
    char *copy = text_pool_copy(&svm->table.names, label.text, label.length);
    if (!copy)
        return table_complain_of_memory(&svm->table, complaint);
    svm->row[svm->rows] =
        (struct row){.first = svm->values, .line = svm->line, .label = {copy, label.length}};
    for (struct span word = take_word(&line); word.length; word = take_word(&line))
        if (!take_value(svm, word, complaint))
            return false;
    svm->row[++svm->rows].first = svm->values;
    return true;
}

/* ---------------------------------------------------------------- all lines ------------------- */

/* Takes all whole lines of the buffer; returns where the one that is not whole begins. */
static bool take_lines(struct libsvm *svm, const char *text, size_t filled, size_t *taken,
                       struct complaint *complaint) {
    size_t at = 0;
    const char *end;
    while (at < filled && (end = memchr(text + at, '\n', filled - at))) {
        svm->line++;
        if (!take_line(svm, (struct span){text + at, (size_t)(end - text) - at}, complaint))
            return false;
        at = (size_t)(end - text) + 1;
    }
    *taken = at;
    return true;
}

static bool read_all(struct libsvm *svm, struct byte_stream *input, char **buffer,
                     struct complaint *complaint) {
    size_t size = 0, filled = 0, got, taken;
    for (bool ended = false; !ended;) {
        if (filled == size) {
            if (size >= LONGEST_LINE)
                return complain(complaint, BAD_INPUT, "%s:%zu: a line longer than %d MiB",
                                svm->table.path, svm->line + 1, LONGEST_LINE >> 20);
            size = size ? 2 * size : BUFFER;
            char *larger = realloc(*buffer, size + 1);
            if (!larger)
                return table_complain_of_memory(&svm->table, complaint);
            *buffer = larger;
        }
        if (!byte_stream_read(input, *buffer + filled, size - filled, &got, complaint))
            return false;
        ended = got < size - filled;
        filled += got;
        if (ended && filled && (*buffer)[filled - 1] != '\n')
            (*buffer)[filled++] = '\n';
        if (!take_lines(svm, *buffer, filled, &taken, complaint))
            return false;
        filled -= taken;
        memmove(*buffer, *buffer + taken, filled);
    }
    if (!svm->rows)
        return complain(complaint, BAD_INPUT, "%s: there are no rows", svm->table.path);
    return true;
}

static bool make_columns(struct libsvm *svm, struct complaint *complaint) {
    size_t first = svm->least ? 1 : 0;
    size_t count = svm->values ? svm->most - first + 1 : 0, width = 0;
    svm->least = first;
    if (!table_make_columns(&svm->table, count + 1, complaint) ||
        !table_name_numbered(&svm->table, first, count, complaint))
        return false;
    for (size_t row = 0; row < svm->rows; row++)
        width = svm->row[row].label.length > width ? svm->row[row].label.length : width;
    svm->table.column[count] =
        (struct column){.name = "class", .kind = COLUMN_TEXT, .width = width};
    return true;
}

/* ---------------------------------------------------------------- the reader ------------------ */

static struct table *libsvm_open(struct byte_stream *input, const struct opening *opening,
                                 struct complaint *complaint) {
    (void)opening;
    struct libsvm *svm =
        table_create(sizeof *svm, &libsvm_reader, byte_stream_name(input), complaint);
    char *buffer = NULL;
    bool good = false;
    if (svm) {
        svm->least = SIZE_MAX;
        good = read_all(svm, input, &buffer, complaint) && make_columns(svm, complaint);
    }
    free(buffer);
    byte_stream_close(input);
    if (!good && svm)
        table_close(&svm->table);
    return good ? &svm->table : NULL;
}

static void libsvm_close(struct table *table) {
    struct libsvm *svm = (struct libsvm *)table;
    free(svm->row);
    free(svm->index);
    free(svm->value);
}

static bool libsvm_next(struct table *table, size_t most, struct complaint *complaint) {
    (void)complaint;
    size_t left = ((struct libsvm *)table)->rows - table->before;
    table->rows = left < most ? left : most;
    return true;
}

static double value_at(const struct libsvm *svm, size_t row, size_t column) {
    size_t index = column + svm->least;
    size_t low = svm->row[row].first, high = svm->row[row + 1].first;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (svm->index[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < svm->row[row + 1].first && svm->index[low] == index ? svm->value[low] : 0;
}

static bool libsvm_numbers(struct table *table, size_t column, double *out, size_t stride,
                           struct complaint *complaint) {
    struct libsvm *svm = (struct libsvm *)table;
    for (size_t row = 0; row < table->rows; row++) {
        double *value = out + row * stride;
        struct span label = svm->row[table->before + row].label;
        if (column + 1 < table->columns)
            *value = value_at(svm, table->before + row, column);
        else if (number_read(label.text, label.length, value) == NUMBER_NOT)
            return table_complain_of_text(table, row, column, label, complaint);
    }
    return true;
}

static bool libsvm_text(struct table *table, size_t row, size_t column, struct span *span,
                        struct complaint *complaint) {
    struct libsvm *svm = (struct libsvm *)table;
    if (column + 1 < table->columns)
        return table_show_number(table, value_at(svm, table->before + row, column), span,
                                 complaint);
    *span = svm->row[table->before + row].label;
    return true;
}

static bool libsvm_label(struct table *table, size_t row, size_t column, struct span *span,
                         struct complaint *complaint) {
    return libsvm_text(table, row, column, span, complaint) &&
           (column + 1 < table->columns || table_shorten_label(table, column, span, complaint));
}

static void libsvm_place(const struct table *table, size_t row, char *text, size_t size) {
    const struct libsvm *svm = (const struct libsvm *)table;
    snprintf(text, size, "%s:%zu", table->path, svm->row[table->before + row].line);
}

const struct reader libsvm_reader = {
    .open = libsvm_open,
    .close = libsvm_close,
    .next = libsvm_next,
    .numbers = libsvm_numbers,
    .text = libsvm_text,
    .place = libsvm_place,
    .label = libsvm_label,
};
