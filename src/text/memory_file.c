/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "text/memory_file.h"

#include <stdlib.h>

FILE *memory_file_open(struct memory_file *memory) {
    *memory = (struct memory_file){0};
    memory->file = open_memstream(&memory->bytes, &memory->size);
    return memory->file;
}

char *memory_file_close(struct memory_file *memory, bool good, size_t *size) {
    if (!memory->file)
        return NULL;
    good = good && !ferror(memory->file);
    good = fclose(memory->file) == 0 && good;
    memory->file = NULL;
    if (!good) {
        free(memory->bytes);
        return NULL;
    }
    *size = memory->size;
    return memory->bytes;
}
