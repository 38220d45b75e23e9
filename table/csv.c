/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV and TSV as in RFC 4180: quoted cells may contain separators, newlines and doubled quotes. The
 * reader also accepts any line end, a byte order mark, blanks around quotes, empty lines, lines
 * starting with # before the header, and quotes inside cells that do not start with one.
 *
 * A buffer holds many rows. `starts` has the start of each row and `ends` the end of each cell, so
 * a cell starts after the end of the cell before it. Nothing is copied: quoted cells are decoded in
 * place when their row is complete, and the rest is filled with blanks.
 *
 * Without commas, tabs or semicolons in the header, blanks set columns apart: any number of them,
 * which blanks.h makes one.
 *
 * ECSV is such a file after a header that describes the columns (ecsv.h).
 */
#include "table/blanks.h"
#include "table/buffer_size.h"
#include "table/ecsv.h"
#include "table/reader.h"

#include "text/ascii.h"

#include "text/blank.h"
#include "text/number.h"
#include "table/scan.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFER = BUFFER_SIZE(1 << 19), /* bytes read at a time */
    LONGEST_ROW = 64 << 20,        /* and the most a row may have */
    MOST_COLUMNS = COLUMN_LIMIT(1 << 18),
};

struct csv {
    struct table table;
    struct byte_stream *input;
    char separator;
    bool squeezed; /* columns are set apart by any number of blanks, of which one is kept */
    struct blanks blanks;
    struct ecsv ecsv;    /* found: the file is ECSV */
    bool ended;          /* the input has no more than what the buffer holds */
    char *block, *text;  /* the buffer with its margins, and without */
    size_t size, filled; /* of the buffer without margins; bytes in it */
    size_t begin;        /* of what has not been split into rows */
    size_t line;         /* number of the line the buffer starts in, from 1 */
    uint32_t *starts, *ends;
    size_t rows;        /* in the buffer, whole */
    size_t first, next; /* of them: current rows, and rows not yet returned */
};

static struct csv *csv_of(struct table *table) {
    return (struct csv *)table;
}

static size_t line_of(const struct csv *csv, size_t offset) {
    return csv->line + scan_count_lines(csv->text, offset);
}

/* ---------------------------------------------------------------- the buffer ------------------ */

static bool make_room(struct csv *csv, size_t size, struct complaint *complaint) {
    char *block = realloc(csv->block, NUMBER_MARGIN + size + SCAN_MARGIN);
    if (block) {
        csv->block = block;
        csv->text = block + NUMBER_MARGIN;
    }
    uint32_t *ends = realloc(csv->ends, (size + SCAN_MARGIN) * sizeof *ends);
    if (ends)
        csv->ends = ends;
    uint32_t *starts = realloc(csv->starts, (size + SCAN_MARGIN) * sizeof *starts);
    if (starts)
        csv->starts = starts;
    if (!block || !ends || !starts)
        return table_complain_of_memory(&csv->table, complaint);
    csv->size = size;
    return true;
}

/* Drops what is before `begin` and reads on; grows when that leaves no room. The last line of a
 * file gets its newline here if it has none. */
static bool refill(struct csv *csv, struct complaint *complaint) {
    csv->line += scan_count_lines(csv->text, csv->begin);
    csv->filled -= csv->begin;
    memmove(csv->text, csv->text + csv->begin, csv->filled);
    csv->begin = 0;
    if (csv->filled + csv->squeezed >= csv->size) {
        if (csv->size >= LONGEST_ROW)
            return complain(complaint, BAD_INPUT,
                            "%s:%zu: a row longer than %d MiB starts here; is a quote not closed?",
                            csv->table.path, csv->line, LONGEST_ROW >> 20);
        if (!make_room(csv, 2 * csv->size, complaint))
            return false;
    }
    char *new = csv->text + csv->filled, *to = new + csv->squeezed;
    size_t got, wanted = csv->size - csv->filled - csv->squeezed;
    if (!byte_stream_read(csv->input, to, wanted, &got, complaint))
        return false;
    csv->ended = got < wanted;
    csv->filled += csv->squeezed ? blanks_squeeze(&csv->blanks, to, got, new) : got;
    if (csv->ended && csv->filled && csv->text[csv->filled - 1] != '\n')
        csv->text[csv->filled++] = '\n'; /* there is room: less was read than fits */
    return true;
}

