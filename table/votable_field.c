/* SPDX-License-Identifier: Apache-2.0 */
#include "table/votable_field.h"

#include "text/ascii.h"
#include "text/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    char type;
} types[] = {{"boolean", 'L'}, {"bit", 'X'},    {"unsignedByte", 'B'}, {"short", 'I'},
             {"int", 'J'},     {"long", 'K'},   {"char", 'A'},         {"unicodeChar", 'U'},
             {"float", 'E'},   {"double", 'D'}, {"floatComplex", 'C'}, {"doubleComplex", 'M'}};

bool votable_is_text(const struct votable_field *field) {
    return field->type == 'A' || field->type == 'U';
}

static bool is_integer(const struct votable_field *field) {
    return strchr("BIJK", field->type) != NULL;
}

/* ---------------------------------------------------------------- attributes ------------------ */

/* "3x2*": two dimensions, the last one of any length up to 2. False when it is none of that. */
static bool read_arraysize(struct votable_field *field, const char *text) {
    const uint64_t most = (uint64_t)1 << 40;
    struct elements *elements = &field->elements;
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
        if (elements->dimensions < MOST_DIMENSIONS)
            elements->dimension[elements->dimensions] = (size_t)length;
        elements->dimensions++;
        if (!*text)
            return true;
        if (field->variable || *text++ != 'x')
            return false;
    }
}

/* How many columns it becomes. */
static size_t usable_elements(const struct votable_field *field) {
    if (votable_is_text(field)) /* strings of strings are not used */
        return field->elements.dimensions <= 1;
    if (field->type == 'X')
        return field->count == 1 && !field->variable;
    bool numbers = !strchr("CM", field->type) && field->elements.dimensions <= MOST_DIMENSIONS;
    return numbers && !field->variable && field->count <= MOST_ELEMENTS ? (size_t)field->count : 0;
}

static struct span trimmed(const char *text) {
    return votable_trim(span_of(text ? text : ""));
}

bool votable_field_read(struct votable_field *field, struct table *table, size_t number,
                        const struct xml_tag *tag) {
    const char *name = xml_attribute(tag, "name"), *id = xml_attribute(tag, "ID");
    const char *type = xml_attribute(tag, "datatype"), *size = xml_attribute(tag, "arraysize");
    *field = (struct votable_field){.count = 1};
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i].name) == 0)
            field->type = types[i].type;
    if (!field->type)
        return table_fail(table, tag->line, "a FIELD without a valid datatype");
    field->bytes = field->type == 'U' ? 2 : field_bytes(field->type);
    if (size && *size && !read_arraysize(field, size))
        return table_fail(table, tag->line,
                          "a FIELD whose arraysize is not of the form 3, 3x2 or *");
    field->elements.count = usable_elements(field);
    return field_add_columns(table, trimmed(name && *name ? name : id),
                             trimmed(xml_attribute(tag, "unit")), &field->elements,
                             votable_is_text(field) ? COLUMN_TEXT : COLUMN_NUMBER, number);
}

void votable_field_null(struct votable_field *field, const struct xml_tag *tag) {
    const char *null = xml_attribute(tag, "null");
    if (!null || !is_integer(field))
        return;
    char *end;
    field->null = strtoll(null, &end, 0);
    field->has_null = end != null && !end[strspn(end, " \t\r\n")];
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
    size_t count = field->elements.count;
    struct span rest = votable_trim(cell);
    *word = rest;
    for (size_t i = 0; count > 1 && i <= element; i++) {
        size_t length = 0;
        if (!rest.length)
            return false;
        while (length < rest.length && !ascii_blank(rest.text[length]))
            length++;
        *word = (struct span){rest.text, length};
        rest = votable_trim((struct span){rest.text + length, rest.length - length});
    }
    return count == 1 || element + 1 < count || !rest.length;
}

static bool is_word(struct span span, const char *word) {
    return span.length == strlen(word) && ascii_starts(span.text, word);
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

/* Whether a 64-bit integer is that of missing cells, to all digits. */
static bool is_null(const struct votable_field *field, struct span digits) {
    char null[32];
    snprintf(null, sizeof null, "%" PRId64, field->null);
    return field->has_null && is_word(digits, null);
}

bool votable_read_text(const struct votable_field *field, struct span text, size_t element,
                       struct cell *cell) {
    struct span word;
    if (!find_word(field, text, element, &word))
        return false;
    if (strchr("LX", field->type) && word.length)
        return read_boolean(word, &cell->number);
    if (field->type == 'K' && number_is_name(word.text, word.length) && !is_null(field, word)) {
        cell->kind = CELL_DIGITS;
        cell->text = word;
        return true;
    }
    if (number_read(word.text, word.length, &cell->number) == NUMBER_NOT &&
        !(is_integer(field) && read_hexadecimal(word, &cell->number)))
        return false;
    if (field->has_null && cell->number == (double)field->null)
        cell->number = NAN;
    return true;
}

/* ---------------------------------------------------------------- bytes ----------------------- */

bool votable_read_bytes(const struct votable_field *field, const unsigned char *bytes,
                        struct table *table, struct cell *cell, struct complaint *complaint) {
    char type = field->type;
    if (field->has_null && field_integer(type, bytes) == field->null)
        return true;
    if (type == 'K')
        return field_take_long(table, field_integer(type, bytes), false, cell, complaint);
    if (type == 'X') /* one alone: writers differ in which of eight it is */
        cell->number = *bytes != 0;
    else if (type == 'L')
        read_boolean((struct span){(const char *)bytes, 1}, &cell->number);
    else
        cell->number = field_real(type, bytes);
    return true;
}
