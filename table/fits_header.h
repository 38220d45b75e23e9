/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Headers of FITS files (FITS standard 4.0, sections 3 and 4). A file is a sequence of parts, each
 * with a header and data, both padded to a multiple of 2880 bytes. A header consists of lines of 80
 * bytes ("cards"), "KEYWORD = value / comment", up to the card END.
 *
 * cfitsio is not used, because it trusts damaged headers too much, needs a seekable file, and reads
 * gzipped files into memory.
 */

#include "table/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FITS_RECORD = 2880, FITS_CARD = 80 };

/* A checksum: 32-bit words, highest byte first, added in ones' complement. Start with {0}. */
struct fits_sum {
    uint64_t total;
    unsigned phase; /* bytes of the current word */
};

void fits_sum_add(struct fits_sum *sum, const void *bytes, size_t size);
uint32_t fits_sum_value(const struct fits_sum *sum);

struct fits_header {
    char *text;
    size_t cards; /* without END */
};

enum fits_found { FITS_FOUND, FITS_NONE, FITS_WRONG };

/* Reads the next header; FITS_NONE at the end of the file, or if other data follow, which the
 * standard allows. `first`: it is the first header of the file. Adds to `sum`. Must be freed, also
 * on failure, after which the table has failed. */
enum fits_found fits_header_read(struct fits_header *header, struct table *table, bool first,
                                 struct fits_sum *sum);
void fits_header_free(struct fits_header *header);

/* The value of a keyword; "TFORM" with number 3 is TFORM3, with 0 it is TFORM. False if there is
 * none, or if it is not of this type. Trailing blanks of strings are removed; strings need 70
 * bytes. */
enum { FITS_STRING = 70 };
bool fits_string(const struct fits_header *header, const char *key, size_t number,
                 char value[FITS_STRING]);
bool fits_integer(const struct fits_header *header, const char *key, size_t number, int64_t *value);
bool fits_real(const struct fits_header *header, const char *key, size_t number, double *value);
bool fits_logical(const struct fits_header *header, const char *key, bool *value);

/* The number of data bytes after the header, without padding; false if the header does not have it.
 */
bool fits_data_size(const struct fits_header *header, uint64_t *size);

/* 16 letters that, as the value of CHECKSUM in the header, make the total sum all ones. */
void fits_encode_sum(uint32_t sum, char code[16]);