/* ---------------------------------------------------------------- rows with quotes ------------ */

/* Going through the special bytes of the buffer; what is kept of them overwrites them. */
struct walk {
    size_t count, at; /* positions there are, and the next one */
    size_t kept;      /* ends of cells written */
    size_t start;     /* of the row */
    size_t cells;     /* of the row, so far */
    bool quotes;      /* some cell of the row is quoted */
};

enum outcome { DONE, MORE_NEEDED, WRONG };

static enum outcome wrong_quote(const struct csv *csv, const struct walk *walk, size_t offset,
                                const char *what, struct complaint *complaint) {
    char column[64];
    bool named = walk->cells < csv->table.columns && *csv->table.column[walk->cells].name;
    snprintf(column, sizeof column, "%zu", walk->cells + 1);
    complain(complaint, BAD_INPUT, "%s:%zu: column %.200s: %s", csv->table.path,
             line_of(csv, offset), named ? csv->table.column[walk->cells].name : column, what);
    return WRONG;
}

/* From an opening quote to the separator or newline behind the closing one. */
static enum outcome pass_quoted(const struct csv *csv, struct walk *walk,
                                struct complaint *complaint) {
    const char *text = csv->text;
    size_t open = csv->ends[walk->at++], close;
    for (;; walk->at += 2) { /* doubled: stands for a quote */
        while (walk->at < walk->count && text[csv->ends[walk->at]] != '"')
            walk->at++;
        if (walk->at == walk->count)
            return csv->ended ? wrong_quote(csv, walk, open,
                                            "the quote opened here is never closed", complaint)
                              : MORE_NEEDED;
        close = csv->ends[walk->at];
        if (close + 1 == csv->filled)
            return MORE_NEEDED; /* never at the end of the file, which is a newline */
        if (text[close + 1] != '"')
            break;
    }
    if (++walk->at == walk->count)
        return MORE_NEEDED;
    size_t next = csv->ends[walk->at];
    for (size_t i = close + 1; i < next; i++)
        if (!is_blank(text[i]))
            return wrong_quote(csv, walk, open, "there is text after the quoted cell", complaint);
    if (text[next] == '"')
        return wrong_quote(csv, walk, open, "there is text after the quoted cell", complaint);
    return DONE;
}

/* Walks to the end of the row. */
static enum outcome pass_row(const struct csv *csv, struct walk *walk,
                             struct complaint *complaint) {
    const char *text = csv->text;
    size_t cell = walk->start;
    walk->cells = 0;
    walk->quotes = false;
    while (walk->at < walk->count) {
        size_t at = csv->ends[walk->at];
        if (text[at] == '"') {
            while (cell < at && is_blank(text[cell]))
                cell++;
            if (cell < at) { /* within a cell: a letter like any other */
                walk->at++;
                continue;
            }
            walk->quotes = true;
            enum outcome outcome = pass_quoted(csv, walk, complaint);
            if (outcome != DONE)
                return outcome;
            at = csv->ends[walk->at];
        }
        csv->ends[walk->kept++] = (uint32_t)at;
        walk->at++;
        walk->cells++;
        cell = at + 1;
        if (text[at] == '\n')
            return DONE;
    }
    return MORE_NEEDED;
}

/* Puts the content of a quoted cell at its beginning and blanks behind it. */
static void undo_quotes(char *text, size_t from, size_t to) {
    while (from < to && is_blank(text[from]))
        from++;
    if (from == to || text[from] != '"')
        return;
    size_t put = from;
    for (size_t get = from + 1; get < to; get++) {
        if (text[get] == '"' && (get + 1 == to || text[++get] != '"'))
            break;
        text[put++] = text[get];
    }
    memset(text + put, ' ', to - put);
}

static void undo_row(struct csv *csv, size_t start, const uint32_t *ends, size_t cells) {
    for (size_t i = 0; i < cells; i++) {
        undo_quotes(csv->text, start, ends[i]);
        start = ends[i] + 1u;
    }
}

static bool is_empty_line(const struct csv *csv, const struct walk *walk) {
    if (walk->cells != 1 || walk->quotes)
        return false;
    size_t at = walk->start;
    while (is_blank(csv->text[at]))
        at++;
    return csv->text[at] == '\n';
}

