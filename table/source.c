/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "table/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { RAW = 256 * 1024 };

struct source {
    char *name;
    int file;
    bool regular, gzip;
    bool raw_ended; /* the file has no more bytes than those in `raw` */
    unsigned char raw[RAW];
    size_t raw_at, raw_end;
    z_stream stream; /* of a gzipped file */
    bool in_member;  /* between the head and the tail of one of its members */
    char head[SOURCE_HEAD];
    size_t head_at, head_end; /* gunzipped, not yet handed on */
};

/* ---------------------------------------------------------------- bytes of the file ----------- */

/* One read of at most `size` bytes; 0 at the end. */
static bool read_file(struct source *source, void *bytes, size_t size, size_t *got,
                      struct complaint *complaint) {
    ssize_t count;
    do
        count = read(source->file, bytes, size);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return complain(complaint, BAD_INPUT, "%s: cannot be read: %s", source->name,
                        strerror(errno));
    source->raw_ended |= count == 0;
    *got = (size_t)count;
    return true;
}

/* Makes `raw` hold at least `wanted` bytes unless the file ends before. */
static bool fill_raw(struct source *source, size_t wanted, struct complaint *complaint) {
    size_t held = source->raw_end - source->raw_at;
    if (held >= wanted || source->raw_ended)
        return true;
    memmove(source->raw, source->raw + source->raw_at, held);
    source->raw_at = 0;
    source->raw_end = held;
    while (source->raw_end < wanted && !source->raw_ended) {
        size_t got = 0;
        if (!read_file(source, source->raw + source->raw_end, RAW - source->raw_end, &got,
                       complaint))
            return false;
        source->raw_end += got;
    }
    return true;
}

/* What is in `raw` first; the rest straight from the file. */
static bool read_plain(struct source *source, char *bytes, size_t size, size_t *got,
                       struct complaint *complaint) {
    size_t held = source->raw_end - source->raw_at;
    size_t done = held < size ? held : size;
    memcpy(bytes, source->raw + source->raw_at, done);
    source->raw_at += done;
    while (done < size && !source->raw_ended) {
        size_t more = 0;
        if (!read_file(source, bytes + done, size - done, &more, complaint))
            return false;
        done += more;
    }
    *got = done;
    return true;
}

/* ---------------------------------------------------------------- gzip ------------------------ */

static bool starts_member(const struct source *source) {
    const unsigned char *raw = source->raw + source->raw_at;
    return source->raw_end - source->raw_at >= 2 && raw[0] == 0x1f && raw[1] == 0x8b;
}

/* After a member: another one, or the end, before which tapes leave zeros. */
static bool next_member(struct source *source, bool *ended, struct complaint *complaint) {
    for (;;) {
        if (!fill_raw(source, 2, complaint))
            return false;
        if (starts_member(source) || source->raw_at == source->raw_end)
            break;
        if (source->raw[source->raw_at] != 0)
            return complain(complaint, BAD_INPUT,
                            "%s: there is something that is not gzip behind the gzip data",
                            source->name);
        source->raw_at++;
    }
    *ended = source->raw_at == source->raw_end;
    source->in_member = !*ended;
    if (inflateReset(&source->stream) != Z_OK)
        return complain(complaint, BROKE_DOWN, "%s: zlib cannot go on", source->name);
    return true;
}

static bool inflate_some(struct source *source, struct complaint *complaint) {
    z_stream *stream = &source->stream;
    if (!fill_raw(source, 1, complaint))
        return false;
    if (source->raw_at == source->raw_end)
        return complain(complaint, BAD_INPUT,
                        "%s: the gzip data end too early; is the file truncated?", source->name);
    stream->next_in = source->raw + source->raw_at;
    stream->avail_in = (unsigned)(source->raw_end - source->raw_at);
    int status = inflate(stream, Z_NO_FLUSH);
    source->raw_at = source->raw_end - stream->avail_in;
    if (status == Z_STREAM_END)
        source->in_member = false;
    else if (status == Z_MEM_ERROR)
        return complain(complaint, BROKE_DOWN, "%s: out of memory", source->name);
    else if (status != Z_OK && status != Z_BUF_ERROR)
        return complain(complaint, BAD_INPUT, "%s: the gzip data are damaged: %s", source->name,
                        stream->msg ? stream->msg : "unknown contents");
    return true;
}

