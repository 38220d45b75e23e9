/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rows/units.h"

#include "cli/model/fit_request.h"

#include <stdlib.h>
#include <string.h>

bool units_check(const struct columns *columns, const struct table *table, const nim_model *model,
                 struct complaint *complaint) {
    const char *note = nim_model_note(model, NOTE_UNITS);
    struct name_list units = {0};
    bool fine = !note || !*note || name_list_split(&units, note, NOTE_UNITS, complaint);
    for (size_t j = 0; fine && j < columns->count && j < units.count; j++) {
        const struct column *column = table_column(table, (size_t)columns->feature[j].value.column);
        if (column->unit && *units.item[j] && !nim_units_agree(column->unit, units.item[j]))
            fine = complain(complaint, BAD_INPUT,
                            "%s: column %s is in %s, but was in %s in training; --ignore-units "
                            "accepts them as the same unit",
                            table_path(table), column->name, column->unit, units.item[j]);
    }
    name_list_free(&units);
    return fine;
}

/* Whether the column, if there is one, is in the unit of the first. */
static bool same_unit(const struct table *table, size_t first, long column, const char *role,
                      struct complaint *complaint) {
    if (column == NO_COLUMN)
        return true;
    const struct column *one = table_column(table, first);
    const struct column *other = table_column(table, (size_t)column);
    if (!one->unit || !other->unit || nim_units_agree(one->unit, other->unit))
        return true;
    return complain(
        complaint, BAD_INPUT,
        "%s: column %s is in %s, but %s %s in %s; --ignore-units accepts them as the same unit",
        table_path(table), one->name, one->unit, role, other->name, other->unit);
}

/* Whether the errors of a measured column are in its unit. */
static bool errors_fit(const struct table *table, const struct measured *measured,
                       struct complaint *complaint) {
    if (measured->column == NO_COLUMN)
        return true;
    size_t own = (size_t)measured->column;
    return same_unit(table, own, measured->errors.lower, "its errors", complaint) &&
           same_unit(table, own, measured->errors.upper, "its errors", complaint);
}

bool units_check_within(const struct columns *columns, const struct table *table,
                        struct complaint *complaint) {
    bool fine = !columns->target || errors_fit(table, &columns->target->value, complaint);
    for (size_t j = 0; fine && j < columns->count; j++) {
        const struct feature *feature = &columns->feature[j];
        fine = errors_fit(table, &feature->value, complaint) &&
               same_unit(table, (size_t)feature->value.column, feature->minus.column,
                         "the subtracted column", complaint) &&
               errors_fit(table, &feature->minus, complaint);
    }
    return fine;
}
