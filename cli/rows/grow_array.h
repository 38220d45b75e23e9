/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_GROW_ARRAY_H
#define CLI_ROWS_GROW_ARRAY_H

/* Several arrays that grow together. */

#include <stdbool.h>
#include <stddef.h>

/*
 * The array with room for so many rows of `size` bytes; NULL where a row has none. When memory runs
 * out, or had before, *fine is false and the array stays as it is.
 */
void *grow_array(void *array, size_t rows, size_t size, bool *fine);

#endif
