/* SPDX-License-Identifier: Apache-2.0 */
#include "table/votable_field.h"

#include "table/big_endian.h"
#include "text/ascii.h"
#include "text/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [VOTABLE_BOOLEAN] = {"boolean", 1},
    [VOTABLE_BIT] = {"bit", 0},
    [VOTABLE_BYTE] = {"unsignedByte", 1},
    [VOTABLE_SHORT] = {"short", 2},
    [VOTABLE_INT] = {"int", 4},
    [VOTABLE_LONG] = {"long", 8},
    [VOTABLE_CHAR] = {"char", 1},
    [VOTABLE_UNICODE] = {"unicodeChar", 2},
    [VOTABLE_FLOAT] = {"float", 4},
    [VOTABLE_DOUBLE] = {"double", 8},
    [VOTABLE_FLOAT_COMPLEX] = {"floatComplex", 8},
    [VOTABLE_DOUBLE_COMPLEX] = {"doubleComplex", 16},
};

bool votable_is_text(const struct votable_field *field) {
    return field->type == VOTABLE_CHAR || field->type == VOTABLE_UNICODE;
}

static bool is_integer(const struct votable_field *field) {
    return field->type >= VOTABLE_BYTE && field->type <= VOTABLE_LONG;
}

/* ---------------------------------------------------------------- attributes ------------------ */

/* "3x2*": two dimensions, the last one of any length up to 2. False when it is none of that. */
static bool read_arraysize(struct votable_field *field, const char *text) {
    const uint64_t most = (uint64_t)1 << 40;
    for (;;) {
        uint64_t length = 0;
        bool digits = *text >= '0' && *text <= '9';
        for (; *text >= '0' && *text <= '9'; text++)
            length = length < most ? length * 10 + (uint64_t)(*text - '0') : most;
        field->variable = *text == '*';
        text += field->variable;
        if (!digits && !field->variable)
            return false;
        if (!field->variable) {
            bool large = length && field->count > most / length;
            field->count = large ? most : field->count * length;
        }
        if (field->dimensions < VOTABLE_DIMENSIONS)
            field->dimension[field->dimensions] = (size_t)length;
        field->dimensions++;
        if (!*text)
            return true;
        if (field->variable || *text++ != 'x')
            return false;
    }
}

/* How many columns it becomes. */
static size_t usable_elements(const struct votable_field *field) {
    if (votable_is_text(field)) /* strings of strings are not used */
        return field->dimensions <= 1;
    if (field->type == VOTABLE_BIT)
        return field->count == 1 && !field->variable;
    bool numbers = field->type < VOTABLE_FLOAT_COMPLEX && field->dimensions <= VOTABLE_DIMENSIONS;
    return numbers && !field->variable && field->count <= VOTABLE_ELEMENTS ? (size_t)field->count
                                                                           : 0;
}

static const char *keep(struct text_pool *pool, const char *text) {
    struct span span = votable_trim((struct span){text, strlen(text)});
    return text_pool_copy(pool, span.text, span.length);
}

bool votable_field_read(struct votable_field *field, const struct xml *xml, struct text_pool *pool,
                        struct complaint *complaint) {
    const char *name = xml_attribute(xml, "name"), *id = xml_attribute(xml, "ID");
    const char *type = xml_attribute(xml, "datatype"), *size = xml_attribute(xml, "arraysize");
    const char *unit = xml_attribute(xml, "unit");
    size_t found = 0, count = sizeof types / sizeof *types;
    *field = (struct votable_field){.count = 1};
    while (found < count && strcmp(type ? type : "", types[found].name) != 0)
        found++;
    if (found == count)
        return xml_complain(xml, "a FIELD without a valid datatype", complaint);
    field->type = (enum votable_type)found;
    field->bytes = types[found].bytes;
    if (size && *size && !read_arraysize(field, size))
        return xml_complain(xml, "a FIELD whose arraysize is not of the form 3, 3x2 or *",
                            complaint);
    field->elements = usable_elements(field);
    field->name = keep(pool, name && *name ? name : id ? id : "");
    if (unit && unit[strspn(unit, " \t\r\n")])
        field->unit = keep(pool, unit);
    return (field->name && (!unit || !*unit || field->unit || !unit[strspn(unit, " \t\r\n")])) ||
           complain(complaint, BROKE_DOWN, "%s: out of memory", byte_stream_name(xml->input));
}

void votable_field_null(struct votable_field *field, const struct xml *xml) {
    const char *null = xml_attribute(xml, "null");
    if (!null || !is_integer(field))
        return;
    char *end;
    field->null_integer = strtoll(null, &end, 0);
    field->null = (double)field->null_integer;
    field->has_null = end != null && !end[strspn(end, " \t\r\n")];
}

void votable_field_name(const struct votable_field *field, size_t element, char *name,
                        size_t size) {
    size_t length = (size_t)snprintf(name, size, "%.*s", (int)(size - 128), field->name);
    size_t stride = field->elements;
    length = length < size - 128 ? length : size - 128;
    for (int i = field->dimensions - 1; i >= 0 && field->elements > 1; i--) {
        stride /= field->dimension[i];
        length += (size_t)snprintf(name + length, size - length, "_%zu", element / stride + 1);
        element %= stride;
    }
}

