/* SPDX-License-Identifier: Apache-2.0 */
/* Row files: the data unchanged, and with the right checksum and length of the list of columns, so
 * that reading does not always fail at the end of the file. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "file/checksum.h"
#include "table/row_file.h"

#include <stdlib.h>
#include <string.h>

/* Sets rows, length of the list of columns and checksum. The rows are those that fit before the
 * list, which starts with {"columns". */
static void mend(uint8_t *bytes, size_t size) {
    struct row_file_head head;
    struct row_file_tail tail = {.magic = ROW_FILE_MAGIC};
    if (size < sizeof head + sizeof tail)
        return;
    memcpy(&head, bytes, sizeof head);
    size_t room = size - sizeof head - sizeof tail, row = (size_t)head.columns * sizeof(double);
    const uint8_t *json = memmem(bytes + sizeof head, room, "{\"columns\"", 10);
    if (!json || head.columns == 0 || head.columns > room)
        return;
    tail.rows = (size_t)(json - bytes - (ptrdiff_t)sizeof head) / row;
    tail.json = room - tail.rows * row;
    memcpy(bytes + size - sizeof tail, &tail, sizeof tail);
    tail.checksum =
        checksum(0, bytes, size - sizeof tail + offsetof(struct row_file_tail, checksum));
    memcpy(bytes + size - sizeof tail, &tail, sizeof tail);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read_table(data, size, TABLE_ROWS);
    uint8_t *copy = malloc(size + 1);
    must(copy);
    if (size)
        memcpy(copy, data, size);
    mend(copy, size);
    fuzz_read_table(copy, size, TABLE_ROWS);
    free(copy);
    return 0;
}
