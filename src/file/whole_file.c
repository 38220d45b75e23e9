/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "file/whole_file.h"

#include "file/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static nim_status refuse(nim_error *error, const char *path, const char *what) {
    char reason[128];
    if (strerror_r(errno, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", errno);
    return failure(error, NIM_IO, "%s: cannot be %s: %s", path, what, reason);
}

/* ---------------------------------------------------------------- writing --------------------- */

static nim_status refuse_output(const struct complaint *complaint, nim_error *error) {
    nim_status status = complaint->kind == BROKE_DOWN ? NIM_OUT_OF_MEMORY : NIM_IO;
    return failure(error, status, "%s", complaint->text);
}

nim_status whole_file_write(const struct whole_output *output, const struct piece *piece,
                            size_t pieces, nim_error *error) {
    struct complaint complaint = {0};
    struct atomic_file *file = atomic_file_open(output->name, &complaint);
    if (!file)
        return refuse_output(&complaint, error);
    for (size_t i = 0; i < pieces; i++)
        if (!atomic_file_write(file, piece[i].bytes, piece[i].size, &complaint)) {
            atomic_file_abandon(file);
            return refuse_output(&complaint, error);
        }
    return atomic_file_close(file, &complaint) ? succeed(error) : refuse_output(&complaint, error);
}

nim_status whole_memory_write(const struct whole_output *output, const struct piece *piece,
                              size_t pieces, nim_error *error) {
    size_t all = 0;
    for (size_t i = 0; i < pieces; i++)
        all += piece[i].size;
    if (output->size)
        *output->size = all;
    if (output->bytes && all > output->capacity)
        return failure(error, NIM_INVALID_ARGUMENT, "%s: has %zu bytes, but the capacity is %zu",
                       output->name, all, output->capacity);
    char *end = output->bytes;
    for (size_t i = 0; end && i < pieces; i++)
        if (piece[i].size) {
            memcpy(end, piece[i].bytes, piece[i].size);
            end += piece[i].size;
        }
    return succeed(error);
}

/* ---------------------------------------------------------------- reading --------------------- */

static nim_status make_room(const char *name, size_t size, char **bytes, nim_error *error) {
    if (size < SIZE_MAX && posix_memalign((void **)bytes, 64, size + 1) == 0)
        return NIM_OK;
    *bytes = NULL;
    return failure(error, NIM_OUT_OF_MEMORY, "%s: no memory for its %zu bytes", name, size);
}

static nim_status read_open(int file, const char *path, char **bytes, size_t *size,
                            nim_error *error) {
    struct stat known;
    if (fstat(file, &known) != 0)
        return refuse(error, path, "examined");
    if (S_ISDIR(known.st_mode))
        return failure(error, NIM_IO, "%s: is a directory, not a model file", path);
    if (!S_ISREG(known.st_mode))
        return failure(error, NIM_IO, "%s: is not a regular file", path);
    *size = (size_t)known.st_size;
    nim_status status = make_room(path, *size, bytes, error);
    if (status != NIM_OK)
        return status;
    for (size_t done = 0; done < *size;) {
        ssize_t got = read(file, *bytes + done, *size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse(error, path, "read");
        if (got == 0)
            return failure(error, NIM_IO, "%s: became shorter while it was read", path);
        done += (size_t)got;
    }
    return NIM_OK;
}

nim_status whole_file_read(const char *path, char **bytes, size_t *size, nim_error *error) {
    *bytes = NULL;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* never wait for a pipe */
    if (file < 0)
        return refuse(error, path, "opened");
    nim_status status = read_open(file, path, bytes, size, error);
    close(file);
    if (status != NIM_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

nim_status whole_memory_read(const char *name, const void *given, size_t size, char **bytes,
                             nim_error *error) {
    nim_status status = make_room(name, size, bytes, error);
    if (status == NIM_OK && size)
        memcpy(*bytes, given, size);
    return status;
}
