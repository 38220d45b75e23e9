/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_ROWS_GROW_ARRAY_H
#define CLI_ROWS_GROW_ARRAY_H

/* Several arrays that grow together. */

#include <stdbool.h>
#include <stddef.h>

/*
 * Resizes the array to this number of rows of `size` bytes; NULL if size is 0. When out of memory,
 * or if *fine is already false, *fine is false and the array is unchanged.
 */
void *grow_array(void *array, size_t rows, size_t size, bool *fine);

#endif
