/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A FIELD of a VOTable (IVOA VOTable 1.4), which becomes zero or more columns of a table; and the
 * decoding of its cells. */

#include "table/field.h"
#include "table/xml.h"

struct votable_field {
    char type;                /* as in FITS: LXBIJKAEDCM; U: text in UTF-16 */
    size_t bytes;             /* of an element; 0 of a bit */
    uint64_t count;           /* elements of a cell, at most 2^40; if `variable`: of one slice */
    bool variable;            /* the cell starts with their number */
    struct elements elements; /* none if it is not supported */
    bool has_null;
    int64_t null;
};

/* By the attributes of the element FIELD that starts. Adds its columns to the table, as those of
 * the field of this number. */
bool votable_field_read(struct votable_field *field, struct table *table, size_t number,
                        const struct xml_tag *tag);

/* By those of its VALUES. */
void votable_field_null(struct votable_field *field, const struct xml_tag *tag);

bool votable_is_text(const struct votable_field *field);

/* An element of a cell of text, or of bytes that are there; false if it is not a number. */
bool votable_read_text(const struct votable_field *field, struct span text, size_t element,
                       struct cell *cell);
bool votable_read_bytes(const struct votable_field *field, const unsigned char *bytes,
                        struct table *table, struct cell *cell, struct complaint *complaint);

/* Without blanks and newlines around. */
struct span votable_trim(struct span span);
