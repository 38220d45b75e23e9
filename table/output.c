/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "table/output.h"

#include "file/atomic_file.h"
#include "text/ascii.h"
#include "text/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

struct output {
    struct atomic_file *file;
    bool gzip, terminal;
    z_stream stream;
    unsigned char zipped[1 << 16];
};

static bool open_gzip(struct output *output, const char *path, struct complaint *complaint) {
    size_t length = strlen(path);
    if (length < 4 || strcasecmp(path + length - 3, ".gz") != 0)
        return true;
    output->gzip = deflateInit2(&output->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS,
                                8, Z_DEFAULT_STRATEGY) == Z_OK;
    return output->gzip || complain(complaint, BROKE_DOWN, "%s: out of memory", path);
}

struct output *output_open(const char *path, struct complaint *complaint) {
    struct output *output = calloc(1, sizeof *output);
    if (!output) {
        complain(complaint, BROKE_DOWN, "%s: out of memory", path);
        return NULL;
    }
    output->file = atomic_file_open(strcmp(path, "-") == 0 ? "/dev/stdout" : path, complaint);
    if (output->file && open_gzip(output, path, complaint)) {
        output->terminal = atomic_file_is_terminal(output->file);
        return output;
    }
    output_abandon(output);
    return NULL;
}

const char *output_name(const struct output *output) {
    return atomic_file_name(output->file);
}

const char *output_directory(const struct output *output) {
    return atomic_file_directory(output->file);
}

static bool write_zipped(struct output *output, const void *bytes, size_t size, int flush,
                         struct complaint *complaint) {
    z_stream *stream = &output->stream;
    stream->next_in = (unsigned char *)(uintptr_t)bytes;
    stream->avail_in = (unsigned)size;
    do {
        stream->next_out = output->zipped;
        stream->avail_out = sizeof output->zipped;
        if (deflate(stream, flush) == Z_STREAM_ERROR)
            return complain(complaint, BROKE_DOWN, "%s: zlib failed", output_name(output));
        if (!atomic_file_write(output->file, output->zipped,
                               sizeof output->zipped - stream->avail_out, complaint))
            return false;
    } while (stream->avail_out == 0);
    return true;
}

/* A character that is cut by the end of the bytes counts as none; writers of text write whole
 * cells. */
static bool show(struct output *output, const char *text, size_t size,
                 struct complaint *complaint) {
    char shown[1024];
    size_t filled = 0;
    bool good = true;
    for (size_t at = 0; good && at < size;) {
        size_t length = utf8_length(text + at, size - at), step = length ? length : 1;
        bool plain = text[at] == '\t' || text[at] == '\n' || text[at] == '\r';
        if (filled + step > sizeof shown) {
            good = atomic_file_write(output->file, shown, filled, complaint);
            filled = 0;
        }
        if (plain || !is_control(text + at, length))
            memcpy(shown + filled, text + at, step);
        else
            memset(shown + filled, '?', step);
        filled += step;
        at += step;
    }
    return good && atomic_file_write(output->file, shown, filled, complaint);
}

bool output_write(struct output *output, const void *bytes, size_t size,
                  struct complaint *complaint) {
    if (output->terminal)
        return show(output, bytes, size, complaint);
    if (!output->gzip)
        return atomic_file_write(output->file, bytes, size, complaint);
    for (const char *p = bytes; size;) {
        size_t piece = size < 1u << 30 ? size : 1u << 30;
        if (!write_zipped(output, p, piece, Z_NO_FLUSH, complaint))
            return false;
        p += piece;
        size -= piece;
    }
    return true;
}

static void free_output(struct output *output) {
    if (output->gzip)
        deflateEnd(&output->stream);
    free(output);
}

bool output_close(struct output *output, struct complaint *complaint) {
    if (output->gzip && !write_zipped(output, "", 0, Z_FINISH, complaint)) {
        output_abandon(output);
        return false;
    }
    bool good = atomic_file_close(output->file, complaint);
    free_output(output);
    return good;
}

void output_abandon(struct output *output) {
    if (!output)
        return;
    atomic_file_abandon(output->file);
    free_output(output);
}
