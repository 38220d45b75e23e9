/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_VOTABLE_FIELD_H
#define TABLE_VOTABLE_FIELD_H

/* A FIELD of a VOTable (IVOA VOTable 1.4), which becomes zero or more columns of a table; and the
 * decoding of its cells, as text (TABLEDATA) or bytes (BINARY and BINARY2). */

#include "table/text_pool.h"
#include "table/xml.h"

#include <stdint.h>

enum votable_type {
    VOTABLE_BOOLEAN,
    VOTABLE_BIT,
    VOTABLE_BYTE,
    VOTABLE_SHORT,
    VOTABLE_INT,
    VOTABLE_LONG,
    VOTABLE_CHAR,
    VOTABLE_UNICODE,
    VOTABLE_FLOAT,
    VOTABLE_DOUBLE,
    VOTABLE_FLOAT_COMPLEX,
    VOTABLE_DOUBLE_COMPLEX
};

enum { VOTABLE_DIMENSIONS = 4, VOTABLE_ELEMENTS = 64 };

struct votable_field {
    const char *name, *unit; /* in the pool; unit NULL if there is none */
    enum votable_type type;
    size_t bytes;   /* of an element; 0 of a bit */
    uint64_t count; /* elements of a cell, at most 2^40; if `variable`: of one slice */
    bool variable;  /* the cell starts with their number */
    int dimensions; /* of its elements, the fastest first; the first few are kept */
    size_t dimension[VOTABLE_DIMENSIONS];
    size_t elements; /* columns it becomes: 0 if it is not supported */
    bool has_null;
    int64_t null_integer;
    double null;
};

/* By the attributes of the element FIELD that starts. */
bool votable_field_read(struct votable_field *field, const struct xml *xml, struct text_pool *pool,
                        struct complaint *complaint);

/* By those of its VALUES. */
void votable_field_null(struct votable_field *field, const struct xml *xml);

/* The name of one of its columns. */
void votable_field_name(const struct votable_field *field, size_t element, char *name, size_t size);

bool votable_is_text(const struct votable_field *field);

/* An element of a cell; NaN if it is missing, as in an empty cell. False if it is not a number.
 */
bool votable_decode(const struct votable_field *field, struct span cell, bool binary,
                    size_t element, double *value);

/* The digits of a 64-bit integer, which a double may not represent; false if it is not one. */
bool votable_digits(const struct votable_field *field, struct span cell, bool binary,
                    size_t element, struct span *digits, char room[32]);

/* Without blanks and newlines around. */
struct span votable_trim(struct span span);

#endif
