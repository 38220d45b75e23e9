/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "file/safetensors.h"

#include "file/checksum.h"
#include "text/duplicate.h"
#include "text/growing.h"
#include "text/json_reader.h"
#include "text/json_writer.h"
#include "text/memory_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "arrays are written in the byte order of memory; big-endian machines are not supported"
#endif

enum { LENGTH_BYTES = 8, CRC_DIGITS = 8, ALIGNMENT = 8, MOST_HEADER = 100 << 20 };

#define CRC_ZEROS "00000000"
#define CRC_MEMBER "{\"__metadata__\":{\"crc32\":\"" /* every header of ours begins so */

const char *after_prefix(const char *name, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static bool is_named(const char *whole, const char *prefix, const char *name) {
    const char *rest = after_prefix(whole, prefix);
    return rest && strcmp(rest, name) == 0;
}

const struct tensor *safetensors_tensor(const struct safetensors *file, const char *prefix,
                                        const char *name) {
    for (size_t i = 0; i < file->tensors; i++)
        if (is_named(file->tensor[i].name, prefix, name))
            return &file->tensor[i];
    return NULL;
}

const char *safetensors_text(const struct safetensors *file, const char *prefix, const char *key) {
    for (size_t i = 0; i < file->texts; i++)
        if (is_named(file->text[i].key, prefix, key))
            return file->text[i].text;
    return NULL;
}

void safetensors_free(struct safetensors *file) {
    free(file->tensor);
    free(file->text);
    free(file->memory);
    *file = (struct safetensors){0};
}

/* ---------------------------------------------------------------- writing --------------------- */

static void print_sum(char digits[CRC_DIGITS + 1], uint32_t sum) {
    snprintf(digits, CRC_DIGITS + 1, "%08x", (unsigned)sum);
}

static void write_tensor(struct json_writer *json, const struct tensor *tensor, size_t *offset) {
    size_t end = *offset + tensor_count(tensor) * sizeof(double);
    json_object(json, tensor->name);
    json_text(json, "dtype", "F64");
    json_array(json, "shape");
    for (size_t k = 0; k < tensor->dimensions; k++)
        json_whole(json, NULL, tensor->shape[k]);
    json_close(json);
    json_array(json, "data_offsets");
    json_whole(json, NULL, *offset);
    json_whole(json, NULL, end);
    json_close(json);
    json_close(json);
    *offset = end;
}

/* The header with its length before it, padded so that the arrays are aligned; NULL without memory.
 */
static char *make_header(const struct safetensors *file, size_t *size) {
    struct memory_file memory;
    size_t offset = 0;
    FILE *header = memory_file_open(&memory);
    if (!header)
        return NULL;
    bool good = fwrite("\0\0\0\0\0\0\0", 1, LENGTH_BYTES, header) == LENGTH_BYTES;
    struct json_writer json = json_start_compact(header);
    json_object(&json, NULL);
    json_object(&json, "__metadata__");
    json_text(&json, "crc32", CRC_ZEROS);
    for (size_t i = 0; i < file->texts; i++)
        json_text(&json, file->text[i].key, file->text[i].text);
    json_close(&json);
    for (size_t i = 0; i < file->tensors; i++)
        write_tensor(&json, &file->tensor[i], &offset);
    json_close(&json);
    for (long at = ftell(header); at % ALIGNMENT; at++)
        good = fputc(' ', header) == ' ' && good;
    char *bytes = memory_file_close(&memory, good && !json.failed, size);
    if (!bytes)
        return NULL;
    uint64_t length = *size - LENGTH_BYTES;
    memcpy(bytes, &length, LENGTH_BYTES);
    return bytes;
}

nim_status safetensors_write(const struct whole_output *output, const struct safetensors *file,
                             nim_error *error) {
    nim_status status = NIM_OUT_OF_MEMORY;
    struct piece *piece = calloc(file->tensors + 1, sizeof *piece);
    size_t size = 0;
    char *header = make_header(file, &size), digits[CRC_DIGITS + 1];
    if (!piece || !header) {
        failure(error, status, "%s: no memory for its header", output->name);
        goto done;
    }
    piece[0] = (struct piece){header, size};
    uint32_t crc = checksum(0, header, size);
    for (size_t i = 0; i < file->tensors; i++) {
        const struct tensor *tensor = &file->tensor[i];
        piece[i + 1] = (struct piece){tensor->values, tensor_count(tensor) * sizeof(double)};
        crc = checksum(crc, tensor->values, piece[i + 1].size);
    }
    print_sum(digits, crc);
    memcpy(header + LENGTH_BYTES + strlen(CRC_MEMBER), digits, CRC_DIGITS);
    status = output->write(output, piece, file->tensors + 1, error);
done:
    free(header);
    free(piece);
    return status;
}

/* ---------------------------------------------------------------- reading --------------------- */

/* Where the parts of a file that is being read lie. */
struct layout {
    struct json_reader json;
    char *data;
    size_t data_size;
    size_t expected; /* arrays follow one another without gaps */
    bool no_memory;
};

static void *grow(struct layout *layout, void *list, size_t count, size_t size) {
    void *grown = grow_by_one(list, count, size);
    layout->no_memory = !grown;
    return grown;
}

static bool take_texts(struct layout *layout, struct safetensors *file) {
    struct json_reader *json = &layout->json;
    if (!json_take(json, '{'))
        return false;
    if (json_take(json, '}'))
        return true;
    do {
        void *grown = grow(layout, file->text, file->texts, sizeof *file->text);
        if (!grown)
            return false;
        file->text = grown;
        const char *key = json_take_string(json);
        if (!key || !json_take(json, ':'))
            return false;
        const char *text = json_take_string(json);
        if (!text)
            return false;
        file->text[file->texts++] = (struct metadata){key, text};
    } while (json_take(json, ','));
    return json_take(json, '}');
}

static bool take_shape(struct json_reader *json, struct tensor *tensor) {
    if (!json_take(json, '['))
        return false;
    if (json_take(json, ']'))
        return true;
    do {
        if (tensor->dimensions == TENSOR_DIMENSIONS ||
            !json_take_whole(json, &tensor->shape[tensor->dimensions++]))
            return false;
    } while (json_take(json, ','));
    return json_take(json, ']');
}

/* Whether the shape and the stretch of bytes agree and lie where the last array ended. */
static bool place_tensor(struct layout *layout, struct tensor *tensor, size_t begin, size_t end) {
    size_t bytes = sizeof(double);
    for (size_t k = 0; k < tensor->dimensions; k++)
        if (__builtin_mul_overflow(bytes, tensor->shape[k], &bytes))
            return false;
    if (begin != layout->expected || end > layout->data_size || end < begin || end - begin != bytes)
        return false;
    layout->expected = end;
    tensor->values = (double *)(void *)(layout->data + begin);
    return true;
}

static bool take_tensor(struct layout *layout, struct tensor *tensor) {
    struct json_reader *json = &layout->json;
    size_t begin, end;
    const char *key = json_take_string(json), *type = NULL;
    if (!key || strcmp(key, "dtype") != 0 || !json_take(json, ':') ||
        !(type = json_take_string(json)) || strcmp(type, "F64") != 0 || !json_take(json, ','))
        return false;
    key = json_take_string(json);
    if (!key || strcmp(key, "shape") != 0 || !json_take(json, ':') || !take_shape(json, tensor) ||
        !json_take(json, ','))
        return false;
    key = json_take_string(json);
    return key && strcmp(key, "data_offsets") == 0 && json_take(json, ':') &&
           json_take(json, '[') && json_take_whole(json, &begin) && json_take(json, ',') &&
           json_take_whole(json, &end) && json_take(json, ']') && json_take(json, '}') &&
           place_tensor(layout, tensor, begin, end);
}

static bool take_member(struct layout *layout, struct safetensors *file) {
    const char *name = json_take_string(&layout->json);
    if (!name || !json_take(&layout->json, ':'))
        return false;
    if (strcmp(name, "__metadata__") == 0)
        return take_texts(layout, file);
    void *grown = grow(layout, file->tensor, file->tensors, sizeof *file->tensor);
    if (!grown)
        return false;
    file->tensor = grown;
    struct tensor tensor = {0};
    size_t length = strlen(name);
    if (length >= sizeof tensor.name)
        return false;
    memcpy(tensor.name, name, length);
    if (!json_take(&layout->json, '{') || !take_tensor(layout, &tensor))
        return false;
    file->tensor[file->tensors++] = tensor;
    return true;
}

/* Whether no text and no array is there twice. */
static bool names_differ(struct layout *layout, const struct safetensors *file) {
    size_t most = file->texts > file->tensors ? file->texts : file->tensors;
    const char **names = calloc(most + 1, sizeof *names), *twice = NULL;
    bool fine = names != NULL;
    for (size_t i = 0; fine && i < file->texts; i++)
        names[i] = file->text[i].key;
    fine = fine && find_duplicate(names, file->texts, &twice);
    bool differ = fine && !twice;
    for (size_t i = 0; fine && i < file->tensors; i++)
        names[i] = file->tensor[i].name;
    fine = fine && find_duplicate(names, file->tensors, &twice);
    free(names);
    layout->no_memory = !fine;
    return differ && fine && !twice;
}

static bool take_header(struct layout *layout, struct safetensors *file) {
    if (!json_take(&layout->json, '{'))
        return false;
    do {
        if (!take_member(layout, file))
            return false;
    } while (json_take(&layout->json, ','));
    return json_take(&layout->json, '}') && json_at_end(&layout->json) &&
           layout->expected == layout->data_size && names_differ(layout, file);
}

/* Whether the digits in the header fit the bytes; leaves zeros in their place. */
static bool check_sum(char *bytes, size_t size) {
    char *place = bytes + LENGTH_BYTES + strlen(CRC_MEMBER);
    char digits[CRC_DIGITS], right[CRC_DIGITS + 1];
    memcpy(digits, place, CRC_DIGITS);
    memcpy(place, CRC_ZEROS, CRC_DIGITS);
    print_sum(right, checksum(0, bytes, size));
    return memcmp(digits, right, CRC_DIGITS) == 0;
}

nim_status safetensors_parse(const char *name, char *bytes, size_t size, struct safetensors *file,
                             nim_error *error) {
    *file = (struct safetensors){.memory = bytes};
    uint64_t length = 0;
    size_t before = LENGTH_BYTES + strlen(CRC_MEMBER);
    if (size < before + CRC_DIGITS ||
        memcmp(file->memory + LENGTH_BYTES, CRC_MEMBER, strlen(CRC_MEMBER)) != 0)
        return failure(error, NIM_BAD_FILE, "%s: is not a nimgp model file", name);
    memcpy(&length, file->memory, LENGTH_BYTES);
    if (length > MOST_HEADER || length > size - LENGTH_BYTES || length % ALIGNMENT)
        return failure(error, NIM_BAD_FILE,
                       "%s: is truncated or damaged: a header of %llu bytes in a file of %zu", name,
                       (unsigned long long)length, size);
    if (!check_sum(file->memory, size))
        return failure(error, NIM_BAD_FILE, "%s: is truncated or damaged: the checksum is wrong",
                       name);
    char *header = file->memory + LENGTH_BYTES;
    struct layout layout = {.json = {header, header + length},
                            .data = header + length,
                            .data_size = size - LENGTH_BYTES - length};
    if (take_header(&layout, file))
        return succeed(error);
    if (layout.no_memory)
        return failure(error, NIM_OUT_OF_MEMORY, "%s: no memory for its header", name);
    return failure(error, NIM_BAD_FILE, "%s: has a header that cannot be read", name);
}
