/* SPDX-License-Identifier: Apache-2.0 */
#include "table/fits_header.h"

#include "table/big_endian.h"
#include "text/number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 4096 }; /* of a header: 999 columns with all their keywords need some 500 */

/* ---------------------------------------------------------------- reading --------------------- */

/* Puts the cards of a record in; true when one of them is the last. */
static bool take_record(struct fits_header *header) {
    const char *card = header->text + FITS_CARD * header->cards;
    for (int i = 0; i < FITS_RECORD / FITS_CARD; i++, card += FITS_CARD) {
        if (memcmp(card, "END     ", 8) == 0)
            return true;
        header->cards++;
    }
    return false;
}

static enum fits_found wrong(struct table *table, const char *what) {
    table_fail(table, 0, "FITS: %s", what);
    return FITS_WRONG;
}

enum fits_found fits_header_read(struct fits_header *header, struct table *table, bool first,
                                 struct fits_sum *sum) {
    *header = (struct fits_header){0};
    for (size_t records = 0; records < MOST_RECORDS; records++) {
        char *text = realloc(header->text, (records + 1) * FITS_RECORD);
        if (!text) {
            table_no_memory(table);
            return FITS_WRONG;
        }
        header->text = text;
        text += records * FITS_RECORD;
        size_t got;
        if (!byte_stream_read(table->input, text, FITS_RECORD, &got, &table->complaint))
            return FITS_WRONG;
        const char *start = first ? "SIMPLE  =" : "XTENSION=";
        if (!records && (got < 9 || memcmp(text, start, 9) != 0))
            return first ? wrong(table, "this is not a FITS file") : FITS_NONE;
        if (got < FITS_RECORD)
            return wrong(table, "the file ends within a header; is it truncated?");
        fits_sum_add(sum, text, FITS_RECORD);
        if (take_record(header))
            return FITS_FOUND;
    }
    return wrong(table, "a header does not end");
}

void fits_header_free(struct fits_header *header) {
    free(header->text);
    *header = (struct fits_header){0};
}

/* ---------------------------------------------------------------- values ---------------------- */

/* What stands behind "KEYWORD = ", up to the end of the card; NULL when the keyword is not there.
 */
static const char *find(const struct fits_header *header, const char *key, size_t number,
                        const char **end) {
    char word[32];
    int length = number ? snprintf(word, sizeof word, "%s%zu", key, number)
                        : snprintf(word, sizeof word, "%s", key);
    if (length > 8)
        return NULL;
    memset(word + length, ' ', (size_t)(8 - length));
    memcpy(word + 8, "= ", 2);
    for (size_t i = 0; i < header->cards; i++) {
        const char *card = header->text + FITS_CARD * i;
        if (memcmp(card, word, 10) == 0) {
            *end = card + FITS_CARD;
            return card + 10;
        }
    }
    return NULL;
}

bool fits_string(const struct fits_header *header, const char *key, size_t number,
                 char value[FITS_STRING]) {
    const char *end, *p = find(header, key, number, &end);
    size_t length = 0;
    while (p && p < end && *p == ' ')
        p++;
    if (!p || p == end || *p++ != '\'')
        return false;
    for (; p < end; p++) {
        if (*p == '\'' && (p + 1 == end || *++p != '\''))
            break; /* a quote within is doubled */
        value[length++] = *p >= ' ' && *p <= '~' ? *p : '?';
    }
    while (length && value[length - 1] == ' ')
        length--;
    value[length] = '\0';
    return true;
}

/* A value that is no string: from the first letter up to a blank or the comment. */
static bool find_word(const struct fits_header *header, const char *key, size_t number,
                      char value[FITS_STRING + 1], size_t *length) {
    const char *end, *p = find(header, key, number, &end);
    while (p && p < end && *p == ' ')
        p++;
    *length = 0;
    while (p && p < end && *p != ' ' && *p != '/')
        value[(*length)++] = *p++;
    value[*length] = '\0';
    return *length > 0;
}

bool fits_integer(const struct fits_header *header, const char *key, size_t number,
                  int64_t *value) {
    char word[FITS_STRING + 1], *end;
    size_t length;
    if (!find_word(header, key, number, word, &length))
        return false;
    errno = 0;
    long long read = strtoll(word, &end, 10);
    if (errno || end != word + length || !length)
        return false;
    *value = read;
    return true;
}

