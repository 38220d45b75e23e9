/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The list of formats, and how one is chosen. */

#include "table/reader.h"
#include "table/writer.h"

struct format {
    const char *name;
    const struct reader *reader;
    const struct writer *writer;
    const char *endings; /* of names of files: ".fits .fit" */
};

extern const struct format formats[]; /* by enum table_format */

/* The format of a file by its first bytes, or by its name; TABLE_ANY is CSV with any separator.
 * False for what is no table of ours. */
bool format_recognise(const char *path, const char *head, size_t length, const char *name,
                      enum table_format *format, struct complaint *complaint);

/* Replaces TABLE_ANY by the format of the ending, CSV if there is none. False for unknown ones. */
bool format_to_write(const char *path, enum table_format *format, struct complaint *complaint);
