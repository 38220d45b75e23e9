/* SPDX-License-Identifier: Apache-2.0 */
/* --where: the first lines of the data are conditions on a fixed table. */
#include "fuzz.h"

#include "cli/rows/where.h"

#include <stdlib.h>
#include <string.h>

static const char text[] =
    "x,name,empty,'q',class and\n1,a,,1,u\n-2.5,,,2,v\n,b b,,3,u\n1e300,a,,4,\n";

enum { ROWS = 4 };

static void filter(const struct name_list *conditions, bool ignore_case) {
    struct complaint complaint = {0};
    struct table *table = table_open(fuzz_file(0, text, sizeof text - 1), TABLE_CSV, &complaint);
    must(table);
    struct where *where = where_create(conditions, table, ignore_case, &complaint);
    size_t rows = 0;
    must(table_next(table, 100, &rows, &complaint) && rows == ROWS);
    uint8_t keep[ROWS] = {9, 9, 9, 9};
    if (!where)
        fuzz_check_complaint(&complaint);
    else if (!where_mask(where, table, rows, keep, &complaint))
        fuzz_check_complaint(&complaint);
    else
        for (size_t i = 0; i < ROWS; i++)
            must(keep[i] <= 1);
    must(!where || where_any(where) == (conditions->count > 0));
    where_free(where);
    table_close(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct name_list conditions = {0};
    struct complaint complaint = {0};
    bool ignore_case = size && data[0] & 1;
    while (size && conditions.count < 5) {
        char *line = fuzz_line(&data, &size);
        must(name_list_add(&conditions, line, strlen(line), &complaint));
        free(line);
    }
    filter(&conditions, ignore_case);
    name_list_free(&conditions);
    return 0;
}
