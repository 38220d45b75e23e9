/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TEXT_DUPLICATE_H
#define NIMGP_TEXT_DUPLICATE_H

#include <stdbool.h>
#include <stddef.h>

/* A name that stands in the list twice into *twice, NULL when all differ; by sorting, so that long
 * lists take no longer than they must. False without memory. */
bool find_duplicate(const char *const *names, size_t count, const char **twice);

#endif
