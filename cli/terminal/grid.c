/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/grid.h"

#include "text/ascii.h"
#include "text/memory_file.h"
#include "text/name_list.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct grid {
    char *alignment;
    size_t columns;
    struct name_list cells;
    bool failed; /* a cell found no memory */
};

/* A table that is missing from standard output; there is no way back through all who print one. */
static bool missing_from_output;

struct grid *grid_create_wide(const char *before, size_t right, const char *after) {
    struct grid *grid = calloc(1, sizeof *grid);
    size_t first = strlen(before), last = strlen(after);
    if (!grid)
        return NULL;
    grid->columns = first + right + last;
    grid->alignment = malloc(grid->columns + 1);
    if (!grid->alignment) {
        free(grid);
        return NULL;
    }
    memcpy(grid->alignment, before, first);
    memset(grid->alignment + first, 'r', right);
    memcpy(grid->alignment + first + right, after, last + 1);
    return grid;
}

struct grid *grid_create(const char *alignment) {
    return grid_create_wide(alignment, 0, "");
}

void grid_cell(struct grid *grid, const char *format, ...) {
    struct complaint ignored;
    char text[512];
    va_list list;
    if (!grid)
        return;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length >= 0)
        make_one_line(text);
    if (length >= 0 && !name_list_add(&grid->cells, text, strlen(text), &ignored))
        grid->failed = true;
}

size_t grid_pass_over(struct grid *grid, size_t row, size_t rows) {
    enum { MOST = 200, FIRST = 10, LAST = 3 };
    if (!grid || rows <= MOST || row != FIRST)
        return 0;
    size_t passed = rows - FIRST - LAST;
    grid_cell(grid, "... %zu more", passed);
    for (size_t j = 1; j < grid->columns; j++)
        grid_cell(grid, "%s", "");
    return passed;
}

/* Characters, not bytes: continuation bytes of UTF-8 take no room. */
static size_t width_of(const char *text) {
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static bool print_blanks(FILE *file, size_t count) {
    return fprintf(file, "%*s", (int)count, "") >= 0;
}

static bool print_row(const struct grid *grid, size_t first, const size_t *width, FILE *file) {
    size_t last = grid->columns; /* behind the last cell that is not empty */
    bool good = true;
    while (last && !*grid->cells.item[first + last - 1])
        last--;
    for (size_t j = 0; good && j < last; j++) {
        const char *text = grid->cells.item[first + j];
        size_t blanks = width[j] - width_of(text);
        bool right = grid->alignment[j] == 'r';
        good = print_blanks(file, 2 + (right ? blanks : 0)) && fputs(text, file) >= 0 &&
               print_blanks(file, !right && j + 1 < last ? blanks : 0);
    }
    return good && fputc('\n', file) != EOF;
}

/* The lines of the table, to be freed; NULL when out of memory. */
static char *grid_text(const struct grid *grid) {
    size_t rows = grid->columns ? grid->cells.count / grid->columns : 0, size;
    size_t *width = grid->failed ? NULL : calloc(grid->columns + 1, sizeof *width);
    struct memory_file memory;
    bool good = memory_file_open(&memory) && width;
    for (size_t i = 0; good && i < rows * grid->columns; i++) {
        size_t own = width_of(grid->cells.item[i]), *most = &width[i % grid->columns];
        *most = own > *most ? own : *most;
    }
    for (size_t i = 0; good && i < rows; i++)
        good = print_row(grid, i * grid->columns, width, memory.file);
    free(width);
    return memory_file_close(&memory, good, &size);
}

/* All lines in one call, so that those of several programs do not mix. */
void grid_print(struct grid *grid, FILE *file) {
    char *text = grid ? grid_text(grid) : NULL;
    if (text)
        fputs(text, file);
    else if (file == stdout)
        missing_from_output = true;
    free(text);
    if (!grid)
        return;
    name_list_free(&grid->cells);
    free(grid->alignment);
    free(grid);
}

bool grid_missing_from_output(void) {
    return missing_from_output;
}
