/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Writes a name that is in the list twice to *twice, or NULL if all differ. It sorts the names, so
 * long lists are fast. False when out of memory. */
bool find_duplicate(const char *const *names, size_t count, const char **twice);
