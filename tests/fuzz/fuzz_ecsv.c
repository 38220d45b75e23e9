/* SPDX-License-Identifier: Apache-2.0 */
/* ECSV: CSV behind a header in YAML. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read_table(data, size, TABLE_ECSV);
    return 0;
}