/* A row that is whole: kept, or skipped when it is an empty line. */
static bool end_row(struct csv *csv, struct walk *walk, struct complaint *complaint) {
    size_t next = csv->ends[walk->kept - 1] + 1u;
    if (is_empty_line(csv, walk)) {
        walk->kept--;
    } else if (csv->table.columns && walk->cells != csv->table.columns) {
        return complain(complaint, BAD_INPUT, "%s:%zu: %zu cell%s, but the header has %zu",
                        csv->table.path, line_of(csv, walk->start), walk->cells,
                        walk->cells == 1 ? "" : "s", csv->table.columns);
    } else {
        if (walk->quotes)
            undo_row(csv, walk->start, csv->ends + walk->kept - walk->cells, walk->cells);
        csv->starts[csv->rows++] = (uint32_t)walk->start;
    }
    csv->begin = walk->start = next;
    return true;
}

/* As many whole rows as there are, at most `most`. Something wrong is complained of when it comes
 * first, after the good rows before it have been handed out. */
static bool split_carefully(struct csv *csv, size_t positions, size_t most,
                            struct complaint *complaint) {
    struct walk walk = {.count = positions, .start = csv->begin};
    struct complaint later;
    while (csv->rows < most) {
        enum outcome outcome = pass_row(csv, &walk, &later);
        if (outcome == MORE_NEEDED)
            return true;
        if (outcome == WRONG || !end_row(csv, &walk, &later)) {
            if (!csv->rows)
                *complaint = later;
            return csv->rows > 0;
        }
    }
    return true;
}

/* ---------------------------------------------------------------- rows without ---------------- */

/* Without quotes every position ends a cell. When every `columns`-th of them is a newline and there
 * are no others, all rows are as they should be. */
static bool split_quickly(struct csv *csv, const struct scan *scan) {
    size_t columns = csv->table.columns, rows = scan->count / columns, start = csv->begin;
    if (scan->quotes)
        return false;
    if (rows > scan->newlines)
        rows = scan->newlines;
    for (size_t row = 0; row < rows; row++) {
        size_t end = csv->ends[row * columns + columns - 1];
        if (csv->text[end] != '\n' || (columns == 1 && csv->text[start] <= ' '))
            return false; /* the second: perhaps an empty line */
        csv->starts[row] = (uint32_t)start;
        start = end + 1;
    }
    if (rows < scan->newlines)
        return false;
    csv->rows = rows;
    csv->begin = start;
    return true;
}

static bool complain_of_nul(const struct csv *csv, struct complaint *complaint) {
    const char *nul = memchr(csv->text + csv->begin, '\0', csv->filled - csv->begin);
    size_t offset = nul ? (size_t)(nul - csv->text) : 0;
    return complain(complaint, BAD_INPUT, "%s:%zu: there is a NUL byte; this is not plain text",
                    csv->table.path, line_of(csv, offset));
}

static bool split(struct csv *csv, size_t most, struct complaint *complaint) {
    struct scan scan = scan_text(csv->text, csv->begin, csv->filled, csv->separator, csv->ends);
    if (scan.nul)
        return complain_of_nul(csv, complaint);
    if (csv->table.columns && split_quickly(csv, &scan))
        return true;
    return split_carefully(csv, scan.count, most, complaint);
}

