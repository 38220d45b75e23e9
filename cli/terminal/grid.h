/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_GRID_H
#define CLI_TERMINAL_GRID_H

/*
 * A table for the eye: cells of text in columns just as wide as they need to be.
 *
 *     struct grid *grid = grid_create("lr");   // left, right
 *     grid_cell(grid, "flux");
 *     grid_cell(grid, "%.3g", 0.31);
 *     grid_print(grid, stdout);                // frees
 *
 * Memory running out leaves the table away; grid_missing_from_output tells.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct grid;

/* One letter a column: 'l' or 'r'. */
struct grid *grid_create(const char *alignment);

/* The columns of `before`, then so many aligned right, then those of `after`. */
struct grid *grid_create_wide(const char *before, size_t right, const char *after);

/* The next cell, row by row. */
void grid_cell(struct grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of more rows than anybody reads, the first and last are shown. At the first of those between,
 * adds a row that counts them and returns how many to pass over; 0 elsewhere. */
size_t grid_pass_over(struct grid *grid, size_t row, size_t rows);

/* Indented by two blanks; frees. */
void grid_print(struct grid *grid, FILE *file);

/* Whether a table that was to go to standard output found no memory. */
bool grid_missing_from_output(void);

#endif
