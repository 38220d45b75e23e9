/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_MODEL_FILES_H
#define CLI_MODEL_FILES_H

/* What to know about files before hours are spent on what goes there. */

#include "cli/terminal/command.h"
#include "table/table.h"

/* Complains when nothing could be written to `path`: it is a directory, or no file can be made
 * there, which is tried. */
bool file_check_output(const char *path, struct complaint *complaint);

/* Puts a whole file there, or none; "-" is standard output. */
bool file_write(const char *path, const void *bytes, size_t size, struct complaint *complaint);

/* Complains when writing `output` would overwrite the file read from `input`. */
bool file_check_apart(const char *output, const char *input, struct complaint *complaint);

/* The last part of a path. */
const char *file_name(const char *path);

/* A model from a file; NULL and a complaint that names it. */
nim_model *file_load_model(const char *path, struct complaint *complaint);

/* Whether a regular file begins as models do. */
bool file_is_model(const char *path);

/* Complains of a model where a table was expected. */
bool file_check_table(const char *path, struct complaint *complaint);

#define FORMAT_OPTION                                                                              \
    {                                                                                              \
        .name = "format", .value = "FORMAT", .fallback = "any",                                    \
        .values = "any|csv|tsv|ecsv|fits|votable|idx|libsvm|rows",                                 \
        .help = "The format of the table; any: recognised by name and content."                    \
    }

/* The format an option such as --format says. */
enum table_format file_format(const struct arguments *arguments, const char *option);

/* A table to read; a model is complained of. */
struct table *file_open_table(const char *path, enum table_format format,
                              struct complaint *complaint);

/* The library's complaint about what came from `path`. */
bool file_complain(struct complaint *complaint, const char *path, const nim_error *error);

#endif
