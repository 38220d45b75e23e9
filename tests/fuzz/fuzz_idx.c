/* SPDX-License-Identifier: Apache-2.0 */
/* IDX. Data that do not start like an IDX file are two files. The first byte is the length of the
 * first file, which has the labels of the images in the second. */
#define _DEFAULT_SOURCE
#include "fuzz.h"
#include "support/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char place[SCRATCH_SIZE], labels[SCRATCH_SIZE + 32], images[SCRATCH_SIZE + 32];

static void remove_place(void) {
    unlink(labels);
    unlink(images);
    rmdir(place);
}

/* The two files are matched by their names, but files in memory have none. So links with such names
 * are made. */
static void make_place(void) {
    must(mkdtemp(scratch_name(place)));
    snprintf(labels, sizeof labels, "%s/t-labels-idx1-ubyte", place);
    snprintf(images, sizeof images, "%s/t-images-idx3-ubyte", place);
    must(symlink(fuzz_file(0, "", 0), labels) == 0);
    must(symlink(fuzz_file(1, "", 0), images) == 0);
    must(atexit(remove_place) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size || !data[0]) {
        fuzz_read_table(data, size, TABLE_IDX);
        return 0;
    }
    if (!*labels)
        make_place();
    size_t first = data[0] < size ? data[0] : size - 1;
    fuzz_file(0, data + 1, first);
    fuzz_file(1, data + 1 + first, size - 1 - first);
    fuzz_read_file(images, TABLE_IDX);
    return 0;
}
