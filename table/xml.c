/* SPDX-License-Identifier: Apache-2.0 */
#include "table/xml.h"

#include "table/buffer_size.h"
#include "text/growing.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = BUFFER_SIZE(1 << 16), /* bytes read at a time */
    LONGEST_TAG = 1 << 20,
    DEEPEST = 64,
    MOST_ATTRIBUTES = 64,
};

/* Its words: of a start the name, then names and values of attributes, each terminated; of a text
 * the text. */
struct event {
    enum xml_event kind;
    size_t start, end; /* in xml->words */
    size_t line;
};

/* ---------------------------------------------------------------- what expat calls ------------ */

static void stop(struct xml *xml, const char *wrong) {
    xml->wrong = xml->wrong ? xml->wrong : wrong;
    XML_StopParser(xml->parser, XML_FALSE);
}

static void stop_without_memory(struct xml *xml) {
    xml->no_memory = true;
    XML_StopParser(xml->parser, XML_FALSE);
}

static void add_words(struct xml *xml, const char *text, size_t length) {
    if (xml->used + length > xml->size) {
        size_t size = 2 * (xml->used + length);
        char *grown = realloc(xml->words, size);
        if (!grown) {
            stop_without_memory(xml);
            return;
        }
        xml->words = grown;
        xml->size = size;
    }
    memcpy(xml->words + xml->used, text, length);
    xml->used += length;
}

static void add_event(struct xml *xml, enum xml_event kind) {
    struct event *grown = grow_by_one(xml->events, xml->count, sizeof *grown);
    xml->unfinished = 0;
    if (!grown) {
        stop_without_memory(xml);
        return;
    }
    xml->events = grown;
    grown[xml->count++] =
        (struct event){kind, xml->used, xml->used, XML_GetCurrentLineNumber(xml->parser)};
}

