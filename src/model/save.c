/* SPDX-License-Identifier: Apache-2.0 */
/* Saves models (docs/model-file.md). */
#include "model/file_arrays.h"
#include "text/json_writer.h"
#include "text/memory_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A growing list of texts, which owns all its strings. */
struct text_map {
    struct note_list list;
    bool good;
};

static void add_text(struct text_map *texts, const char *prefix, const char *key,
                     const char *text) {
    size_t size = strlen(prefix) + strlen(key) + 1;
    char *whole = malloc(size);
    if (whole)
        snprintf(whole, size, "%s%s", prefix, key);
    /* Names of options and notes are unique. */
    texts->good = texts->good && whole && note_list_add(&texts->list, whole, text);
    free(whole);
}

static void add_number(struct text_map *texts, const char *key, size_t number) {
    char text[32];
    snprintf(text, sizeof text, "%zu", number);
    add_text(texts, "", key, text);
}

static void add_list(struct text_map *texts, const char *key, const struct text_list *list) {
    struct memory_file memory;
    size_t size;
    FILE *file = memory_file_open(&memory);
    struct json_writer json = json_start_compact(file);
    if (file) {
        json_array(&json, NULL);
        for (size_t i = 0; i < list->count; i++)
            json_text(&json, NULL, list->text[i]);
        json_close(&json);
    }
    char *text = memory_file_close(&memory, !json.failed, &size);
    texts->good = texts->good && text;
    if (texts->good)
        add_text(texts, "", key, text);
    free(text);
}

static void list_texts(const struct nim_model *model, struct text_map *texts) {
    char value[64];
    texts->good = true;
    add_text(texts, "", "format", FILE_FORMAT);
    add_text(texts, "", "format_version", FILE_FORMAT_VERSION);
    add_text(texts, "", "written_by", "nimgp " NIM_VERSION);
    add_list(texts, "classes", &model->class_names);
    add_list(texts, "attributes", &model->attribute_names);
    add_number(texts, "inducing", model->inducing);
    if (model->scaling.flags)
        add_number(texts, "flags", model->scaling.flags);
    add_text(texts, "", "errors_follow", model->scaling.errors_follow ? "yes" : "no");
    add_number(texts, "rows", model->table.rows);
    add_text(texts, "", "optimiser", model->visits ? "yes" : "no");
    add_text(texts, "", "under_way", model->under_way ? "yes" : "no");
    for (size_t i = 0; i < nim_option_count(); i++) {
        const char *name = nim_option_describe(i)->name;
        if (nim_option_describe(i)->role == NIM_OPTION_RUNS) /* such as threads */
            continue;
        nim_options_get(&model->options, name, value, sizeof value, NULL);
        add_text(texts, FILE_OPTION_PREFIX, name, value);
    }
    for (size_t i = 0; i < model->notes.count; i++)
        add_text(texts, FILE_NOTE_PREFIX, model->notes.note[i].key, model->notes.note[i].text);
}

/* Fails for a model that could not be loaded again. The bound in `counts` may be NaN. */
static nim_status check_saved(const struct nim_model *model, const struct file_arrays *arrays,
                              const char *path, nim_error *error) {
    const char *wrong = file_impossible_array(model);
    for (size_t i = 0; !wrong && i < arrays->count; i++) {
        const struct tensor *tensor = &arrays->list[i];
        size_t count = tensor_count(tensor);
        for (size_t k = 0; !wrong && tensor->values != arrays->counts && k < count; k++)
            wrong = isfinite(tensor->values[k]) ? NULL : tensor->name;
    }
    return wrong
               ? failure(error, NIM_NUMERICAL,
                         "%s: not saved: the model's array '%s' has an invalid number", path, wrong)
               : NIM_OK;
}

static nim_status save(const nim_model *model, const struct whole_output *output,
                       nim_error *error) {
    struct file_arrays arrays = {
        .counts = {(double)model->step, (double)model->epoch, (double)model->visits, model->bound}};
    struct text_map texts = {0};
    struct metadata *metadata = NULL;
    nim_status status = model_check_complete(model, error);
    if (status != NIM_OK)
        return status;
    status = NIM_OUT_OF_MEMORY;
    list_texts(model, &texts);
    metadata = calloc(texts.list.count + 1, sizeof *metadata);
    if (!texts.good || !metadata || !file_arrays_allocate(&arrays, model)) {
        failure(error, status, "%s: no memory to save a model", output->name);
        goto done;
    }
    for (size_t i = 0; i < texts.list.count; i++)
        metadata[i] = (struct metadata){texts.list.note[i].key, texts.list.note[i].text};
    /* The list is also used for loading and so is not const. Nothing is written through it here. */
    file_arrays_list((struct nim_model *)(uintptr_t)model, model->visits > 0, &arrays);
    file_arrays_stage(model, &arrays, true);
    struct safetensors file = {.tensors = arrays.count,
                               .tensor = arrays.list,
                               .texts = texts.list.count,
                               .text = metadata};
    status = check_saved(model, &arrays, output->name, error);
    if (status == NIM_OK)
        status = safetensors_write(output, &file, error);
done:
    file_arrays_free(&arrays);
    note_list_free(&texts.list);
    free(metadata);
    return status;
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
    const struct whole_output memory = {.name = FILE_IN_MEMORY,
                                        .write = whole_memory_write,
                                        .bytes = bytes,
                                        .capacity = capacity,
                                        .size = size};
    return save(model, &memory, error);
}
