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
    size_t header; /* line of the header */
};

static size_t line_of(const struct csv *csv, size_t offset) {
    return csv->line + scan_count_lines(csv->text, offset);
}

/* ---------------------------------------------------------------- the buffer ------------------ */

static bool make_room(struct csv *csv, size_t size) {
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
        return table_no_memory(&csv->table);
    csv->size = size;
    return true;
}

/* Drops what is before `begin` and reads on; grows when that leaves no room. The last line of a
 * file gets its newline here if it has none. */
static bool refill(struct csv *csv) {
    csv->line += scan_count_lines(csv->text, csv->begin);
    csv->filled -= csv->begin;
    memmove(csv->text, csv->text + csv->begin, csv->filled);
    csv->begin = 0;
    if (csv->filled + csv->squeezed >= csv->size) {
        if (csv->size >= LONGEST_ROW)
            return table_fail(&csv->table, csv->line,
                              "a row longer than %d MiB starts here; is a quote not closed?",
                              LONGEST_ROW >> 20);
        if (!make_room(csv, 2 * csv->size))
            return false;
    }
    char *new = csv->text + csv->filled, *to = new + csv->squeezed;
    size_t got, wanted = csv->size - csv->filled - csv->squeezed;
    if (!byte_stream_read(csv->table.input, to, wanted, &got, &csv->table.complaint))
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

static enum outcome wrong_quote(struct csv *csv, const struct walk *walk, size_t offset,
                                const char *what) {
    char column[64];
    bool named = walk->cells < csv->table.columns && *csv->table.column[walk->cells].name;
    snprintf(column, sizeof column, "%zu", walk->cells + 1);
    table_fail(&csv->table, line_of(csv, offset), "column %.200s: %s",
               named ? csv->table.column[walk->cells].name : column, what);
    return WRONG;
}

/* From an opening quote to the separator or newline behind the closing one. */
static enum outcome pass_quoted(struct csv *csv, struct walk *walk) {
    const char *text = csv->text;
    size_t open = csv->ends[walk->at++], close;
    for (;; walk->at += 2) { /* doubled: stands for a quote */
        while (walk->at < walk->count && text[csv->ends[walk->at]] != '"')
            walk->at++;
        if (walk->at == walk->count)
            return csv->ended
                       ? wrong_quote(csv, walk, open, "the quote opened here is never closed")
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
            return wrong_quote(csv, walk, open, "there is text after the quoted cell");
    if (text[next] == '"')
        return wrong_quote(csv, walk, open, "there is text after the quoted cell");
    return DONE;
}

/* Walks to the end of the row. */
static enum outcome pass_row(struct csv *csv, struct walk *walk) {
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
            enum outcome outcome = pass_quoted(csv, walk);
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
static bool end_row(struct csv *csv, struct walk *walk) {
    size_t next = csv->ends[walk->kept - 1] + 1u;
    if (is_empty_line(csv, walk)) {
        walk->kept--;
    } else if (csv->table.columns && walk->cells != csv->table.columns) {
        return table_fail(&csv->table, line_of(csv, walk->start),
                          "%zu cell%s, but the header has %zu", walk->cells, plural_s(walk->cells),
                          csv->table.columns);
    } else {
        if (walk->quotes)
            undo_row(csv, walk->start, csv->ends + walk->kept - walk->cells, walk->cells);
        csv->starts[csv->table.loaded++] = (uint32_t)walk->start;
    }
    csv->begin = walk->start = next;
    return true;
}

/* As many whole rows as there are, at most `most`. */
static bool split_carefully(struct csv *csv, size_t positions, size_t most) {
    struct walk walk = {.count = positions, .start = csv->begin};
    while (csv->table.loaded < most) {
        enum outcome outcome = pass_row(csv, &walk);
        if (outcome == MORE_NEEDED)
            return true;
        if (outcome == WRONG || !end_row(csv, &walk))
            return false;
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
    csv->table.loaded = rows;
    csv->begin = start;
    return true;
}

static bool split(struct csv *csv, size_t most) {
    struct scan scan = scan_text(csv->text, csv->begin, csv->filled, csv->separator, csv->ends);
    if (scan.nul) {
        const char *nul = memchr(csv->text + csv->begin, '\0', csv->filled - csv->begin);
        return table_fail(&csv->table, line_of(csv, nul ? (size_t)(nul - csv->text) : 0),
                          "there is a NUL byte; this is not plain text");
    }
    if (csv->table.columns && split_quickly(csv, &scan))
        return true;
    return split_carefully(csv, scan.count, most);
}

/* The next rows into the buffer; none at the end of the file. */
static bool load(struct csv *csv, size_t most) {
    csv->table.loaded = 0;
    for (;;) {
        if (csv->begin < csv->filled && !split(csv, most))
            return false;
        if (csv->table.loaded)
            return true;
        if (csv->ended) {
            csv->begin = csv->filled; /* nothing but empty lines */
            return true;
        }
        if (!refill(csv))
            return false;
    }
}

/* ---------------------------------------------------------------- the header ------------------ */

static bool complain_of_ecsv(struct csv *csv) {
    return csv->ecsv.wrong
               ? table_fail(&csv->table, line_of(csv, csv->begin), "%s", csv->ecsv.wrong)
               : table_no_memory(&csv->table);
}

/* A comment before the header: that of ECSV says something, if the very first line says that it is.
 */
static bool take_comment(struct csv *csv, size_t length, bool first) {
    bool counts = csv->ecsv.found || first;
    return !counts || ecsv_line(&csv->ecsv, csv->text + csv->begin, length) ||
           complain_of_ecsv(csv);
}

/* Moves `begin` to the first line that is neither empty nor a comment. */
static bool find_header(struct csv *csv) {
    csv->ecsv.pool = &csv->table.names;
    if (csv->filled >= 3 && memcmp(csv->text, "\xef\xbb\xbf", 3) == 0)
        csv->begin = 3;
    for (bool first = true;;) {
        char *line = csv->text + csv->begin;
        char *end = csv->begin < csv->filled ? memchr(line, '\n', csv->filled - csv->begin) : NULL;
        if (!end && csv->ended)
            return table_fail(&csv->table, 0, "there is no header line");
        if (!end) {
            if (!refill(csv))
                return false;
            continue;
        }
        size_t blanks = 0;
        while (is_blank(line[blanks]))
            blanks++;
        if (*line != '#' && line[blanks] != '\n')
            return true;
        if (*line == '#' && !take_comment(csv, (size_t)(end - line), first))
            return false;
        csv->begin += (size_t)(end - line) + 1;
        first = false;
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

/* The columns of ECSV are described in the order of the header. */
static bool name_columns(struct csv *csv, size_t cells) {
    const struct ecsv *ecsv = &csv->ecsv;
    bool same = !ecsv->found || ecsv->columns == cells;
    for (size_t i = 0; i < cells; i++) {
        struct span name = cell(csv, 0, i), unit = {"", 0};
        const char *lone = memchr(span_trim(name).text, '\r', span_trim(name).length);
        if (lone && lone[1] != '\n')
            return table_fail(&csv->table, csv->header,
                              "lines end in carriage returns only; expected newlines");
        if (ecsv->found && same && ecsv->column[i].unit)
            unit = span_of(ecsv->column[i].unit);
        if (!table_add_column(&csv->table, name, unit))
            return false;
        same =
            same && (!ecsv->found || strcmp(ecsv->column[i].name, csv->table.column[i].name) == 0);
    }
    return same || table_fail(&csv->table, csv->header,
                              "the column names differ from those in the ECSV header");
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

static bool csv_open(struct table *table, const struct opening *opening) {
    struct csv *csv = (struct csv *)table;
    enum table_format format = opening->format;
    csv->line = 1;
    if (!make_room(csv, BUFFER) || !refill(csv) || !find_header(csv))
        return false;
    if (!csv->ecsv.found && format == TABLE_ECSV)
        return table_fail(table, 0, "is not ECSV: its first line is not # %%ECSV 1.0");
    if (csv->ecsv.found && !ecsv_end(&csv->ecsv))
        return complain_of_ecsv(csv);
    csv->separator = csv->ecsv.found       ? csv->ecsv.separator
                     : format == TABLE_CSV ? ','
                     : format == TABLE_TSV ? '\t'
                                           : sniff_separator(csv);
    if (!csv->ecsv.found && format == TABLE_ANY)
        squeeze(csv);
    if (!load(csv, 1))
        return false;
    size_t cells = 1;
    if (!table->loaded)
        return table_fail(table, 0, "there is no header line");
    while (csv->text[csv->ends[cells - 1]] != '\n')
        cells++;
    csv->header = line_of(csv, csv->starts[0]);
    table->loaded = 0;
    return cells > MOST_COLUMNS ? table_fail(table, csv->header, "%zu columns; expected at most %d",
                                             cells, MOST_COLUMNS)
                                : name_columns(csv, cells);
}

/* Whether a column's own name is also the text of one of its first cells. */
static bool is_its_own_cell(const struct csv *csv, size_t column) {
    const char *name = csv->table.column[column].name;
    size_t length = strlen(name);
    for (size_t row = 0; length && row < csv->table.loaded; row++) {
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

/* ---------------------------------------------------------------- the reader ------------------ */

/* By the first rows: numbers unless some cell is text, or an integer that a double cannot hold.
 * ECSV says what is text itself. */
static void judge(const struct csv *csv, size_t index) {
    struct column *column = &csv->table.column[index];
    column->empty = !csv->ecsv.found;
    if (csv->ecsv.found && csv->ecsv.column[index].kind == ECSV_TEXT)
        column->kind = COLUMN_TEXT;
    for (size_t row = 0; row < csv->table.loaded; row++) {
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

static bool csv_judge(struct table *table) {
    struct csv *csv = (struct csv *)table;
    if (!csv->ecsv.found && is_row_of_values(csv))
        return table_fail(table, csv->header,
                          "expected a header of column names, found a row of values");
    for (size_t i = 0; i < table->columns; i++)
        judge(csv, i);
    return true;
}

static void csv_close(struct table *table) {
    struct csv *csv = (struct csv *)table;
    ecsv_free(&csv->ecsv);
    free(csv->block);
    free(csv->starts);
    free(csv->ends);
}

static bool csv_load(struct table *table) {
    return load((struct csv *)table, SIZE_MAX);
}

static bool is_logical(const struct csv *csv, size_t column) {
    return csv->ecsv.found && csv->ecsv.column[column].kind == ECSV_LOGICAL;
}

static size_t csv_numbers(struct table *table, size_t column, double *out, size_t stride) {
    const struct csv *csv = (struct csv *)table;
    size_t row = 0;
    if (is_logical(csv, column))
        return 0;
    for (; row < table->rows; row++) {
        struct span span = cell(csv, table->first + row, column);
        if (number_read_quickly(span.text, span.length, out + row * stride) == NUMBER_NOT)
            break;
    }
    return row;
}

/* True and False as 1 and 0. */
static bool csv_cell(struct table *table, size_t row, size_t column, struct cell *out,
                     struct complaint *complaint) {
    const struct csv *csv = (struct csv *)table;
    struct span span = span_trim(cell(csv, row, column));
    *out = (struct cell){.kind = CELL_TEXT, .text = span};
    if (!is_logical(csv, column))
        return true;
    bool yes = span.length == 4 && ascii_starts(span.text, "true");
    bool no = span.length == 5 && ascii_starts(span.text, "false");
    out->kind = CELL_NUMBER;
    out->number = yes ? 1 : 0;
    return yes || no || number_read(span.text, span.length, &out->number) != NUMBER_NOT ||
           table_complain_of_text(table, row, column, span, complaint);
}

static size_t csv_line(const struct table *table, size_t row) {
    const struct csv *csv = (const struct csv *)table;
    return line_of(csv, csv->starts[row]);
}

const struct reader csv_reader = {
    .size = sizeof(struct csv),
    .open = csv_open,
    .load = csv_load,
    .judge = csv_judge,
    .cell = csv_cell,
    .close = csv_close,
    .numbers = csv_numbers,
    .line = csv_line,
};
