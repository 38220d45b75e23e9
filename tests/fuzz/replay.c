/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target on files, and on all files of directories: the corpus and past findings. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static size_t run_file(const char *path) {
    FILE *file = fopen(path, "rb");
    struct stat status;
    must(file && fstat(fileno(file), &status) == 0);
    size_t size = (size_t)status.st_size;
    uint8_t *bytes = malloc(size + !size);
    must(bytes && fread(bytes, 1, size, file) == size);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one said is the one that failed */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return 1;
}

static size_t run_directory(const char *path, DIR *directory) {
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        count += run_file(name);
    }
    return count;
}

int main(int count, char **paths) {
    size_t files = 0;
    for (int i = 1; i < count; i++) {
        DIR *directory = opendir(paths[i]);
        files += directory ? run_directory(paths[i], directory) : run_file(paths[i]);
        if (directory)
            closedir(directory);
    }
    fprintf(stderr, "%zu files\n", files);
    return files ? 0 : 1;
}
