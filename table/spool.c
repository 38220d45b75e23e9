/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "table/spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int spool_create(const char *directory, char **path, struct complaint *complaint) {
    if (!directory)
        directory = getenv("TMPDIR");
    if (!directory || !*directory)
        directory = "/tmp";
    if (asprintf(path, "%s/.nimgp-XXXXXX", directory) < 0) {
        *path = NULL;
        complain(complaint, BROKE_DOWN, "memory ran out");
        return -1;
    }
    int file = mkstemp(*path);
    if (file < 0) {
        complain(complaint, BAD_INPUT, "no temporary file in %s: %s", directory, strerror(errno));
        free(*path);
        *path = NULL;
    }
    return file;
}

/*
 * A pipe nobody reads any more is no failure: READER_GONE goes with that complaint. (As long as the
 * signal SIGPIPE has its usual effect nobody gets to see it.)
 */
bool write_all(int file, const char *name, const void *bytes, size_t size,
               struct complaint *complaint) {
    const char *p = bytes;
    while (size) {
        ssize_t count = write(file, p, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return complain(complaint, count < 0 && errno == EPIPE ? READER_GONE : BAD_INPUT,
                            "%s: cannot be written: %s", name,
                            count < 0 ? strerror(errno) : "nothing is taken");
        p += count;
        size -= (size_t)count;
    }
    return true;
}
