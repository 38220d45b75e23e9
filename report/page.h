/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The page: one self-contained document. */

#include <stddef.h>

/* The page with these data, to be freed; NULL when out of memory. In the data every '<' is written
 * as \u003c, so that the data cannot end the element that contains them. */
char *page_of(const char *json, size_t length, size_t *size);
