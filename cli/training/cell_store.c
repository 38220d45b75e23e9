/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/training/cell_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *cell_store_directory(void) {
    const char *directory = getenv("TMPDIR");
    return directory && *directory ? directory : "/var/tmp";
}

static bool complain_of_file(struct complaint *complaint, int reason) {
    return complain(
        complaint, BAD_INPUT,
        "%s: cannot write a temporary file for the rows: %s; set TMPDIR to use another directory",
        cell_store_directory(), strerror(reason));
}

static bool open_file(struct cell_store *store, struct complaint *complaint) {
    const char *directory = cell_store_directory();
    size_t size = strlen(directory) + sizeof "/nimgp-rows-XXXXXX";
    char *path = malloc(size);
    if (!path)
        return complain_of_memory(complaint);
    snprintf(path, size, "%s/nimgp-rows-XXXXXX", directory);
    store->file = mkstemp(path);
    int reason = errno;
    if (store->file >= 0)
        unlink(path);
    free(path);
    return store->file >= 0 || complain_of_file(complaint, reason);
}

/* The blocks are reserved, so that a full disk is an error here and no signal later. */
static double *map_file(const struct cell_store *store, size_t bytes, struct complaint *complaint) {
    int reason = posix_fallocate(store->file, 0, (off_t)bytes);
    void *cells = MAP_FAILED;
    if (reason == 0) {
        cells = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, store->file, 0);
        reason = errno;
    }
    if (cells != MAP_FAILED)
        return cells;
    complain_of_file(complaint, reason);
    return NULL;
}

static bool grow_in_file(struct cell_store *store, size_t bytes, struct complaint *complaint) {
    struct cell_store before = *store;
    if (!before.in_file && !open_file(store, complaint))
        return false;
    double *cells = map_file(store, bytes, complaint);
    if (!cells) {
        if (!before.in_file)
            close(store->file);
        return false;
    }
    if (before.in_file) {
        munmap(before.cell, before.bytes);
    } else if (before.cell) {
        memcpy(cells, before.cell, before.bytes);
        free(before.cell);
    }
    store->cell = cells;
    store->bytes = bytes;
    store->in_file = true;
    return true;
}

bool cell_store_grow(struct cell_store *store, size_t bytes, bool in_file,
                     struct complaint *complaint) {
    if (bytes <= store->bytes)
        return true;
    if (in_file || store->in_file)
        return grow_in_file(store, bytes, complaint);
    double *cells = realloc(store->cell, bytes);
    if (!cells)
        return complain_of_memory(complaint);
    store->cell = cells;
    store->bytes = bytes;
    return true;
}

void cell_store_free(struct cell_store *store) {
    if (store->in_file) {
        munmap(store->cell, store->bytes);
        close(store->file);
    } else {
        free(store->cell);
    }
    *store = (struct cell_store){0};
}
