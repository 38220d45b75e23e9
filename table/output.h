/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_OUTPUT_H
#define TABLE_OUTPUT_H

/*
 * Bytes to a file that appears whole or not at all (file/atomic_file.h), gzipped when its name ends
 * in .gz. "-" is standard output.
 */

#include "text/complaint.h"

#include <stdbool.h>
#include <stddef.h>

struct output;

struct output *output_open(const char *path, struct complaint *complaint);

bool output_write(struct output *output, const void *bytes, size_t size,
                  struct complaint *complaint);

/* The name for messages: as given, or "standard output". */
const char *output_name(const struct output *output);

/* The directory for a large temporary file, that of the output; NULL if the output is in none. */
const char *output_directory(const struct output *output);

/* Makes the file appear; frees, also on failure. */
bool output_close(struct output *output, struct complaint *complaint);

/* Frees and leaves nothing behind. NULL is fine. */
void output_abandon(struct output *output);

#endif