/* The next rows into the buffer; none at the end of the file. */
static bool load(struct csv *csv, size_t most, struct complaint *complaint) {
    csv->rows = csv->first = csv->next = 0;
    while (!csv->rows) {
        if (csv->begin < csv->filled && !split(csv, most, complaint))
            return false;
        if (csv->rows)
            break;
        if (csv->ended) {
            csv->begin = csv->filled; /* nothing but empty lines */
            break;
        }
        if (!refill(csv, complaint))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- the header ------------------ */

static bool complain_of_ecsv(const struct csv *csv, const char *what, struct complaint *complaint) {
    return what ? complain(complaint, BAD_INPUT, "%s:%zu: %s", csv->table.path,
                           line_of(csv, csv->begin), what)
                : table_complain_of_memory(&csv->table, complaint);
}

/* A comment before the header: that of ECSV says something, if the very first line says that it is.
 */
static bool take_comment(struct csv *csv, size_t length, struct complaint *complaint) {
    const char *what = NULL;
    bool counts = csv->ecsv.found || line_of(csv, csv->begin) == 1;
    return !counts || ecsv_line(&csv->ecsv, csv->text + csv->begin, length, &what) ||
           complain_of_ecsv(csv, what, complaint);
}

/* Moves `begin` to the first line that is neither empty nor a comment. */
static bool find_header(struct csv *csv, struct complaint *complaint) {
    csv->ecsv.pool = &csv->table.names;
    if (csv->filled >= 3 && memcmp(csv->text, "\xef\xbb\xbf", 3) == 0)
        csv->begin = 3;
    for (;;) {
        char *line = csv->text + csv->begin;
        char *end = csv->begin < csv->filled ? memchr(line, '\n', csv->filled - csv->begin) : NULL;
        if (!end && csv->ended)
            return complain(complaint, BAD_INPUT, "%s: there is no header line", csv->table.path);
        if (!end) {
            if (!refill(csv, complaint))
                return false;
            continue;
        }
        size_t blanks = 0;
        while (is_blank(line[blanks]))
            blanks++;
        if (*line != '#' && line[blanks] != '\n')
            return true;
        if (*line == '#' && !take_comment(csv, (size_t)(end - line), complaint))
            return false;
        csv->begin += (size_t)(end - line) + 1;
    }
}

/* The most frequent of tab, comma and semicolon outside quotes, the comma if there are none. */
static char sniff_separator(const struct csv *csv) {
    static const char candidates[] = {',', '\t', ';'};
    size_t counts[sizeof candidates] = {0}, best = 0;
    bool quoted = false;
    for (size_t i = csv->begin; i < csv->filled; i++) {
        char c = csv->text[i];
        quoted ^= c == '"';
        if (quoted)
            continue;
        if (c == '\n')
            break;
        for (size_t k = 0; k < sizeof candidates; k++)
            counts[k] += c == candidates[k];
    }
    for (size_t k = 1; k < sizeof candidates; k++)
        if (counts[k] > counts[best])
            best = k;
    return candidates[best];
}

static struct span cell(const struct csv *csv, size_t row, size_t column) {
    const uint32_t *end = csv->ends + row * csv->table.columns + column;
    size_t from = column ? end[-1] + 1u : csv->starts[row];
    return (struct span){csv->text + from, *end - from};
}

static bool name_columns(struct csv *csv, size_t line, struct complaint *complaint) {
    struct table *table = &csv->table;
    for (size_t i = 0; i < table->columns; i++) {
        struct span name = span_trim(cell(csv, 0, i));
        const char *lone = memchr(name.text, '\r', name.length);
        if (lone && lone[1] != '\n')
            return complain(complaint, BAD_INPUT,
                            "%s:%zu: lines end in carriage returns only; expected newlines",
                            table->path, line);
        table->column[i].name = text_pool_copy(&table->names, name.text, name.length);
        if (!table->column[i].name)
            return table_complain_of_memory(table, complaint);
    }
    return true;
}

/* What the lines of ECSV have said so far. */
static bool end_ecsv(struct csv *csv, enum table_format format, struct complaint *complaint) {
    const char *what = NULL;
    if (!csv->ecsv.found && format == TABLE_ECSV)
        return complain(complaint, BAD_INPUT, "%s: is not ECSV: its first line is not # %%ECSV 1.0",
                        csv->table.path);
    return !csv->ecsv.found || ecsv_end(&csv->ecsv, &what) ||
           complain_of_ecsv(csv, what, complaint);
}

/* The columns of ECSV are described in the order of the header. */
static bool apply_ecsv(struct csv *csv, size_t line, struct complaint *complaint) {
    struct table *table = &csv->table;
    bool same = csv->ecsv.columns == table->columns;
    for (size_t i = 0; same && i < table->columns; i++) {
        same = strcmp(csv->ecsv.column[i].name, table->column[i].name) == 0;
        table->column[i].unit = csv->ecsv.column[i].unit;
    }
    return same || complain(complaint, BAD_INPUT,
                            "%s:%zu: the column names differ from those in the ECSV header",
                            table->path, line);
}

/* From the header on, if blanks set the columns apart. */
static void squeeze(struct csv *csv) {
    char *text = csv->text + csv->begin;
    size_t length = csv->filled - csv->begin;
    if (!blanks_separate(text, length))
        return;
    csv->squeezed = true;
    csv->separator = ' ';
    csv->blanks = (struct blanks){.line_starts = true};
    csv->filled = csv->begin + blanks_squeeze(&csv->blanks, text, length, text);
}

static bool read_header(struct csv *csv, enum table_format format, size_t *line,
                        struct complaint *complaint) {
    if (!find_header(csv, complaint) || !end_ecsv(csv, format, complaint))
        return false;
    csv->separator = csv->ecsv.found       ? csv->ecsv.separator
                     : format == TABLE_CSV ? ','
                     : format == TABLE_TSV ? '\t'
                                           : sniff_separator(csv);
    if (!csv->ecsv.found && format == TABLE_ANY)
        squeeze(csv);
    if (!load(csv, 1, complaint))
        return false;
    size_t cells = 1;
    if (!csv->rows)
        return complain(complaint, BAD_INPUT, "%s: there is no header line", csv->table.path);
    while (csv->text[csv->ends[cells - 1]] != '\n')
        cells++;
    *line = line_of(csv, csv->starts[0]);
    if (cells > MOST_COLUMNS)
        return complain(complaint, BAD_INPUT, "%s:%zu: %zu columns; expected at most %d",
                        csv->table.path, *line, cells, MOST_COLUMNS);
    return table_make_columns(&csv->table, cells, complaint) &&
           name_columns(csv, *line, complaint) &&
           (!csv->ecsv.found || apply_ecsv(csv, *line, complaint));
}

/* Whether a column's own name is also the text of one of its first cells. */
static bool is_its_own_cell(const struct csv *csv, size_t column) {
    const char *name = csv->table.column[column].name;
    size_t length = strlen(name);
    for (size_t row = 0; length && row < csv->rows; row++) {
        struct span span = span_trim(cell(csv, row, column));
        if (span.length == length && memcmp(span.text, name, length) == 0)
            return true;
    }
    return false;
}

/*
 * A file without a header would lose its first row, and learn under wrong names. Numbers may be
 * names too: 0, 1, 2, ..., or wavelengths before a label. So a first line with numbers in it is a
 * row of values when all of it is numbers that are not whole or not ascending, or when a text in it
 * comes again below, as the name of a class does.
 */
static bool is_row_of_values(const struct csv *csv) {
    double before = -HUGE_VAL;
    size_t numbers = 0, texts = 0;
    bool again = false, counts = true;
    for (size_t i = 0; i < csv->table.columns; i++) {
        const char *name = csv->table.column[i].name;
        double value;
        if (number_read(name, strlen(name), &value) == NUMBER_READ) {
            numbers++;
            counts = counts && !strpbrk(name, ".-eE") && value > before;
            before = value;
        } else if (*name) {
            texts++;
        }
    }
    for (size_t i = 0; numbers && texts && !again && i < csv->table.columns; i++) {
        double value;
        const char *name = csv->table.column[i].name;
        again = number_read(name, strlen(name), &value) != NUMBER_READ && is_its_own_cell(csv, i);
    }
    return numbers && (texts ? again : !counts);
}

static bool check_header(const struct csv *csv, size_t line, struct complaint *complaint) {
    return csv->ecsv.found || !is_row_of_values(csv) ||
           complain(complaint, BAD_INPUT,
                    "%s:%zu: expected a header of column names, found a row of values",
                    csv->table.path, line);
}

/* ---------------------------------------------------------------- the reader ------------------ */

/* By the first rows: numbers unless some cell is text, or an integer that a double cannot hold.
 * ECSV says what is text itself. */
static void judge(const struct csv *csv, size_t index) {
    struct column *column = &csv->table.column[index];
    column->empty = !csv->ecsv.found;
    if (csv->ecsv.found && csv->ecsv.column[index].kind == ECSV_TEXT)
        column->kind = COLUMN_TEXT;
    for (size_t row = 0; row < csv->rows; row++) {
        struct span span = cell(csv, row, index);
        double value;
        enum number_reading reading = number_read_quickly(span.text, span.length, &value);
        column->empty &= reading == NUMBER_MISSING;
        bool text = reading == NUMBER_NOT && !csv->ecsv.found;
        if (text || (span.length > 15 && number_is_name(span.text, span.length))) {
            column->kind = COLUMN_TEXT;
            return;
        }
    }
}

static struct table *csv_open(struct byte_stream *input, const struct opening *opening,
                              struct complaint *complaint) {
    struct csv *csv = table_create(sizeof *csv, &csv_reader, byte_stream_name(input), complaint);
    if (!csv) {
        byte_stream_close(input);
        return NULL;
    }
    csv->input = input;
    csv->line = 1;
    size_t header = 0; /* its line */
    if (!make_room(csv, BUFFER, complaint) || !refill(csv, complaint) ||
        !read_header(csv, opening->format, &header, complaint) || !load(csv, SIZE_MAX, complaint) ||
        !check_header(csv, header, complaint)) {
        table_close(&csv->table);
        return NULL;
    }
    for (size_t i = 0; i < csv->table.columns; i++)
        judge(csv, i);
    return &csv->table;
}

static void csv_close(struct table *table) {
    struct csv *csv = csv_of(table);
    byte_stream_close(csv->input);
    ecsv_free(&csv->ecsv);
    free(csv->block);
    free(csv->starts);
    free(csv->ends);
}

static bool csv_next(struct table *table, size_t most, struct complaint *complaint) {
    struct csv *csv = csv_of(table);
    if (csv->next == csv->rows && !load(csv, SIZE_MAX, complaint))
        return false;
    size_t left = csv->rows - csv->next;
    csv->first = csv->next;
    table->rows = left < most ? left : most;
    csv->next += table->rows;
    return true;
}

static bool is_logical(const struct csv *csv, size_t column) {
    return csv->ecsv.found && csv->ecsv.column[column].kind == ECSV_LOGICAL;
}

/* True and False as 1 and 0. */
static bool read_logical(struct span span, double *value) {
    span = span_trim(span);
    bool yes = span.length == 4 && ascii_starts(span.text, "true");
    bool no = span.length == 5 && ascii_starts(span.text, "false");
    *value = yes ? 1 : 0;
    return yes || no || number_read(span.text, span.length, value) != NUMBER_NOT;
}

static bool csv_numbers(struct table *table, size_t column, double *out, size_t stride,
                        struct complaint *complaint) {
    struct csv *csv = csv_of(table);
    bool logical = is_logical(csv, column);
    for (size_t row = 0; row < table->rows; row++) {
        struct span span = cell(csv, csv->first + row, column);
        if (logical ? !read_logical(span, out + row * stride)
                    : number_read_quickly(span.text, span.length, out + row * stride) == NUMBER_NOT)
            return table_complain_of_text(table, row, column, span, complaint);
    }
    return true;
}

static bool csv_text(struct table *table, size_t row, size_t column, struct span *span,
                     struct complaint *complaint) {
    struct csv *csv = csv_of(table);
    double value;
    *span = span_trim(cell(csv, csv->first + row, column));
    if (is_logical(csv, column))
        return read_logical(*span, &value)
                   ? table_show_number(table, value, span, complaint)
                   : table_complain_of_text(table, row, column, *span, complaint);
    if (table->column[column].kind == COLUMN_NUMBER &&
        number_read(span->text, span->length, &value) == NUMBER_MISSING)
        span->length = 0;
    return true;
}

static bool csv_label(struct table *table, size_t row, size_t column, struct span *span,
                      struct complaint *complaint) {
    struct csv *csv = csv_of(table);
    if (is_logical(csv, column))
        return csv_text(table, row, column, span, complaint);
    *span = span_trim(cell(csv, csv->first + row, column));
    return table_shorten_label(table, column, span, complaint);
}

static void csv_place(const struct table *table, size_t row, char *text, size_t size) {
    const struct csv *csv = (const struct csv *)table;
    snprintf(text, size, "%s:%zu", table->path, line_of(csv, csv->starts[csv->first + row]));
}

const struct reader csv_reader = {
    .open = csv_open,
    .close = csv_close,
    .next = csv_next,
    .numbers = csv_numbers,
    .text = csv_text,
    .place = csv_place,
    .label = csv_label,
};
