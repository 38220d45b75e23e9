/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Opening tables and models, and checks of files before a long training. */

#include "cli/terminal/command.h"
#include "table/table.h"

/* Fails if `path` cannot be written: it is a directory, or creating a file there fails. */
bool file_check_output(const char *path, struct complaint *complaint);

/* Writes a file atomically; "-" is standard output. */
bool file_write(const char *path, const void *bytes, size_t size, struct complaint *complaint);

/* Fails if writing `output` would overwrite the file read from `input`. */
bool file_check_apart(const char *output, const char *input, struct complaint *complaint);

/* The last part of a path. */
const char *file_name(const char *path);

/* Loads a model; NULL and a complaint that names the file on failure. */
nim_model *file_load_model(const char *path, struct complaint *complaint);

/* Whether a regular file begins like a model file. */
bool file_is_model(const char *path);

#define FORMAT_OPTION                                                                              \
    {                                                                                              \
        .name = "format", .value = "FORMAT", .fallback = "any", .values = TABLE_FORMAT_NAMES,      \
        .help = "The format of the table; any: recognised by name and content."                    \
    }

/* The format given by an option such as --format. */
enum table_format file_format(const struct arguments *arguments, const char *option);

/* Opens a table; fails for a model. */
struct table *file_open_table(const char *path, enum table_format format,
                              struct complaint *complaint);

/* The library's error as a complaint about `path`; returns false. */
bool file_complain(struct complaint *complaint, const char *path, const nim_error *error);
