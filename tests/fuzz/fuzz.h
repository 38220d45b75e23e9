/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

/*
 * What the fuzz targets share. A target is one file with one function, LLVMFuzzerTestOneInput. It
 * is linked with libFuzzer (make fuzz), with afl++, or with replay.c, which runs it on files.
 *
 * A target fails by ending the process: must() says which law does not hold.
 */

#include "table/table.h"
#include "text/complaint.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define must(law) ((law) ? (void)0 : fuzz_stop(__FILE__, __LINE__, #law))
_Noreturn void fuzz_stop(const char *file, int line, const char *law);

/* A file in memory with these bytes, and its path; `slot` is one of FUZZ_FILES that there are. */
enum { FUZZ_FILES = 2 };
const char *fuzz_file(size_t slot, const void *bytes, size_t size);

/* What that file holds now, to be freed. */
char *fuzz_content(size_t slot, size_t *size);

/* The next line of the data as a text, to be freed, and the data behind it. */
char *fuzz_line(const uint8_t **data, size_t *size);

/* A complaint is one line of text that says something, and of a kind. */
void fuzz_check_complaint(const struct complaint *complaint);

/* Opens the bytes as a table and reads every cell in every way; then again in larger blocks: the
 * same cells must come. */
void fuzz_read_table(const uint8_t *data, size_t size, enum table_format format);

/* The same with a file. */
void fuzz_read_file(const char *path, enum table_format format);

#endif
