/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The XML of tables, read from front to back by expat, which calls a reader's functions. Memory
 * does not grow with the file: a tag has at most 1 MiB, elements nest at most 64 deep, and text
 * comes in pieces.
 *
 * A DOCTYPE with declarations is refused, so entities cannot expand, and nothing outside the file
 * is ever read.
 */

#include "table/reader.h"

/* An element that starts. */
struct xml_tag {
    const char *name; /* without a prefix such as vot: */
    const char **attributes;
    size_t line; /* from 1 */
};

/* What becomes of elements and their text; false after table_fail. */
struct xml_reader {
    bool (*start)(struct table *table, const struct xml_tag *tag);
    bool (*end)(struct table *table);
    bool (*text)(struct table *table, struct span text);
};

/* Start with {0}; the table has the input. */
struct xml {
    size_t depth; /* open elements, with the one that starts and without the one that ends */
    bool ended;   /* the end of the file, all elements closed */

    /* Internal. */
    struct table *table;
    const struct xml_reader *reader;
    struct XML_ParserStruct *parser;
    size_t unfinished; /* bytes since the last event */
    const char *wrong; /* found by us, not by expat */
    bool failed;       /* the table has */
};

bool xml_open(struct xml *xml, struct table *table, const struct xml_reader *reader);
void xml_close(struct xml *xml);

/* Reads a piece of the file, up to where it is told to pause. On failure the table has failed. */
bool xml_read(struct xml *xml);
void xml_pause(struct xml *xml);

/* The value of an attribute, or NULL. */
const char *xml_attribute(const struct xml_tag *tag, const char *name);
