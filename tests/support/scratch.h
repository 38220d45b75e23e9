/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

/* A name for mkdtemp or mkstemp, in the directory for temporary files. */

#include <stdio.h>
#include <stdlib.h>

enum { SCRATCH_SIZE = 256 };

static inline char *scratch_name(char path[SCRATCH_SIZE]) {
    const char *base = getenv("TMPDIR");
    snprintf(path, SCRATCH_SIZE, "%.230s/nimgp-test-XXXXXX", base && *base ? base : "/tmp");
    return path;
}

#endif
