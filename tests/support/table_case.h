/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TABLE_CASE_H
#define TESTS_TABLE_CASE_H

/* What the tests of tables share: files in a directory of their own, tables read as a whole.
 * Include after cmocka.h. */

#include "table/table.h"

#include <stdint.h>
#include <stdio.h>

/* splitmix64 */
uint64_t random_bits(uint64_t *state);
size_t random_below(uint64_t *state, size_t most); /* 0 .. most - 1 */

/* A group's fixture: makes and removes the directory. */
int directory_make(void **context);
int directory_remove(void **context);

/* The path of a name in the directory; the text stays until the next but fifteen calls. */
const char *path_of(const char *name);

/* The number of entries the directory has, hidden ones too. */
size_t directory_entries(void);

/* Writes a file there, plain or gzipped, and returns its path. */
const char *file_of(const char *name, const void *bytes, size_t size);
const char *text_file(const char *name, const char *text);
const char *gzip_file(const char *name, const void *bytes, size_t size);

/* All of a file, terminated; to be freed. */
char *contents_of(const char *path, size_t *size);

/* A table read as a whole: numbers are NaN and *is_number is false where a cell is none. */
struct grid {
    size_t columns, rows;
    struct column *column;
    double *number; /* rows x columns */
    bool *is_number;
    char **text; /* terminated */
    size_t *length;
    char **place; /* rows */
};

/* Reads in blocks of `most` rows; false and a complaint when any call but table_numbers fails. */
bool grid_read(struct grid *grid, const char *path, enum table_format format, size_t most,
               struct complaint *complaint);
void grid_free(struct grid *grid);

/* The same names, kinds, texts and bits. */
void assert_same_grid(const struct grid *a, const struct grid *b);

/* Reads; stops the test on a complaint. */
void grid_of(struct grid *grid, const char *path, enum table_format format, size_t most);

/* Reading must fail, with this code and one line that has all the words (ended by NULL). */
void assert_refused_table(const char *path, enum table_format format, enum complaint_kind kind,
                          const char *const *words);
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