struct span votable_trim(struct span span) {
    while (span.length && ascii_blank(span.text[0])) {
        span.text++;
        span.length--;
    }
    while (span.length && ascii_blank(span.text[span.length - 1]))
        span.length--;
    return span;
}

/* ---------------------------------------------------------------- text ------------------------ */

/* The element of a list with blanks between, all of it where there is one element; false when there
 * are fewer, or more behind the last one there should be. */
static bool find_word(const struct votable_field *field, struct span cell, size_t element,
                      struct span *word) {
    struct span rest = votable_trim(cell);
    *word = rest;
    for (size_t i = 0; field->elements > 1 && i <= element; i++) {
        size_t length = 0;
        if (!rest.length)
            return false;
        while (length < rest.length && !ascii_blank(rest.text[length]))
            length++;
        *word = (struct span){rest.text, length};
        rest = votable_trim((struct span){rest.text + length, rest.length - length});
    }
    return field->elements == 1 || element + 1 < field->elements || !rest.length;
}

static bool is_word(struct span span, const char *word) {
    size_t length = strlen(word);
    return span.length == length && ascii_starts(span.text, word);
}

/* T, t, true, 1 and their opposites; ? is missing. */
static bool read_boolean(struct span word, double *value) {
    static const char *const yes[] = {"T", "true", "1"}, *const no[] = {"F", "false", "0"};
    for (size_t i = 0; i < 3; i++)
        if (is_word(word, yes[i]) || is_word(word, no[i])) {
            *value = is_word(word, yes[i]);
            return true;
        }
    return is_word(word, "?");
}

/* Integers may be written 0x1F. */
static bool read_hexadecimal(struct span word, double *value) {
    char text[20], *end;
    if (word.length < 3 || word.length >= sizeof text || word.text[0] != '0' ||
        ascii_lower(word.text[1]) != 'x')
        return false;
    memcpy(text, word.text, word.length);
    text[word.length] = '\0';
    *value = (double)strtoull(text, &end, 16);
    return !*end;
}

static bool decode_text(const struct votable_field *field, struct span cell, size_t element,
                        double *value) {
    struct span word;
    if (!find_word(field, cell, element, &word))
        return false;
    if ((field->type == VOTABLE_BOOLEAN || field->type == VOTABLE_BIT) && word.length)
        return read_boolean(word, value);
    return number_read(word.text, word.length, value) != NUMBER_NOT ||
           (is_integer(field) && read_hexadecimal(word, value));
}

/* ---------------------------------------------------------------- bytes ----------------------- */

static int64_t integer(const struct votable_field *field, const unsigned char *bytes) {
    uint64_t bits = big_endian(bytes, field->bytes);
    switch (field->type) {
    case VOTABLE_SHORT:
        return (int16_t)bits;
    case VOTABLE_INT:
        return (int32_t)bits;
    default: /* a byte has no sign */
        return (int64_t)bits;
    }
}

static double decode_bytes(const struct votable_field *field, const unsigned char *bytes) {
    switch (field->type) {
    case VOTABLE_BIT: /* one alone: writers differ in which of eight it is */
        return *bytes != 0;
    case VOTABLE_BOOLEAN:
        return strchr("Tt1", *bytes) && *bytes   ? 1
               : strchr("Ff0", *bytes) && *bytes ? 0
                                                 : (double)NAN;
    case VOTABLE_FLOAT:
        return big_endian_float(bytes);
    case VOTABLE_DOUBLE:
        return big_endian_double(bytes);
    default: {
        int64_t value = integer(field, bytes);
        return field->has_null && value == field->null_integer ? (double)NAN : (double)value;
    }
    }
}

/* ---------------------------------------------------------------- cells ----------------------- */

bool votable_decode(const struct votable_field *field, struct span cell, bool binary,
                    size_t element, double *value) {
    *value = NAN;
    if (!cell.length)
        return true;
    if (binary && !votable_is_text(field)) {
        *value = decode_bytes(field, (const unsigned char *)cell.text + element * field->bytes);
        return true;
    }
    if (!decode_text(field, cell, element, value))
        return false;
    if (field->has_null && *value == field->null)
        *value = NAN;
    return true;
}

bool votable_digits(const struct votable_field *field, struct span cell, bool binary,
                    size_t element, struct span *digits, char room[32]) {
    if (field->type != VOTABLE_LONG || !cell.length)
        return false;
    if (!binary) {
        char null[32];
        bool found = find_word(field, cell, element, digits);
        int length = snprintf(null, sizeof null, "%" PRId64, field->null_integer);
        bool is_null = field->has_null && digits->length == (size_t)length &&
                       memcmp(digits->text, null, (size_t)length) == 0;
        return found && !is_null && number_is_name(digits->text, digits->length);
    }
    int64_t value = integer(field, (const unsigned char *)cell.text + element * field->bytes);
    if (field->has_null && value == field->null_integer)
        return false;
    *digits = (struct span){room, (size_t)snprintf(room, 32, "%" PRId64, value)};
    return true;
}
