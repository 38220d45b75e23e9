/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_FITS_HEADER_H
#define TABLE_FITS_HEADER_H

/*
 * Headers of FITS files (FITS standard 4.0, sections 3 and 4). A file is a sequence of parts, each
 * a header and data, both filled up to a multiple of 2880 bytes. A header is lines of 80 bytes,
 * "cards", "KEYWORD = value / comment", up to the one that says END.
 *
 * All of this is our own rather than cfitsio's, which trusts headers more than damaged files
 * deserve, needs a seekable file, and reads gzipped ones into memory.
 */

#include "table/byte_stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FITS_RECORD = 2880, FITS_CARD = 80 };

/* A check sum: 32-bit words, highest byte first, added in ones' complement. Start with {0}. */
struct fits_sum {
    uint64_t total;
    unsigned phase; /* bytes of the word under way */
};

void fits_sum_add(struct fits_sum *sum, const void *bytes, size_t size);
uint32_t fits_sum_value(const struct fits_sum *sum);

struct fits_header {
    char *text;
    size_t cards; /* without END */
};

enum fits_found { FITS_FOUND, FITS_NONE, FITS_WRONG };

/* The next header of the input; FITS_NONE at the end of the file, or where something else than a
 * part follows, which the standard allows. `first` is the file's first. Adds to `sum`. To be freed,
 * also on failure. */
enum fits_found fits_header_read(struct fits_header *header, struct byte_stream *input, bool first,
                                 struct fits_sum *sum, struct complaint *complaint);
void fits_header_free(struct fits_header *header);

/* The value of a keyword, "TFORM" with number 3 is TFORM3, with 0 the bare word. False when there
 * is none, or it is not of this type. Strings lose their trailing blanks and need 70 bytes. */
enum { FITS_STRING = 70 };
bool fits_string(const struct fits_header *header, const char *key, size_t number,
                 char value[FITS_STRING]);
bool fits_integer(const struct fits_header *header, const char *key, size_t number, int64_t *value);
bool fits_real(const struct fits_header *header, const char *key, size_t number, double *value);
bool fits_logical(const struct fits_header *header, const char *key, bool *value);

/* Bytes of data behind the header, without what fills them up; false when it does not say. */
bool fits_data_size(const struct fits_header *header, uint64_t *size);

/* 16 letters whose sum, where CHECKSUM stands in a header, makes `sum` all ones. */
void fits_encode_sum(uint32_t sum, char code[16]);

#endif
