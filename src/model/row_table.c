/* SPDX-License-Identifier: Apache-2.0 */
#include "model/row_table.h"

#include "model/shards.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The number of arrays, each with width_of numbers per row. */
enum { ARRAYS = 3 };

static double **array_of(struct row_table *table, size_t k) {
    double **const array[ARRAYS] = {&table->theta, &table->moments, &table->visits};
    return array[k];
}

static size_t width_of(const struct row_table *table, size_t k) {
    const size_t width[ARRAYS] = {table->each, 2 * table->each, 1};
    return width[k];
}

static void *resize(const nim_storage *storage, void *memory, size_t before, size_t after) {
    if (storage->resize)
        return storage->resize(memory, before, after, storage->context);
    if (after)
        return realloc(memory, after);
    free(memory);
    return NULL;
}

/* Resizes one of the arrays; false if memory runs out. */
static bool grow_array(struct row_table *table, size_t k, size_t rows) {
    size_t before = table->rows * width_of(table, k) * sizeof(double), after;
    double **array = array_of(table, k);
    if (__builtin_mul_overflow(rows, width_of(table, k) * sizeof(double), &after))
        return false;
    double *grown = resize(&table->storage, *array, *array ? before : 0, after);
    if (!grown)
        return false;
    *array = grown;
    memset((char *)grown + before, 0, after - before);
    return true;
}

bool row_table_grow(struct row_table *table, size_t rows) {
    size_t grown = 0, old = table->rows;
    if (table->each == 0 || rows <= old) {
        table->rows = rows;
        return true;
    }
    while (grown < ARRAYS && grow_array(table, grown, rows))
        grown++;
    if (grown == ARRAYS) {
        table->rows = rows;
        return true;
    }
    /* Restores the former size of the arrays that have grown; those that had no rows are freed. */
    for (size_t k = 0; k < grown; k++) {
        size_t row = width_of(table, k) * sizeof(double);
        double *shrunk = resize(&table->storage, *array_of(table, k), rows * row, old * row);
        if (shrunk || !old)
            *array_of(table, k) = shrunk;
    }
    return false;
}

bool row_table_move(struct row_table *table, const nim_storage *storage) {
    struct row_table moved = {
        .each = table->each, .scattered = table->scattered, .storage = *storage};
    if (!table->theta) {
        table->storage = *storage;
        return true;
    }
    assert(table->each && table->rows);
    if (!row_table_grow(&moved, table->rows))
        return false;
    for (size_t k = 0; k < ARRAYS; k++)
        memcpy(*array_of(&moved, k), *array_of(table, k),
               table->rows * width_of(table, k) * sizeof(double));
    row_table_free(table);
    *table = moved;
    return true;
}

/* Gathers one of the arrays; offset: a scratch array of processes + 1. */
static nim_status gather_array(struct row_table *table, size_t k, const nim_collectives *all,
                               size_t *offset, nim_error *error) {
    for (size_t rank = 0; rank <= all->processes; rank++) {
        size_t shard = shards_of(table->scattered, rank, all->processes).first;
        offset[rank] = shard_part_start(table->rows, shard, table->scattered) * width_of(table, k) *
                       sizeof(double);
    }
    return collective_gather(all, *array_of(table, k), offset, error);
}

nim_status row_table_gather(struct row_table *table, const nim_collectives *all, size_t *offset,
                            nim_error *error) {
    nim_status status = NIM_OK;
    for (size_t k = 0; status == NIM_OK && k < ARRAYS; k++)
        status = gather_array(table, k, all, offset, error);
    if (status == NIM_OK)
        table->scattered = 0;
    return status;
}

void row_table_forget(struct row_table *table) {
    if (!table->each || !table->rows)
        return;
    memset(table->moments, 0, table->rows * 2 * table->each * sizeof *table->moments);
    memset(table->visits, 0, table->rows * sizeof *table->visits);
}

void row_table_free(struct row_table *table) {
    for (size_t k = 0; k < ARRAYS; k++)
        if (*array_of(table, k)) {
            resize(&table->storage, *array_of(table, k),
                   table->rows * width_of(table, k) * sizeof(double), 0);
            *array_of(table, k) = NULL;
        }
}
