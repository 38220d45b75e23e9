/* SPDX-License-Identifier: Apache-2.0 */
/* LIBSVM. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read_table(data, size, TABLE_LIBSVM);
    return 0;
}
