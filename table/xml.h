/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_XML_H
#define TABLE_XML_H

/*
 * A pull parser for the XML of tables, which reads from front to back. Its memory does not grow
 * with the file: a tag has at most 1 MiB, elements nest at most 64 deep, and text comes in pieces.
 *
 *     while (xml_next(xml, &complaint))
 *         if (xml->event == XML_START && strcmp(xml->name, "TR") == 0) ...
 *         else if (xml->event == XML_DONE) break;
 *
 * It supports the five predefined entities and character references. A DOCTYPE with declarations is
 * refused, so entities cannot expand, and nothing outside the file is ever read. The encoding is
 * UTF-8.
 */

#include "table/byte_stream.h"
#include "table/table.h"

enum xml_event {
    XML_START, /* of the element `name`, with attributes */
    XML_END,   /* of the element `name`, also of <name/> */
    XML_TEXT,  /* a piece of text */
    XML_DONE   /* the end of the file, all elements closed */
};

enum { XML_DEPTH = 64, XML_ATTRIBUTES = 64, XML_NAMES = 4096 };

struct xml_attribute {
    const char *name, *value; /* terminated; live until the next event */
};

struct xml {
    struct byte_stream *input; /* the caller's */
    enum xml_event event;
    const char *name; /* without a prefix such as vot: */
    size_t attributes;
    struct xml_attribute attribute[XML_ATTRIBUTES];
    struct span text;

    /* Internal. */
    char *window; /* bytes read, of which [at, filled) are not parsed yet */
    size_t size, filled, at;
    bool ended;  /* the input has no more */
    size_t line; /* of window[at], from 1 */
    bool in_cdata, closes;
    bool opened; /* there was an element */
    size_t depth, names_used;
    char names[XML_NAMES]; /* of the elements that are open, each terminated */
    char character[4];     /* of a reference */
};

/* Start with {0} and the input set. False and a complaint when out of memory. */
bool xml_open(struct xml *xml, struct complaint *complaint);
void xml_close(struct xml *xml);

/* False and a complaint that names file and line if the file is not well formed. */
bool xml_next(struct xml *xml, struct complaint *complaint);

/* The value of an attribute of the element that starts, or NULL. */
const char *xml_attribute(const struct xml *xml, const char *name);

/* "stars.vot:17: what"; false. */
bool xml_complain(const struct xml *xml, const char *what, struct complaint *complaint);

#endif
