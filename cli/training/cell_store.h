/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_CELL_STORE_H
#define CLI_TRAINING_CELL_STORE_H

/*
 * A growing array of numbers, in memory or in a mapped temporary file, of which the system keeps as
 * much in memory as fits. The file has no name and is deleted when the process ends in any way.
 */

#include "text/complaint.h"

#include <stddef.h>

struct cell_store {
    double *cell;
    size_t bytes;
    bool in_file;
    int file; /* when in_file */
};

/* Grows to this number of bytes and keeps the content. Once in a file, it stays there. */
bool cell_store_grow(struct cell_store *store, size_t bytes, bool in_file,
                     struct complaint *complaint);
void cell_store_free(struct cell_store *store);

/* The directory of such files: TMPDIR, or /var/tmp, which unlike /tmp is never in memory. */
const char *cell_store_directory(void);

#endif