bool fits_real(const struct fits_header *header, const char *key, size_t number, double *value) {
    char word[FITS_STRING + 1];
    size_t length;
    if (!find_word(header, key, number, word, &length))
        return false;
    for (size_t i = 0; i < length; i++)
        if (word[i] == 'D' || word[i] == 'd') /* as Fortran writes */
            word[i] = 'e';
    double read;
    if (number_read(word, length, &read) != NUMBER_READ)
        return false;
    *value = read;
    return true;
}

bool fits_logical(const struct fits_header *header, const char *key, bool *value) {
    char word[FITS_STRING + 1];
    size_t length;
    if (!find_word(header, key, 0, word, &length) || length != 1 ||
        (word[0] != 'T' && word[0] != 'F'))
        return false;
    *value = word[0] == 'T';
    return true;
}

/* ---------------------------------------------------------------- sizes ----------------------- */

static bool multiply(uint64_t *product, int64_t factor) {
    return factor >= 0 && !__builtin_mul_overflow(*product, (uint64_t)factor, product);
}

/* |BITPIX| / 8 * GCOUNT * (PCOUNT + NAXIS1 * NAXIS2 * ...); "random groups" are marked by NAXIS1 =
 * 0 and do not count it. */
bool fits_data_size(const struct fits_header *header, uint64_t *size) {
    int64_t bits, axes, length, pad = 0, groups = 1;
    bool random = false;
    if (!fits_integer(header, "BITPIX", 0, &bits) || !fits_integer(header, "NAXIS", 0, &axes) ||
        axes < 0 || axes > 999)
        return false;
    fits_logical(header, "GROUPS", &random);
    fits_integer(header, "PCOUNT", 0, &pad);
    fits_integer(header, "GCOUNT", 0, &groups);
    *size = axes > 0;
    for (size_t i = 1; i <= (size_t)axes; i++) {
        if (!fits_integer(header, "NAXIS", i, &length))
            return false;
        if (i == 1 && random && length == 0)
            continue;
        if (!multiply(size, length))
            return false;
    }
    if (pad < 0 || *size > UINT64_MAX - (uint64_t)pad)
        return false;
    *size += (uint64_t)pad;
    return multiply(size, groups) &&
           (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == -32 || bits == -64) &&
           multiply(size, (bits < 0 ? -bits : bits) / 8) && *size < UINT64_MAX / 2;
}

/* ---------------------------------------------------------------- check sums ------------------ */

void fits_sum_add(struct fits_sum *sum, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    uint64_t total = sum->total;
    for (; size && sum->phase; p++, size--, sum->phase = (sum->phase + 1) % 4)
        total += (uint64_t)*p << (24 - 8 * sum->phase);
    for (; size >= 4; p += 4, size -= 4) { /* carries gather in the upper half */
        total += big_endian(p, 4);
        total = (total & 0xffffffff) + (total >> 32);
    }
    for (; size; p++, size--)
        total += (uint64_t)*p << (24 - 8 * sum->phase++);
    sum->total = (total & 0xffffffff) + (total >> 32);
}

uint32_t fits_sum_value(const struct fits_sum *sum) {
    return (uint32_t)((sum->total & 0xffffffff) + (sum->total >> 32));
}

static bool is_punctuation(int c) {
    return (c >= 0x3a && c <= 0x40) || (c >= 0x5b && c <= 0x60);
}

/*
 * FITS standard, appendix J: each byte of the complement becomes four letters, four bytes apart,
 * that add up to it and four times '0'; pairs of them move apart until both are letters or digits.
 * All is turned by one place, since the value of a card starts at its byte 11.
 */
void fits_encode_sum(uint32_t sum, char code[16]) {
    for (size_t i = 0; i < 4; i++) {
        int byte = (int)(~sum >> (24 - 8 * i) & 0xff), letters[4];
        for (size_t k = 0; k < 4; k++)
            letters[k] = byte / 4 + '0' + (k == 0 ? byte % 4 : 0);
        for (size_t k = 0; k < 4; k += 2)
            while (is_punctuation(letters[k]) || is_punctuation(letters[k + 1])) {
                letters[k]++;
                letters[k + 1]--;
            }
        for (size_t k = 0; k < 4; k++)
            code[(4 * k + i + 1) % 16] = (char)letters[k];
    }
}
