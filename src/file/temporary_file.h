/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_FILE_TEMPORARY_FILE_H
#define NIMGP_FILE_TEMPORARY_FILE_H

/*
 * The file that content is written to before it takes the place of its target: .nimgp-TARGET-0
 * beside it, or with a higher number while others write the same target.
 *
 * Its writer holds a lock on it (flock). A process that is killed loses the lock and leaves the
 * file; so one that can be locked belongs to nobody, and the next who writes that target removes
 * it.
 */

/* A new file in the directory, open for writing and locked, with the permissions any new file would
 * get. *path becomes its name, to be freed. -1 and errno on failure. */
int temporary_file_create(const char *directory, const char *target, char **path);

#endif