/* Behind the colon of a prefix. */
static const char *local_name(const char *name) {
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static void take_start(void *user, const char *name, const char **attributes) {
    struct xml *xml = user;
    if (++xml->inside > DEEPEST) {
        stop(xml, "elements nest more than 64 deep");
        return;
    }
    if (XML_GetSpecifiedAttributeCount(xml->parser) > 2 * MOST_ATTRIBUTES) {
        stop(xml, "a tag has more than 64 attributes");
        return;
    }
    add_event(xml, XML_START);
    add_words(xml, local_name(name), strlen(local_name(name)) + 1);
    for (; *attributes; attributes += 2) {
        add_words(xml, local_name(attributes[0]), strlen(local_name(attributes[0])) + 1);
        add_words(xml, attributes[1], strlen(attributes[1]) + 1);
    }
    if (!xml->no_memory)
        xml->events[xml->count - 1].end = xml->used;
}

static void take_end(void *user, const char *name) {
    struct xml *xml = user;
    (void)name;
    xml->inside--;
    add_event(xml, XML_END);
}

/* Pieces that follow each other are one event. */
static void take_text(void *user, const char *text, int length) {
    struct xml *xml = user;
    if (!xml->count || xml->events[xml->count - 1].kind != XML_TEXT)
        add_event(xml, XML_TEXT);
    add_words(xml, text, (size_t)length);
    xml->unfinished = 0;
    if (!xml->no_memory)
        xml->events[xml->count - 1].end = xml->used;
}

/* Comments, instructions, and what else is of no interest. */
static void take_other(void *user, const char *text, int length) {
    struct xml *xml = user;
    (void)text;
    (void)length;
    xml->unfinished = 0;
}

/* An old DOCTYPE line with VOTable's DTD is ignored; declarations are refused. */
static void take_doctype(void *user, const char *name, const char *system, const char *public,
                         int declares) {
    (void)name;
    (void)system;
    (void)public;
    if (declares)
        stop(user, "a DOCTYPE with declarations, which are refused");
}

static void take_entity(void *user, const char *name, int is_parameter) {
    (void)name;
    (void)is_parameter;
    stop(user, "an entity other than &amp; &lt; &gt; &quot; &apos; and character references");
}

/* ---------------------------------------------------------------- events ---------------------- */

bool xml_open(struct xml *xml, struct table *table) {
    xml->table = table;
    xml->parser = XML_ParserCreate(NULL);
    if (!xml->parser)
        return table_no_memory(table);
    XML_SetUserData(xml->parser, xml);
    XML_SetElementHandler(xml->parser, take_start, take_end);
    XML_SetCharacterDataHandler(xml->parser, take_text);
    XML_SetDefaultHandler(xml->parser, take_other);
    XML_SetStartDoctypeDeclHandler(xml->parser, take_doctype);
    XML_SetSkippedEntityHandler(xml->parser, take_entity);
    return true;
}

void xml_close(struct xml *xml) {
    if (xml->parser)
        XML_ParserFree(xml->parser);
    free(xml->events);
    free(xml->words);
}

static const char *reason(const struct xml *xml) {
    enum XML_Error error = XML_GetErrorCode(xml->parser);
    if (xml->wrong)
        return xml->wrong;
    switch (error) {
    case XML_ERROR_NO_ELEMENTS:
    case XML_ERROR_UNCLOSED_TOKEN:
    case XML_ERROR_UNCLOSED_CDATA_SECTION:
    case XML_ERROR_PARTIAL_CHAR:
        return "the file ends here, within XML; is it truncated?";
    case XML_ERROR_TAG_MISMATCH:
        return "an end tag does not match the last element opened";
    case XML_ERROR_UNKNOWN_ENCODING:
        return "the encoding is not known; iconv converts it to UTF-8";
    default:
        return XML_ErrorString(error);
    }
}

static bool refuse(const struct xml *xml) {
    if (xml->no_memory || XML_GetErrorCode(xml->parser) == XML_ERROR_NO_MEMORY)
        return table_no_memory(xml->table);
    return table_fail(xml->table, XML_GetCurrentLineNumber(xml->parser), "XML: %s", reason(xml));
}

/* The events of the next piece of the file; those before something wrong are told first. */
static bool read_piece(struct xml *xml) {
    size_t got = 0;
    char *piece = XML_GetBuffer(xml->parser, PIECE);
    xml->count = xml->at = xml->used = 0;
    if (!piece)
        return refuse(xml);
    if (!byte_stream_read(xml->table->input, piece, PIECE, &got, &xml->table->complaint))
        return false;
    xml->ended = got < PIECE;
    xml->unfinished += got;
    enum XML_Status status = XML_ParseBuffer(xml->parser, (int)got, xml->ended);
    if (xml->no_memory)
        return refuse(xml);
    if (status == XML_STATUS_OK && xml->unfinished > LONGEST_TAG)
        xml->wrong = "a tag of more than 1 MiB starts before this line";
    else if (status == XML_STATUS_OK && xml->ended)
        add_event(xml, XML_DONE);
    return !xml->no_memory || refuse(xml);
}

bool xml_next(struct xml *xml) {
    while (xml->at == xml->count) {
        if (xml->wrong || xml->no_memory || XML_GetErrorCode(xml->parser) != XML_ERROR_NONE)
            return refuse(xml);
        if (!read_piece(xml))
            return false;
    }
    const struct event *event = &xml->events[xml->at];
    xml->event = event->kind;
    xml->line = event->line;
    xml->depth += event->kind == XML_START;
    xml->depth -= event->kind == XML_END;
    xml->name = event->kind == XML_START ? xml->words + event->start : "";
    xml->text = (struct span){xml->words + event->start, event->end - event->start};
    xml->at += event->kind != XML_DONE; /* which comes again and again */
    return true;
}

const char *xml_attribute(const struct xml *xml, const char *name) {
    const struct event *event = &xml->events[xml->at - 1];
    const char *word = xml->words + event->start, *end = xml->words + event->end;
    if (event->kind != XML_START)
        return NULL;
    for (word += strlen(word) + 1; word < end; word += strlen(word) + 1) {
        const char *value = word + strlen(word) + 1;
        if (strcmp(word, name) == 0)
            return value;
        word = value;
    }
    return NULL;
}
