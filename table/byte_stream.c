/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "table/byte_stream.h"

#include "table/buffer_size.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { RAW = BUFFER_SIZE(256 * 1024) };

struct byte_stream {
    char *name;
    int file;
    bool regular, gzip;
    bool raw_ended; /* the file has no more bytes than those in `raw` */
    unsigned char raw[RAW];
    size_t raw_at, raw_end;
    z_stream stream; /* of a gzipped file */
    bool in_member;  /* between the head and the tail of one of its members */
    char head[BYTE_STREAM_HEAD];
    size_t head_at, head_end; /* gunzipped, not yet handed on */
};

/* ---------------------------------------------------------------- bytes of the file ----------- */

/* One read of at most `size` bytes; 0 at the end. */
static bool read_file(struct byte_stream *input, void *bytes, size_t size, size_t *got,
                      struct complaint *complaint) {
    ssize_t count;
    do
        count = read(input->file, bytes, size);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return complain(complaint, BAD_INPUT, "%s: cannot be read: %s", input->name,
                        strerror(errno));
    input->raw_ended |= count == 0;
    *got = (size_t)count;
    return true;
}

/* Makes `raw` hold at least `wanted` bytes unless the file ends before. */
static bool fill_raw(struct byte_stream *input, size_t wanted, struct complaint *complaint) {
    size_t held = input->raw_end - input->raw_at;
    if (held >= wanted || input->raw_ended)
        return true;
    memmove(input->raw, input->raw + input->raw_at, held);
    input->raw_at = 0;
    input->raw_end = held;
    while (input->raw_end < wanted && !input->raw_ended) {
        size_t got = 0;
        if (!read_file(input, input->raw + input->raw_end, RAW - input->raw_end, &got, complaint))
            return false;
        input->raw_end += got;
    }
    return true;
}

/* What is in `raw` first; the rest straight from the file. */
static bool read_plain(struct byte_stream *input, char *bytes, size_t size, size_t *got,
                       struct complaint *complaint) {
    size_t held = input->raw_end - input->raw_at;
    size_t done = held < size ? held : size;
    memcpy(bytes, input->raw + input->raw_at, done);
    input->raw_at += done;
    while (done < size && !input->raw_ended) {
        size_t more = 0;
        if (!read_file(input, bytes + done, size - done, &more, complaint))
            return false;
        done += more;
    }
    *got = done;
    return true;
}

/* ---------------------------------------------------------------- gzip ------------------------ */

static bool starts_member(const struct byte_stream *input) {
    const unsigned char *raw = input->raw + input->raw_at;
    return input->raw_end - input->raw_at >= 2 && raw[0] == 0x1f && raw[1] == 0x8b;
}

/* After a member: another one, or the end, before which tapes leave zeros. */
static bool next_member(struct byte_stream *input, bool *ended, struct complaint *complaint) {
    for (;;) {
        if (!fill_raw(input, 2, complaint))
            return false;
        if (starts_member(input) || input->raw_at == input->raw_end)
            break;
        if (input->raw[input->raw_at] != 0)
            return complain(complaint, BAD_INPUT, "%s: there are other bytes after the gzip data",
                            input->name);
        input->raw_at++;
    }
    *ended = input->raw_at == input->raw_end;
    input->in_member = !*ended;
    if (inflateReset(&input->stream) != Z_OK)
        return complain(complaint, BROKE_DOWN, "%s: zlib failed", input->name);
    return true;
}

static bool inflate_some(struct byte_stream *input, struct complaint *complaint) {
    z_stream *stream = &input->stream;
    if (!fill_raw(input, 1, complaint))
        return false;
    if (input->raw_at == input->raw_end)
        return complain(complaint, BAD_INPUT,
                        "%s: the gzip data end too early; is the file truncated?", input->name);
    stream->next_in = input->raw + input->raw_at;
    stream->avail_in = (unsigned)(input->raw_end - input->raw_at);
    int status = inflate(stream, Z_NO_FLUSH);
    input->raw_at = input->raw_end - stream->avail_in;
    if (status == Z_STREAM_END)
        input->in_member = false;
    else if (status == Z_MEM_ERROR)
        return complain(complaint, BROKE_DOWN, "%s: out of memory", input->name);
    else if (status != Z_OK && status != Z_BUF_ERROR)
        return complain(complaint, BAD_INPUT, "%s: the gzip data are damaged: %s", input->name,
                        stream->msg ? stream->msg : "unknown contents");
    return true;
}

