/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array_list.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void array_list_add(struct array_list *list, const char *group, size_t count,
                    const struct array *arrays) {
    for (size_t i = 0; i < count; i++) {
        size_t at = list->count++;
        assert(at < MOST_ARRAYS);
        struct array array = arrays[i];
        snprintf(list->name[at], ARRAY_NAME, "%s%s%s", group ? group : "", group ? "." : "",
                 array.name);
        array.name = list->name[at];
        array.values = array.place ? *array.place : array.values;
        array.absent |= (array.known && !*array.known) || (array.open && !*array.open);
        list->array[at] = array;
    }
}

void array_list_layout(const struct array_list *list, struct arena *arena) {
    for (size_t i = 0; i < list->count; i++)
        if (list->array[i].place)
            *list->array[i].place = arena_doubles(arena, array_count(&list->array[i]));
}

size_t array_count(const struct array *array) {
    size_t count = 1;
    for (size_t k = 0; k < array->dimensions; k++)
        count *= array->shape[k];
    return count;
}

double *array_in_place(const struct array *array) {
    return array->single || array->stride ? NULL : array->values;
}

/* Number i, if `out` is true from the array, else to it. */
static void move(const struct array *array, size_t i, double *number, bool out) {
    size_t each = array->stride ? array_count(array) / array->shape[0] : 1;
    size_t at = array->stride ? i / each * array->stride + i % each : i;
    if (out)
        *number = array->single ? (double)array->single[at] : array->values[at];
    else if (array->single)
        array->single[at] = (float)*number;
    else
        array->values[at] = *number;
}

void array_read(const struct array *array, double *out) {
    for (size_t i = 0, count = array_count(array); i < count; i++)
        move(array, i, out + i, true);
}

void array_write(const struct array *array, const double *in) {
    size_t count = array_count(array);
    double number;
    if (count && array_in_place(array)) {
        memcpy(array->values, in, count * sizeof *in);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        number = in[i];
        move(array, i, &number, false);
    }
}

const char *array_fault(const struct array *array, const double *values) {
    size_t count = array_count(array), last = array->dimensions ? array->dimensions - 1 : 0;
    if (array->unchecked)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        double value = values[i];
        if (!isfinite(value) && value != array->most)
            return "has a number that is not finite in array";
        if (value < array->least || value > array->most ||
            (array->whole && value != floor(value)) ||
            (array->ascends && i % array->shape[last] && value < values[i - 1]))
            return "has an invalid number in array";
    }
    return NULL;
}
