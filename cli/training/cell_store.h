/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_CELL_STORE_H
#define CLI_TRAINING_CELL_STORE_H

/*
 * An array of numbers that grows, in memory or in a temporary file that is mapped: the system then
 * keeps as much of it in memory as there is room for. The file has no name and is gone with the
 * process, however that ends.
 */

#include "text/complaint.h"

#include <stddef.h>

struct cell_store {
    double *cell;
    size_t bytes;
    bool in_file;
    int file; /* when in_file */
};

/* Room for so many bytes; what is there stays. Once in a file it remains there. */
bool cell_store_grow(struct cell_store *store, size_t bytes, bool in_file,
                     struct complaint *complaint);
void cell_store_free(struct cell_store *store);

/* Where such files are: TMPDIR, or /var/tmp, which unlike /tmp is never a part of memory. */
const char *cell_store_directory(void);

#endif
