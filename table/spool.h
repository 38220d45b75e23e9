/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_SPOOL_H
#define TABLE_SPOOL_H

/* Files for a while. */

#include "text/complaint.h"

#include <stddef.h>

/* A new, empty file, open for reading and writing; -1 on failure. It lies in `directory`, or where
 * the system keeps such files ($TMPDIR or /tmp) when that is NULL. *path is to be freed. */
int spool_create(const char *directory, char **path, struct complaint *complaint);

/* All of the bytes, or a complaint about `name`. */
bool write_all(int file, const char *name, const void *bytes, size_t size,
               struct complaint *complaint);

#endif
