/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A file that is written completely or not at all. Models and tables are written through it.
 *
 * A regular file is written under another name in the same directory, synced and renamed. The next
 * write removes a file that a killed writer has left there. If the path is a
 * symbolic link, its target is replaced and the link stays. An existing file keeps its permissions.
 * Files that are not regular (/dev/null, a pipe) and open descriptors (/dev/stdout, /dev/fd/3) are
 * written directly.
 *
 *     struct atomic_file *file = atomic_file_open("stars.csv", &complaint);
 *     fine = atomic_file_write(file, bytes, size, &complaint);
 *     if (fine) fine = atomic_file_close(file, &complaint);
 *     else atomic_file_abandon(file);
 */

#include "text/complaint.h"

#include <stddef.h>

struct atomic_file;

struct atomic_file *atomic_file_open(const char *path, struct complaint *complaint);

/* If the reader of a pipe has closed it, the complaint is READER_GONE. The signal SIGPIPE must be
 * ignored for that. */
bool atomic_file_write(struct atomic_file *file, const void *bytes, size_t size,
                       struct complaint *complaint);

/* The name for messages: as given, but "standard output" for /dev/stdout. */
const char *atomic_file_name(const struct atomic_file *file);

bool atomic_file_is_terminal(const struct atomic_file *file);

/* The directory of the file, for temporary files of the same size; NULL if it has none. */
const char *atomic_file_directory(const struct atomic_file *file);

/* Completes the file and renames it; frees, also on failure. */
bool atomic_file_close(struct atomic_file *file, struct complaint *complaint);

/* Frees and removes the temporary file. NULL is allowed. */
void atomic_file_abandon(struct atomic_file *file);
