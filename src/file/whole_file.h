/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

/* Bytes that are read or written as a whole: files, or memory that stands for one. */

#include "base/status.h"

#include <stddef.h>

struct piece {
    const void *bytes;
    size_t size;
};

/* Where pieces go, one after the other: all of them or nothing. `name` is for messages. */
struct whole_output {
    const char *name;
    nim_status (*write)(const struct whole_output *output, const struct piece *piece, size_t pieces,
                        nim_error *error);
    /* whole_memory_write: room for `capacity` bytes, or NULL to ask for the size only. */
    void *bytes;
    size_t capacity, *size;
};

/* To the file of that name (file/atomic_file.h). */
nim_status whole_file_write(const struct whole_output *output, const struct piece *piece,
                            size_t pieces, nim_error *error);

/* To `bytes`; *size, unless NULL, becomes the size of all pieces, also where they do not fit. */
nim_status whole_memory_write(const struct whole_output *output, const struct piece *piece,
                              size_t pieces, nim_error *error);

/* All bytes in 64-byte aligned memory, to be freed by the caller, 1 byte longer than the file. */
nim_status whole_file_read(const char *path, char **bytes, size_t *size, nim_error *error);

/* A copy of these bytes in such memory. */
nim_status whole_memory_read(const char *name, const void *given, size_t size, char **bytes,
                             nim_error *error);

#endif
