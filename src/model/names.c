/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "model/names.h"

#include "text/duplicate.h"
#include "text/growing.h"
#include "text/utf8.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

static size_t note_find(const struct note_list *list, const char *key) {
    size_t i = 0;
    while (i < list->count && strcmp(list->note[i].key, key) != 0)
        i++;
    return i;
}

static void note_remove(struct note_list *list, size_t i) {
    free(list->note[i].key);
    free(list->note[i].text);
    list->count--;
    memmove(list->note + i, list->note + i + 1, (list->count - i) * sizeof *list->note);
}

bool note_list_add(struct note_list *list, const char *key, const char *text) {
    char *name = strdup(key), *copy = strdup(text);
    void *grown = grow_by_one(list->note, list->count, sizeof *list->note);
    if (grown)
        list->note = grown;
    if (!name || !copy || !grown) {
        free(name);
        free(copy);
        return false;
    }
    list->note[list->count].key = name;
    list->note[list->count++].text = copy;
    return true;
}

/* Adds, replaces, or with NULL removes a note; false when out of memory. */
static bool note_list_set(struct note_list *list, const char *key, const char *text) {
    size_t i = note_find(list, key);
    if (!text) {
        if (i < list->count)
            note_remove(list, i);
        return true;
    }
    if (i == list->count)
        return note_list_add(list, key, text);
    char *copy = strdup(text);
    if (!copy)
        return false;
    free(list->note[i].text);
    list->note[i].text = copy;
    return true;
}

void note_list_free(struct note_list *list) {
    while (list->count)
        note_remove(list, list->count - 1);
    free(list->note);
    list->note = NULL;
}

/* ---------------------------------------------------------------- the public side ------------- */

static nim_status check_names(const char *what, const char *const *names, size_t count,
                              nim_error *error) {
    const char *twice;
    size_t first = 0, second;
    for (size_t i = 0; i < count; i++)
        if (!names[i] || !*names[i] || !utf8_valid(names[i]))
            return failure(error, NIM_INVALID_ARGUMENT, "the name of %s %zu is %s", what, i,
                           names[i] && *names[i] ? "not UTF-8" : "empty");
    if (!find_duplicate(names, count, &twice))
        return failure(error, NIM_OUT_OF_MEMORY, "no memory for names");
    if (!twice)
        return NIM_OK;
    while (strcmp(names[first], twice) != 0)
        first++;
    for (second = first + 1; strcmp(names[second], twice) != 0;)
        second++;
    return failure(error, NIM_INVALID_ARGUMENT, "'%s' names %s %zu and %zu", twice, what, first,
                   second);
}

static nim_status set_names(struct name_list *list, const char *what, const char *const *names,
                            nim_error *error) {
    nim_status status = check_names(what, names, list->count, error);
    if (status != NIM_OK)
        return status;
    struct name_list fresh = {0};
    struct complaint complaint;
    for (size_t i = 0; i < list->count; i++)
        if (!name_list_add(&fresh, names[i], strlen(names[i]), &complaint)) {
            name_list_free(&fresh);
            return failure(error, NIM_OUT_OF_MEMORY, "no memory for names");
        }
    name_list_free(list);
    *list = fresh;
    return succeed(error);
}

nim_status nim_model_name_attributes(nim_model *model, const char *const *names, nim_error *error) {
    if (!model || !names)
        return failure(error, NIM_INVALID_ARGUMENT, "model or names is NULL");
    return set_names(&model->attribute_names, "attribute", names, error);
}

nim_status nim_model_name_classes(nim_model *model, const char *const *names, nim_error *error) {
    if (!model || !names)
        return failure(error, NIM_INVALID_ARGUMENT, "model or names is NULL");
    return set_names(&model->class_names, "class", names, error);
}

const char *nim_model_attribute_name(const nim_model *model, size_t attribute) {
    return attribute < model->attribute_names.count ? model->attribute_names.item[attribute] : NULL;
}

const char *nim_model_class_name(const nim_model *model, size_t label) {
    return label < model->class_names.count ? model->class_names.item[label] : NULL;
}

nim_status nim_model_set_note(nim_model *model, const char *key, const char *text,
                              nim_error *error) {
    if (!model || !key || !*key || !utf8_valid(key) || (text && !utf8_valid(text)))
        return failure(error, NIM_INVALID_ARGUMENT,
                       "model is NULL, or the note's key is empty, or it is not UTF-8");
    if (!note_list_set(&model->notes, key, text))
        return failure(error, NIM_OUT_OF_MEMORY, "no memory for a note");
    return succeed(error);
}

const char *nim_model_note(const nim_model *model, const char *key) {
    size_t i = note_find(&model->notes, key);
    return i < model->notes.count ? model->notes.note[i].text : NULL;
}
