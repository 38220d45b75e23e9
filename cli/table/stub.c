/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for the readers and writers until they are here: plain CSV without quotes, whole files
 * in memory. To be removed. */
#define _POSIX_C_SOURCE 200809L
#include "plain.h"
#include "table/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    char *path, *text;
    size_t columns, rows, next, first, at_hand;
    struct column *column;
    struct span *cell;
};

bool table_format_named(const char *name, enum table_format *format) {
    static const char *const names[] = {"any", "csv", "tsv", "fits", "idx", "libsvm"};
    for (int i = 0; i < 6; i++)
        if (strcmp(names[i], name) == 0) {
            *format = (enum table_format)i;
            return true;
        }
    return false;
}

static char *slurp(const char *path) {
    FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room + 1);
    if (!file) {
        free(text);
        return NULL;
    }
    for (size_t got; (got = fread(text + used, 1, room - used, file)) > 0;) {
        used += got;
        if (used == room)
            text = realloc(text, (room *= 2) + 1);
    }
    text[used] = '\0';
    if (file != stdin)
        fclose(file);
    return text;
}

static bool missing(struct span s) {
    return !s.length || (s.length == 3 && strncmp(s.text, "NaN", 3) == 0);
}

static bool number(struct span s, double *x) {
    char copy[64];
    if (missing(s)) {
        *x = NAN;
        return true;
    }
    snprintf(copy, sizeof copy, "%.*s", (int)s.length, s.text);
    return plain_number(copy, x);
}

struct table *table_open(const char *path, enum table_format format, struct complaint *complaint) {
    (void)format;
    struct table *t = calloc(1, sizeof *t);
    t->path = strdup(path);
    t->text = slurp(path);
    if (!t->text || !*t->text) {
        complain(complaint, EXIT_BAD_INPUT, "%s: %s", path, t->text ? "is empty" : strerror(errno));
        table_close(t);
        return NULL;
    }
    t->columns = 1;
    for (char *c = t->text; *c && *c != '\n'; c++)
        t->columns += *c == ',';
    size_t lines = 1;
    for (char *c = t->text; *c; c++)
        lines += *c == '\n';
    t->column = calloc(t->columns, sizeof *t->column);
    t->cell = calloc((lines + 1) * t->columns, sizeof *t->cell);
    size_t n = 0;
    for (char *line = t->text; *line; n++) {
        char *end = strchr(line, '\n');
        if (!end)
            end = line + strlen(line);
        size_t k = 0;
        for (char *c = line;; k++) {
            char *stop = c;
            while (stop < end && *stop != ',')
                stop++;
            if (k < t->columns)
                t->cell[n * t->columns + k] = (struct span){c, (size_t)(stop - c)};
            if (stop == end)
                break;
            c = stop + 1;
        }
        if (k + 1 != t->columns) {
            complain(complaint, EXIT_BAD_INPUT, "%s:%zu: %zu cells, expected %zu", path, n + 1,
                     k + 1, t->columns);
            table_close(t);
            return NULL;
        }
        line = *end ? end + 1 : end;
    }
    t->rows = n - 1;
    for (size_t k = 0; k < t->columns; k++) {
        t->column[k].name = strndup(t->cell[k].text, t->cell[k].length);
        for (size_t i = 1; i <= t->rows && i < 4096; i++) {
            double x;
            if (!number(t->cell[i * t->columns + k], &x))
                t->column[k].kind = COLUMN_TEXT;
        }
    }
    return t;
}

void table_close(struct table *t) {
    if (!t)
        return;
    for (size_t k = 0; t->column && k < t->columns; k++) {
        union {
            const char *given;
            char *mine;
        } name = {.given = t->column[k].name};
        free(name.mine);
    }
    free(t->path);
    free(t->text);
    free(t->column);
    free(t->cell);
    free(t);
}

const char *table_path(const struct table *t) {
    return t->path;
}
size_t table_columns(const struct table *t) {
    return t->columns;
}
const struct column *table_column(const struct table *t, size_t index) {
    return &t->column[index];
}

