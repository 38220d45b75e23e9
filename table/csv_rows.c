/* SPDX-License-Identifier: Apache-2.0 */
#include "table/csv_rows.h"

#include "table/buffer_size.h"
#include "table/scan.h"
#include "text/ascii.h"
#include "text/blank.h"
#include "text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFER = BUFFER_SIZE(1 << 19), /* bytes read at a time */
    LONGEST_ROW = 64 << 20,        /* and the most a row may have */
};

size_t csv_line_of(const struct csv *csv, size_t offset) {
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

/* The last line of a file gets its newline here if it has none. */
bool csv_refill(struct csv *csv) {
    if (!csv->text && !make_room(csv, BUFFER))
        return false;
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
    table_fail(&csv->table, csv_line_of(csv, offset), "column %.200s: %s",
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
        return table_fail(&csv->table, csv_line_of(csv, walk->start),
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
        return table_fail(&csv->table, csv_line_of(csv, nul ? (size_t)(nul - csv->text) : 0),
                          "there is a NUL byte; this is not plain text");
    }
    if (csv->table.columns && split_quickly(csv, &scan))
        return true;
    return split_carefully(csv, scan.count, most);
}

bool csv_take(struct csv *csv, size_t most) {
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
        if (!csv_refill(csv))
            return false;
    }
}

struct span csv_span(const struct csv *csv, size_t row, size_t column) {
    const uint32_t *end = csv->ends + row * csv->table.columns + column;
    size_t from = column ? end[-1] + 1u : csv->starts[row];
    return (struct span){csv->text + from, *end - from};
}
