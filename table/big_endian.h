/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Numbers with the highest byte first, as in FITS and VOTable. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t big_endian(const unsigned char *bytes, size_t count) {
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

static inline double big_endian_float(const unsigned char *bytes) {
    uint32_t bits = (uint32_t)big_endian(bytes, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static inline double big_endian_double(const unsigned char *bytes) {
    uint64_t bits = big_endian(bytes, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void put_big_endian_double(unsigned char *bytes, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (size_t i = 8; i-- > 0; bits >>= 8)
        bytes[i] = (unsigned char)bits;
}