static bool same(const char *a, const char *b, bool fold) {
    for (; *a && *b; a++, b++)
        if (*a != *b && !(fold && plain_lower(*a) == plain_lower(*b)))
            return false;
    return *a == *b;
}

long table_find(const struct table *t, const char *name) {
    for (int fold = 0; fold < 2; fold++) {
        long found = NO_COLUMN;
        for (size_t k = 0; k < t->columns; k++)
            if (same(t->column[k].name, name, fold))
                found = found == NO_COLUMN ? (long)k : TWO_COLUMNS;
        if (found != NO_COLUMN)
            return found;
    }
    return NO_COLUMN;
}

bool table_next(struct table *t, size_t most, size_t *rows, struct complaint *complaint) {
    (void)complaint;
    t->first = t->next;
    t->at_hand = t->rows - t->first < most ? t->rows - t->first : most;
    t->next += t->at_hand;
    *rows = t->at_hand;
    return true;
}

bool table_numbers(struct table *t, size_t column, double *out, size_t stride,
                   struct complaint *complaint) {
    for (size_t i = 0; i < t->at_hand; i++) {
        struct span s = t->cell[(t->first + i + 1) * t->columns + column];
        if (!number(s, &out[i * stride]))
            return complain(complaint, EXIT_BAD_INPUT, "%s:%zu: column %s: '%.*s' is not a number",
                            t->path, t->first + i + 2, t->column[column].name, (int)s.length,
                            s.text);
    }
    return true;
}

bool table_text(struct table *t, size_t row, size_t column, struct span *span,
                struct complaint *complaint) {
    (void)complaint;
    *span = t->cell[(t->first + row + 1) * t->columns + column];
    if (missing(*span))
        span->length = 0;
    return true;
}

void table_place(const struct table *t, size_t row, char *text, size_t size) {
    snprintf(text, size, "%s:%zu", t->path, t->first + row + 2);
}

struct table_writer {
    FILE *file;
    char path[4096], aside[4100];
    bool started;
};

struct table_writer *table_writer_open(const char *path, enum table_format format, size_t columns,
                                       const struct column *column, struct complaint *complaint) {
    (void)format;
    struct table_writer *w = calloc(1, sizeof *w);
    snprintf(w->path, sizeof w->path, "%s", path);
    snprintf(w->aside, sizeof w->aside, "%s.tmp", w->path);
    w->file = strcmp(path, "-") ? fopen(w->aside, "w") : stdout;
    if (!w->file) {
        complain(complaint, EXIT_BAD_INPUT, "%s: %s", path, strerror(errno));
        free(w);
        return NULL;
    }
    for (size_t k = 0; k < columns; k++)
        fprintf(w->file, "%s%s", k ? "," : "", column[k].name);
    fputc('\n', w->file);
    return w;
}

bool table_write_number(struct table_writer *w, double value, struct complaint *complaint) {
    (void)complaint;
    char text[PLAIN_NUMBER];
    plain_write(value, text);
    fprintf(w->file, "%s%s", w->started ? "," : "", isnan(value) ? "" : text);
    w->started = true;
    return true;
}

bool table_write_text(struct table_writer *w, struct span text, struct complaint *complaint) {
    (void)complaint;
    fprintf(w->file, "%s%.*s", w->started ? "," : "", (int)text.length, text.text);
    return w->started = true;
}

bool table_write_end(struct table_writer *w, struct complaint *complaint) {
    (void)complaint;
    fputc('\n', w->file);
    w->started = false;
    return true;
}

bool table_writer_close(struct table_writer *w, struct complaint *complaint) {
    (void)complaint;
    if (w->file != stdout) {
        fclose(w->file);
        rename(w->aside, w->path);
    }
    free(w);
    return true;
}

void table_writer_abandon(struct table_writer *w) {
    if (!w)
        return;
    if (w->file != stdout) {
        fclose(w->file);
        remove(w->aside);
    }
    free(w);
}
