/* SPDX-License-Identifier: Apache-2.0 */
/* VOTables: XML, cells as text and in base64. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read_table(data, size, TABLE_VOTABLE);
    return 0;
}
