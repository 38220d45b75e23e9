/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/training/row_storage.h"

#include "cli/terminal/library_error.h"

#include <string.h>

static struct cell_store *store_of(struct row_storage *storage, const void *memory) {
    for (size_t k = 0; k < STORED_ARRAYS; k++)
        if (storage->store[k].cell == memory)
            return &storage->store[k];
    return NULL;
}

static void count(struct row_storage *storage, const struct cell_store *store, bool here) {
    size_t *sum = store->in_file ? &storage->in_files : &storage->in_memory;
    *sum = here ? *sum + store->bytes : *sum - store->bytes;
}

static void *resize(void *memory, size_t before, size_t after, void *context) {
    (void)before;
    struct row_storage *storage = context;
    struct cell_store *store = store_of(storage, memory);
    if (!store)
        return NULL;
    count(storage, store, false);
    if (!after) {
        cell_store_free(store);
        return NULL;
    }
    size_t most = storage->memory > storage->in_memory ? storage->memory - storage->in_memory : 0;
    bool first = !storage->in_files;
    bool fine = cell_store_grow(store, after, storage->memory && after > most, &storage->complaint);
    count(storage, store, true);
    if (fine && store->in_file && first)
        say(storage->arguments,
            "the parameters of the rows need more than the %.4g MB of --memory: they are in a "
            "temporary file in %s",
            (double)storage->memory / (1024.0 * 1024.0), cell_store_directory());
    return fine ? store->cell : NULL;
}

bool row_storage_lend(struct row_storage *storage, nim_model *model, struct complaint *complaint) {
    const nim_storage lent = NIM_STORAGE(.resize = resize, .context = storage);
    nim_error error;
    if (nim_model_set_storage(model, &lent, &error) == NIM_OK)
        return true;
    if (storage->complaint.kind == NO_COMPLAINT)
        return complain_of(complaint, &error);
    *complaint = storage->complaint;
    return false;
}

void row_storage_free(struct row_storage *storage) {
    for (size_t k = 0; k < STORED_ARRAYS; k++)
        cell_store_free(&storage->store[k]);
}
