/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

/* The page: a document with everything in it. */

#include <stddef.h>

/* The page with these data, to be freed; NULL when out of memory. In the data every '<' is written
 * as \u003c, so that nothing in them can end the element they stand in. */
char *page_of(const char *json, size_t length, size_t *size);

#endif