static bool read_gzip(struct byte_stream *input, char *bytes, size_t size, size_t *got,
                      struct complaint *complaint) {
    z_stream *stream = &input->stream;
    size_t done = 0;
    bool ended = false;
    while (done < size && !ended) {
        if (!input->in_member) {
            if (!next_member(input, &ended, complaint))
                return false;
            continue;
        }
        size_t room = size - done < 1u << 30 ? size - done : 1u << 30;
        stream->next_out = (unsigned char *)bytes + done;
        stream->avail_out = (unsigned)room;
        if (!inflate_some(input, complaint))
            return false;
        done += room - stream->avail_out;
    }
    *got = done;
    return true;
}

/* ---------------------------------------------------------------- both ------------------------ */

static bool read_decoded(struct byte_stream *input, char *bytes, size_t size, size_t *got,
                         struct complaint *complaint) {
    return input->gzip ? read_gzip(input, bytes, size, got, complaint)
                       : read_plain(input, bytes, size, got, complaint);
}

bool byte_stream_read(struct byte_stream *input, void *bytes, size_t size, size_t *got,
                      struct complaint *complaint) {
    size_t held = input->head_end - input->head_at, more = 0;
    size_t first = held < size ? held : size;
    memcpy(bytes, input->head + input->head_at, first);
    input->head_at += first;
    if (first < size && !read_decoded(input, (char *)bytes + first, size - first, &more, complaint))
        return false;
    *got = first + more;
    return true;
}

static bool open_file(struct byte_stream *input, const char *path, struct complaint *complaint) {
    bool standard = strcmp(path, "-") == 0;
    input->name = strdup(standard ? "standard input" : path);
    if (!input->name)
        return complain(complaint, BROKE_DOWN, "%s: out of memory", path);
    input->file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat state;
    if (input->file < 0 || fstat(input->file, &state) != 0)
        return complain(complaint, BAD_INPUT, "%s: cannot be opened: %s", input->name,
                        strerror(errno));
    if (S_ISDIR(state.st_mode))
        return complain(complaint, BAD_INPUT, "%s: is a directory, not a table", input->name);
    input->regular = S_ISREG(state.st_mode) && !standard;
    return true;
}

static bool look_at_head(struct byte_stream *input, struct complaint *complaint) {
    if (!fill_raw(input, 2, complaint))
        return false;
    if (starts_member(input)) {
        input->gzip = input->in_member = true;
        if (inflateInit2(&input->stream, 16 + MAX_WBITS) != Z_OK) {
            input->gzip = false;
            return complain(complaint, BROKE_DOWN, "%s: out of memory", input->name);
        }
    }
    return read_decoded(input, input->head, BYTE_STREAM_HEAD, &input->head_end, complaint);
}

struct byte_stream *byte_stream_open(const char *path, struct complaint *complaint) {
    struct byte_stream *input = calloc(1, sizeof *input);
    if (!input) {
        complain(complaint, BROKE_DOWN, "%s: out of memory", path);
        return NULL;
    }
    if (!open_file(input, path, complaint) || !look_at_head(input, complaint)) {
        byte_stream_close(input);
        return NULL;
    }
    return input;
}

void byte_stream_close(struct byte_stream *input) {
    if (!input)
        return;
    if (input->gzip)
        inflateEnd(&input->stream);
    if (input->file > STDERR_FILENO)
        close(input->file);
    free(input->name);
    free(input);
}

const char *byte_stream_name(const struct byte_stream *input) {
    return input->name;
}

const char *byte_stream_head(const struct byte_stream *input, size_t *length) {
    *length = input->head_end;
    return input->head;
}

bool byte_stream_is_plain_file(const struct byte_stream *input) {
    return input->regular && !input->gzip;
}
