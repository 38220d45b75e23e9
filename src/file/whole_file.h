/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Files, or blocks of memory in their place, that are read or written as a whole. */

#include "base/status.h"

#include <stddef.h>

struct piece {
    const void *bytes;
    size_t size;
};

/* A destination of several pieces, which are written completely or not at all. `name` is for
 * messages. */
struct whole_output {
    const char *name;
    nim_status (*write)(const struct whole_output *output, const struct piece *piece, size_t pieces,
                        nim_error *error);
    /* whole_memory_write: space for `capacity` bytes, or NULL to ask for the size only. */
    void *bytes;
    size_t capacity, *size;
};

/* Writes the file of that name (file/atomic_file.h). */
nim_status whole_file_write(const struct whole_output *output, const struct piece *piece,
                            size_t pieces, nim_error *error);

/* Writes to `bytes`; *size, unless NULL, becomes the size of all pieces, even if they do not fit.
 */
nim_status whole_memory_write(const struct whole_output *output, const struct piece *piece,
                              size_t pieces, nim_error *error);

/* All bytes in 64-byte aligned memory, to be freed by the caller, 1 byte longer than the file. */
nim_status whole_file_read(const char *path, char **bytes, size_t *size, nim_error *error);

/* A copy of these bytes in such memory. */
nim_status whole_memory_read(const char *name, const void *given, size_t size, char **bytes,
                             nim_error *error);
