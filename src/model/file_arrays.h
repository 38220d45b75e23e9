/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content of model files (docs/model-file.md): safetensors whose texts describe the model and
 * whose arrays are what it learned. save.c and load.c use the same list of arrays.
 */
#ifndef FILE_ARRAYS_H
#define FILE_ARRAYS_H

#include "file/safetensors.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

#define FILE_FORMAT "nimgp"
#define FILE_FORMAT_VERSION "1"
#define FILE_IN_MEMORY "model in memory" /* in place of a path in messages */
#define FILE_OPTION_PREFIX "option."
#define FILE_NOTE_PREFIX "note."

enum { MOST_ARRAYS = 48 };

/* The arrays of a model. In theta the blocks of one function follow each other; in the file each
 * array has one kind of block of all functions, so they are copied to `staged`. */
struct file_arrays {
    size_t count;
    struct tensor list[MOST_ARRAYS];
    double *staged;   /* functions x parameters of one */
    double *moments;  /* 2 x shared parameters, if the model has these as floats; or NULL */
    double counts[4]; /* steps, epochs, updates since the moments were zero, bound */
};

/* The names of the arrays of a population. */
struct population_names {
    const char *share, *mean, *factor, *variance;
};
extern const struct population_names file_population_names, file_novelty_names;

/* Allocates `staged` and `moments`. False when out of memory; call file_arrays_free in that case
 * too. */
bool file_arrays_allocate(struct file_arrays *arrays, const struct nim_model *model);
void file_arrays_free(struct file_arrays *arrays);

/* Lists all arrays of a model in the order of the file; `moments`: with the state of the optimiser.
 * A planned model (model_plan) has shapes, but its arrays are NULL. */
void file_arrays_list(struct nim_model *model, bool moments, struct file_arrays *arrays);

/* Copies theta (function by function) to `staged` (block by block) and floats to `moments`, or back
 * if `out` is false. */
void file_arrays_stage(const struct nim_model *model, struct file_arrays *arrays, bool out);

/* The name of an array with numbers that no model can have, or NULL: deviations and shares must be
 * positive, flags must be numbers of columns, and logarithms must have a finite exponential. */
const char *file_impossible_array(const struct nim_model *model);

#endif
