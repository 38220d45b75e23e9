/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TRAINING_ROW_STORAGE_H
#define CLI_TRAINING_ROW_STORAGE_H

/* Memory for the parameters of training rows (nim_storage): on the heap up to --memory, the rest in
 * mapped temporary files. */

#include "cli/terminal/command.h"
#include "cli/training/cell_store.h"
#include "nimgp.h"

enum { STORED_ARRAYS = 6 }; /* twice those of a model, because of moves */

struct row_storage {
    const struct arguments *arguments;
    size_t memory;              /* bytes; 0: any number */
    size_t in_memory, in_files; /* bytes so far */
    struct cell_store store[STORED_ARRAYS];
    struct complaint complaint; /* why there was no room; kind NO_COMPLAINT unless there was none */
};

/* Makes this the storage of the model. It must be freed after the model. */
bool row_storage_lend(struct row_storage *storage, nim_model *model, struct complaint *complaint);
void row_storage_free(struct row_storage *storage);

#endif
