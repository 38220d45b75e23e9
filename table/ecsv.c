/* SPDX-License-Identifier: Apache-2.0 */
#include "table/ecsv.h"

#include "text/ascii.h"
#include "text/growing.h"
#include "text/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_COLUMN = 1 << 20, LONGEST_WORD = 256 };

/* A text to be read from front to back. */
struct source {
    const char *at, *end;
};

static bool more(const struct source *source) {
    return source->at < source->end;
}

static void skip_blanks(struct source *source) {
    while (more(source) && ascii_blank(*source->at))
        source->at++;
}

/* ---------------------------------------------------------------- words ----------------------- */

/* What a scalar says, as far as it fits: of names and units, which are short, all of it. */
struct word {
    char text[LONGEST_WORD];
    size_t length;
};

static void put(struct word *word, char c) {
    if (word->length < LONGEST_WORD - 1)
        word->text[word->length++] = c;
    word->text[word->length] = '\0';
}

static void put_code(struct word *word, uint32_t code) {
    char bytes[4];
    bool fits = code && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    size_t length = fits ? utf8_write(code, bytes) : 0;
    for (size_t i = 0; i < length; i++)
        put(word, bytes[i]);
}

/* A newline and the blanks around it are one blank. */
static void put_folded(struct word *word, struct source *source) {
    skip_blanks(source);
    while (word->length && word->text[word->length - 1] == ' ')
        word->length--;
    put(word, ' ');
}

/* Behind a backslash within double quotes. */
static void put_escape(struct word *word, struct source *source) {
    static const char from[] = "0abtnvfre \"/\\", to[] = "\0\a\b\t\n\v\f\r\033 \"/\\";
    char c = more(source) ? *source->at++ : '\\';
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const char *known = c ? strchr(from, c) : NULL;
    uint32_t code = 0;
    for (size_t i = 0; i < digits && more(source); i++) {
        char h = ascii_lower(*source->at++);
        code = code << 4 | (uint32_t)(h >= 'a' ? h - 'a' + 10 : h - '0');
    }
    if (digits)
        put_code(word, code);
    else if (c == '\n')
        skip_blanks(source);
    else if (known)
        put(word, to[known - from]);
}

/* Up to the closing quote; false when there is none. */
static bool take_quoted(struct source *source, struct word *word) {
    char quote = *source->at++;
    while (more(source)) {
        char c = *source->at++;
        if (c == quote && (quote == '"' || !more(source) || *source->at != quote))
            return true;
        if (c == quote) /* doubled */
            source->at++;
        if (c == '\\' && quote == '"')
            put_escape(word, source);
        else if (c == '\n')
            put_folded(word, source);
        else
            put(word, c);
    }
    return false;
}

/* Up to what ends a plain word: a colon with a blank behind, and within braces , and }. */
static void take_plain(struct source *source, bool in_braces, struct word *word) {
    while (more(source)) {
        char c = *source->at, next = source->at + 1 < source->end ? source->at[1] : ' ';
        if ((c == ':' && (ascii_blank(next) || (in_braces && next == ','))) ||
            (in_braces && (c == ',' || c == '}' || c == ']')) || (!in_braces && c == '\n') ||
            (c == ' ' && next == '#'))
            break;
        source->at++;
        if (c == '\n')
            put_folded(word, source);
        else
            put(word, c);
    }
    while (word->length && ascii_blank(word->text[word->length - 1]))
        word->length--;
    word->text[word->length] = '\0';
}

static bool take_word(struct source *source, bool in_braces, struct word *word) {
    *word = (struct word){.length = 0};
    while (more(source) && (*source->at == ' ' || (in_braces && ascii_blank(*source->at))))
        source->at++;
    if (more(source) && (*source->at == '"' || *source->at == '\''))
        return take_quoted(source, word);
    take_plain(source, in_braces, word);
    return true;
}

