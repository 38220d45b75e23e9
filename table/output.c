/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "table/output.h"

#include "table/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

struct output {
    char *name; /* for messages */
    int file;
    char *target, *directory, *temporary; /* of a regular file; else NULL */
    bool gzip;
    z_stream stream;
    unsigned char zipped[1 << 16];
};

static bool complain_of_output(const struct output *output, struct complaint *complaint) {
    return complain(complaint, BAD_INPUT, "%s: cannot be written: %s", output->name,
                    strerror(errno));
}

static bool complain_of_memory(const char *name, struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "%s: memory ran out", name);
}

/* ---------------------------------------------------------------- opening --------------------- */

/* A new file in the directory, with the permissions any new file would get. */
static bool open_temporary(struct output *output, struct complaint *complaint) {
    for (unsigned i = 0;; i++) {
        free(output->temporary);
        if (asprintf(&output->temporary, "%s/.nimgp-%ld-%u", output->directory, (long)getpid(), i) <
            0) {
            output->temporary = NULL;
            return complain_of_memory(output->name, complaint);
        }
        output->file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->file >= 0)
            return true;
        if (errno != EEXIST || i > 10000) {
            free(output->temporary);
            output->temporary = NULL;
            return complain_of_output(output, complaint);
        }
    }
}

static bool split_target(struct output *output, struct complaint *complaint) {
    const char *slash = strrchr(output->target, '/');
    output->directory = !slash ? strdup(".")
                        : slash == output->target
                            ? strdup("/")
                            : strndup(output->target, (size_t)(slash - output->target));
    return output->directory != NULL || complain_of_memory(output->name, complaint);
}

/* An existing file keeps its place behind symbolic links and its permissions. */
static bool open_regular(struct output *output, const char *path, const struct stat *old,
                         struct complaint *complaint) {
    if (old && access(path, W_OK) != 0)
        return complain_of_output(output, complaint);
    output->target = old ? realpath(path, NULL) : strdup(path);
    if (!output->target)
        return complain_of_memory(output->name, complaint);
    if (!split_target(output, complaint) || !open_temporary(output, complaint))
        return false;
    if (old && fchmod(output->file, old->st_mode & 0777) != 0)
        return complain_of_output(output, complaint);
    return true;
}

static bool open_output(struct output *output, const char *path, struct complaint *complaint) {
    struct stat old;
    if (strcmp(path, "-") == 0) {
        output->file = STDOUT_FILENO;
        return true;
    }
    if (!*path)
        return complain(complaint, BAD_INPUT, "the name of the output is empty");
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return complain(complaint, BAD_INPUT, "%s: is a directory", path);
    if (exists && !S_ISREG(old.st_mode)) {
        output->file = open(path, O_WRONLY | O_CLOEXEC);
        return output->file >= 0 || complain_of_output(output, complaint);
    }
    return open_regular(output, path, exists ? &old : NULL, complaint);
}

static bool open_gzip(struct output *output, const char *path, struct complaint *complaint) {
    size_t length = strlen(path);
    if (length < 4 || strcasecmp(path + length - 3, ".gz") != 0)
        return true;
    output->gzip = deflateInit2(&output->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS,
                                8, Z_DEFAULT_STRATEGY) == Z_OK;
    return output->gzip || complain_of_memory(path, complaint);
}

struct output *output_open(const char *path, struct complaint *complaint) {
    struct output *output = calloc(1, sizeof *output);
    if (!output) {
        complain_of_memory(path, complaint);
        return NULL;
    }
    output->file = -1;
    output->name = strdup(strcmp(path, "-") == 0 ? "standard output" : path);
    bool good =
        output->name ? open_output(output, path, complaint) : complain_of_memory(path, complaint);
    if (good && open_gzip(output, path, complaint))
        return output;
    output_abandon(output);
    return NULL;
}

const char *output_name(const struct output *output) {
    return output->name;
}

const char *output_directory(const struct output *output) {
    return output->directory;
}

/* ---------------------------------------------------------------- writing --------------------- */

static bool write_zipped(struct output *output, const void *bytes, size_t size, int flush,
                         struct complaint *complaint) {
    z_stream *stream = &output->stream;
    stream->next_in = (unsigned char *)(uintptr_t)bytes;
    stream->avail_in = (unsigned)size;
    do {
        stream->next_out = output->zipped;
        stream->avail_out = sizeof output->zipped;
        if (deflate(stream, flush) == Z_STREAM_ERROR)
            return complain(complaint, BROKE_DOWN, "%s: zlib cannot go on", output->name);
        if (!write_all(output->file, output->name, output->zipped,
                       sizeof output->zipped - stream->avail_out, complaint))
            return false;
    } while (stream->avail_out == 0);
    return true;
}

bool output_write(struct output *output, const void *bytes, size_t size,
                  struct complaint *complaint) {
    if (!output->gzip)
        return write_all(output->file, output->name, bytes, size, complaint);
    for (const char *p = bytes; size;) {
        size_t piece = size < 1u << 30 ? size : 1u << 30;
        if (!write_zipped(output, p, piece, Z_NO_FLUSH, complaint))
            return false;
        p += piece;
        size -= piece;
    }
    return true;
}

/* ---------------------------------------------------------------- the end --------------------- */

static void free_output(struct output *output) {
    if (output->gzip)
        deflateEnd(&output->stream);
    if (output->file >= 0 && output->file != STDOUT_FILENO)
        close(output->file);
    free(output->name);
    free(output->target);
    free(output->directory);
    free(output->temporary);
    free(output);
}

/* So that the new name itself outlives a power failure; no harm where this cannot be had. */
static void sync_directory(const char *directory) {
    int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        fsync(file);
        close(file);
    }
}

static bool appear(struct output *output, struct complaint *complaint) {
    if (fsync(output->file) != 0 && errno != EINVAL)
        return complain_of_output(output, complaint);
    int file = output->file;
    output->file = -1;
    if (close(file) != 0 || rename(output->temporary, output->target) != 0)
        return complain_of_output(output, complaint);
    free(output->temporary);
    output->temporary = NULL; /* there is none any more */
    sync_directory(output->directory);
    return true;
}

bool output_close(struct output *output, struct complaint *complaint) {
    bool good = (!output->gzip || write_zipped(output, "", 0, Z_FINISH, complaint)) &&
                (!output->temporary || appear(output, complaint));
    if (!good) {
        output_abandon(output);
        return false;
    }
    free_output(output);
    return true;
}

void output_abandon(struct output *output) {
    if (!output)
        return;
    if (output->temporary)
        unlink(output->temporary);
    free_output(output);
}
