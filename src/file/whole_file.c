/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "file/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static nim_status refuse(nim_error *error, const char *path, const char *what) {
    char reason[128];
    if (strerror_r(errno, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", errno);
    return failure(error, NIM_BAD_FILE, "%s: cannot %s: %s", path, what, reason);
}

/* ---------------------------------------------------------------- writing --------------------- */

static bool write_all(int file, const struct piece *piece, size_t pieces) {
    enum { MOST_AT_ONCE = 1 << 30 };
    for (size_t i = 0; i < pieces; i++)
        for (size_t done = 0; done < piece[i].size;) {
            size_t left = piece[i].size - done;
            ssize_t wrote = write(file, (const char *)piece[i].bytes + done,
                                  left < MOST_AT_ONCE ? left : MOST_AT_ONCE);
            if (wrote < 0 && errno == EINTR)
                continue;
            if (wrote < 0)
                return false;
            done += (size_t)wrote;
        }
    return true;
}

static nim_status write_directly(const char *path, const struct piece *piece, size_t pieces,
                                 nim_error *error) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return refuse(error, path, "open it for writing");
    bool good = write_all(file, piece, pieces);
    nim_status status = good ? succeed(error) : refuse(error, path, "write");
    close(file);
    return status;
}

/* A rename lasts once its directory is on disk; where that cannot be asked for, so be it. */
static void sync_directory(const char *path) {
    char *copy = strdup(path);
    int directory = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (directory >= 0) {
        (void)fsync(directory);
        close(directory);
    }
    free(copy);
}

/* A new file named after `path`; `beside` has room for ENDING more bytes. As readable to others as
 * any file its user makes, which mkstemp would not leave it. */
static int create_beside(const char *path, char *beside) {
    int file = -1;
    for (int attempt = 0; file < 0 && attempt < 100; attempt++) {
        sprintf(beside, "%s.%ld-%d.part", path, (long)getpid(), attempt);
        file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            break;
    }
    return file;
}

static nim_status write_beside(const char *path, char *beside, const struct piece *piece,
                               size_t pieces, nim_error *error) {
    int file = create_beside(path, beside);
    if (file < 0)
        return refuse(error, path, "make a file beside it");
    bool good = write_all(file, piece, pieces) && fsync(file) == 0;
    nim_status status = good ? NIM_OK : refuse(error, path, "write");
    if (close(file) != 0 && good)
        status = refuse(error, path, "write");
    if (status == NIM_OK && rename(beside, path) != 0)
        status = refuse(error, path, "rename a file to it");
    if (status != NIM_OK) {
        unlink(beside);
        return status;
    }
    sync_directory(path);
    return succeed(error);
}

nim_status whole_file_write(const char *path, const struct piece *piece, size_t pieces,
                            nim_error *error) {
    enum { ENDING = 64 };
    struct stat known;
    if (stat(path, &known) == 0 && S_ISDIR(known.st_mode))
        return failure(error, NIM_BAD_FILE, "%s: is a directory", path);
    if (stat(path, &known) == 0 && !S_ISREG(known.st_mode))
        return write_directly(path, piece, pieces, error);
    char *beside = malloc(strlen(path) + ENDING);
    if (!beside)
        return failure(error, NIM_OUT_OF_MEMORY, "no memory for the name of a file");
    nim_status status = write_beside(path, beside, piece, pieces, error);
    free(beside);
    return status;
}

/* ---------------------------------------------------------------- reading --------------------- */

static nim_status read_open(int file, const char *path, char **bytes, size_t *size,
                            nim_error *error) {
    struct stat known;
    if (fstat(file, &known) != 0)
        return refuse(error, path, "look at it");
    if (S_ISDIR(known.st_mode))
        return failure(error, NIM_BAD_FILE, "%s: is a directory", path);
    if (!S_ISREG(known.st_mode))
        return failure(error, NIM_BAD_FILE, "%s: is not an ordinary file", path);
    *size = (size_t)known.st_size;
    if (posix_memalign((void **)bytes, 64, *size + 1) != 0) {
        *bytes = NULL;
        return failure(error, NIM_OUT_OF_MEMORY, "%s: no memory for its %zu bytes", path, *size);
    }
    for (size_t done = 0; done < *size;) {
        ssize_t got = read(file, *bytes + done, *size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse(error, path, "read");
        if (got == 0)
            return failure(error, NIM_BAD_FILE, "%s: became shorter while it was read", path);
        done += (size_t)got;
    }
    return NIM_OK;
}

nim_status whole_file_read(const char *path, char **bytes, size_t *size, nim_error *error) {
    *bytes = NULL;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* never wait for a pipe */
    if (file < 0)
        return refuse(error, path, "open");
    nim_status status = read_open(file, path, bytes, size, error);
    close(file);
    if (status != NIM_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}
