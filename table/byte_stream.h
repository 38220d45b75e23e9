/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The bytes of a file or of standard input, decompressed if they are gzipped. */

#include "text/complaint.h"

#include <stdbool.h>
#include <stddef.h>

struct byte_stream;

/* `path` "-" is standard input. Reads the first bytes. */
struct byte_stream *byte_stream_open(const char *path, struct complaint *complaint);
void byte_stream_close(struct byte_stream *input);

/* The file's name for messages: as given, or "standard input". */
const char *byte_stream_name(const struct byte_stream *input);

/* The first bytes, without consuming them. Fewer than HEAD only if the file is shorter.
 */
enum { BYTE_STREAM_HEAD = 64 };
const char *byte_stream_head(const struct byte_stream *input, size_t *length);

/* Whether opening the file again gives the same bytes: it is not a pipe and not gzipped. */
bool byte_stream_is_plain_file(const struct byte_stream *input);

/* Exactly `size` bytes, fewer only at the end. */
bool byte_stream_read(struct byte_stream *input, void *bytes, size_t size, size_t *got,
                      struct complaint *complaint);
