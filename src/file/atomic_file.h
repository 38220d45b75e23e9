/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FILE_ATOMIC_FILE_H
#define NIMGP_FILE_ATOMIC_FILE_H

/*
 * A file that appears whole or not at all; models and tables are written through here.
 *
 * A regular file is written under another name in the same directory, synced and renamed; what a
 * writer that was killed has left there goes with the next write (temporary_file.h). Symbolic
 * links stay, and what they point to is replaced; an existing file keeps its permissions. What is
 * not a regular file (/dev/null, a pipe) and open descriptors (/dev/stdout, /dev/fd/3) are written
 * directly.
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

/* When the reader of a pipe has gone, and the signal SIGPIPE is ignored so that we get to know, the
 * complaint is READER_GONE. */
bool atomic_file_write(struct atomic_file *file, const void *bytes, size_t size,
                       struct complaint *complaint);

/* The name for messages: as given, but "standard output" for /dev/stdout. */
const char *atomic_file_name(const struct atomic_file *file);

/* The directory it will appear in, for temporary files of its size; NULL when it is in none. */
const char *atomic_file_directory(const struct atomic_file *file);

/* Makes the file appear; frees, also on failure. */
bool atomic_file_close(struct atomic_file *file, struct complaint *complaint);

/* Frees and leaves nothing behind. NULL is fine. */
void atomic_file_abandon(struct atomic_file *file);

/* All of the bytes to an open file, or a complaint about `name`. */
bool write_all(int file, const char *name, const void *bytes, size_t size,
               struct complaint *complaint);

#endif
