/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The safetensors container: 8 bytes of header length, a JSON header that names arrays with type,
 * shape and position and contains a map of texts, then the arrays, little-endian, without gaps.
 *
 * One of the texts is an extension: "crc32", eight hexadecimal digits, the CRC-32 of the whole file
 * with these digits replaced by zeros. It detects any single wrong bit.
 */

#include "base/status.h"
#include "file/whole_file.h"

#include <stdbool.h>
#include <stddef.h>

enum { TENSOR_DIMENSIONS = 3, TENSOR_NAME = 64 };

/* An array of doubles; `values` belongs to the caller, or points into a file that was read. */
struct tensor {
    char name[TENSOR_NAME];
    size_t dimensions, shape[TENSOR_DIMENSIONS];
    double *values, *owned; /* owned: for the caller's use */
};

struct metadata {
    const char *key, *text;
};

struct safetensors {
    size_t tensors, texts;
    struct tensor *tensor;
    struct metadata *text;
    char *memory; /* owned: header and arrays */
};

static inline size_t tensor_count(const struct tensor *tensor) {
    size_t count = 1;
    for (size_t k = 0; k < tensor->dimensions; k++)
        count *= tensor->shape[k];
    return count;
}

nim_status safetensors_write(const struct whole_output *output, const struct safetensors *file,
                             nim_error *error);

/* Parses a file; every length is checked. The bytes come from whole_file_read or whole_memory_read
 * and belong to the result. `name` is for messages. Free with safetensors_free, also after failure.
 */
nim_status safetensors_parse(const char *name, char *bytes, size_t size, struct safetensors *file,
                             nim_error *error);
void safetensors_free(struct safetensors *file);

/* Those whose name is prefix and name; NULL if there is none. */
const struct tensor *safetensors_tensor(const struct safetensors *file, const char *prefix,
                                        const char *name);
const char *safetensors_text(const struct safetensors *file, const char *prefix, const char *key);

/* What follows the prefix in a name that begins with it, otherwise NULL. */
const char *after_prefix(const char *name, const char *prefix);
