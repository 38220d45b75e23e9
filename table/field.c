/* SPDX-License-Identifier: Apache-2.0 */
#include "table/field.h"

#include "table/big_endian.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool field_add_columns(struct table *table, struct span name, struct span unit,
                       const struct elements *elements, enum column_kind kind, size_t field) {
    for (size_t k = 0; k < elements->count; k++) {
        char text[1024];
        size_t length = name.length < sizeof text - 128 ? name.length : sizeof text - 128;
        size_t stride = elements->count, element = k;
        memcpy(text, name.text, length);
        for (int i = elements->dimensions - 1; i >= 0 && elements->count > 1; i--) {
            stride /= elements->dimension[i];
            length +=
                (size_t)snprintf(text + length, sizeof text - length, "_%zu", element / stride + 1);
            element %= stride;
        }
        if (!table_add_column(table, (struct span){text, length}, unit))
            return false;
        struct column *column = &table->column[table->columns - 1];
        column->kind = kind;
        column->field = field;
        column->element = k;
    }
    return true;
}

size_t field_bytes(char type) {
    static const char types[] = "LBAIJEKDCPMQ";
    static const unsigned char bytes[] = {1, 1, 1, 2, 4, 4, 8, 8, 8, 8, 16, 16};
    const char *found = type ? strchr(types, type) : NULL;
    return found ? bytes[found - types] : 0;
}

int64_t field_integer(char type, const unsigned char *bytes) {
    uint64_t bits = big_endian(bytes, field_bytes(type));
    return type == 'I' ? (int16_t)bits : type == 'J' ? (int32_t)bits : (int64_t)bits;
}

double field_real(char type, const unsigned char *bytes) {
    return type == 'E'   ? big_endian_float(bytes)
           : type == 'D' ? big_endian_double(bytes)
                         : (double)field_integer(type, bytes);
}

bool field_take_long(struct table *table, int64_t value, bool shifted, struct cell *cell,
                     struct complaint *complaint) {
    uint64_t size = (uint64_t)value ^ (uint64_t)1 << 63;
    *cell = (struct cell){.number = shifted ? (double)size : (double)value};
    if (!(fabs(cell->number) > 0x1p53))
        return true;
    char *text = text_pool_take(&table->cells, 32);
    if (!text)
        return table_complain_of_memory(table, complaint);
    int length =
        shifted ? snprintf(text, 32, "%" PRIu64, size) : snprintf(text, 32, "%" PRId64, value);
    cell->kind = CELL_DIGITS;
    cell->text = (struct span){text, (size_t)length};
    return true;
}
