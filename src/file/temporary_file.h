/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The temporary file that replaces its target when it is complete: .nimgp-TARGET-0 in the same
 * directory, or a higher number while others write the same target.
 *
 * Its writer holds a lock on it (flock). If the writer is killed, the lock is released and the file
 * stays. So a file that can be locked has no writer, and the next writer of the target removes it.
 */

/* Creates a file in the directory, opens it for writing and locks it. It has the usual permissions
 * of new files. *path becomes its name, to be freed. Returns -1 and sets errno on failure. */
int temporary_file_create(const char *directory, const char *target, char **path);
