/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A list of the named arrays of a handle, which says of each its shape, where it is, when it is
 * stored and which numbers it can have. Layout, saving, loading and checks all read this list.
 */

#include "base/arena.h"

enum { MOST_ARRAYS = 48, ARRAY_DIMENSIONS = 3, ARRAY_NAME = 40 };

struct array {
    const char *name;
    size_t dimensions, shape[ARRAY_DIMENSIONS];
    double least, most;  /* of its numbers */
    double *values;      /* NULL if the handle has no memory yet */
    double **place;      /* or where its address is, which the layout sets */
    float *single;       /* or floats in place of doubles */
    size_t stride;       /* from one element of the first dimension to the next; 0: contiguous */
    bool whole, ascends; /* numbers are integers; do not fall along the last dimension */
    bool unchecked;      /* may have any numbers, NaN too */
    bool absent;         /* it is not stored */
    bool *known;         /* if not NULL: it is stored if this is true, which loading sets */
    size_t *open;        /* if not NULL: the size of dimension open_at, which loading sets; 0: the
                            array is not stored */
    size_t open_at, most_open;
};

/* ARRAY(name, SHAPE(dimensions, sizes), least, most, values, .other = ...) */
#define ARRAY(...) ((struct array){__VA_ARGS__})
#define SHAPE(dimensions, ...)                                                                     \
    dimensions, {                                                                                  \
        __VA_ARGS__                                                                                \
    }

struct array_list {
    size_t count;
    struct array array[MOST_ARRAYS];
    char name[MOST_ARRAYS][ARRAY_NAME];
};

/* Appends arrays, named group.name if there is a group. */
void array_list_add(struct array_list *list, const char *group, size_t count,
                    const struct array *arrays);

/* Allocates all arrays that have a place. */
void array_list_layout(const struct array_list *list, struct arena *arena);

size_t array_count(const struct array *array);

/* The numbers if they are contiguous doubles, otherwise NULL. */
double *array_in_place(const struct array *array);

/* Copies all numbers of an array to or from contiguous ones. */
void array_read(const struct array *array, double *out);
void array_write(const struct array *array, const double *in);

/* What is wrong with these numbers of an array, for a message, or NULL. */
const char *array_fault(const struct array *array, const double *values);