static bool read_gzip(struct source *source, char *bytes, size_t size, size_t *got,
                      struct complaint *complaint) {
    z_stream *stream = &source->stream;
    size_t done = 0;
    bool ended = false;
    while (done < size && !ended) {
        if (!source->in_member) {
            if (!next_member(source, &ended, complaint))
                return false;
            continue;
        }
        size_t room = size - done < 1u << 30 ? size - done : 1u << 30;
        stream->next_out = (unsigned char *)bytes + done;
        stream->avail_out = (unsigned)room;
        if (!inflate_some(source, complaint))
            return false;
        done += room - stream->avail_out;
    }
    *got = done;
    return true;
}

/* ---------------------------------------------------------------- both ------------------------ */

static bool read_decoded(struct source *source, char *bytes, size_t size, size_t *got,
                         struct complaint *complaint) {
    return source->gzip ? read_gzip(source, bytes, size, got, complaint)
                        : read_plain(source, bytes, size, got, complaint);
}

bool source_read(struct source *source, void *bytes, size_t size, size_t *got,
                 struct complaint *complaint) {
    size_t held = source->head_end - source->head_at, more = 0;
    size_t first = held < size ? held : size;
    memcpy(bytes, source->head + source->head_at, first);
    source->head_at += first;
    if (first < size &&
        !read_decoded(source, (char *)bytes + first, size - first, &more, complaint))
        return false;
    *got = first + more;
    return true;
}

static bool open_file(struct source *source, const char *path, struct complaint *complaint) {
    bool standard = strcmp(path, "-") == 0;
    source->name = strdup(standard ? "standard input" : path);
    if (!source->name)
        return complain(complaint, BROKE_DOWN, "%s: out of memory", path);
    source->file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat state;
    if (source->file < 0 || fstat(source->file, &state) != 0)
        return complain(complaint, BAD_INPUT, "%s: cannot be opened: %s", source->name,
                        strerror(errno));
    if (S_ISDIR(state.st_mode))
        return complain(complaint, BAD_INPUT, "%s: is a directory, not a table", source->name);
    source->regular = S_ISREG(state.st_mode) && !standard;
    return true;
}

static bool look_at_head(struct source *source, struct complaint *complaint) {
    if (!fill_raw(source, 2, complaint))
        return false;
    if (starts_member(source)) {
        source->gzip = source->in_member = true;
        if (inflateInit2(&source->stream, 16 + MAX_WBITS) != Z_OK) {
            source->gzip = false;
            return complain(complaint, BROKE_DOWN, "%s: out of memory", source->name);
        }
    }
    return read_decoded(source, source->head, SOURCE_HEAD, &source->head_end, complaint);
}

struct source *source_open(const char *path, struct complaint *complaint) {
    struct source *source = calloc(1, sizeof *source);
    if (!source) {
        complain(complaint, BROKE_DOWN, "%s: out of memory", path);
        return NULL;
    }
    if (!open_file(source, path, complaint) || !look_at_head(source, complaint)) {
        source_close(source);
        return NULL;
    }
    return source;
}

void source_close(struct source *source) {
    if (!source)
        return;
    if (source->gzip)
        inflateEnd(&source->stream);
    if (source->file > STDERR_FILENO)
        close(source->file);
    free(source->name);
    free(source);
}

const char *source_name(const struct source *source) {
    return source->name;
}

const char *source_head(const struct source *source, size_t *length) {
    *length = source->head_end;
    return source->head;
}

bool source_is_plain_file(const struct source *source) {
    return source->regular && !source->gzip;
}
