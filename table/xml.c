/* SPDX-License-Identifier: Apache-2.0 */
#include "table/xml.h"

#include "table/buffer_size.h"

#include <expat.h>
#include <string.h>

enum {
    PIECE = BUFFER_SIZE(1 << 16), /* bytes read at a time */
    LONGEST_TAG = 1 << 20,
    DEEPEST = 64,
    MOST_ATTRIBUTES = 64,
};

/* Behind the colon of a prefix. */
static const char *local_name(const char *name) {
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

const char *xml_attribute(const struct xml_tag *tag, const char *name) {
    for (const char **at = tag->attributes; *at; at += 2)
        if (strcmp(local_name(at[0]), name) == 0)
            return at[1];
    return NULL;
}

/* ---------------------------------------------------------------- what expat calls ------------ */

static void stop(struct xml *xml, const char *wrong) {
    xml->wrong = xml->wrong ? xml->wrong : wrong;
    XML_StopParser(xml->parser, XML_FALSE);
}

/* After an event that its reader took well or not. After a stop expat may tell of one more. */
static void go_on(struct xml *xml, bool fine) {
    xml->unfinished = 0;
    xml->failed = !fine;
    if (!fine)
        XML_StopParser(xml->parser, XML_FALSE);
}

static void take_start(void *user, const char *name, const char **attributes) {
    struct xml *xml = user;
    if (++xml->depth > DEEPEST)
        stop(xml, "elements nest more than 64 deep");
    else if (XML_GetSpecifiedAttributeCount(xml->parser) > 2 * MOST_ATTRIBUTES)
        stop(xml, "a tag has more than 64 attributes");
    if (xml->wrong || xml->failed)
        return;
    const struct xml_tag tag = {local_name(name), attributes,
                                XML_GetCurrentLineNumber(xml->parser)};
    go_on(xml, xml->reader->start(xml->table, &tag));
}

static void take_end(void *user, const char *name) {
    struct xml *xml = user;
    (void)name;
    xml->depth--;
    if (!xml->wrong && !xml->failed)
        go_on(xml, xml->reader->end(xml->table));
}

static void take_text(void *user, const char *text, int length) {
    struct xml *xml = user;
    if (!xml->wrong && !xml->failed)
        go_on(xml, xml->reader->text(xml->table, (struct span){text, (size_t)length}));
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

/* ---------------------------------------------------------------- the file -------------------- */

bool xml_open(struct xml *xml, struct table *table, const struct xml_reader *reader) {
    xml->table = table;
    xml->reader = reader;
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
    if (xml->failed)
        return false;
    if (XML_GetErrorCode(xml->parser) == XML_ERROR_NO_MEMORY)
        return table_no_memory(xml->table);
    return table_fail(xml->table, XML_GetCurrentLineNumber(xml->parser), "XML: %s", reason(xml));
}

void xml_pause(struct xml *xml) {
    XML_StopParser(xml->parser, XML_TRUE);
}

bool xml_read(struct xml *xml) {
    XML_ParsingStatus parsing;
    enum XML_Status status;
    XML_GetParsingStatus(xml->parser, &parsing);
    if (parsing.parsing == XML_SUSPENDED) {
        status = XML_ResumeParser(xml->parser);
    } else {
        size_t got = 0;
        char *piece = XML_GetBuffer(xml->parser, PIECE);
        if (!piece)
            return refuse(xml);
        if (!byte_stream_read(xml->table->input, piece, PIECE, &got, &xml->table->complaint))
            return false;
        xml->unfinished += got;
        status = XML_ParseBuffer(xml->parser, (int)got, got < PIECE);
    }
    if (status != XML_STATUS_ERROR && xml->unfinished > LONGEST_TAG)
        xml->wrong = "a tag of more than 1 MiB starts before this line";
    XML_GetParsingStatus(xml->parser, &parsing);
    xml->ended = parsing.parsing == XML_FINISHED;
    return (status != XML_STATUS_ERROR && !xml->wrong) || refuse(xml);
}
