/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of columns: which are features and which are errors. The first three lines of the data
 * are what a user says (--features, --errors, --log; empty: nothing), the rest is a table. */
#include "fuzz.h"

#include "cli/rows/columns.h"

#include <stdlib.h>
#include <string.h>

static void check_features(const struct columns *columns, const struct table *table) {
    long count = (long)table_columns(table);
    must(columns->count > 0);
    for (size_t j = 0; j < columns->count; j++) {
        const struct feature *feature = &columns->feature[j];
        must(feature->name && (long)feature->value < count);
        must(feature->error >= NO_COLUMN && feature->error < count);
        must(feature->also >= NO_COLUMN && feature->also < count);
        must(feature->error != (long)feature->value);
    }
    char *errors = columns_errors(columns, table);
    must(errors);
    free(errors);
}

static void choose(struct table *table, const struct column_wishes *wishes) {
    struct complaint complaint = {0};
    struct columns columns = {0};
    size_t rows = 0, label = 0;
    if (!table_next(table, 50, &rows, &complaint)) {
        fuzz_check_complaint(&complaint);
        return;
    }
    struct column_wishes all = *wishes;
    struct taken taken = {.role = "label", .measured = true};
    if (table_columns(table) > 1 && column_guess_label(table, rows, "class", &label, &complaint)) {
        taken.column = label;
        all.taken = &taken;
        all.taken_count = 1;
    }
    if (columns_choose(&columns, table, rows, &all, &complaint))
        check_features(&columns, table);
    else
        fuzz_check_complaint(&complaint);
    columns_free(&columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *wish[3];
    struct complaint complaint = {0};
    for (size_t i = 0; i < 3; i++)
        wish[i] = fuzz_line(&data, &size);
    struct column_wishes wishes = {.features = *wish[0] ? wish[0] : NULL,
                                   .errors = *wish[1] ? wish[1] : NULL,
                                   .log = *wish[2] ? wish[2] : NULL};
    struct table *table = table_open(fuzz_file(0, data, size), TABLE_CSV, &complaint);
    if (table)
        choose(table, &wishes);
    else
        fuzz_check_complaint(&complaint);
    table_close(table);
    for (size_t i = 0; i < 3; i++)
        free(wish[i]);
    return 0;
}
