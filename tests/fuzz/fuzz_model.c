/* SPDX-License-Identifier: Apache-2.0 */
/* Model files: loaded, predicted with, saved and loaded again. */
#include "fuzz_model.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nim_model *model = fuzz_load(data, size);
    if (model)
        fuzz_use(model, fuzz_chosen(data, size));
    nim_model_free(model);
    return 0;
}
