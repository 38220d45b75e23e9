/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A table for people: cells of text in columns of the necessary width.
 *
 *     struct grid *grid = grid_create("lr");   // left, right
 *     grid_cell(grid, "flux");
 *     grid_cell(grid, "%.3g", 0.31);
 *     grid_print(grid, stdout);                // frees
 *
 * When out of memory the table is not printed; grid_missing_from_output reports that.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct grid;

/* One letter per column: 'l' or 'r'. */
struct grid *grid_create(const char *alignment);

/* The columns of `before`, then `right` columns aligned right, then those of `after`. */
struct grid *grid_create_wide(const char *before, size_t right, const char *after);

/* The next cell, row by row. */
void grid_cell(struct grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of very many rows only the first and last are shown. At the first row between, adds a row with
 * their number and returns how many to skip; otherwise 0. */
size_t grid_pass_over(struct grid *grid, size_t row, size_t rows);

/* Indented by two blanks; frees. */
void grid_print(struct grid *grid, FILE *file);

/* Whether a table for standard output could not be printed, because memory ran out. */
bool grid_missing_from_output(void);
