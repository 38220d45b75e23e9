/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_SOURCE_H
#define TABLE_SOURCE_H

/* The bytes of a file or of standard input, gunzipped where they are gzipped. */

#include "text/complaint.h"

#include <stdbool.h>
#include <stddef.h>

struct source;

/* `path` "-" is standard input. The first bytes are read here already. */
struct source *source_open(const char *path, struct complaint *complaint);
void source_close(struct source *source);

/* The file's name for messages: as given, or "standard input". */
const char *source_name(const struct source *source);

/* The first bytes, to look at; they are still to be read. Fewer than HEAD only in a shorter file.
 */
enum { SOURCE_HEAD = 64 };
const char *source_head(const struct source *source, size_t *length);

/* Whether these bytes can be had by opening the file again: no pipe, not gzipped. */
bool source_is_plain_file(const struct source *source);

/* Exactly `size` bytes, fewer only at the end. */
bool source_read(struct source *source, void *bytes, size_t size, size_t *got,
                 struct complaint *complaint);

#endif
