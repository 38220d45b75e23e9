/* SPDX-License-Identifier: Apache-2.0 */
#include "table/ecsv.h"

#include "text/growing.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { LONGEST_HEADER = 64 << 20, DEEPEST = 64 };

/* ---------------------------------------------------------------- lines ----------------------- */

bool ecsv_line(struct ecsv *ecsv, const char *line, size_t length) {
    static const char mark[] = "%ECSV ";
    const char *end = line + length;
    line++;
    line += line < end && *line == ' ';
    length = (size_t)(end - line);
    if (!ecsv->found) {
        ecsv->found = length > sizeof mark - 1 && memcmp(line, mark, sizeof mark - 1) == 0;
        ecsv->separator = ' ';
        return true;
    }
    ecsv->wrong = "the ECSV header has more than 64 MiB, or a directive of YAML";
    if (ecsv->length + length + 1 > LONGEST_HEADER || (length && *line == '%'))
        return false;
    ecsv->wrong = NULL;
    if (ecsv->length + length + 1 > ecsv->size) {
        size_t size = 2 * (ecsv->length + length + 1);
        char *grown = realloc(ecsv->text, size);
        if (!grown)
            return false;
        ecsv->text = grown;
        ecsv->size = size;
    }
    memcpy(ecsv->text + ecsv->length, line, length);
    ecsv->length += length;
    ecsv->text[ecsv->length++] = '\n';
    return true;
}

void ecsv_free(struct ecsv *ecsv) {
    free(ecsv->column);
    free(ecsv->text);
}

/* ---------------------------------------------------------------- YAML ------------------------ */

/* The events of the header, one at a time. */
struct source {
    struct ecsv *ecsv;
    yaml_parser_t parser;
    yaml_event_t event;
    size_t depth; /* of lists and mappings: libyaml takes very long over deep ones */
};

static bool next(struct source *source) {
    yaml_event_delete(&source->event);
    if (yaml_parser_parse(&source->parser, &source->event)) {
        yaml_event_type_t type = source->event.type;
        source->depth += type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
        source->depth -= type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
        return type != YAML_STREAM_END_EVENT && source->depth <= DEEPEST;
    }
    if (source->parser.error == YAML_MEMORY_ERROR)
        source->ecsv->wrong = NULL;
    return false;
}

/* The text of the event, in the pool; "" if it is none. */
static const char *take_text(struct source *source) {
    bool scalar = source->event.type == YAML_SCALAR_EVENT;
    const char *text = text_pool_copy(source->ecsv->pool,
                                      scalar ? (const char *)source->event.data.scalar.value : "",
                                      scalar ? source->event.data.scalar.length : 0);
    if (!text)
        source->ecsv->wrong = NULL;
    return text;
}

/* Passes over the rest of the list or mapping that the event starts; a text has none. */
static bool pass(struct source *source) {
    yaml_event_type_t type = source->event.type;
    size_t inside = source->depth;
    if (type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT)
        while (source->depth >= inside)
            if (!next(source))
                return false;
    return true;
}

/* The next key of a mapping, with the event at its value; *key is NULL at the end. */
static bool take_key(struct source *source, const char **key) {
    *key = NULL;
    if (!next(source))
        return false;
    if (source->event.type == YAML_MAPPING_END_EVENT)
        return true;
    *key = take_text(source);
    return *key && pass(source) && next(source);
}

static enum ecsv_kind kind_of(const char *type) {
    if (strcmp(type, "bool") == 0)
        return ECSV_LOGICAL;
    return strncmp(type, "int", 3) == 0 || strncmp(type, "uint", 4) == 0 ||
                   strncmp(type, "float", 5) == 0
               ? ECSV_NUMBER
               : ECSV_TEXT;
}

/* {name: a, unit: m, datatype: float64}; with a subtype the cells are JSON. */
static bool take_column(struct source *source) {
    struct ecsv *ecsv = source->ecsv;
    const char *key, *name = "", *unit = "", *type = "";
    bool subtype = false;
    for (;;) {
        if (!take_key(source, &key))
            return false;
        if (!key)
            break;
        const char **value = strcmp(key, "name") == 0       ? &name
                             : strcmp(key, "unit") == 0     ? &unit
                             : strcmp(key, "datatype") == 0 ? &type
                                                            : NULL;
        subtype = subtype || strcmp(key, "subtype") == 0;
        if ((value && !(*value = take_text(source))) || !pass(source))
            return false;
    }
    if (!*name || !*type)
        return false;
    struct ecsv_column *grown = grow_by_one(ecsv->column, ecsv->columns, sizeof *grown);
    if (!grown) {
        ecsv->wrong = NULL;
        return false;
    }
    ecsv->column = grown;
    grown[ecsv->columns++] = (struct ecsv_column){
        .name = name, .unit = *unit ? unit : NULL, .kind = subtype ? ECSV_TEXT : kind_of(type)};
    return true;
}

static bool take_columns(struct source *source) {
    if (source->event.type != YAML_SEQUENCE_START_EVENT)
        return false;
    while (next(source)) {
        if (source->event.type == YAML_SEQUENCE_END_EVENT)
            return true;
        if (source->event.type != YAML_MAPPING_START_EVENT || !take_column(source))
            return false;
    }
    return false;
}

static bool take_delimiter(struct source *source) {
    const char *text = take_text(source);
    if (!text)
        return false;
    source->ecsv->separator = text[0];
    if (strcmp(text, " ") == 0 || strcmp(text, ",") == 0)
        return true;
    source->ecsv->wrong = "the ECSV header has a delimiter that is neither a blank nor a comma";
    return false;
}

static bool take_header(struct source *source) {
    const char *key;
    do
        if (!next(source))
            return false;
    while (source->event.type != YAML_MAPPING_START_EVENT);
    for (;;) {
        if (!take_key(source, &key))
            return false;
        if (!key)
            return true;
        if (!(strcmp(key, "datatype") == 0    ? take_columns(source)
              : strcmp(key, "delimiter") == 0 ? take_delimiter(source)
                                              : pass(source)))
            return false;
    }
}

bool ecsv_end(struct ecsv *ecsv) {
    struct source source = {.ecsv = ecsv};
    ecsv->wrong = NULL;
    if (!yaml_parser_initialize(&source.parser))
        return false;
    ecsv->wrong = "the description of the columns in the ECSV header is not understood";
    yaml_parser_set_encoding(&source.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &source.parser, (const unsigned char *)(ecsv->text ? ecsv->text : ""), ecsv->length);
    bool good = take_header(&source);
    yaml_event_delete(&source.event);
    yaml_parser_delete(&source.parser);
    if (good && !ecsv->columns)
        ecsv->wrong = "the ECSV header describes no columns";
    return good && ecsv->columns;
}
