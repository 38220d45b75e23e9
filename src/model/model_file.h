/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Model files (docs/model-file.md): safetensors whose texts describe a model and whose arrays are
 * what it learned. A file can hold several models: the texts and arrays of each then have names
 * that begin with a prefix of its own.
 */

#include "file/safetensors.h"
#include "model/model.h"

#define FILE_FORMAT "nimgp"
#define FILE_FORMAT_VERSION "1"
#define FILE_OPTION_PREFIX "option."
#define FILE_REQUEST_PREFIX "request."
#define FILE_REASON_PREFIX "reason."
#define FILE_NOTE_PREFIX "note."
#define MODEL_IN_MEMORY "model in memory" /* in place of a path in messages */

/* What will be written. Starts as zero, except name; owns its memory. */
struct model_writer {
    const char *name; /* of the file, for messages */
    struct safetensors file;
};

/* Adds a text; false when out of memory. The key is prefix and key. */
bool model_writer_text(struct model_writer *writer, const char *prefix, const char *key,
                       const char *text);

/* Adds an array; copies it if it is not contiguous, or `always`. False when out of memory. */
bool model_writer_array(struct model_writer *writer, const char *prefix, const struct array *array,
                        bool always);

/* Adds all of a model, which must not change before the writer has ended. */
nim_status model_save_into(struct model_writer *writer, const char *prefix,
                           const struct nim_model *model, nim_error *error);

/* Writes everything unless `status` is a failure, and frees the writer. Returns the status. */
nim_status model_writer_end(struct model_writer *writer, nim_status status,
                            const struct whole_output *output, nim_error *error);

/* A file that is being read, and the prefix of the model in it. */
struct model_reader {
    const char *name, *prefix;
    struct safetensors file;
    nim_error *error;
};

/* Parses a file and checks its format. Takes the bytes; call model_reader_free in any case. */
nim_status model_reader_open(struct model_reader *reader, const char *name, char *bytes,
                             size_t size, nim_error *error);
void model_reader_free(struct model_reader *reader);

/* A text of the model, or NULL; an array of it, checked, which stays the file's. */
const char *model_reader_text(const struct model_reader *reader, const char *key);
nim_status model_reader_array(const struct model_reader *reader, const struct array *wanted,
                              const double **values);
nim_status model_reader_refuse(const struct model_reader *reader, const char *what,
                               const char *name);
nim_status model_reader_no_memory(const struct model_reader *reader, const char *what);

/* Loads the model with the reader's prefix. */
nim_status model_load_from(const struct model_reader *reader, nim_model **model);

/* Why an array has numbers that no model can have, with its name, or NULL. */
const char *model_impossible_array(const struct nim_model *model);
