/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A file in memory that detects when memory runs out. open_memstream alone does not: if a buffer
 * cannot grow, glibc writes less without setting the error indicator, and if the last buffer cannot
 * be allocated, fclose returns zero and leaves no buffer.
 *
 *     struct memory_file memory;
 *     FILE *file = memory_file_open(&memory);
 *     good = file && fputs(text, file) >= 0;     // whether the writes succeeded
 *     char *bytes = memory_file_close(&memory, good, &size);   // NULL unless complete
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct memory_file {
    FILE *file;
    char *bytes;
    size_t size;
};

/* NULL when out of memory; call memory_file_close in that case too. */
FILE *memory_file_open(struct memory_file *memory);

/* The bytes, terminated by a zero, to be freed; NULL if they are not complete. */
char *memory_file_close(struct memory_file *memory, bool good, size_t *size);
