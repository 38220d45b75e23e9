/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TEXT_MEMORY_FILE_H
#define NIMGP_TEXT_MEMORY_FILE_H

/*
 * A file in memory that knows when memory ran out. open_memstream alone does not say so: where a
 * buffer could not grow, glibc writes less without setting the error indicator, and where the last
 * one could not be made fclose returns zero and leaves no buffer.
 *
 *     struct memory_file memory;
 *     FILE *file = memory_file_open(&memory);
 *     good = file && fputs(text, file) >= 0;     // what the writes themselves said
 *     char *bytes = memory_file_close(&memory, good, &size);   // NULL unless all is there
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct memory_file {
    FILE *file;
    char *bytes;
    size_t size;
};

/* NULL without memory; then, too, close it. */
FILE *memory_file_open(struct memory_file *memory);

/* The bytes with a zero behind them, to be freed; NULL when something is lacking. */
char *memory_file_close(struct memory_file *memory, bool good, size_t *size);

#endif
