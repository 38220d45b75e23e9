/* SPDX-License-Identifier: Apache-2.0 */
/* Saves models (docs/model-file.md). */
#define _POSIX_C_SOURCE 200809L
#include "model/arrays.h"
#include "model/model_file.h"
#include "text/growing.h"
#include "text/json_writer.h"
#include "text/memory_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool model_writer_text(struct model_writer *writer, const char *prefix, const char *key,
                       const char *text) {
    struct safetensors *file = &writer->file;
    size_t size = strlen(prefix) + strlen(key) + 1;
    char *whole = malloc(size), *copy = strdup(text);
    void *grown = grow_by_one(file->text, file->texts, sizeof *file->text);
    file->text = grown ? grown : file->text;
    if (!whole || !copy || !grown) {
        free(whole);
        free(copy);
        return false;
    }
    snprintf(whole, size, "%s%s", prefix, key);
    file->text[file->texts++] = (struct metadata){whole, copy};
    return true;
}

static bool add_number(struct model_writer *writer, const char *prefix, const char *key,
                       size_t number) {
    char text[32];
    snprintf(text, sizeof text, "%zu", number);
    return model_writer_text(writer, prefix, key, text);
}

static bool add_list(struct model_writer *writer, const char *prefix, const char *key,
                     const struct name_list *list) {
    struct memory_file memory;
    size_t size;
    FILE *file = memory_file_open(&memory);
    struct json_writer json = json_start_compact(file);
    if (file) {
        json_array(&json, NULL);
        for (size_t i = 0; i < list->count; i++)
            json_text(&json, NULL, list->item[i]);
        json_close(&json);
    }
    char *text = memory_file_close(&memory, !json.failed, &size);
    bool good = text && model_writer_text(writer, prefix, key, text);
    free(text);
    return good;
}

static bool add_yes(struct model_writer *writer, const char *prefix, const char *key, bool yes) {
    return model_writer_text(writer, prefix, key, yes ? "yes" : "no");
}

/* Text "prefix group name". */
static bool add_of(struct model_writer *writer, const char *prefix, const char *group,
                   const char *name, const char *text) {
    char own[64];
    return snprintf(own, sizeof own, "%s%s", prefix, group) < (int)sizeof own &&
           model_writer_text(writer, own, name, text);
}

/* An option as decided, the request where it differs, and the reason of the rule. */
static bool add_option(struct model_writer *writer, const char *prefix,
                       const struct nim_model *model, const char *name) {
    char value[64], request[64], reason[512];
    nim_options_get(&model->options, name, value, sizeof value, NULL);
    nim_options_get(&model->plan.request, name, request, sizeof request, NULL);
    return add_of(writer, prefix, FILE_OPTION_PREFIX, name, value) &&
           (strcmp(request, value) == 0 ||
            add_of(writer, prefix, FILE_REQUEST_PREFIX, name, request)) &&
           (!nim_model_reason(model, name, reason, sizeof reason) ||
            add_of(writer, prefix, FILE_REASON_PREFIX, name, reason));
}

/* Options and notes. Their names are unique. */
static bool add_settings(struct model_writer *writer, const char *prefix,
                         const struct nim_model *model) {
    bool good = true;
    for (size_t i = 0; good && i < nim_option_count(); i++) {
        const char *name = nim_option_describe(i)->name;
        if (nim_option_describe(i)->role == NIM_OPTION_RUNS) /* such as threads */
            continue;
        good = add_option(writer, prefix, model, name);
    }
    for (size_t i = 0; good && i < model->notes.count; i++)
        good = add_of(writer, prefix, FILE_NOTE_PREFIX, model->notes.note[i].key,
                      model->notes.note[i].text);
    return good;
}

static bool add_texts(struct model_writer *writer, const char *prefix,
                      const struct nim_model *model) {
    return add_list(writer, prefix, "classes", &model->class_names) &&
           add_list(writer, prefix, "attributes", &model->attribute_names) &&
           add_number(writer, prefix, "inducing", model->inducing) &&
           (!model->scaling.flags || add_number(writer, prefix, "flags", model->scaling.flags)) &&
           add_yes(writer, prefix, "errors_follow", model->scaling.errors_follow) &&
           add_number(writer, prefix, "rows", model->table.rows) &&
           add_yes(writer, prefix, "optimiser", model->visits > 0) &&
           add_yes(writer, prefix, "under_way", model->under_way) &&
           add_settings(writer, prefix, model);
}

