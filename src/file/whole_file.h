/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WHOLE_FILE_H
#define WHOLE_FILE_H

/* Files that are read or written as a whole. */

#include "base/status.h"

#include <stddef.h>

struct piece {
    const void *bytes;
    size_t size;
};

/* Writes the pieces, one after the other: all of them or nothing (file/atomic_file.h). */
nim_status whole_file_write(const char *path, const struct piece *piece, size_t pieces,
                            nim_error *error);

/* All bytes in 64-byte aligned memory, to be freed by the caller, 1 byte longer than the file. */
nim_status whole_file_read(const char *path, char **bytes, size_t *size, nim_error *error);

#endif
