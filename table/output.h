/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes bytes to a file atomically (file/atomic_file.h), gzipped if its name ends in .gz. "-" is
 * standard output. What a terminal would obey instead of showing it becomes a question mark there.
 *
 * After a failure nothing more is written; output_failed and output_close tell of the first one.
 */

#include "text/complaint.h"

#include <stddef.h>

struct output;

struct output *output_open(const char *path, struct complaint *complaint);

/* Through a buffer, in which these bytes stay together. */
void output_write(struct output *output, const void *bytes, size_t size);
void output_text(struct output *output, const char *text);

/* The name for messages: as given, or "standard output". */
const char *output_name(const struct output *output);

/* The directory of the output, for a large temporary file; NULL if it has none. */
const char *output_directory(const struct output *output);

/* Records a failure: "stars.fits: ...". */
void output_fail(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void output_no_memory(struct output *output);

bool output_failed(const struct output *output, struct complaint *complaint);

/* Completes the file and renames it; frees, also on failure. */
bool output_close(struct output *output, struct complaint *complaint);

/* Frees and removes the temporary file. NULL is allowed. */
void output_abandon(struct output *output);
