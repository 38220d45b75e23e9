/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_FUZZ_MODEL_H
#define TESTS_FUZZ_FUZZ_MODEL_H

/* What the two targets of model files share. */

#include "nimgp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Loads the bytes as a model file, with the right checksum in place of whatever stands there: NULL
 * when it is refused, or too large to try. */
nim_model *fuzz_load(const uint8_t *data, size_t size);

/* A model that was accepted answers with finite numbers or says that it cannot; and saved, loaded
 * and saved again it has the same bytes, unless it says that it cannot be saved. `remeasure`: the
 * slowest answer is asked for too. */
void fuzz_use(nim_model *model, bool remeasure);

/* Whether these bytes are among the few for which the slowest answer is asked for. */
bool fuzz_chosen(const uint8_t *data, size_t size);

/* Says that a call must have failed with one line, or succeeded. */
bool fuzz_succeeded(nim_status status, const nim_error *error);

#endif
