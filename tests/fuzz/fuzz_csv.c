/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and TSV, and the format that is assumed for a file without a known signature. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read_table(data, size, TABLE_ANY);
    return 0;
}
