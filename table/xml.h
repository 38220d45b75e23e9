/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The XML of tables, read from front to back by expat; here its events are asked for. Memory does
 * not grow with the file: a tag has at most 1 MiB, elements nest at most 64 deep, and text comes in
 * pieces.
 *
 *     while (xml_next(xml))
 *         if (xml->event == XML_START && strcmp(xml->name, "TR") == 0) ...
 *         else if (xml->event == XML_DONE) break;
 *
 * A DOCTYPE with declarations is refused, so entities cannot expand, and nothing outside the file
 * is ever read.
 */

#include "table/reader.h"

enum xml_event {
    XML_START, /* of the element `name`, with attributes */
    XML_END,   /* of an element, also of <name/> */
    XML_TEXT,  /* a piece of text */
    XML_DONE   /* the end of the file, all elements closed */
};

struct xml {
    enum xml_event event;
    const char *name; /* without a prefix such as vot:; lives until the next event */
    struct span text; /* likewise */
    size_t depth;     /* open elements, with the one that starts */
    size_t line;      /* of the event, from 1 */

    /* Internal. */
    struct table *table;
    struct XML_ParserStruct *parser;
    struct event *events; /* of the last piece of the file, with their texts in `words` */
    size_t count, at;
    char *words;
    size_t used, size;
    size_t inside;     /* open elements at the end of the piece */
    size_t unfinished; /* bytes since the last event */
    const char *wrong; /* found by us, not by expat */
    bool ended, no_memory;
};

/* Start with {0}; the table has the input. On failure the table has failed. */
bool xml_open(struct xml *xml, struct table *table);
bool xml_next(struct xml *xml);
void xml_close(struct xml *xml);

/* The value of an attribute of the element that starts, or NULL. */
const char *xml_attribute(const struct xml *xml, const char *name);
