/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "table/output.h"

#include "file/atomic_file.h"
#include "text/ascii.h"
#include "text/utf8.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

struct output {
    struct atomic_file *file;
    bool gzip, terminal;
    struct complaint failure; /* the first */
    z_stream stream;
    unsigned char zipped[1 << 16];
    size_t filled;
    char buffer[1 << 18];
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

/* ---------------------------------------------------------------- failures -------------------- */

bool output_failed(const struct output *output, struct complaint *complaint) {
    if (output->failure.kind == NO_COMPLAINT)
        return false;
    *complaint = output->failure;
    return true;
}

void output_fail(struct output *output, const char *format, ...) {
    char text[sizeof output->failure.text];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (output->failure.kind == NO_COMPLAINT)
        complain(&output->failure, BAD_INPUT, "%s: %s", output_name(output), text);
}

void output_no_memory(struct output *output) {
    if (output->failure.kind == NO_COMPLAINT)
        complain(&output->failure, BROKE_DOWN, "%s: out of memory", output_name(output));
}

/* ---------------------------------------------------------------- bytes ----------------------- */

static void write_file(struct output *output, const void *bytes, size_t size) {
    if (output->failure.kind == NO_COMPLAINT)
        atomic_file_write(output->file, bytes, size, &output->failure);
}

static void write_zipped(struct output *output, const void *bytes, size_t size, int flush) {
    z_stream *stream = &output->stream;
    stream->next_in = (unsigned char *)(uintptr_t)bytes;
    stream->avail_in = (unsigned)size;
    do {
        stream->next_out = output->zipped;
        stream->avail_out = sizeof output->zipped;
        if (deflate(stream, flush) == Z_STREAM_ERROR)
            output_fail(output, "zlib failed");
        write_file(output, output->zipped, sizeof output->zipped - stream->avail_out);
    } while (stream->avail_out == 0 && output->failure.kind == NO_COMPLAINT);
}

/* A character that is cut by the end of the bytes counts as none. */
static void show(struct output *output, const char *text, size_t size) {
    char shown[1024];
    size_t filled = 0;
    for (size_t at = 0; at < size;) {
        size_t length = utf8_length(text + at, size - at), step = length ? length : 1;
        bool plain = text[at] == '\t' || text[at] == '\n' || text[at] == '\r';
        if (filled + step > sizeof shown) {
            write_file(output, shown, filled);
            filled = 0;
        }
        if (plain || !is_control(text + at, length))
            memcpy(shown + filled, text + at, step);
        else
            memset(shown + filled, '?', step);
        filled += step;
        at += step;
    }
    write_file(output, shown, filled);
}

static void write_through(struct output *output, const char *bytes, size_t size) {
    if (output->terminal)
        show(output, bytes, size);
    else if (!output->gzip)
        write_file(output, bytes, size);
    for (size_t piece; output->gzip && !output->terminal && size; bytes += piece, size -= piece) {
        piece = size < 1u << 30 ? size : 1u << 30;
        write_zipped(output, bytes, piece, Z_NO_FLUSH);
    }
}

static void flush(struct output *output) {
    write_through(output, output->buffer, output->filled);
    output->filled = 0;
}

void output_write(struct output *output, const void *bytes, size_t size) {
    if (size > sizeof output->buffer - output->filled)
        flush(output);
    if (size > sizeof output->buffer) {
        write_through(output, bytes, size);
    } else if (size) {
        memcpy(output->buffer + output->filled, bytes, size);
        output->filled += size;
    }
}

void output_text(struct output *output, const char *text) {
    output_write(output, text, strlen(text));
}

static void free_output(struct output *output) {
    if (output->gzip)
        deflateEnd(&output->stream);
    free(output);
}

bool output_close(struct output *output, struct complaint *complaint) {
    flush(output);
    if (output->gzip)
        write_zipped(output, "", 0, Z_FINISH);
    if (output_failed(output, complaint)) {
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