/* A list or mapping that is of no interest; false when it never ends. */
static bool pass_nested(struct source *source) {
    size_t depth = 0;
    while (more(source)) {
        char c = *source->at;
        struct word ignored = {.length = 0};
        if (c == '"' || c == '\'') {
            if (!take_quoted(source, &ignored))
                return false;
            continue;
        }
        source->at++;
        depth += c == '{' || c == '[';
        depth -= (c == '}' || c == ']') && depth;
        if (!depth)
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- columns --------------------- */

struct description {
    struct word name, unit, datatype;
    bool has_subtype;
};

static void describe(struct description *description, const struct word *key,
                     const struct word *value) {
    if (strcmp(key->text, "name") == 0)
        description->name = *value;
    else if (strcmp(key->text, "unit") == 0)
        description->unit = *value;
    else if (strcmp(key->text, "datatype") == 0)
        description->datatype = *value;
    else if (strcmp(key->text, "subtype") == 0)
        description->has_subtype = true;
}

/* {name: a, unit: m, datatype: float64} */
static bool read_braces(struct source *source, struct description *description) {
    source->at++;
    for (;;) {
        struct word key, value = {.length = 0};
        while (more(source) && (ascii_blank(*source->at) || *source->at == ','))
            source->at++;
        if (!more(source))
            return false;
        if (*source->at == '}')
            return true;
        const char *start = source->at;
        if (!take_word(source, true, &key))
            return false;
        skip_blanks(source);
        if (more(source) && *source->at == ':')
            source->at++;
        skip_blanks(source);
        bool nested = more(source) && (*source->at == '{' || *source->at == '[');
        if (nested ? !pass_nested(source) : !take_word(source, true, &value))
            return false;
        describe(description, &key, &value);
        if (source->at == start)
            return false; /* such as a ] that opens nothing */
    }
}

/* name: a, and below it unit: m; what is further in belongs to something else. */
static bool read_lines(struct source *source, size_t indent, struct description *description) {
    for (size_t column = indent; more(source); column = 0) {
        struct word key, value = {.length = 0};
        while (more(source) && *source->at == ' ') {
            source->at++;
            column++;
        }
        if (column == indent) {
            if (!take_word(source, false, &key))
                return false;
            if (more(source) && *source->at == ':')
                source->at++;
            if (!take_word(source, false, &value))
                return false;
            describe(description, &key, &value);
        }
        while (more(source) && *source->at != '\n')
            source->at++;
        source->at += more(source);
    }
    return true;
}

static enum ecsv_kind kind_of(const struct description *description) {
    const char *type = description->datatype.text;
    if (description->has_subtype)
        return ECSV_TEXT;
    if (strcmp(type, "bool") == 0)
        return ECSV_LOGICAL;
    return strncmp(type, "int", 3) == 0 || strncmp(type, "uint", 4) == 0 ||
                   strncmp(type, "float", 5) == 0
               ? ECSV_NUMBER
               : ECSV_TEXT;
}

static bool add_column(struct ecsv *ecsv, const struct description *description) {
    struct ecsv_column *grown = grow_by_one(ecsv->column, ecsv->columns, sizeof *ecsv->column);
    if (!grown)
        return false;
    ecsv->column = grown;
    const struct word *name = &description->name, *unit = &description->unit;
    grown[ecsv->columns] = (struct ecsv_column){
        .name = text_pool_copy(ecsv->pool, name->text, name->length),
        .unit = unit->length ? text_pool_copy(ecsv->pool, unit->text, unit->length) : NULL,
        .kind = kind_of(description)};
    const struct ecsv_column *column = &grown[ecsv->columns++];
    return column->name && (column->unit || !unit->length);
}

/* The column whose lines have all been seen. */
static bool finish_column(struct ecsv *ecsv) {
    struct description description = {.has_subtype = false};
    if (!ecsv->length)
        return true;
    struct source source = {ecsv->item, ecsv->item + ecsv->length};
    ecsv->length = 0;
    ecsv->wrong = "the description of a column in the ECSV header is not understood";
    if (*source.at == '{' ? !read_braces(&source, &description)
                          : !read_lines(&source, ecsv->indent + 2, &description))
        return false;
    if (!description.name.length || !description.datatype.length)
        return false;
    ecsv->wrong = NULL;
    return add_column(ecsv, &description);
}

/* ---------------------------------------------------------------- lines ----------------------- */

static bool append(struct ecsv *ecsv, const char *text, size_t length) {
    size_t wanted = ecsv->length + length + 1;
    ecsv->wrong = "the ECSV header has a column of more than 1 MiB";
    if (wanted > LONGEST_COLUMN)
        return false;
    ecsv->wrong = NULL;
    if (wanted > ecsv->size) {
        char *grown = realloc(ecsv->item, 2 * wanted);
        if (!grown)
            return false;
        ecsv->item = grown;
        ecsv->size = 2 * wanted;
    }
    if (ecsv->length)
        ecsv->item[ecsv->length++] = '\n';
    memcpy(ecsv->item + ecsv->length, text, length);
    ecsv->length += length;
    return true;
}

/* A line that is not further in than the whole: "datatype:", "delimiter: ','". */
static bool take_key(struct ecsv *ecsv, struct source *source) {
    struct word key, value = {.length = 0};
    bool fine = take_word(source, false, &key);
    if (more(source) && *source->at == ':')
        source->at++;
    fine = fine && take_word(source, false, &value);
    ecsv->in_columns = fine && strcmp(key.text, "datatype") == 0;
    ecsv->indent = SIZE_MAX;
    if (!fine || strcmp(key.text, "delimiter") != 0)
        return true;
    ecsv->wrong = "the ECSV header has a delimiter that is neither a blank nor a comma";
    ecsv->separator = value.text[0];
    return value.length == 1 && (value.text[0] == ' ' || value.text[0] == ',');
}

bool ecsv_line(struct ecsv *ecsv, const char *line, size_t length) {
    struct source source = {line + 1, line + length};
    ecsv->wrong = NULL;
    while (more(&source) && ascii_blank(source.end[-1]))
        source.end--;
    source.at += more(&source) && *source.at == ' ';
    if (!ecsv->found) {
        static const char mark[] = "%ECSV ";
        size_t left = (size_t)(source.end - source.at);
        ecsv->found = left > sizeof mark - 1 && memcmp(source.at, mark, sizeof mark - 1) == 0;
        ecsv->separator = ' ';
        return true;
    }
    const char *start = source.at;
    while (more(&source) && *source.at == ' ')
        source.at++;
    size_t indent = (size_t)(source.at - start);
    bool dash = source.end - source.at >= 2 && source.at[0] == '-' && source.at[1] == ' ';
    if (!more(&source))
        return true;
    if (!indent && !dash)
        return finish_column(ecsv) && take_key(ecsv, &source);
    if (!ecsv->in_columns)
        return true;
    if (!dash || (ecsv->indent != SIZE_MAX && indent != ecsv->indent))
        return append(ecsv, start, (size_t)(source.end - start));
    if (!finish_column(ecsv))
        return false;
    ecsv->indent = indent;
    source.at += 2;
    skip_blanks(&source);
    return append(ecsv, source.at, (size_t)(source.end - source.at));
}

bool ecsv_end(struct ecsv *ecsv) {
    if (!finish_column(ecsv))
        return false;
    ecsv->wrong = "the ECSV header describes no columns";
    return ecsv->columns > 0;
}

void ecsv_free(struct ecsv *ecsv) {
    free(ecsv->column);
    free(ecsv->item);
}
