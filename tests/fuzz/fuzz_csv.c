/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and TSV, and what a file without a known beginning is taken for. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read_table(data, size, TABLE_ANY);
    return 0;
}
