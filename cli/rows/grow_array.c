/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/grow_array.h"

#include <stdint.h>
#include <stdlib.h>

void *grow_array(void *array, size_t rows, size_t size, bool *fine) {
    if (!size)
        return NULL;
    /* One more than is needed keeps arrays from being empty. */
    void *larger = *fine && rows < SIZE_MAX / size ? realloc(array, (rows + 1) * size) : NULL;
    *fine = larger != NULL;
    return larger ? larger : array;
}