bool model_writer_array(struct model_writer *writer, const char *prefix, const struct array *array,
                        bool always) {
    struct safetensors *file = &writer->file;
    struct tensor tensor = {.dimensions = array->dimensions, .values = array_in_place(array)};
    int length = snprintf(tensor.name, sizeof tensor.name, "%s%s", prefix, array->name);
    memcpy(tensor.shape, array->shape, sizeof tensor.shape);
    if (always || !tensor.values) {
        tensor.values = tensor.owned = malloc((array_count(array) + 1) * sizeof(double));
        if (tensor.owned)
            array_read(array, tensor.owned);
    }
    void *grown = grow_by_one(file->tensor, file->tensors, sizeof *file->tensor);
    file->tensor = grown ? grown : file->tensor;
    if (!grown || !tensor.values || length >= TENSOR_NAME) {
        free(tensor.owned);
        return false;
    }
    file->tensor[file->tensors++] = tensor;
    return true;
}

nim_status model_save_into(struct model_writer *writer, const char *prefix,
                           const struct nim_model *model, nim_error *error) {
    struct model_counts counts = {(double)model->step, (double)model->epoch, (double)model->visits,
                                  model->bound};
    struct array_list list = {0};
    nim_status status = model_check_complete(model, error);
    if (status != NIM_OK)
        return status;
    /* The list is also used for loading and so is not const. Nothing is written through it here. */
    model_arrays((struct nim_model *)(uintptr_t)model, &counts, &list);
    bool good = add_texts(writer, prefix, model);
    const char *wrong = model_impossible_array(model); /* such a file could not be loaded */
    for (size_t i = 0; good && i < list.count; i++)
        if (!list.array[i].absent) {
            good = model_writer_array(writer, prefix, &list.array[i],
                                      list.array[i].values == &counts.step);
            struct safetensors *file = &writer->file;
            if (good && !wrong &&
                array_fault(&list.array[i], file->tensor[file->tensors - 1].values))
                wrong = list.array[i].name;
        }
    if (!good)
        return failure(error, NIM_OUT_OF_MEMORY, "%s: no memory to save a model", writer->name);
    return wrong ? failure(error, NIM_NUMERICAL,
                           "%s: not saved: the model's array '%s' has an invalid number",
                           writer->name, wrong)
                 : NIM_OK;
}

nim_status model_writer_end(struct model_writer *writer, nim_status status,
                            const struct whole_output *output, nim_error *error) {
    struct safetensors *file = &writer->file;
    if (status == NIM_OK)
        status = safetensors_write(output, file, error);
    for (size_t i = 0; i < file->texts; i++) {
        free((char *)(uintptr_t)file->text[i].key);
        free((char *)(uintptr_t)file->text[i].text);
    }
    for (size_t i = 0; i < file->tensors; i++)
        free(file->tensor[i].owned);
    safetensors_free(file);
    return status;
}

static nim_status save(const nim_model *model, const struct whole_output *output,
                       nim_error *error) {
    struct model_writer writer = {.name = output->name};
    nim_status status = NIM_OK;
    if (!model_writer_text(&writer, "", "format", FILE_FORMAT) ||
        !model_writer_text(&writer, "", "format_version", FILE_FORMAT_VERSION) ||
        !model_writer_text(&writer, "", "written_by", "nimgp " NIM_VERSION))
        status = failure(error, NIM_OUT_OF_MEMORY, "%s: no memory to save a model", output->name);
    else
        status = model_save_into(&writer, "", model, error);
    if (status == NIM_OK && model->panel)
        status = panel_save(&writer, model->panel, error);
    return model_writer_end(&writer, status, output, error);
}
nim_status nim_model_save(const nim_model *model, const char *path, nim_error *error) {
    if (!model || !path)
        return failure(error, NIM_INVALID_ARGUMENT, "model or path is NULL");
    return save(model, &(struct whole_output){.name = path, .write = whole_file_write}, error);
}

nim_status nim_model_save_memory(const nim_model *model, void *bytes, size_t capacity, size_t *size,
                                 nim_error *error) {
    if (!model)
        return failure(error, NIM_INVALID_ARGUMENT, "model is NULL");
    const struct whole_output memory = {.name = MODEL_IN_MEMORY,
                                        .write = whole_memory_write,
                                        .bytes = bytes,
                                        .capacity = capacity,
                                        .size = size};
    return save(model, &memory, error);
}
